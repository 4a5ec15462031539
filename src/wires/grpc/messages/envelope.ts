/**
 * Envelopes: a byte of flags, four of length, and a message, as gRPC, gRPC-Web and Connect's streams have them.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** What is in an envelope. */
export interface Envelope {
  /** The message, or what gzip has made of it. */
  readonly message: Bytes;
  /** Whether it is compressed. */
  readonly isCompressed: boolean;
}

const HEAD_BYTES = 5;
const COMPRESSED = 1;

const NO_ENVELOPE: ErrorResult = errorResult("parse_error", "The body is not one message in its envelope");

/** Opens the one envelope of a body that is one message. */
export function openEnvelope(bytes: Bytes): Envelope | ErrorResult {
  const head = readHead(bytes);
  if (head === undefined || head.length !== bytes.length - HEAD_BYTES) return NO_ENVELOPE;
  return { message: bytes.subarray(HEAD_BYTES), isCompressed: head.isCompressed };
}

/** Puts a message into its envelope. */
export function encodeEnvelope(message: Uint8Array): Bytes {
  const bytes = new Uint8Array(HEAD_BYTES + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, HEAD_BYTES);
  return bytes;
}

/** Opens one envelope after the other, in pieces as they come; a refusal is the last. */
export async function* readEnvelopes(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Envelope | ErrorResult, void, undefined> {
  let waiting: Uint8Array[] = [];
  let [length, needed] = [0, HEAD_BYTES];
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    // Joined once there is enough: with every piece, a message in pieces of a byte would be copied as often.
    if (length < needed) continue;
    let rest = concatBytes(waiting);
    for (needed = HEAD_BYTES; rest.length >= needed; needed = HEAD_BYTES) {
      const head = readHead(rest);
      if (head === undefined) return void (yield NO_ENVELOPE);
      if (head.length > maxBytes) {
        return void (yield errorResult("payload_too_large", `A message is larger than ${maxBytes} bytes`));
      }
      needed = HEAD_BYTES + head.length;
      if (rest.length < needed) break;
      yield { message: rest.subarray(HEAD_BYTES, needed), isCompressed: head.isCompressed };
      rest = rest.subarray(needed);
    }
    [waiting, length] = [[rest], rest.length];
  }
  if (length > 0) yield NO_ENVELOPE;
}

function readHead(bytes: Bytes): { readonly length: number; readonly isCompressed: boolean } | undefined {
  const flags = bytes[0];
  if (flags === undefined || bytes.length < HEAD_BYTES || flags > COMPRESSED) return undefined;
  return { length: new DataView(bytes.buffer, bytes.byteOffset).getUint32(1), isCompressed: flags === COMPRESSED };
}

/** Pieces as one. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

/** Decompresses a message, no further than to `maxBytes`. Total: bad input is a value. */
export async function gunzip(
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | ErrorResult> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > maxBytes) return errorResult("payload_too_large", `The message is larger than ${maxBytes} bytes`);
      pieces.push(read.value);
    }
    return concatBytes(pieces);
  } catch {
    return errorResult("parse_error", "The message is not gzip");
  } finally {
    void reader.cancel().catch(() => {});
  }
}
