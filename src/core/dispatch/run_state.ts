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
import type { Deadline } from "../../internal/deadlines.ts";
import type { Future } from "../../internal/future.ts";
import type { CallServices } from "./services.ts";

/** Time limits of a run. */
export interface RunLimits {
  /** Limit of the whole run, in milliseconds; `undefined` for no limit. */
  readonly totalMs: number | undefined;
  /** Limit between two events, in milliseconds; `undefined` for no limit. */
  readonly idleMs: number | undefined;
  /** Called at `totalMs`. Default: the run is ended. */
  readonly onTotal?: () => void;
}

/** Time limit for server middleware to process a promise outcome, in milliseconds; after that it is sent unchanged. */
const PROMISE_MIDDLEWARE_MS = 1_000;

/** State of runs that are promised, stored or watched; a separate object, because each field costs time in every run. */
class DeferredState {
  /** Resolves when the work's result has been stored with its job; `undefined` if nothing is stored. */
  stored: Promise<void> | undefined;
  /** Passes the work's result, or its promise, to the middleware around the work; `undefined` without such middleware. */
  notifyMiddleware: ((result: CallResult) => void) | undefined = undefined;
  /** Deadline of the middleware's processing of the promise. */
  middlewareDeadline: Deadline | undefined;
  /** Whether the call ends in a promise while the work continues. */
  isPromised = false;
  /** Listeners of `ctx.onEvent`. */
  listeners: ((event: CallEvent) => void)[] | undefined = undefined;
}

/**
 * Signal, deadlines and events of a run; made once a run needs one of them.
 *
 * With server middleware a run completes twice: the work's result is stored with the job, the call's result goes to the
 * caller. Without middleware both are the same.
 */
export class RunState {
  readonly #call: Call;
  #sink: Sink | undefined;
  #controller: AbortController | undefined;
  #ended: ErrorResult | undefined;
  #isSettled = false;
  #isDetached = false;
  #total: Deadline | undefined;
  #idle: Deadline | undefined;
  /** Whether the run ends at its total limit. */
  #endsAtTotal = false;
  #services: CallServices | undefined;
  #answered: Pick<Future<CallResult>, "receive"> | undefined;
  #store: ((result: CallResult) => Promise<void>) | undefined;
  #workResult: CallResult | undefined;
  #deferred: DeferredState | undefined;
  #pendingProgress: Progress | undefined;
  #isSinkFull = false;
  #removeListeners: (() => void)[] | undefined;
  /** Called once when the run is ended from outside. */
  onEnd: (() => void) | undefined = undefined;
  /** Number of pieces that the caller has from an earlier run; as many are not sent again. */
  skippedPieces = 0;
  /** Number of pieces that the caller has. */
  deliveredPieces = 0;
  /** Config of the call, checked. */
  config: unknown = undefined;

  constructor(call: Call, sink: Sink | undefined) {
    this.#call = call;
    this.#sink = sink;
  }

  /** The error that ended the run from outside; `undefined` if nothing did. */
  get ended(): ErrorResult | undefined {
    return this.#ended;
  }

  /** Whether the run and the middleware around it are over. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Result of the work; `undefined` while it runs. */
  get workResult(): CallResult | undefined {
    return this.#workResult;
  }

  /** Whether middleware listens to events. */
  get isWatched(): boolean {
    return this.#deferred?.listeners !== undefined;
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
    this.#settleWork(error);
    this.settle(error);
  }

  /**
   * The promise that server middleware awaits: resolves with the work's result, or with the promise outcome that the caller
   * gets. If middleware calls `next()` twice, the last result counts.
   */
  toMiddleware(running: Promise<CallResult>): Promise<CallResult> {
    const deferred = this.#useDeferred();
    if (this.#isSettled || deferred.isPromised) return running;
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.#workResult = deferred.stored = undefined;
    return new Promise((resolve) => {
      const notifyEarlier = deferred.notifyMiddleware;
      deferred.notifyMiddleware = (result) => {
        notifyEarlier?.(result);
        resolve(result);
      };
      void running.then((result) => this.#settleWork(result));
    });
  }

  /** Starts the limits of a run, which is pending since `startedMs`, and sends its answer there. */
  answerTo(
    answer: Pick<Future<CallResult>, "receive">,
    services: CallServices,
    { totalMs, idleMs, onTotal }: RunLimits,
    startedMs: number,
  ): void {
    this.#watch(this.#sink?.closed);
    if (this.#ended !== undefined) return answer.receive(this.#ended);
    this.#services = services;
    this.#answered = answer;
    this.limit(totalMs, onTotal, startedMs);
    if (idleMs !== undefined) this.#idle = services.deadlines.add(idleMs, () => this.#expire());
    services.trackPending();
  }

  /** Replaces the limit of the whole run, counted from `startedMs`, by default from now; `undefined` for none. */
  limit(totalMs: number | undefined, onTotal?: () => void, startedMs?: number): void {
    this.#total?.clear();
    if (totalMs === undefined || this.#isSettled) return;
    this.#endsAtTotal = onTotal === undefined;
    this.#total = this.#services?.deadlines.add(totalMs, onTotal ?? (() => this.#expire()), startedMs);
  }

  #expire(): void {
    if (this.#services !== undefined) this.end(this.#services.deadlineError());
  }

  /** Lets the run continue if the caller disconnects. */
  ignoreDisconnect(): void {
    this.#isDetached = true;
    this.#unwatch();
  }

  /** Makes the run a job's: `store` gets the work's result, and the caller gets the result after `store` has resolved. */
  detach(store: (result: CallResult) => Promise<void>): void {
    this.ignoreDisconnect();
    this.#store = store;
  }

  /** Sends the promise to the caller; the work continues. */
  release(promise: CallResult): void {
    this.#idle?.clear();
    this.#sink = undefined;
    const deferred = this.#useDeferred();
    deferred.isPromised = true;
    if (deferred.notifyMiddleware === undefined) return this.#answer(promise);
    deferred.notifyMiddleware(promise);
    deferred.middlewareDeadline = this.#services?.deadlines.add(PROMISE_MIDDLEWARE_MS, () => this.#answer(promise));
  }

  /** Settles the run and releases its resources; only the first result counts. */
  settle(result: CallResult): void {
    // The call has ended in a promise; the work settles by itself.
    if (this.#deferred?.isPromised && this.#deferred.notifyMiddleware !== undefined) return this.#answer(result);
    const lateError = this.#lateError;
    if (lateError !== undefined) return this.end(lateError);
    this.#settleWork(result);
    this.#finish();
    this.#answer(result);
  }

  /** The error of a run that has passed its deadline before the timer has fired, as after a blocked event loop. */
  get #lateError(): ErrorResult | undefined {
    if (this.#isSettled || this.#ended !== undefined) return undefined;
    const isLate = this.#endsAtTotal && this.#total?.isOverdue || this.#idle?.isOverdue;
    return isLate ? this.#services?.deadlineError() : undefined;
  }

  /** Calls `listener`, which must not throw, for each further event. */
  listen(listener: (event: CallEvent) => void): void {
    (this.#useDeferred().listeners ??= []).push(listener);
  }

  /** Sends one event; a returned promise resolves when there is room for the next. */
  push(event: CallEvent): void | Promise<void> {
    if (this.#isSettled) return;
    this.#idle?.renew();
    if (this.#deferred?.listeners !== undefined) { for (const listener of this.#deferred.listeners) listener(event); }
    if (this.#sink === undefined) return;
    if (event.kind === "partial" && ++this.deliveredPieces <= this.skippedPieces) return;
    return this.#sink.push(event);
  }

  /** Sends progress; while the sink is full only the latest is kept. */
  progress(progress: Progress): void {
    if (this.#isSettled || (this.#sink === undefined && !this.isWatched)) return;
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

  #useDeferred(): DeferredState {
    return (this.#deferred ??= new DeferredState());
  }

  /** Stores the work's result with its job, then passes it to the middleware. */
  #settleWork(result: CallResult): void {
    if (this.#workResult !== undefined) return;
    this.#workResult = result;
    if (this.#store !== undefined) this.#useDeferred().stored = this.#store(result);
    if (this.#deferred === undefined) return;
    const { notifyMiddleware, isPromised } = this.#deferred;
    if (notifyMiddleware !== undefined) this.#whenStored(() => notifyMiddleware(result));
    if (isPromised) this.#finish();
  }

  #answer(result: CallResult): void {
    const answered = this.#answered;
    this.#answered = undefined;
    if (this.#deferred === undefined) return answered?.receive(result);
    this.#deferred.middlewareDeadline?.clear();
    if (answered !== undefined) this.#whenStored(() => answered.receive(result));
  }

  #whenStored(listener: () => void): void {
    const stored = this.#deferred?.stored;
    if (stored === undefined) listener();
    else void stored.then(listener);
  }

  #finish(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#total?.clear();
    this.#idle?.clear();
    this.#unwatch();
    this.#services?.untrack();
  }

  #watch(disconnect: AbortSignal | undefined): void {
    if (disconnect === undefined || this.#isSettled || this.#isDetached) return;
    const cancel = () => this.end(errorResult("cancelled", "The caller has gone"));
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
