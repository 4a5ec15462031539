/**
 * gRPC-Web's text form: the same bytes in base64, for callers that cannot read bytes.
 *
 * @module
 */
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { concatBytes } from "../messages/bytes.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Reads base64; each piece that was sent may have its own padding. Total: bad input is a value. */
export function decodeText(bytes: Uint8Array): Uint8Array<ArrayBuffer> | ErrorResult {
  const pieces = decoder.decode(bytes).match(/[^=]+=*/g) ?? [];
  try {
    return concatBytes(pieces.map((piece) => base64Decode(piece)));
  } catch {
    return errorResult("parse_error", "The body is not base64");
  }
}

/** Writes one piece as base64. */
export function encodeText(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return encoder.encode(base64Encode(bytes));
}
