import { ToolError } from "../error/tool_error.ts";

/** Timers of longer than 24.8 days would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** How long a call may last. */
export interface CallLimitOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** How long the call may take in all, in milliseconds. Default: for ever. */
  readonly timeoutMs?: number;
  /** How long the wire may be quiet, in milliseconds. Default: 60,000. */
  readonly idleTimeoutMs?: number;
}

type Timer = ReturnType<typeof setTimeout> | undefined;

/**
 * Ends a call, whatever it waits for: when its caller aborts it, when its time is over, when the wire is quiet too long.
 *
 * Its signal's reason is what the call then rejects with.
 */
export class CallLimit extends AbortController {
  readonly #left: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #dueMs: number;
  #idleTimeoutMs: number;
  #idle: Timer = undefined;
  #sleep: Timer = undefined;

  /**
   * @param options The call's own.
   * @param defaults The client's: their times hold where the call has none of its own.
   */
  constructor(options: CallLimitOptions, { timeoutMs = Infinity, idleTimeoutMs = 60_000 }: CallLimitOptions) {
    super();
    this.#left = options.signal;
    this.#timeoutMs = options.timeoutMs ?? timeoutMs;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? idleTimeoutMs;
    this.#dueMs = performance.now() + this.#timeoutMs;
  }

  /** What is left of the time that the call may take, in whole milliseconds, at least 1; `Infinity` for any. */
  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.#dueMs - performance.now()));
  }

  /** Something came: the wire is not quiet. */
  touch(): void {
    this.pause();
    this.#idle = this.#arm(this.#idleTimeoutMs, "Nothing heard for");
  }

  /** The wire waits for us: that is not its silence. */
  pause(): void {
    clearTimeout(this.#idle);
  }

  /** Waits. */
  async sleep(delayMs: number): Promise<void> {
    this.pause();
    await new Promise((resolve) => this.#sleep = setTimeout(resolve, delayMs));
    this.touch();
  }

  /** Settles as `work` does, or rejects with why the call has to end, whichever is first. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const { signal } = this;
    const left = this.#left;
    const leave = () => this.abort(left?.reason);
    const over = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    left?.addEventListener("abort", leave);
    if (left?.aborted) leave();
    const total = this.#arm(this.#timeoutMs, "Not done after");
    this.touch();
    try {
      return await Promise.race([over, work()]);
    } finally {
      // Whatever the transport still tells, nothing is waited for.
      this.#idleTimeoutMs = Infinity;
      this.pause();
      clearTimeout(this.#sleep);
      clearTimeout(total);
      left?.removeEventListener("abort", leave);
    }
  }

  #arm(delayMs: number, what: string): Timer {
    if (!Number.isFinite(delayMs)) return undefined;
    const end = () => this.abort(new ToolError("deadline_exceeded", `${what} ${delayMs} ms`));
    return setTimeout(end, Math.min(delayMs, MAX_TIMER_MS));
  }
}
