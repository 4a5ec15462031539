/**
 * Writes how an RPC ended, as gRPC's trailers say it.
 *
 * @module
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import { StatusSchema } from "../messages/gen/google/rpc/status_pb.ts";

/** What follows an answer: names in lower case. */
export type Trailers = Readonly<Record<string, string>>;

/** How an RPC ends that has gone well. */
export const OK: Trailers = { "grpc-status": "0" };

/**
 * Longest message, in bytes as it is sent. Trailers are headers, of which some callers read 8 kB in all, and refuse the whole
 * answer if there are more: message and details come to some 7 kB at most.
 */
const MAX_MESSAGE_BYTES = 1_024;

/** Largest details, in bytes. What does not fit any more is left out, the most telling ones come first. */
const MAX_DETAILS_BYTES = 3_072;

/** How an RPC ends that has not. */
export function encodeStatus(error: ConnectError): Trailers {
  const { text, encoded } = cutMessage(error.rawMessage);
  const details = detailsOf(error);
  const status = toBinary(StatusSchema, create(StatusSchema, { code: error.code, message: text, details }));
  return {
    "grpc-status": String(error.code),
    "grpc-message": encoded,
    "grpc-status-details-bin": base64Encode(status, "std_raw"),
  };
}

function detailsOf(error: ConnectError): Any[] {
  let left = MAX_DETAILS_BYTES;
  const details: Any[] = [];
  for (const detail of error.details) {
    if (!("type" in detail) || detail.value.length > left) continue;
    left -= detail.value.length;
    details.push(create(AnySchema, { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value }));
  }
  return details;
}

/** As much of a message as may be sent, and that as it is sent. */
function cutMessage(message: string): { readonly text: string; readonly encoded: string } {
  const encoded = encodePercent(message);
  if (encoded.length <= MAX_MESSAGE_BYTES) return { text: message, encoded };
  let text = "";
  let bytes = 0;
  // By code points, so that none is cut in two; a space counts as if it were at an end.
  for (const char of message) {
    bytes += encodePercent(char).length;
    if (bytes > MAX_MESSAGE_BYTES) break;
    text += char;
  }
  return { text, encoded: encodePercent(text) };
}

const encoder = new TextEncoder();

/**
 * Only what is not printable ASCII, and the percent sign: some callers decode no more than that. Spaces at the ends, too, with
 * which callers drop the whole header.
 */
function encodePercent(text: string): string {
  return text.replace(/[^\x20-\x24\x26-\x7e]+|^ +| +$/g, (piece) => {
    const bytes = [...encoder.encode(piece)];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  });
}
