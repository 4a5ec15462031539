/**
 * OpenAPI 3.1 documents of servers, and their replies.
 *
 * @module
 */
import type { Metadata } from "../../core/call/call.ts";
import { sha256, toHex } from "../../internal/encoding.ts";
import { JSON_HEADERS } from "./http.ts";

type Members = Readonly<Record<string, unknown>>;

/** What a document says about its server. */
interface DocumentInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
}

/** Parts of a document, as a wire describes itself. */
interface DocumentParts {
  readonly paths: Members;
  readonly components: Readonly<Record<string, Members>>;
}

/**
 * Makes a document of parts. Components of the same name are the same.
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

/**
 * Makes the reply of a document, with an entity tag; 304 if the caller has it.
 *
 * @param isPrivate Whether callers may get different documents.
 */
export async function documentReply(
  { method, metadata }: { readonly method: string; readonly metadata: Metadata },
  json: string,
  isPrivate: boolean,
): Promise<
  { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string | null }
> {
  const etag = `"${toHex(await sha256(json))}"`;
  const headers = { ...JSON_HEADERS, etag, "cache-control": isPrivate ? "private, no-cache" : "no-cache" };
  const cached = metadata.get("if-none-match")?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (cached?.some((tag) => tag === etag || tag === "*")) return { status: 304, headers, body: null };
  return { status: 200, headers, body: method === "HEAD" ? null : json };
}
