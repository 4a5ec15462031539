/**
 * gzip for messages, by what every runtime has: reads requests that are compressed, up to a limit.
 *
 * @module
 */
import { ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { type Refusal, refuse } from "../../call/outcome.ts";
import { concatBytes } from "./bytes.ts";
import { encodeRefusal } from "./encode_error.ts";

/** The compression that the wire reads. */
export const gzip: Compression = {
  name: "gzip",
  compress: (bytes) => transform(bytes, new CompressionStream("gzip"), Number.POSITIVE_INFINITY),
  decompress: (bytes, maxBytes) => transform(bytes, new DecompressionStream("gzip"), maxBytes),
};

async function transform(
  bytes: Uint8Array,
  through: GenericTransformStream,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([new Uint8Array(bytes)]).stream().pipeThrough<Uint8Array>(through).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > maxBytes) throw encodeRefusal(tooLarge(maxBytes));
      pieces.push(read.value);
    }
  } catch (thrown) {
    throw thrown instanceof ConnectError ? thrown : encodeRefusal(NOT_GZIP);
  } finally {
    void reader.cancel().catch(() => {});
  }
  return concatBytes(pieces);
}

const NOT_GZIP: Refusal = refuse("parse_error", "The message is not gzip");

function tooLarge(maxBytes: number): Refusal {
  return refuse("payload_too_large", `The message is larger than ${maxBytes} bytes`);
}
