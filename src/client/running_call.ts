import type { CallEvent, PromiseOutcome, Settled, Sink, UnknownOutcome } from "../call/outcome.ts";
import { PieceCollector } from "../call/partials.ts";
import type { TransportLimit } from "../call/transport.ts";
import { ToolError } from "../error/tool_error.ts";
import type { CallOptions } from "./types.ts";

/** How long calls may last that do not say so themselves. */
export interface CallLimitOptions {
  /** How long a call may take in all, in milliseconds. Default: for ever. */
  readonly timeoutMs?: number;
  /** How long the wire may be quiet, in milliseconds. Default: 60,000. */
  readonly idleTimeoutMs?: number;
}

type Timer = ReturnType<typeof setTimeout> | undefined;

/**
 * A call while it runs, in however many requests.
 *
 * Ends it, whatever it waits for: when its caller aborts it, when its time is over, when the wire is quiet too long. Its own
 * signal's reason is then what it rejects with. And keeps what came of it so far.
 */
export class RunningCall extends AbortController implements Sink, TransportLimit {
  /** As its caller gave them. */
  readonly options: CallOptions;
  /** When the time that the call may take is over, by `performance.now()`; `Infinity` for never. */
  readonly dueMs: number;
  /** Whether anything came: what the caller has seen must not begin anew. */
  hasEvents = false;
  /** The promise that stands for the call, if the stream breaks off. */
  deferred: PromiseOutcome | undefined = undefined;
  readonly #pieces = new PieceCollector();
  readonly #timeoutMs: number;
  #idleTimeoutMs: number;
  #idle: Timer = undefined;
  #sleep: Timer = undefined;

  /**
   * @param options The call's own.
   * @param defaults The client's: they hold where the call has none of its own.
   */
  constructor(options: CallOptions = {}, { timeoutMs = Infinity, idleTimeoutMs = 60_000 }: CallLimitOptions) {
    super();
    this.options = options;
    this.#timeoutMs = options.timeoutMs ?? timeoutMs;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? idleTimeoutMs;
    this.dueMs = performance.now() + this.#timeoutMs;
  }

  /** Takes the events, if they are wanted: progress comes over a stream, even where nobody wants the pieces. */
  get sink(): Sink | undefined {
    return this.options.onProgress && this;
  }

  push(event: CallEvent): void | Promise<void> {
    this.#pieces.push(event);
    this.hasEvents = true;
    if (event.kind === "deferred") this.deferred = event.promise;
    if (event.kind !== "progress") return;
    try {
      this.options.onProgress?.(event.progress);
    } catch (thrown) {
      // What the caller's own function throws ends the call, with just that.
      this.abort(thrown);
    }
  }

  /** Something came: the wire is not quiet. */
  touch(): void {
    this.pause();
    this.#idle = this.#arm(this.#idleTimeoutMs, "Quiet for");
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

  /** How the call ends, with the pieces that came. */
  async settle(work: () => Promise<Settled | UnknownOutcome>): Promise<Settled | UnknownOutcome> {
    return this.#pieces.join(await this.run(work));
  }

  /** Settles as `work` does, or rejects with why the call has to end, whichever is first. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const { signal, options: { signal: left } } = this;
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
    const end = () => this.abort(new ToolError("deadline_exceeded", `${what} ${delayMs} ms`));
    // A longer timer, of more than 24.8 days, would fire at once: that is for ever.
    return delayMs < 2 ** 31 ? setTimeout(end, delayMs) : undefined;
  }
}
