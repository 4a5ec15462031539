import type { Call } from "../call/call.ts";
import { type CallEvent, type Progress, type Refusal, refuse, type Settled, type Sink } from "../call/outcome.ts";
import { ToolError } from "../error/tool_error.ts";
import type { Deadline } from "../internal/deadlines.ts";
import type { DispatchHost } from "./host.ts";

/** How long a run may take. */
export interface RunLimits {
  /** In all, in milliseconds; `undefined` for no limit. */
  readonly totalMs: number | undefined;
  /** Without any event, in milliseconds; `undefined` for no limit. */
  readonly idleMs: number | undefined;
  /** What happens at `totalMs`. Default: the run is ended. */
  readonly onTotal?: () => void;
}

/** What a run has once it needs more than its input: a signal, a deadline, somewhere to send events. */
export class LiveRun {
  readonly #call: Call;
  #sink: Sink | undefined;
  #controller: AbortController | undefined = undefined;
  #ended: Refusal | undefined = undefined;
  #isSettled = false;
  #isDetached = false;
  #total: Deadline | undefined = undefined;
  #idle: Deadline | undefined = undefined;
  #host: DispatchHost | undefined = undefined;
  #resolve: ((settled: Settled) => void) | undefined = undefined;
  #onSettled: ((settled: Settled) => Promise<void>) | undefined = undefined;
  #settled: Settled | undefined = undefined;
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
  get ended(): Refusal | undefined {
    return this.#ended;
  }

  /** Whether the run has settled. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** How the run has settled; `undefined` until it has. */
  get settled(): Settled | undefined {
    return this.#settled;
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
  end(refusal: Refusal): void {
    if (this.#ended !== undefined || this.#isSettled) return;
    this.#ended = refusal;
    this.#abort(refusal);
    this.onEnd?.();
    this.settle(refusal);
  }

  /** Settles with `running`, or with the refusal that ends the run before it. */
  guard(running: Promise<Settled>, host: DispatchHost, { totalMs, idleMs, onTotal }: RunLimits): Promise<Settled> {
    this.#watch(this.#sink?.left);
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.#host = host;
    const expire = () => this.end(host.overdue());
    if (totalMs !== undefined) this.#total = host.deadlines.add(totalMs, onTotal ?? expire);
    if (idleMs !== undefined) this.#idle = host.deadlines.add(idleMs, expire);
    host.enter();
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
    this.#total = host.deadlines.add(totalMs, onTotal ?? (() => this.end(host.overdue())));
  }

  /** From now on the caller may leave: the run goes on. */
  keep(): void {
    this.#isDetached = true;
    this.#unhook();
  }

  /** From now on the run is a job's: how it settles is told to `onSettled`, and to the caller after that. */
  detach(onSettled: (settled: Settled) => Promise<void>): void {
    this.keep();
    this.#onSettled = onSettled;
  }

  /** The caller goes on with a promise; the run goes on without it. */
  release(promise: Settled): void {
    this.#idle?.clear();
    this.#resolve?.(promise);
    this.#resolve = undefined;
    this.#sink = undefined;
  }

  /** The run is over; only the first word counts. Nothing of it is left behind. */
  settle(settled: Settled): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settled = settled;
    this.#total?.clear();
    this.#idle?.clear();
    this.#unhook();
    this.#host?.leave();
    if (this.#onSettled === undefined) this.#resolve?.(settled);
    else void this.#onSettled(settled).then(() => this.#resolve?.(settled));
  }

  /** Sends one event; a returned promise resolves when there is room for the next. */
  push(event: CallEvent): void | Promise<void> {
    if (this.#isSettled) return;
    this.#idle?.renew();
    if (this.#sink === undefined) return;
    if (event.kind === "partial" && ++this.deliveredPieces <= this.skippedPieces) return;
    return this.#sink.push(event);
  }

  /** Sends progress; while the sink is full only the latest is kept. */
  progress(progress: Progress): void {
    if (this.#sink === undefined || this.#isSettled) return;
    this.#pendingProgress = progress;
    // What cannot be written is dropped: progress is a courtesy.
    if (!this.#isSinkFull) void this.#flushProgress().catch(() => {});
  }

  async #flushProgress(): Promise<void> {
    while (this.#pendingProgress !== undefined) {
      const progress = this.#pendingProgress;
      this.#pendingProgress = undefined;
      const room = this.push({ kind: "progress", progress });
      if (room === undefined) continue;
      this.#isSinkFull = true;
      await room;
      this.#isSinkFull = false;
    }
  }

  #watch(leaving: AbortSignal | undefined): void {
    if (leaving === undefined || this.#isSettled || this.#isDetached) return;
    const leave = () => this.end(refuse("cancelled", "The caller has gone"));
    if (leaving.aborted) return leave();
    leaving.addEventListener("abort", leave, { once: true });
    this.#unhooks.push(() => leaving.removeEventListener("abort", leave));
  }

  #unhook(): void {
    for (const unhook of this.#unhooks.splice(0)) unhook();
  }

  #abort(refusal: Refusal): void {
    this.#controller?.abort(new ToolError(refusal.code, refusal.message));
  }
}
