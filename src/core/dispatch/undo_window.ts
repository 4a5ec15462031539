import { ToolError } from "../errors/tool_error.ts";

/** Turns of the microtask queue in which what a handler began at once, as in Promise.all, is rejected together. */
const TURNS = 10;

/**
 * The time after the cancellation of a job in which its handler undoes what it did.
 *
 * The handler is notified once: by the first wait or step that has no result yet, which rejects, or by `ctx.signal` if it has read that.
 * From then on its steps run, and its waits reject.
 */
export class UndoWindow {
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly untilMs: number;
  readonly #abort: () => void;
  readonly #over = new AbortController();
  #hasBegun = false;
  #isNotified = false;

  /** @param abort Aborts the signal of the handler. */
  constructor(untilMs: number, abort: () => void) {
    this.untilMs = untilMs;
    this.#abort = abort;
  }

  /** Whether the handler has been notified of the cancellation. */
  get isNotified(): boolean {
    return this.#isNotified;
  }

  /** The signal of steps and calls that undo: it aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Whether the time is over, or the handler has ended. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Aborts the signal of the handler, which may know of the cancellation from here on. */
  begin(): void {
    this.#hasBegun = true;
    this.#abort();
  }

  /** Notes that the handler knows of the cancellation, if that has begun. */
  markNotified(): void {
    this.#isNotified ||= this.#hasBegun;
  }

  /** Notifies the handler: what this returns is in place of the result of a wait or a step. */
  async reject(): Promise<never> {
    this.begin();
    for (let turn = 0; turn < TURNS; turn++) await undefined;
    this.#isNotified = true;
    throw new ToolError("cancelled", "The job was cancelled");
  }

  end(): void {
    this.#over.abort(new ToolError("cancelled", "The time to undo what a cancelled job did is over"));
  }
}
