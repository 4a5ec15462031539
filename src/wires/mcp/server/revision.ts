/**
 * Differences between the protocol revisions in the output of a server. Other files do not depend on the revision.
 *
 * Source: MCP, revisions 2024-11-05 to 2026-07-28.
 */
import type { ServerInfo } from "../../wire.ts";
import type { Members } from "../../../internal/json.ts";
import { type LegacyVersion, MODERN_VERSION, SERVER_INFO } from "../protocol/constants.ts";

/** How long clients of 2026-07-28 may cache lists, contents of resources and `server/discover`, and whether users may share them. */
export interface CacheHints {
  /** Time to live in milliseconds; 0 disables caching. */
  readonly ttlMs: number;
  /** `public` if users may share a cached result. */
  readonly scope: "public" | "private";
}

/** One protocol revision as a server encodes it: what results, content, forms and errors may contain, and their common members. */
export class Revision {
  readonly version: string;
  /** Whether it is the revision without sessions. */
  readonly isModern: boolean;
  /** Values that `structuredContent` may have. */
  readonly structured: "any" | "objects" | "none";
  /** Whether invalid arguments are a result that the model sees, not an error that only the client sees. */
  readonly showsInputErrors: boolean;
  /** Whether there are titles, `_meta` of definitions, and links to resources. */
  readonly hasTitles: boolean;
  /** Whether there are annotations of tools, and audio content. */
  readonly hasAudio: boolean;
  /** Whether forms may have defaults, choices with titles, and multiple choice. */
  readonly hasRichForms: boolean;
  readonly #head: string;
  readonly #metaJson: string;
  readonly #tail: string;
  readonly #cacheJson: string;

  constructor(version: LegacyVersion | typeof MODERN_VERSION, info: ServerInfo, cache: CacheHints) {
    this.version = version;
    this.isModern = version === MODERN_VERSION;
    this.structured = this.isModern ? "any" : version < "2025-06-18" ? "none" : "objects";
    this.showsInputErrors = this.hasRichForms = version >= "2025-11-25";
    this.hasAudio = version >= "2025-03-26";
    this.hasTitles = version >= "2025-06-18";
    this.#head = this.isModern ? '"resultType":"complete"' : "";
    const { instructions: _, ...implementation } = info;
    this.#metaJson = this.isModern ? `"${SERVER_INFO}":${JSON.stringify(implementation)}` : "";
    this.#tail = this.isModern ? `,"_meta":{${this.#metaJson}}}` : "}";
    this.#cacheJson = this.isModern ? `,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.scope}"` : "";
  }

  /**
   * Encodes a complete result.
   *
   * @param membersJson Members of the result without braces; may be empty.
   * @param meta Additional members of its `_meta`.
   */
  result(membersJson: string, meta?: Members): string {
    const start = this.#head === "" || membersJson === "" ? `{${this.#head}` : `{${this.#head},`;
    return `${start}${membersJson}${this.#end(meta, membersJson === "" && this.#head === "")}`;
  }

  /** Encodes a complete result that clients may cache: since 2026-07-28 with the hints for it. */
  cacheable(membersJson: string, meta?: Members): string {
    return this.result(`${membersJson}${this.#cacheJson}`, meta);
  }

  /** Encodes a result that is not complete, from its `resultType` and its members without braces. */
  unfinished(resultType: string, membersJson: string, meta?: Members): string {
    return `{"resultType":"${resultType}",${membersJson}${this.#end(meta, false)}`;
  }

  /** Converts a content block. A block type that the revision does not have becomes text or an embedded resource. */
  toBlock(block: object): object {
    if (this.hasTitles) return block;
    const { type, uri, data, mimeType } = block as Members;
    // Links to resources exist since 2025-06-18, audio since 2025-03-26.
    if (type === "resource_link") return { type: "text", text: String(uri) };
    if (type !== "audio" || this.hasAudio) return block;
    return { type: "resource", resource: { uri: "audio:", mimeType, blob: data } };
  }

  #end(meta: Members | undefined, isFirst: boolean): string {
    if (meta === undefined) return this.#tail;
    const json = JSON.stringify(meta).slice(1, -1);
    if (json === "") return this.#tail;
    const common = this.#metaJson === "" ? "" : `,${this.#metaJson}`;
    return `${isFirst ? "" : ","}"_meta":{${json}${common}}}`;
  }
}
