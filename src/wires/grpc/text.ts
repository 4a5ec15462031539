/**
 * gRPC-Web's text form: the same bytes in base64, for callers that cannot read bytes.
 *
 * @module
 */
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import { concatBytes } from "./bytes.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Whether a `Content-Type` names the text form. */
export function isText(contentType: string): boolean {
  return /^application\/grpc-web-text\b/i.test(contentType);
}

/** The `Content-Type` of the same bytes, and back. */
export function withoutText(contentType: string): string {
  return contentType.replace(/^(application\/grpc-web)-text/i, "$1");
}

/**
 * Reads base64; each piece that was sent may have its own padding.
 *
 * @throws If it is none.
 */
export function decodeText(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const pieces = decoder.decode(bytes).match(/[^=]+=*/g) ?? [];
  return concatBytes(pieces.map((piece) => base64Decode(piece)));
}

/** Writes one piece as base64. */
export function encodeText(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return encoder.encode(base64Encode(bytes));
}
