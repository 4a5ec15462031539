/** Streamed responses: of messages, for the handlers of Connect, and of bytes, for native gRPC. */
import type { CallEvent, Sink } from "../../../core/call/outcome.ts";
import { PushStream, type PushStreamOptions } from "../../framing/push_stream.ts";
import type { ResponseMembers } from "../messages/binary.ts";
import { joinChunks } from "../../../internal/chunks.ts";
import { encodeEvent } from "./encode.ts";

/** Maximum number of messages that are queued for a slow reader before the tool has to wait. */
const MAX_QUEUED = 16;

/** A queue of response messages: a sink for the call on one side, an iterator for Connect on the other. */
export class ResponseStream implements Sink {
  /** Aborts when the client disconnects. */
  readonly closed: AbortSignal;
  readonly #queue: ResponseMembers[] = [];
  #last: (() => ResponseMembers) | undefined;
  #arrival: PromiseWithResolvers<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  /** @param closed Aborts when the client disconnects. */
  constructor(closed: AbortSignal) {
    this.closed = closed;
    closed.addEventListener("abort", () => this.#release(), { once: true });
  }

  push(event: CallEvent): void | Promise<void> {
    if (this.closed.aborted || this.#last !== undefined) return;
    this.#queue.push(encodeEvent(event));
    this.#arrival?.resolve();
    if (this.#queue.length >= MAX_QUEUED) return (this.#room ??= Promise.withResolvers()).promise;
  }

  /** Ends the stream with the message that `last` returns, or with its exception. */
  end(last: () => ResponseMembers): void {
    this.#last = last;
    this.#arrival?.resolve();
  }

  /** The messages, in order. Can be read once. */
  async *read(): AsyncGenerator<ResponseMembers, void, undefined> {
    for (;;) {
      for (let next = this.#take(); next !== undefined; next = this.#take()) yield next;
      if (this.#last !== undefined) return void (yield this.#last());
      this.#arrival = Promise.withResolvers();
      await this.#arrival.promise;
    }
  }

  #take(): ResponseMembers | undefined {
    const next = this.#queue.shift();
    if (this.#queue.length < MAX_QUEUED) this.#release();
    return next;
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

const OPTIONS: PushStreamOptions<Uint8Array, Uint8Array[]> = {
  encode: (envelope) => envelope,
  merge(held = [], envelope) {
    held.push(envelope);
    return held;
  },
  encodeHeld: joinChunks,
};

/** The body of a streamed response of native gRPC, as envelopes. */
export class NativeStream extends PushStream<Uint8Array, Uint8Array[]> {
  readonly body: ReadableStream<Uint8Array>;
  /** Exception that ended the stream, if there was one. Known at the end of the body. */
  thrown: unknown = undefined;

  constructor() {
    super(OPTIONS);
    this.body = this.open();
  }

  /** Ends the stream with the envelope that `last` returns, or with its exception. */
  endWith(last: () => Uint8Array): void {
    try {
      void this.write(last());
      this.end();
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Ends the stream with an error. */
  fail(thrown: unknown): void {
    if (this.isEnded) return;
    this.thrown = thrown;
    this.end();
  }
}
