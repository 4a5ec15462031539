import type { CallEvent, Settled, Sink, UnknownOutcome } from "../call/outcome.ts";
import { answerOf } from "./answer.ts";
import type { CallLimitOptions } from "./call_limit.ts";
import { RunningCall } from "./running_call.ts";
import type { CallOptions, ToolStream } from "./types.ts";

/** How many pieces wait for a slow loop before the wire has to. */
const MAX_WAITING = 64;

/**
 * A streamed call as something to iterate.
 *
 * Pieces wait in a queue; when it is full, the wire waits with it. Whoever asks for `result` wants all of it, so from then
 * on nothing waits.
 */
export class PieceStream extends RunningCall implements ToolStream<unknown, unknown> {
  readonly #kind: CallEvent["kind"];
  readonly #whole: Promise<unknown>;
  #waiting: unknown[] = [];
  #isRead = false;
  #isDone = false;
  #isDraining = false;
  #arrival: PromiseWithResolvers<void> | undefined = undefined;
  #room: PromiseWithResolvers<void> | undefined = undefined;

  /**
   * @param kind What the pieces are.
   * @param complete Makes the call.
   */
  constructor(
    options: CallOptions,
    defaults: CallLimitOptions,
    kind: "partial" | "progress",
    complete: (call: RunningCall) => Promise<Settled | UnknownOutcome>,
  ) {
    super(options, defaults);
    this.#kind = kind;
    this.#whole = complete(this).then(answerOf);
    // Whoever iterates gets the exception there; `result` need not be looked at.
    this.#whole.catch(() => {}).finally(() => this.#finish());
  }

  override get sink(): Sink {
    return this;
  }

  get result(): Promise<unknown> {
    this.#isDraining = true;
    this.#release();
    return this.#whole;
  }

  override push(event: CallEvent): void | Promise<void> {
    super.push(event);
    if (event.kind !== this.#kind || this.#isDone) return;
    this.#waiting.push(event.kind === "partial" ? event.value : event.kind === "progress" && event.progress);
    this.#arrival?.resolve();
    if (this.#waiting.length < MAX_WAITING || this.#isDraining) return;
    return (this.#room ??= Promise.withResolvers()).promise;
  }

  [Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    if (this.#isRead) throw new TypeError("A stream is read once; await its result");
    this.#isRead = true;
    return this.#read();
  }

  async *#read(): AsyncGenerator<unknown, void, undefined> {
    try {
      for (;;) {
        const pieces = this.#waiting;
        this.#waiting = [];
        this.#release();
        yield* pieces;
        if (this.#waiting.length > 0) continue;
        if (this.#isDone) return void (await this.#whole);
        this.#arrival = Promise.withResolvers();
        await this.#arrival.promise;
      }
    } finally {
      if (!this.#isDone) this.abort();
    }
  }

  #finish(): void {
    this.#isDone = true;
    this.#arrival?.resolve();
    this.#release();
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
