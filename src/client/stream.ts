import { ToolError } from "../core/errors/tool_error.ts";
import type { CallEvent, Sink } from "../core/call/outcome.ts";
import { type CallLimitOptions, RunningCall } from "./running_call.ts";
import type { CallOptions, ToolStream } from "./types.ts";

/** Details of the error of a loop over pieces that a server does not send: without it, the loop would end as if the answer were empty. */
export const NO_PIECES = { pieces: "none" } as const;

/**
 * A streamed call as an async iterable of its partials, or of its progress.
 *
 * Partials wait in a queue; when it is full, the transport waits too. Reading `result` needs all of them, so it lifts
 * the limit.
 */
export class PieceStream extends RunningCall implements ToolStream<unknown, unknown> {
  readonly #kind: "partial" | "progress";
  readonly #whole: Promise<unknown>;
  readonly #waiting: unknown[] = [];
  /** Maximum number of queued partials before the transport has to wait. */
  #maxWaiting = 64;
  #dropped = 0;
  #isRead = false;
  #isDone = false;
  /** The pieces that have arrived, and those that the server has sent. */
  #arrived = 0;
  #sent: number | undefined = 0;
  /** Resolves at a change: a partial was added or taken, the stream has ended, or the limit was lifted. */
  #turn: PromiseWithResolvers<void> | undefined;

  constructor(
    options: CallOptions | undefined,
    defaults: CallLimitOptions,
    kind: "partial" | "progress",
    complete: (call: RunningCall) => Promise<unknown>,
    after: number = 0,
  ) {
    super(options, defaults);
    this.pieceCount = after;
    this.#kind = kind;
    this.#whole = complete(this);
    // The iterator throws the exception; `result` may be unused.
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

  get dropped(): number {
    return this.#dropped;
  }

  override get wantsPieces(): boolean {
    return this.#kind === "partial";
  }

  expectPieces(sent: number | undefined): void {
    this.#sent = sent;
  }

  override push(event: CallEvent): void | Promise<void> {
    const isRepeated = this.isRepeated(event);
    super.push(event);
    if (event.kind === "dropped") this.#dropped += event.to - event.from;
    if (event.kind !== this.#kind || isRepeated || this.#isDone) return;
    this.#arrived++;
    this.#waiting.push(event.kind === "partial" ? event.value : event.progress);
    this.#wake();
    if (this.#waiting.length >= this.#maxWaiting) return this.#change();
  }

  [Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    if (this.#isRead) throw new TypeError("A stream can be read only once; await its result");
    this.#isRead = true;
    return this.#read();
  }

  async *#read(): AsyncGenerator<unknown, void, undefined> {
    try {
      while (!this.#isDone || this.#waiting.length > 0) {
        if (this.#waiting.length === 0) await this.#change();
        const pieces = this.#waiting.splice(0);
        this.#wake();
        // A loop, because `yield*` creates three more promises for each item.
        for (const piece of pieces) {
          // The caller has stopped: what had arrived by then is not wanted any more.
          this.options.signal?.throwIfAborted();
          yield piece;
        }
      }
      await this.#whole;
      if (this.#kind === "partial" && this.#arrived + this.#dropped < (this.#sent ?? Infinity)) {
        throw lacksPieces(this.#arrived, this.#sent);
      }
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

function lacksPieces(arrived: number, sent: number | undefined): ToolError {
  const what = sent === undefined
    ? `sends no ${arrived > 0 ? "further " : ""}pieces over MCP`
    : `of ${sent} pieces ${arrived} have arrived`;
  const message = `The server has answered, and ${what}: await the call, or the result of the stream`;
  return new ToolError("method_not_found", message, { details: NO_PIECES });
}
