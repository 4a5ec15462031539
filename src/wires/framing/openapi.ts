/**
 * OpenAPI 3.1 documents of servers, and their replies.
 *
 * @module
 */
import type { Metadata } from "../../core/call/call.ts";
import { sha256, toHex } from "../../internal/encoding.ts";
import { JSON_HEADERS } from "./http.ts";
import { RecentMap } from "../../internal/recent_map.ts";

type Members = Readonly<Record<string, unknown>>;

/** What a document says about its server. */
interface DocumentInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** Parts of a document, as a wire describes itself. */
interface DocumentParts {
  readonly paths: Members;
  readonly components: Readonly<Record<string, Members>>;
}

/**
 * Makes an OpenAPI document of the parts of several wires. Components of the same name are expected to be the same.
 *
 * @param mount Path of the mount that the paths are below; `""` for the root.
 */
export function openApiDocument(
  { name, version, title = name, description }: DocumentInfo,
  parts: readonly DocumentParts[],
  mount: string,
): Members {
  const components: Record<string, Members> = {};
  for (const part of parts) {
    for (const [kind, members] of Object.entries(part.components)) {
      components[kind] = { ...components[kind], ...members };
    }
  }
  return {
    openapi: "3.1.1",
    info: { title, version, ...(description !== undefined && { description }) },
    ...(mount !== "" && { servers: [{ url: mount }] }),
    paths: Object.assign({}, ...parts.map(({ paths }) => paths)) as Members,
    components,
  };
}

/** A document as text. */
interface StoredDocument {
  readonly json: string;
  /** Entity tag: a digest of the text. */
  readonly etag: string;
}

/** Maximum number of documents of one server: for callers who see different tools, and for different mounts. */
const MAX_DOCUMENTS = 16;

/** Cache of a server's OpenAPI documents, one for each list of visible tools and each mount, until the tools of the server change. */
export class DocumentCache {
  /** Tools of the server that the documents are of. */
  #definitions: unknown = undefined;
  readonly #documents = new RecentMap<Promise<StoredDocument>>(MAX_DOCUMENTS);

  /**
   * Returns a document.
   *
   * @param definitions Tools of the server. Another array means other tools.
   * @param tools Tools in the document.
   * @param make Makes the text of the document.
   */
  get(
    definitions: readonly unknown[],
    tools: readonly { readonly name: string }[],
    mount: string,
    make: () => string,
  ): Promise<StoredDocument> {
    if (definitions !== this.#definitions) this.#documents.clear();
    this.#definitions = definitions;
    const key = JSON.stringify([mount, ...tools.map(({ name }) => name)]);
    return this.#documents.getOrMake(key, () => toDocument(make()));
  }
}

async function toDocument(json: string): Promise<StoredDocument> {
  return { json, etag: `"${toHex(await sha256(json))}"` };
}

/**
 * Makes the reply of a document, with an entity tag; 304 if the caller has it.
 *
 * @param isPrivate Whether callers may get different documents.
 */
export async function documentReply(
  { method, metadata }: { readonly method: string; readonly metadata: Metadata },
  document: Promise<StoredDocument>,
  isPrivate: boolean,
): Promise<
  { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string | null }
> {
  const { json, etag } = await document;
  const headers = { ...JSON_HEADERS, etag, "cache-control": isPrivate ? "private, no-cache" : "no-cache" };
  const cached = metadata.get("if-none-match")?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (cached?.some((tag) => tag === etag || tag === "*")) return { status: 304, headers, body: null };
  return { status: 200, headers, body: method === "HEAD" ? null : json };
}
