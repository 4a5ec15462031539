/**
 * Runs whose handler is pending when `call()` returns.
 *
 * Most asynchronous handlers end within the same turn of the event loop. A run gets its deadline, its signal and the state for them
 * only if it is still pending some milliseconds later, or if it needs one of them before.
 */
import type { CallResult } from "../call/outcome.ts";
import { Future } from "../../internal/future.ts";
import { PENDING_MS, type PendingEntry, type PendingList } from "../../internal/pending_list.ts";
import type { CallContext } from "./call_context.ts";
import type { RunLimits } from "./run_state.ts";
import type { CallServices } from "./services.ts";

/** A deadline that may pass before the list of pending runs is notified, in milliseconds. */
const SHORT_DEADLINE_MS = 3 * PENDING_MS;

/** Services of a server with which pending runs get their deadlines; the dispatcher has them. */
export interface PendingServices extends CallServices {
  /** Pending runs that have no deadline yet. */
  readonly pending: PendingList;
  /** The first limit of a run in milliseconds: that of its tool, else of the server, or that of the caller if it is shorter. */
  deadlineMs(run: CallContext): number;
  /** Time limits of a run. */
  limitsOf(run: CallContext): RunLimits;
}

/** Adds a run to the pending ones, so that it gets a deadline. Returns the result of `running`, or the error that ends the run before it. */
export function awaitRun(
  run: CallContext,
  running: Future<CallResult>,
  services: PendingServices,
): Future<CallResult> {
  if (running instanceof FutureResult && running.canTrack(run)) return running.track(services);
  const result = new FutureResult(run).track(services);
  running.into(result);
  return result;
}

/** The pending result of a run, and the entry of the run in the list of pending runs: one object for both, since each call makes one. */
export class FutureResult extends Future<CallResult> implements PendingEntry {
  // As in Future, plain members that the constructor alone sets.
  declare readonly run: CallContext;
  /** @internal `undefined` unless the run is tracked. */
  declare services: PendingServices | undefined;
  /** @internal */
  declare startedMs: number;
  declare earlier: PendingEntry | undefined;
  declare later: PendingEntry | undefined;
  /** @internal */
  declare isArmed: boolean;

  constructor(run: CallContext) {
    super();
    this.run = run;
    this.services = this.earlier = this.later = undefined;
    this.startedMs = 0;
    this.isArmed = false;
  }

  /** Whether this is a result of the run that is neither tracked nor settled, so that no second object is needed. */
  canTrack(run: CallContext): boolean {
    return this.run === run && this.services === undefined && !this.hasArrived;
  }

  /** Adds the run to the pending ones. This future then settles with the run's result, or with the error that ends the run before. */
  track(services: PendingServices): this {
    const { run } = this;
    this.services = services;
    this.startedMs = services.clock.elapsed();
    run.pendingRun = this;
    services.pending.add(this);
    if (run.isLive || services.deadlineMs(run) < SHORT_DEADLINE_MS) this.arm();
    return this;
  }

  /**
   * Gives the run its deadline, and those that started before it. In the order of their start: a list of deadlines would have to be
   * searched for the place of one that started before others.
   */
  arm(): void {
    if (!this.isArmed) this.services?.pending.flush(this);
  }

  /** Gives the run its deadline, counted from its start. */
  onStillPending(): void {
    const { run, services } = this;
    if (services === undefined) return;
    this.isArmed = true;
    run.pendingRun = undefined;
    const answer = { receive: (result: CallResult) => super.receive(result) };
    run.runState.answerTo(answer, services, services.limitsOf(run), this.startedMs);
  }

  /** Takes the result of the work. */
  override receive(result: CallResult): void {
    const { run, services } = this;
    if (this.isArmed) return run.runState.settle(result);
    if (services === undefined) return super.receive(result);
    run.pendingRun = undefined;
    services.pending.remove(this);
    super.receive(run.settle(result));
  }

  override fail(thrown: unknown): void {
    this.services?.pending.remove(this);
    super.fail(thrown);
  }
}
