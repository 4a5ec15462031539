/**
 * Writes how an RPC ended, as gRPC's trailers say it.
 *
 * @module
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import { StatusSchema } from "./gen/google/rpc/status_pb.ts";

/** What follows an answer: names in lower case. */
export type Trailers = Readonly<Record<string, string>>;

/** How an RPC ends that has gone well. */
export const OK: Trailers = { "grpc-status": "0" };

/** Longest message, in characters. Trailers are headers, of which callers read some 8 kB in all. */
const MAX_MESSAGE = 1_024;

/** Largest details, in bytes. What does not fit any more is left out, the most telling ones come first. */
const MAX_DETAILS_BYTES = 4_096;

/** How an RPC ends that has not. */
export function encodeStatus(error: ConnectError): Trailers {
  const message = error.rawMessage.slice(0, MAX_MESSAGE);
  const status = toBinary(StatusSchema, create(StatusSchema, { code: error.code, message, details: detailsOf(error) }));
  return {
    "grpc-status": String(error.code),
    "grpc-message": encodePercent(message),
    "grpc-status-details-bin": base64Encode(status, "std_raw"),
  };
}

function detailsOf(error: ConnectError): Any[] {
  let left = MAX_DETAILS_BYTES;
  const details = error.details.flatMap((detail): Any[] =>
    "desc" in detail ? [anyPack(detail.desc, create(detail.desc, detail.value))] : []
  );
  return details.filter(({ value }) => {
    if (value.length > left) return false;
    left -= value.length;
    return true;
  });
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
