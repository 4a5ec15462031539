import { type CallEvent, PieceCollector, type PromiseOutcome, type Sink } from "../core/call/outcome.ts";
import type { ActivityMonitor } from "../core/call/transport.ts";
import { ToolError } from "../core/errors/tool_error.ts";
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
export class RunningCall extends AbortController implements Sink, ActivityMonitor {
  /** As its caller gave them. */
  readonly options: CallOptions;
  /** When the time that the call may take is over, by `performance.now()`; `Infinity` for never. */
  readonly dueMs: number;
  /** Whether anything came: what the caller has seen must not begin anew. */
  hasEvents = false;
  /** The promise that stands for the call, if the stream breaks off. */
  deferred: PromiseOutcome | undefined;
  readonly #pieces: PieceCollector = new PieceCollector();
  readonly #timeoutMs: number;
  readonly #idleTimeoutMs: number;
  #watch: Timer;
  #sleep: Timer;
  /** When something last came, by `performance.now()`; while the wire waits for us, `Infinity`. */
  #touchedMs = 0;
  /** Rejects what runs. */
  #end: ((reason: unknown) => void) | undefined;

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
  markActive(): void {
    // Only noted, as streams do this for each chunk: a timer looks at it.
    this.#touchedMs = performance.now();
    if (this.#end && !this.#watch) this.#look();
  }

  /** The wire waits for us: that is not its silence. */
  suspend(): void {
    this.#touchedMs = Infinity;
  }

  override abort(reason?: unknown): void {
    super.abort(reason);
    this.#end?.(this.signal.reason);
  }

  /** Waits. */
  async sleep(delayMs: number): Promise<void> {
    this.suspend();
    await new Promise((resolve) => this.#sleep = setTimeout(resolve, delayMs));
    this.markActive();
  }

  /** Settles as `work` does, with the pieces that came, or rejects with why the call has to end, whichever is first. */
  async run<Value extends object>(work: () => Promise<Value>): Promise<Value> {
    const { signal: left } = this.options;
    const leave = () => this.abort(left?.reason);
    left?.addEventListener("abort", leave);
    try {
      const value = await new Promise<Value>((resolve, reject) => {
        this.#end = reject;
        this.markActive();
        if (left?.aborted) leave();
        else work().then(resolve, reject);
      });
      return this.#pieces.join(value);
    } finally {
      this.#end = undefined;
      clearTimeout(this.#watch);
      clearTimeout(this.#sleep);
      left?.removeEventListener("abort", leave);
    }
  }

  /** Ends the call if its time is over; else looks again when it may be. */
  #look(): void {
    const nowMs = performance.now();
    const idleMs = this.#idleTimeoutMs;
    const leftMs = Math.min(this.dueMs - nowMs, this.#touchedMs + idleMs - nowMs, idleMs);
    const why = nowMs < this.dueMs ? `Quiet for ${idleMs}` : `Not done after ${this.#timeoutMs}`;
    if (!(leftMs > 0)) return this.abort(new ToolError("deadline_exceeded", `${why} ms`));
    // While the wire waits for us there may be nothing to look at: then no timer holds the process.
    const isWatched = Math.min(this.dueMs, this.#touchedMs) < Infinity;
    // A longer timer, of more than 24.8 days, would fire at once.
    this.#watch = isWatched ? setTimeout(() => this.#look(), Math.min(leftMs, 2 ** 31 - 1)) : undefined;
  }
}
