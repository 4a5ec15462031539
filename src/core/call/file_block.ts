/** Files as content blocks: bytes in base64 with a media type. */
import { decodeBase64, encodeBase64 } from "../../internal/encoding.ts";
import { isJsonObject } from "../../internal/json.ts";
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
  const [kind] = mimeType.split("/");
  if (kind !== "image" && kind !== "audio") {
    return { type: "resource", resource: { uri, mimeType, blob: encodeBase64(data) }, ...extras };
  }
  const _meta = name === undefined ? extras?._meta : { ...extras?._meta, name };
  return { type: kind, data: encodeBase64(data), mimeType, ...extras, ...(_meta !== undefined && { _meta }) };
}

/** A file that was read from its block. */
export interface DecodedFile {
  /** The bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type. */
  readonly type: string;
  /** File name, if the block has one. */
  readonly name: string | undefined;
}

/** Reads a file from its block; `undefined` if the value is not the block of a file. */
export function readFileBlock(value: unknown): DecodedFile | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, data, mimeType, _meta, resource } = value;
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") {
    const name = isJsonObject(_meta) && typeof _meta["name"] === "string" ? _meta["name"] : undefined;
    return toFile(decodeBase64(data), mimeType, name);
  }
  if (type !== "resource" || !isJsonObject(resource)) return undefined;
  const { uri, blob, text, mimeType: media = "application/octet-stream" } = resource;
  if (typeof uri !== "string" || typeof media !== "string") return undefined;
  const name = /^file:\/\/\/([^/]+)$/.exec(uri)?.[1];
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : decodeBase64(blob);
  return toFile(bytes, media, name === undefined || name === "file" ? undefined : decodeName(name));
}

/** One block of the bytes of several, which a stream of bytes consists of; `undefined` if they are not parts of one file. */
export function joinFile(pieces: readonly unknown[]): FileBlock | undefined {
  const [first] = pieces;
  const uri = uriOfBytes(first);
  if (uri === undefined || !pieces.every((piece) => uriOfBytes(piece) === uri)) return undefined;
  const binary = pieces.map((piece) => atob((piece as BytesBlock).resource.blob)).join("");
  return { ...first as BytesBlock, resource: { ...(first as BytesBlock).resource, blob: btoa(binary) } };
}

/** A resource of bytes. */
interface BytesBlock extends EmbeddedResourceBlock {
  readonly resource: EmbeddedResourceBlock["resource"] & { readonly blob: string };
}

function uriOfBytes(piece: unknown): string | undefined {
  if (!isJsonObject(piece) || piece["type"] !== "resource" || !isJsonObject(piece["resource"])) return undefined;
  const { uri, blob } = piece["resource"];
  return typeof uri === "string" && decodeBase64(blob) !== undefined ? uri : undefined;
}

function toFile(bytes: Uint8Array<ArrayBuffer> | undefined, type: string, name: string | undefined) {
  return bytes && { bytes, type, name };
}

function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
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
