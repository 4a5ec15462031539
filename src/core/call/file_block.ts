/** Files as content blocks: bytes in base64 with a media type. */
import { encodeBase64 } from "../../internal/encoding.ts";
import type { BlockExtras, EmbeddedResourceBlock, MediaBlock } from "./content_blocks.ts";

/** A file: an image or audio as such, anything else as a resource with its contents. */
export type FileBlock = MediaBlock | EmbeddedResourceBlock;

/** Media type and name of a file. */
export interface FileOptions {
  /** Media type, such as `application/pdf`. Default: recognized for PNG, JPEG, GIF, WebP and PDF, else `application/octet-stream`. */
  readonly type?: string | undefined;
  /** File name, such as `report.pdf`. */
  readonly name?: string | undefined;
}

/** Makes the block of a file, from its bytes or its text. */
export function fileBlock(data: Uint8Array | string, { type, name }: FileOptions, extras?: BlockExtras): FileBlock {
  const mimeType = type || (typeof data === "string" ? "text/plain" : recognize(data));
  const uri = `file:///${encodeURIComponent(name ?? "file")}`;
  if (typeof data === "string") return { type: "resource", resource: { uri, mimeType, text: data }, ...extras };
  const [kind] = mimeType.toLowerCase().split("/");
  if (kind !== "image" && kind !== "audio") {
    return { type: "resource", resource: { uri, mimeType, ...fileContents(data, mimeType) }, ...extras };
  }
  const _meta = name === undefined ? extras?._meta : { ...extras?._meta, name };
  return { type: kind, data: encodeBase64(data), mimeType, ...extras, ...(_meta !== undefined && { _meta }) };
}

/** Bytes as the contents of a resource: as text if the media type is one of text and they are UTF-8, else in base64. */
export function fileContents(
  bytes: Uint8Array,
  mimeType: string,
): { readonly text: string } | { readonly blob: string } {
  const text = textOfFile(bytes, mimeType);
  return text === undefined ? { blob: encodeBase64(bytes) } : { text };
}

/** Media types of text, except with a charset other than UTF-8. */
const TEXT = /^(?:text\/[^;]+|application\/(?:json|xml|[^;]+\+(?:json|xml)))\s*(?:;(?!.*charset="?(?!utf-?8\b)).*)?$/i;

/** Decodes bytes of a media type of text; `undefined` for other types, and for bytes that are not UTF-8. */
export function textOfFile(bytes: Uint8Array, mimeType: string): string | undefined {
  if (!TEXT.test(mimeType)) return undefined;
  try {
    // The byte order mark is kept, so that readers get the same bytes.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** First bytes of files, and their media types. */
const SIGNATURES: readonly (readonly [start: string, type: string])[] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF8", "image/gif"],
  ["%PDF-", "application/pdf"],
];

function recognize(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return "image/webp";
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1] ?? "application/octet-stream";
}
