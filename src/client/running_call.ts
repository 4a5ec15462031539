import { MAX_TIMER_MS } from "../internal/time.ts";
import { type CallEvent, PieceCollector, type Progress, type PromiseOutcome, type Sink } from "../core/call/outcome.ts";
import type { ActivityMonitor } from "../core/call/transport.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import type { CallOptions } from "./types.ts";

/** Default time limits of calls. */
export interface CallLimitOptions {
  /** Total time limit of a call, in milliseconds. Default: none. */
  readonly timeoutMs?: number | undefined;
  /** Maximum time without data from the server, in milliseconds. Default: 60,000. */
  readonly idleTimeoutMs?: number | undefined;
}

/** Throws a `TypeError` for an option that is not in the list `known`: a misspelled one may be the credentials, or a time limit. */
export function assertKnown(action: string, options: object, known: string): void {
  // Runs for each call: nothing is allocated without options.
  for (const name in options) {
    if (options[name as keyof object] !== undefined && !known.split(", ").includes(name)) {
      throw new TypeError(`Cannot ${action}: there is no option "${name}" here, but ${known}`);
    }
  }
}

/** Throws a `TypeError` for options in the place of arguments: a tool that accepts any argument would ignore them in silence. */
export function assertArguments(tool: string, args: unknown): void {
  const { signal, onProgress } = Object(args) as CallOptions;
  if (!(signal instanceof AbortSignal) && typeof onProgress !== "function") return;
  const name = signal instanceof AbortSignal ? "signal" : "onProgress";
  throw new TypeError(`Cannot call ${tool}: ${name} is an option, not an argument. Write: ${tool}({}, { ${name} })`);
}

/** Interval of a server's heartbeats in a stream that asks for no other, in milliseconds. */
const HEARTBEAT_MS = 8_000;
const TOO_SHORT = `, which a healthy server may be: its heartbeats come each ${HEARTBEAT_MS} ms, if it does not know ` +
  "heartbeat_ms, and never within 500 ms. Raise idleTimeoutMs, or limit the whole call by timeoutMs";

type Timer = ReturnType<typeof setTimeout> | undefined;

function isSame(progress: Progress, before: Progress | undefined): boolean {
  return progress.done === before?.done && progress.total === before.total && progress.message === before.message;
}

/**
 * A running call, which may consist of several requests.
 *
 * Ends the call when its caller aborts, its time limit expires or the idle timeout expires, and rejects with the reason
 * of its signal. Collects the partials received so far.
 */
export class RunningCall extends AbortController implements Sink, ActivityMonitor {
  declare readonly options: CallOptions;
  /** Time at which the limit expires, by `performance.now()`. `Infinity` without a limit. */
  declare readonly dueMs: number;
  /** Name of the tool of the current request. */
  tool: string | undefined = undefined;
  /** Whether an event was received. The call must then not be repeated, because the caller has seen part of it. */
  hasEvents = false;
  /** Number of pieces that the server has sent or dropped. */
  pieceCount = 0;
  /** Promise of the call, if the server has sent one: it is redeemed if the stream is interrupted. */
  declare deferred: PromiseOutcome | undefined;
  /** What `.render()` shows in place of the answer, as the transport knows it. */
  declare "~shown": (() => unknown) | undefined;
  readonly #pieces: PieceCollector = new PieceCollector();
  /** The progress that the caller has. Each redemption begins with the latest, which may be the same. */
  #progress: Progress | undefined;
  readonly #timeoutMs: number;
  readonly #idleTimeoutMs: number;
  #watch: Timer;
  #sleep: Timer;
  /** Time of the last activity, by `performance.now()`. `Infinity` while the transport waits for the client. */
  #touchedMs = 0;
  /** Rejects the running work. */
  #end: ((reason: unknown) => void) | undefined;

  /** @throws {TypeError} If an option is unknown. */
  constructor(options: CallOptions = {}, { timeoutMs = Infinity, idleTimeoutMs = 60_000 }: CallLimitOptions) {
    super();
    assertKnown("call", options, "signal, timeoutMs, idleTimeoutMs, onProgress, idempotencyKey, meta");
    this.options = options;
    this.#timeoutMs = options.timeoutMs ?? timeoutMs;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? idleTimeoutMs;
    this.dueMs = performance.now() + this.#timeoutMs;
  }

  /**
   * Receiver of events if the caller wants progress, or if its idle timeout needs heartbeats: both require a stream. Without it, the
   * reply need not be streamed.
   */
  get sink(): Sink | undefined {
    return this.options.onProgress || this.heartbeatMs ? this : undefined;
  }

  /** Interval of the heartbeats to ask for, in milliseconds. `undefined` if the server's suffices for the idle timeout. */
  get heartbeatMs(): number | undefined {
    const idleMs = this.#idleTimeoutMs;
    return idleMs < 2 * HEARTBEAT_MS ? Math.max(1, Math.floor(idleMs / 3)) : undefined;
  }

  /** How long a redemption may wait at the server, in milliseconds, so that its answer comes before the idle timeout. */
  get maxWaitMs(): number {
    return Math.min(20_000, Math.ceil(this.#idleTimeoutMs / 2));
  }

  /** Whether a redemption is to send the pieces that follow. */
  get wantsPieces(): boolean {
    return false;
  }

  /** Whether an event is the progress that the caller has. */
  protected isRepeated(event: CallEvent): boolean {
    return event.kind === "progress" && isSame(event.progress, this.#progress);
  }

  push(event: CallEvent): void | Promise<void> {
    this.#pieces.push(event);
    if (event.kind === "partial") this.pieceCount++;
    else if (event.kind === "dropped") this.pieceCount = event.to;
    this.hasEvents = true;
    if (event.kind === "deferred") this.deferred = event.promise;
    if (event.kind !== "progress" || this.isRepeated(event)) return;
    this.#progress = event.progress;
    try {
      this.options.onProgress?.(event.progress);
    } catch (thrown) {
      // An exception of the caller's function ends the call.
      this.abort(thrown);
    }
  }

  /** Resets the idle timeout. */
  markActive(): void {
    // Only stores the time, because streams call this for each chunk. The timer compares it.
    this.#touchedMs = performance.now();
    if (this.#end && !this.#watch) this.#look();
  }

  /** Stops the idle timeout until `markActive`, while the transport waits for this client. */
  suspend(): void {
    this.#touchedMs = Infinity;
  }

  override abort(reason?: unknown): void {
    super.abort(reason);
    this.#end?.(this.signal.reason);
  }

  /** Waits, without idle timeout. The total time limit still applies. */
  async sleep(delayMs: number): Promise<void> {
    this.suspend();
    await new Promise((resolve) => this.#sleep = setTimeout(resolve, delayMs));
    this.markActive();
  }

  /**
   * Settles as `work` does, with the collected partials, or rejects with the reason for the end, whichever is first.
   */
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

  /** Ends the call if a limit has expired, else schedules the next check. */
  #look(): void {
    const nowMs = performance.now();
    const idleMs = this.#idleTimeoutMs;
    const leftMs = Math.min(this.dueMs - nowMs, this.#touchedMs + idleMs - nowMs, idleMs);
    if (!(leftMs > 0)) {
      const isQuiet = nowMs < this.dueMs;
      const why = isQuiet ? `Quiet for ${idleMs} ms` : `Not done after ${this.#timeoutMs} ms`;
      return this.abort(new ToolError("deadline_exceeded", isQuiet && idleMs < HEARTBEAT_MS ? why + TOO_SHORT : why));
    }
    // Without a limit there is nothing to check, and no timer should keep the process alive.
    const isWatched = Math.min(this.dueMs, this.#touchedMs) < Infinity;
    // Timers of more than 24.8 days fire immediately.
    this.#watch = isWatched ? setTimeout(() => this.#look(), Math.min(leftMs, MAX_TIMER_MS)) : undefined;
  }
}
