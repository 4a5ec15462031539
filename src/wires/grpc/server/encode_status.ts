/**
 * Encodes the status of an RPC as gRPC trailers.
 *
 * @module
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import { StatusSchema } from "../messages/gen/google/rpc/status_pb.ts";

/** Trailers of a response, with names in lower case. */
export type Trailers = Readonly<Record<string, string>>;

/** Trailers of a successful RPC. */
export const OK: Trailers = { "grpc-status": "0" };

/**
 * Maximum size of the encoded message, in bytes. Some clients reject a response with more than 8 kB of headers, and trailers are
 * headers. Message and details together take at most 7 kB.
 */
const MAX_MESSAGE_BYTES = 1_024;

/** Maximum size of all details, in bytes. Details that do not fit are omitted; the most useful ones are first. */
const MAX_DETAILS_BYTES = 3_072;

/** Encodes the trailers of a failed RPC. */
export function encodeStatus(error: ConnectError): Trailers {
  const { text, encoded } = truncateMessage(error.rawMessage);
  const details = detailsOf(error);
  const status = toBinary(StatusSchema, create(StatusSchema, { code: error.code, message: text, details }));
  return {
    "grpc-status": String(error.code),
    "grpc-message": encoded,
    "grpc-status-details-bin": base64Encode(status, "std_raw"),
  };
}

function detailsOf(error: ConnectError): Any[] {
  let remaining = MAX_DETAILS_BYTES;
  const details: Any[] = [];
  for (const detail of error.details) {
    if (!("type" in detail) || detail.value.length > remaining) continue;
    remaining -= detail.value.length;
    details.push(create(AnySchema, { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value }));
  }
  return details;
}

/** Truncates a message to the maximum size, and encodes it. */
function truncateMessage(message: string): { readonly text: string; readonly encoded: string } {
  const encoded = encodePercent(message);
  if (encoded.length <= MAX_MESSAGE_BYTES) return { text: message, encoded };
  let text = "";
  let bytes = 0;
  // By code points, so that none is split. A space is counted in its encoded form, as if it were at an end.
  for (const char of message) {
    bytes += encodePercent(char).length;
    if (bytes > MAX_MESSAGE_BYTES) break;
    text += char;
  }
  return { text, encoded: encodePercent(text) };
}

const encoder = new TextEncoder();

/**
 * Percent-encodes what is not printable ASCII, and the percent sign. Some clients decode nothing else. Spaces at both ends are
 * encoded as well, because clients drop a header that has them.
 */
function encodePercent(text: string): string {
  return text.replace(/[^\x20-\x24\x26-\x7e]+|^ +| +$/g, (match) => {
    const bytes = [...encoder.encode(match)];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  });
}
