import { ToolError } from "../error/tool_error.ts";

/** Timers of longer than 24.8 days would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** How long a call may last. */
export interface CallLimitOptions {
  /** Aborts the call. */
  readonly signal: AbortSignal | undefined;
  /** How long the call may take in all, in milliseconds; `undefined` for ever. */
  readonly timeoutMs: number | undefined;
  /** How long the wire may be quiet, in milliseconds; `Infinity` for ever. */
  readonly idleTimeoutMs: number;
}

/** Ends a call, whatever it waits for: when its caller aborts it, when its time is over, when the wire is quiet too long. */
export class CallLimit {
  readonly #controller = new AbortController();
  /** Rejects when the call has to end. */
  readonly #over: Promise<never>;
  readonly #options: CallLimitOptions;
  readonly #total: ReturnType<typeof setTimeout> | undefined;
  readonly #dueMs: number | undefined;
  #isStopped = false;
  #idle: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(options: CallLimitOptions) {
    const { signal, timeoutMs = Number.POSITIVE_INFINITY } = options;
    this.#options = options;
    this.#over = new Promise((_, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason));
    });
    // Nobody may be waiting.
    this.#over.catch(() => {});
    if (signal?.aborted) this.#leave();
    else signal?.addEventListener("abort", this.#leave, { once: true });
    this.#total = this.#arm(timeoutMs, "Not done after");
    this.#dueMs = this.#total && performance.now() + timeoutMs;
    this.touch();
  }

  /** What is left of the time that the call may take, in whole milliseconds, at least 1; `undefined` for any. */
  get remainingMs(): number | undefined {
    return this.#dueMs === undefined ? undefined : Math.max(1, Math.ceil(this.#dueMs - performance.now()));
  }

  /** Aborts when the call has to end, with the reason to reject with. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the call, with a reason. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Something came: the wire is not quiet. */
  touch(): void {
    this.pause();
    if (!this.#isStopped) this.#idle = this.#arm(this.#options.idleTimeoutMs, "Nothing heard for");
  }

  /** The wire waits for us: that is not its silence. */
  pause(): void {
    clearTimeout(this.#idle);
  }

  /** Settles as `work` does, or rejects with why the call has to end, whichever is first. */
  race<Value>(work: Value | Promise<Value>): Promise<Value> {
    return Promise.race([this.#over, work]);
  }

  /** Waits, unless the call has to end. */
  async sleep(delayMs: number): Promise<void> {
    this.pause();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, delayMs);
    try {
      await this.race(promise);
    } finally {
      clearTimeout(timer);
    }
    this.touch();
  }

  /** The call has ended. */
  stop(): void {
    this.#isStopped = true;
    this.pause();
    clearTimeout(this.#total);
    this.#options.signal?.removeEventListener("abort", this.#leave);
  }

  readonly #leave = (): void => this.#controller.abort(this.#options.signal?.reason);

  #arm(delayMs: number, what: string): ReturnType<typeof setTimeout> | undefined {
    if (!Number.isFinite(delayMs)) return undefined;
    const end = () => this.#controller.abort(new ToolError("deadline_exceeded", `${what} ${delayMs} ms`));
    return setTimeout(end, Math.min(delayMs, MAX_TIMER_MS));
  }
}
