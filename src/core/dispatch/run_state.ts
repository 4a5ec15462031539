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
import type { DispatchServices } from "./services.ts";

/** How long a run may take. */
export interface RunLimits {
  /** In all, in milliseconds; `undefined` for no limit. */
  readonly totalMs: number | undefined;
  /** Without any event, in milliseconds; `undefined` for no limit. */
  readonly idleMs: number | undefined;
  /** What happens at `totalMs`. Default: the run is ended. */
  readonly onTotal?: () => void;
}

/** How long middleware may look at a promise before its caller gets it is, in milliseconds. */
const PROMISE_LOOK_MS = 1_000;

/** What a run has that is promised, kept or looked at; apart, because each field is paid for by every run. */
class DeferredState {
  /** Resolves when what became of the work is kept; `undefined` where nothing is. */
  kept: Promise<void> | undefined = undefined;
  /** Tells the middleware around the work how it ended, or that it is promised; `undefined` if there is none. */
  tellAround: ((settled: CallResult) => void) | undefined = undefined;
  /** When middleware has looked at the promise for long enough. */
  look: Deadline | undefined = undefined;
  /** Whether the call ends in a promise, while the work goes on. */
  isReleased = false;
  /** Who wants to see events. */
  listeners: ((event: CallEvent) => void)[] | undefined = undefined;
}

/**
 * What a run has once it needs more than its input: a signal, a deadline, somewhere to send events.
 *
 * It has two ends, where the server has middleware: that of the work, which a job keeps, and that of the call around it,
 * which the caller gets. Without middleware both are one.
 */
export class RunState {
  readonly #call: Call;
  #sink: Sink | undefined;
  #controller: AbortController | undefined = undefined;
  #ended: ErrorResult | undefined = undefined;
  #isSettled = false;
  #isDetached = false;
  #total: Deadline | undefined = undefined;
  #idle: Deadline | undefined = undefined;
  #host: DispatchServices | undefined = undefined;
  #resolve: ((settled: CallResult) => void) | undefined = undefined;
  #onSettled: ((settled: CallResult) => Promise<void>) | undefined = undefined;
  #settled: CallResult | undefined = undefined;
  /** What few runs need. */
  #rare: DeferredState | undefined = undefined;
  #pendingProgress: Progress | undefined = undefined;
  #isSinkFull = false;
  readonly #unhooks: (() => void)[] = [];
  /** Called once when the run is ended from outside. */
  onEnd: (() => void) | undefined = undefined;
  /** How many pieces the caller has from an earlier run: as many are not sent again. */
  skippedPieces = 0;
  /** How many pieces the caller has. */
  deliveredPieces = 0;
  /** What the handler gets from the environment. */
  config: unknown = undefined;

  constructor(call: Call, sink: Sink | undefined) {
    this.#call = call;
    this.#sink = sink;
  }

  /** Why the run was ended from outside; `undefined` while it goes on. */
  get ended(): ErrorResult | undefined {
    return this.#ended;
  }

  /** Whether the run is over, and what is around it. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** How the work has ended; `undefined` until it has. */
  get settled(): CallResult | undefined {
    return this.#settled;
  }

  /** Whether somebody on this side wants to see events. */
  get isWatched(): boolean {
    return this.#rare?.listeners !== undefined;
  }

  /** The handler's signal. Only who asks for it has the caller watched, which has its price on some runtimes. */
  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#abort(this.#ended);
      else this.#watch(this.#call.peer.signal);
    }
    return this.#controller.signal;
  }

  /** Ends the run from outside: its signal aborts and the call settles at once, whatever the handler does. */
  end(refusal: ErrorResult): void {
    if (this.#ended !== undefined || this.#isSettled) return;
    this.#ended = refusal;
    this.#abort(refusal);
    this.onEnd?.();
    this.#settleWork(refusal);
    this.settle(refusal);
  }

  /**
   * What the server's middleware is around: resolves with how the work ended, or with the promise that its caller goes on with.
   * Middleware may go on with a call twice; then the last word counts.
   */
  around(running: Promise<CallResult>): Promise<CallResult> {
    const rare = this.#useRare();
    if (this.#isSettled || rare.isReleased) return running;
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.#settled = rare.kept = undefined;
    return new Promise((resolve) => {
      const before = rare.tellAround;
      rare.tellAround = (settled) => {
        before?.(settled);
        resolve(settled);
      };
      void running.then((settled) => this.#settleWork(settled));
    });
  }

  /** Settles with `running`, or with the refusal that ends the run before it. */
  guard(
    running: Promise<CallResult>,
    host: DispatchServices,
    { totalMs, idleMs, onTotal }: RunLimits,
  ): Promise<CallResult> {
    this.#watch(this.#sink?.closed);
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.#host = host;
    const expire = () => this.end(host.deadlineError());
    if (totalMs !== undefined) this.#total = host.deadlines.add(totalMs, onTotal ?? expire);
    if (idleMs !== undefined) this.#idle = host.deadlines.add(idleMs, expire);
    host.trackPending();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void running.then((settled) => this.settle(settled));
    });
  }

  /** Gives the run another limit in all, from now on; `undefined` for none. */
  limit(totalMs: number | undefined, onTotal?: () => void): void {
    this.#total?.clear();
    const host = this.#host;
    if (host === undefined || totalMs === undefined || this.#isSettled) return;
    this.#total = host.deadlines.add(totalMs, onTotal ?? (() => this.end(host.deadlineError())));
  }

  /** From now on the caller may leave: the run goes on. */
  keep(): void {
    this.#isDetached = true;
    this.#unhook();
  }

  /** From now on the run is a job's: how it settles is told to `onSettled`, and to the caller after that. */
  detach(onSettled: (settled: CallResult) => Promise<void>): void {
    this.keep();
    this.#onSettled = onSettled;
  }

  /** The caller goes on with a promise; the run goes on without it. */
  release(promise: CallResult): void {
    this.#idle?.clear();
    this.#sink = undefined;
    const rare = this.#useRare();
    rare.isReleased = true;
    if (rare.tellAround === undefined) return this.#answer(promise);
    rare.tellAround(promise);
    rare.look = this.#host?.deadlines.add(PROMISE_LOOK_MS, () => this.#answer(promise));
  }

  /** The run is over; only the first word counts. Nothing of it is left behind. */
  settle(settled: CallResult): void {
    // The call has ended in a promise; the work has an end of its own.
    if (this.#rare?.isReleased && this.#rare.tellAround !== undefined) return this.#answer(settled);
    this.#settleWork(settled);
    this.#finish();
    this.#answer(settled);
  }

  /** Has `listener`, which throws nothing, see events from now on. */
  listen(listener: (event: CallEvent) => void): void {
    (this.#useRare().listeners ??= []).push(listener);
  }

  /** Sends one event; a returned promise resolves when there is room for the next. */
  push(event: CallEvent): void | Promise<void> {
    if (this.#isSettled) return;
    this.#idle?.renew();
    if (this.#rare?.listeners !== undefined) { for (const listener of this.#rare.listeners) listener(event); }
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
      // What cannot be written is dropped: progress is a courtesy.
    }
  }

  #awaitRoom(room: Promise<void>): void {
    this.#isSinkFull = true;
    void room.then(() => {
      this.#isSinkFull = false;
      this.#flushProgress();
    }, () => {});
  }

  #useRare(): DeferredState {
    return (this.#rare ??= new DeferredState());
  }

  /** The work has ended: its job keeps that, the middleware around it is told. */
  #settleWork(settled: CallResult): void {
    if (this.#settled !== undefined) return;
    this.#settled = settled;
    if (this.#onSettled !== undefined) this.#useRare().kept = this.#onSettled(settled);
    if (this.#rare === undefined) return;
    const { tellAround, isReleased } = this.#rare;
    if (tellAround !== undefined) this.#onceKept(() => tellAround(settled));
    if (isReleased) this.#finish();
  }

  #answer(settled: CallResult): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    if (this.#rare === undefined) return resolve?.(settled);
    this.#rare.look?.clear();
    if (resolve !== undefined) this.#onceKept(() => resolve(settled));
  }

  #onceKept(then: () => void): void {
    const kept = this.#rare?.kept;
    if (kept === undefined) then();
    else void kept.then(then);
  }

  #finish(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#total?.clear();
    this.#idle?.clear();
    this.#unhook();
    this.#host?.untrack();
  }

  #watch(leaving: AbortSignal | undefined): void {
    if (leaving === undefined || this.#isSettled || this.#isDetached) return;
    const leave = () => this.end(errorResult("cancelled", "The caller has gone"));
    if (leaving.aborted) return leave();
    leaving.addEventListener("abort", leave, { once: true });
    this.#unhooks.push(() => leaving.removeEventListener("abort", leave));
  }

  #unhook(): void {
    for (const unhook of this.#unhooks.splice(0)) unhook();
  }

  #abort(refusal: ErrorResult): void {
    this.#controller?.abort(new ToolError(refusal.code, refusal.message));
  }
}
