/** Envelopes of Connect's streams and of gRPC-Web, encoded and decoded without the code under test. */

/** One envelope. */
export interface Frame {
  readonly flags: number;
  readonly data: Uint8Array;
}

/** Writes one envelope. */
export function frame(data: Uint8Array | string, flags = 0): Uint8Array<ArrayBuffer> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const framed = new Uint8Array(5 + bytes.length);
  framed[0] = flags;
  new DataView(framed.buffer).setUint32(1, bytes.length);
  framed.set(bytes, 5);
  return framed;
}

/** Reads envelopes. */
export function framesOf(bytes: Uint8Array): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = new DataView(bytes.buffer, bytes.byteOffset + at + 1).getUint32(0);
    frames.push({ flags: bytes[at] as number, data: bytes.slice(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return frames;
}

/** Text of bytes. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** gzip of a text. */
export async function gzipped(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
