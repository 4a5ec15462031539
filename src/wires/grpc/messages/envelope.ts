/**
 * Envelopes of gRPC, gRPC-Web and Connect's streams: a byte of flags, four bytes of length, and a message that may be compressed.
 *
 * Total: returns or yields an error result for bad input.
 */
import { joinChunks } from "../../../internal/chunks.ts";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { payloadTooLarge } from "../../../core/call/payload_too_large.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A message with its prefix of five bytes: flags and length. */
export interface Envelope {
  /** The message; compressed if `isCompressed` is set. */
  readonly message: Bytes;
  readonly isCompressed: boolean;
}

const HEADER_BYTES = 5;
const COMPRESSED_FLAG = 1;

const NOT_ONE_ENVELOPE: ErrorResult = errorResult("parse_error", "The body is not one message in its envelope");

/** Opens the envelope of a body that is exactly one message; `parse_error` for any other body. */
export function openEnvelope(bytes: Bytes): Envelope | ErrorResult {
  const header = readHeader(bytes);
  if (header === undefined || header.length !== bytes.length - HEADER_BYTES) return NOT_ONE_ENVELOPE;
  return { message: bytes.subarray(HEADER_BYTES), isCompressed: header.isCompressed };
}

/** Puts a message into an envelope, uncompressed. */
export function encodeEnvelope(message: Uint8Array): Bytes {
  const bytes = new Uint8Array(HEADER_BYTES + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, HEADER_BYTES);
  return bytes;
}

/** Reads the envelopes of a stream, which may be cut into chunks at any byte. An error result ends the iteration. */
export async function* readEnvelopes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Envelope | ErrorResult, void, undefined> {
  let pending: Uint8Array[] = [];
  let [length, needed] = [0, HEADER_BYTES];
  for await (const chunk of chunks) {
    pending.push(chunk);
    length += chunk.length;
    // Joined once there is enough: with every chunk, a message in chunks of a byte would be copied as often.
    if (length < needed) continue;
    let rest = joinChunks(pending);
    for (needed = HEADER_BYTES; rest.length >= needed; needed = HEADER_BYTES) {
      const header = readHeader(rest);
      if (header === undefined) return void (yield NOT_ONE_ENVELOPE);
      if (header.length > maxBytes) {
        return void (yield payloadTooLarge("message", maxBytes, header.length));
      }
      needed = HEADER_BYTES + header.length;
      if (rest.length < needed) break;
      yield { message: rest.subarray(HEADER_BYTES, needed), isCompressed: header.isCompressed };
      rest = rest.subarray(needed);
    }
    [pending, length] = [[rest], rest.length];
  }
  if (length > 0) yield NOT_ONE_ENVELOPE;
}

function readHeader(bytes: Bytes): { readonly length: number; readonly isCompressed: boolean } | undefined {
  const flags = bytes[0];
  if (flags === undefined || bytes.length < HEADER_BYTES || flags > COMPRESSED_FLAG) return undefined;
  return { length: new DataView(bytes.buffer, bytes.byteOffset).getUint32(1), isCompressed: flags === COMPRESSED_FLAG };
}

/** Decompresses a gzip message; `parse_error` if it is not gzip. Stops with `payload_too_large` when the output exceeds `maxBytes`. */
export async function gunzip(bytes: Bytes, maxBytes: number): Promise<Bytes | ErrorResult> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = inSlices(bytes).pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > maxBytes) return payloadTooLarge("message", maxBytes);
      chunks.push(read.value);
    }
    return joinChunks(chunks);
  } catch {
    return errorResult("parse_error", "The message is not gzip");
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/**
 * Size of the slices that are decompressed, in bytes. Deno decompresses a whole chunk before any of it can be read, up to
 * 1,032 times its size.
 */
const SLICE_BYTES = 1_024;

function inSlices(bytes: Bytes): ReadableStream<Bytes> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(offset, offset += SLICE_BYTES));
    },
  });
}
