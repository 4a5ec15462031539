import type { CallEvent, Sink } from "../core/call/outcome.ts";
import { type CallLimitOptions, RunningCall } from "./running_call.ts";
import type { CallOptions, ToolStream } from "./types.ts";

/**
 * A streamed call as something to iterate.
 *
 * Pieces wait in a queue; when it is full, the wire waits with it. Whoever asks for `result` wants all of it, so from then
 * on nothing waits.
 */
export class PieceStream extends RunningCall implements ToolStream<unknown, unknown> {
  readonly #kind: CallEvent["kind"];
  readonly #whole: Promise<unknown>;
  readonly #waiting: unknown[] = [];
  /** How many pieces wait for a slow loop before the wire has to. */
  #maxWaiting = 64;
  #isRead = false;
  #isDone = false;
  /** Resolves when something has changed: a piece came or was taken, nothing more comes, nothing waits any more. */
  #turn: PromiseWithResolvers<void> | undefined;

  /**
   * @param kind What the pieces are.
   * @param complete Makes the call, and gives the whole answer.
   */
  constructor(
    options: CallOptions | undefined,
    defaults: CallLimitOptions,
    kind: "partial" | "progress",
    complete: (call: RunningCall) => Promise<unknown>,
  ) {
    super(options, defaults);
    this.#kind = kind;
    this.#whole = complete(this);
    // Whoever iterates gets the exception there; `result` need not be looked at.
    const end = () => {
      this.#isDone = true;
      this.#wake();
    };
    this.#whole.then(end, end);
  }

  override get sink(): Sink {
    return this;
  }

  get result(): Promise<unknown> {
    this.#maxWaiting = Infinity;
    this.#wake();
    return this.#whole;
  }

  override push(event: CallEvent): void | Promise<void> {
    super.push(event);
    if (event.kind === "deferred" || event.kind !== this.#kind || this.#isDone) return;
    this.#waiting.push(event.kind === "partial" ? event.value : event.progress);
    this.#wake();
    if (this.#waiting.length >= this.#maxWaiting) return this.#change();
  }

  [Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    if (this.#isRead) throw new TypeError("A stream is read once; await its result");
    this.#isRead = true;
    return this.#read();
  }

  async *#read(): AsyncGenerator<unknown, void, undefined> {
    try {
      while (!this.#isDone || this.#waiting.length > 0) {
        if (this.#waiting.length === 0) await this.#change();
        const pieces = this.#waiting.splice(0);
        this.#wake();
        // Each for itself: `yield*` would make three promises more of each.
        for (const piece of pieces) yield piece;
      }
      await this.#whole;
    } finally {
      if (!this.#isDone) this.abort();
    }
  }

  #change(): Promise<void> {
    return (this.#turn ??= Promise.withResolvers()).promise;
  }

  #wake(): void {
    this.#turn?.resolve();
    this.#turn = undefined;
  }
}
