/**
 * A streamed answer: a sink on one side, messages on the other.
 *
 * Messages wait in a queue for the reader; when there is too much of it, whoever pushes is asked to wait.
 *
 * @module
 */
import type { CallEvent, Sink } from "../../../core/call/outcome.ts";
import type { ResponseMembers } from "../messages/binary.ts";
import { encodeEvent } from "./encode.ts";

/** How many messages wait for a slow reader before the handler has to. */
const MAX_WAITING = 16;

/** One streamed answer. */
export class ResponseStream implements Sink {
  /** Aborts when nobody reads any more. */
  readonly closed: AbortSignal;
  readonly #waiting: ResponseMembers[] = [];
  #last: (() => ResponseMembers) | undefined = undefined;
  #arrival: PromiseWithResolvers<void> | undefined = undefined;
  #room: PromiseWithResolvers<void> | undefined = undefined;

  /** @param left Aborts when nobody reads any more. */
  constructor(left: AbortSignal) {
    this.closed = left;
    left.addEventListener("abort", () => this.#release(), { once: true });
  }

  push(event: CallEvent): void | Promise<void> {
    if (this.closed.aborted || this.#last !== undefined) return;
    this.#waiting.push(encodeEvent(event));
    this.#arrival?.resolve();
    if (this.#waiting.length >= MAX_WAITING) return (this.#room ??= Promise.withResolvers()).promise;
  }

  /** Ends the stream with what `last` gives, or throws. */
  end(last: () => ResponseMembers): void {
    this.#last = last;
    this.#arrival?.resolve();
  }

  /** The messages, in order. Read once. */
  async *read(): AsyncGenerator<ResponseMembers, void, undefined> {
    for (;;) {
      for (let next = this.#take(); next !== undefined; next = this.#take()) yield next;
      if (this.#last !== undefined) return void (yield this.#last());
      this.#arrival = Promise.withResolvers();
      await this.#arrival.promise;
    }
  }

  #take(): ResponseMembers | undefined {
    const next = this.#waiting.shift();
    if (this.#waiting.length < MAX_WAITING) this.#release();
    return next;
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
