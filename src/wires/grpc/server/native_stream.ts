/**
 * A streamed reply of native gRPC, as envelopes.
 *
 * @module
 */
import { concatBytes } from "../messages/bytes.ts";
import { PushStream, type PushStreamOptions } from "../../framing/push_stream.ts";

const OPTIONS: PushStreamOptions<Uint8Array, Uint8Array[]> = {
  encode: (envelope) => envelope,
  merge(held = [], envelope) {
    held.push(envelope);
    return held;
  },
  encodeHeld: concatBytes,
};

/** One streamed reply. */
export class NativeStream extends PushStream<Uint8Array, Uint8Array[]> {
  /** Body of the reply. */
  readonly body: ReadableStream<Uint8Array>;
  /** Exception that ended the stream, if there was one. Known at the end of the body. */
  thrown: unknown = undefined;

  constructor() {
    super(OPTIONS);
    this.body = this.open();
  }

  /** Ends the stream with an error. */
  fail(thrown: unknown): void {
    if (this.isEnded) return;
    this.thrown = thrown;
    this.end();
  }
}
