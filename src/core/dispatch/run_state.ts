import type { Call } from "../call/call.ts";
import {
  type CallEvent,
  type CallResult,
  type ErrorResult,
  errorResult,
  type Progress,
  type Sink,
} from "../call/outcome.ts";
import { ToolError } from "../errors/tool_error.ts";
import type { Deadline, Deadlines } from "../../internal/deadlines.ts";
import type { Future } from "../../internal/future.ts";

/** Services of a server that the state of a run uses: deadlines, and the count of runs that shutdown waits for. */
export interface RunStateServices {
  /** The server's deadlines. */
  readonly deadlines: Deadlines;
  /** Counts a run that is still pending when `call()` returns, so that shutdown can wait for it. */
  trackPending(): void;
  /** Removes a run from that count once it has settled. */
  untrack(): void;
  /** The error for a run whose deadline has expired. */
  deadlineError(): ErrorResult;
}

/** Time limits of a run: of its total time, and of the time between two events of a stream. */
export interface RunLimits {
  /** Limit of the whole run, in milliseconds; `undefined` for no limit. */
  readonly totalMs: number | undefined;
  /** Limit between two events, in milliseconds; `undefined` for no limit. */
  readonly idleMs: number | undefined;
  /** Called at `totalMs`. Default: the run is ended. */
  readonly onTotal?: (() => void) | undefined;
}

/** The reason for the abort of the signal of a handler that its run has left. */
export const RUN_STOPPED: ErrorResult = errorResult(
  "cancelled",
  "The run has stopped at a question or wait, and begins again later",
);

/**
 * Signal, deadlines and events of a run; made once a run needs one of them.
 *
 * With server middleware a run completes twice: with the work's result, which the middleware gets, and with the call's result, which
 * goes to the caller. Without middleware both are the same. An engine brings the state of runs that can become jobs.
 */
export class RunState {
  readonly #call: Call;
  protected sink: Sink | undefined;
  #controller: AbortController | undefined;
  #ended: ErrorResult | undefined;
  #isSettled = false;
  #isDetached = false;
  #total: Deadline | undefined;
  protected idle: Deadline | undefined;
  /** Whether the run ends at its total limit. */
  #endsAtTotal = false;
  protected services: RunStateServices | undefined;
  #answerReceiver: Pick<Future<CallResult>, "receive"> | undefined;
  /** Result of the work; `undefined` while it runs. */
  workResult: CallResult | undefined;
  /** Passes the work's result, or its promise, to the middleware around the work; `undefined` without such middleware. */
  protected notifyMiddleware: ((result: CallResult) => void) | undefined = undefined;
  /** Listeners of `ctx.onEvent`. */
  #listeners: ((event: CallEvent) => void)[] | undefined = undefined;
  #pendingProgress: Progress | undefined;
  #isSinkFull = false;
  #removeListeners: (() => void)[] | undefined;
  /** Called once when the run is ended from outside. */
  onEnd: (() => void) | undefined = undefined;
  /** Number of pieces that the caller has from an earlier run; as many are not sent again. */
  skippedPieces = 0;
  /** Number of pieces that the handler has sent in this run to a sink, the skipped ones included. */
  deliveredPieces = 0;
  /** Config of the call, checked. No member of the context itself, so that logging a context does not show it. */
  config: unknown = undefined;

  constructor(call: Call, sink: Sink | undefined) {
    this.#call = call;
    this.sink = sink;
  }

  /** The error that ended the run from outside; `undefined` if nothing did. */
  get ended(): ErrorResult | undefined {
    return this.#ended;
  }

  /** Whether the run and the middleware around it are over. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whether middleware listens to events. */
  get isWatched(): boolean {
    return this.#listeners !== undefined;
  }

  /** The handler's signal. The caller's signal is watched only after the first use of this: watching is slow on some runtimes. */
  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#abort(this.#ended);
      else this.#watch(this.#call.peer.signal);
    }
    return this.#controller.signal;
  }

  /** Ends the run from outside: its signal aborts and the call settles at once, whatever the handler does. */
  end(error: ErrorResult): void {
    if (this.#ended !== undefined || this.#isSettled) return;
    this.#ended = error;
    this.#abort(error);
    this.onEnd?.();
    this.settleWork(error);
    this.settle(error);
  }

  /** Aborts the signal of a handler that the run has left, and ends its generator, so that neither continues for nothing. */
  abandon(): void {
    this.#abort(RUN_STOPPED);
    this.onEnd?.();
  }

  /**
   * The promise that server middleware awaits: resolves with the work's result, or with the promise outcome that the caller
   * gets. If middleware calls `next()` twice, the last result counts.
   */
  toMiddleware(running: Promise<CallResult>): Promise<CallResult> {
    if (this.#isSettled) return running;
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.workResult = undefined;
    return new Promise((resolve) => {
      const notifyEarlier = this.notifyMiddleware;
      this.notifyMiddleware = (result) => {
        notifyEarlier?.(result);
        resolve(result);
      };
      void running.then((result) => this.settleWork(result));
    });
  }

  /** Starts the limits of a run that is pending since `startedMs` (elapsed time), and passes its result to `answer` once it settles. */
  answerTo(
    answer: Pick<Future<CallResult>, "receive">,
    services: RunStateServices,
    { totalMs, idleMs, onTotal }: RunLimits,
    startedMs: number,
  ): void {
    this.#watch(this.sink?.closed);
    if (this.#ended !== undefined) return answer.receive(this.#ended);
    this.services = services;
    this.#answerReceiver = answer;
    this.limit(totalMs, onTotal, startedMs);
    if (idleMs !== undefined) this.idle = services.deadlines.add(idleMs, () => this.#expire());
    services.trackPending();
  }

  /** Replaces the limit of the whole run, counted from `startedMs`, by default from now; `undefined` for none. */
  limit(totalMs: number | undefined, onTotal?: () => void, startedMs?: number): void {
    this.#total?.clear();
    if (totalMs === undefined || this.#isSettled) return;
    this.#endsAtTotal = onTotal === undefined;
    this.#total = this.services?.deadlines.add(totalMs, onTotal ?? (() => this.#expire()), startedMs);
  }

  #expire(): void {
    if (this.services !== undefined) this.end(this.services.deadlineError());
  }

  /** Lets the run continue if the caller disconnects. */
  ignoreDisconnect(): void {
    this.#isDetached = true;
    this.#unwatch();
  }

  /** Settles the run and releases its resources; only the first result counts. A result that comes after the deadline becomes its error. */
  settle(result: CallResult): void {
    const lateError = this.#lateError;
    if (lateError !== undefined) return this.end(lateError);
    this.settleWork(result);
    this.finish();
    this.answer(result);
  }

  /** The error of a run that has passed its deadline before the timer has fired, as after a blocked event loop. */
  get #lateError(): ErrorResult | undefined {
    if (this.#isSettled || this.#ended !== undefined) return undefined;
    const isLate = this.#endsAtTotal && this.#total?.isOverdue || this.idle?.isOverdue;
    return isLate ? this.services?.deadlineError() : undefined;
  }

  /** Calls `listener`, which must not throw, for each further event. */
  listen(listener: (event: CallEvent) => void): void {
    (this.#listeners ??= []).push(listener);
  }

  /** Passes one event to listeners and sink, and restarts the idle limit; a returned promise resolves when the sink has room for the next. */
  push(event: CallEvent): void | Promise<void> {
    if (this.#isSettled) return;
    this.idle?.renew();
    if (this.#listeners !== undefined) { for (const listener of this.#listeners) listener(event); }
    if (this.sink === undefined) return;
    if (event.kind === "partial" && ++this.deliveredPieces <= this.skippedPieces) return;
    return this.sink.push(event);
  }

  /** Sends progress; while the sink is full only the latest is kept. */
  progress(progress: Progress): void {
    if (this.#isSettled || (this.sink === undefined && !this.isWatched)) return;
    this.#pendingProgress = progress;
    this.#flushProgress();
  }

  #flushProgress(): void {
    try {
      while (this.#pendingProgress !== undefined && !this.#isSinkFull) {
        const progress = this.#pendingProgress;
        this.#pendingProgress = undefined;
        const room = this.push({ kind: "progress", progress });
        if (room !== undefined) this.#awaitRoom(room);
      }
    } catch {
      // Progress is optional: an event that cannot be written is dropped.
    }
  }

  #awaitRoom(room: Promise<void>): void {
    this.#isSinkFull = true;
    void room.then(() => {
      this.#isSinkFull = false;
      this.#flushProgress();
    }, () => {});
  }

  /** Passes the first result of the work to the server middleware around it, if any. The caller gets the result of that middleware. */
  protected settleWork(result: CallResult): void {
    if (this.workResult !== undefined) return;
    this.workResult = result;
    this.notifyMiddleware?.(result);
  }

  /** Sends the result to the caller; only the first counts. */
  protected answer(result: CallResult): void {
    this.takeAnswer()?.receive(result);
  }

  /** Takes the receiver of the run's result, so that it gets one result only; `undefined` if it was taken before. */
  protected takeAnswer(): Pick<Future<CallResult>, "receive"> | undefined {
    const answered = this.#answerReceiver;
    this.#answerReceiver = undefined;
    return answered;
  }

  protected finish(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#total?.clear();
    this.idle?.clear();
    this.#unwatch();
    this.services?.untrack();
  }

  #watch(disconnect: AbortSignal | undefined): void {
    if (disconnect === undefined || this.#isSettled || this.#isDetached) return;
    const cancel = () => this.end(errorResult("cancelled", "The caller has disconnected"));
    if (disconnect.aborted) return cancel();
    disconnect.addEventListener("abort", cancel, { once: true });
    (this.#removeListeners ??= []).push(() => disconnect.removeEventListener("abort", cancel));
  }

  #unwatch(): void {
    const listeners = this.#removeListeners;
    this.#removeListeners = undefined;
    if (listeners !== undefined) { for (const remove of listeners) remove(); }
  }

  #abort(error: ErrorResult): void {
    this.#controller?.abort(new ToolError(error.code, error.message));
  }
}
