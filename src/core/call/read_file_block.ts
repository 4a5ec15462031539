/** Reads files from content blocks. */
import { decodeBase64 } from "../../internal/encoding.ts";
import { isJsonObject } from "../../internal/json.ts";

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
