import type { CallEvent, Settled, Sink, UnknownOutcome } from "../call/outcome.ts";
import { PieceCollector } from "../call/partials.ts";
import { answerOf } from "./answer.ts";
import type { ToolStream } from "./types.ts";

/** How many pieces wait for a slow loop before the wire has to. */
const MAX_WAITING = 64;

/**
 * A streamed call as something to iterate.
 *
 * Pieces wait in a queue; when it is full, the wire waits with it. Whoever asks for `result` wants all of it, so from then
 * on nothing waits.
 */
export class PieceStream implements ToolStream<unknown, unknown>, Sink {
  readonly #abort: () => void;
  readonly #kind: CallEvent["kind"];
  readonly #whole: Promise<unknown>;
  readonly #pieces = new PieceCollector();
  #waiting: unknown[] = [];
  #isRead = false;
  #isDone = false;
  #isDraining = false;
  #arrival: PromiseWithResolvers<void> | undefined = undefined;
  #room: PromiseWithResolvers<void> | undefined = undefined;

  /**
   * @param start Makes the call, with this stream as its sink.
   * @param abort Aborts the call.
   * @param kind What the pieces are.
   */
  constructor(
    start: (sink: Sink) => Promise<Settled | UnknownOutcome>,
    abort: () => void,
    kind: "partial" | "progress",
  ) {
    this.#abort = abort;
    this.#kind = kind;
    this.#whole = start(this).then((settled) => answerOf(this.#pieces.join(settled)));
    // Whoever iterates gets the exception there; `result` need not be looked at.
    this.#whole.catch(() => {}).finally(() => this.#finish());
  }

  get result(): Promise<unknown> {
    this.#isDraining = true;
    this.#release();
    return this.#whole;
  }

  push(event: CallEvent): void | Promise<void> {
    if (event.kind !== this.#kind || this.#isDone) return;
    this.#pieces.push(event);
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
      if (!this.#isDone) this.#abort();
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
