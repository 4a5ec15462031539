import { ToolError } from "../error/tool_error.ts";

/** Ends a call, whatever it waits for, when the caller aborts it or its time is over. */
export class TotalLimit {
  readonly #caller: AbortSignal | undefined;
  readonly #controller: AbortController | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param caller The caller's signal.
   * @param timeoutMs How long the call may take in all, in milliseconds; `undefined` for ever.
   */
  constructor(caller: AbortSignal | undefined, timeoutMs: number | undefined) {
    this.#caller = caller;
    if (caller === undefined && timeoutMs === undefined) return;
    this.#controller = new AbortController();
    if (caller?.aborted) this.#leave();
    else caller?.addEventListener("abort", this.#leave, { once: true });
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.#controller?.abort(tooLate(timeoutMs)), timeoutMs);
  }

  /** Aborts when the call has to end; `undefined` if nothing ends it. */
  get signal(): AbortSignal | undefined {
    return this.#controller?.signal;
  }

  /** Settles as `work` does, or rejects with why the call has to end, whichever is first. */
  async race<Value>(work: Value | Promise<Value>): Promise<Value> {
    const signal = this.signal;
    if (signal === undefined) return await work;
    if (work instanceof Promise) work.catch(() => {});
    const over = Promise.withResolvers<never>();
    const end = () => over.reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    try {
      return await Promise.race([over.promise, work]);
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** The call has ended. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#leave);
  }

  readonly #leave = (): void => this.#controller?.abort(this.#caller?.reason);
}

function tooLate(timeoutMs: number): ToolError {
  return new ToolError("deadline_exceeded", `The call took longer than its ${timeoutMs} ms`);
}
