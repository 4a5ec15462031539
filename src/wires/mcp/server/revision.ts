/**
 * What differs from revision to revision in what a server says, so that everything else is written once.
 *
 * Source: MCP, revisions 2024-11-05 to 2026-07-28.
 *
 * @module
 */
import type { ServerInfo } from "../../wire.ts";
import type { Members } from "../../../internal/json.ts";
import { type LegacyVersion, MODERN_VERSION, SERVER_INFO } from "../protocol/constants.ts";

/** How long callers may keep what they were told, and who may share it. */
export interface CacheHints {
  /** How long, in milliseconds; 0 for not at all. */
  readonly ttlMs: number;
  /** `public` if one user may be given what another was told. */
  readonly scope: "public" | "private";
}

/** One revision. */
export class Dialect {
  /** The revision. */
  readonly version: string;
  /** Whether it is without sessions. */
  readonly isModern: boolean;
  /** What `structuredContent` may be. */
  readonly structured: "any" | "objects" | "none";
  /** Whether arguments that do not fit are told to the model, and not to the client alone. */
  readonly tellsModelOfInput: boolean;
  /** Whether titles, `_meta` and links to resources exist. */
  readonly hasTitles: boolean;
  /** Whether tools have annotations, and content may be sound. */
  readonly hasSound: boolean;
  /** Whether forms may have defaults, choices with titles and choices of several. */
  readonly hasRichForms: boolean;
  readonly #head: string;
  readonly #metaJson: string;
  readonly #tail: string;
  readonly #cacheJson: string;

  constructor(version: LegacyVersion | typeof MODERN_VERSION, info: ServerInfo, cache: CacheHints) {
    this.version = version;
    this.isModern = version === MODERN_VERSION;
    this.structured = this.isModern ? "any" : version < "2025-06-18" ? "none" : "objects";
    this.tellsModelOfInput = this.hasRichForms = version >= "2025-11-25";
    this.hasSound = version >= "2025-03-26";
    this.hasTitles = version >= "2025-06-18";
    this.#head = this.isModern ? '"resultType":"complete"' : "";
    const { instructions: _, ...implementation } = info;
    this.#metaJson = this.isModern ? `"${SERVER_INFO}":${JSON.stringify(implementation)}` : "";
    this.#tail = this.isModern ? `,"_meta":{${this.#metaJson}}}` : "}";
    this.#cacheJson = this.isModern ? `,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.scope}"` : "";
  }

  /**
   * A result.
   *
   * @param membersJson Its members without braces; empty for none.
   * @param meta What else stands in its `_meta`.
   */
  result(membersJson: string, meta?: Members): string {
    const start = this.#head === "" || membersJson === "" ? `{${this.#head}` : `{${this.#head},`;
    return `${start}${membersJson}${this.#end(meta, membersJson === "" && this.#head === "")}`;
  }

  /** A result that may be kept. */
  cacheable(membersJson: string, meta?: Members): string {
    return this.result(`${membersJson}${this.#cacheJson}`, meta);
  }

  /** A result that is not complete: its `resultType`, and members without braces. */
  unfinished(resultType: string, membersJson: string, meta?: Members): string {
    return `{"resultType":"${resultType}",${membersJson}${this.#end(meta, false)}`;
  }

  #end(meta: Members | undefined, isFirst: boolean): string {
    if (meta === undefined) return this.#tail;
    const json = JSON.stringify(meta).slice(1, -1);
    if (json === "") return this.#tail;
    const common = this.#metaJson === "" ? "" : `,${this.#metaJson}`;
    return `${isFirst ? "" : ","}"_meta":{${json}${common}}}`;
  }
}
