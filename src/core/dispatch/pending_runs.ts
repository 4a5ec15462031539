/**
 * Runs whose handler is pending when `call()` returns.
 *
 * Most asynchronous handlers end within the same turn of the event loop. A run gets its deadline, its signal and the state for them
 * only if it is still pending after that turn, or if it needs one of them before.
 */
import type { CallResult } from "../call/outcome.ts";
import { Future, type Receiver } from "../../internal/future.ts";
import type { PendingEntry, PendingList } from "../../internal/pending_list.ts";
import type { CallContext } from "./call_context.ts";
import type { RunLimits } from "./run_state.ts";
import type { CallServices } from "./services.ts";

/** Services that pending runs need. */
export interface PendingServices extends CallServices {
  /** Pending runs that have no deadline yet. */
  readonly pending: PendingList;
  /** Time limits of a run. */
  limitsOf(run: CallContext): RunLimits;
}

/** Returns the result of `running`, or the error that ends the run before it. */
export function awaitRun(
  run: CallContext,
  running: Future<CallResult>,
  services: PendingServices,
): Future<CallResult> {
  const pending = new PendingRun(run, services);
  services.pending.add(pending);
  if (run.isLive) pending.arm();
  running.into(pending);
  return pending.answer;
}

/** A run that is pending, and the answer that its caller waits for. */
class PendingRun implements Receiver<CallResult>, PendingEntry {
  // As in Future, plain members that the constructor sets.
  readonly answer: Future<CallResult>;
  readonly run: CallContext;
  readonly services: PendingServices;
  readonly startedMs: number;
  previous: PendingEntry | undefined;
  next: PendingEntry | undefined;
  isArmed: boolean;

  constructor(run: CallContext, services: PendingServices) {
    this.answer = new Future<CallResult>();
    this.run = run;
    this.services = services;
    this.startedMs = services.clock.elapsed();
    this.previous = this.next = undefined;
    this.isArmed = false;
    run.pendingRun = this;
  }

  /**
   * Gives the run its deadline, and those that started before it. In the order of their start: a list of deadlines would have to be
   * searched for the place of one that started before others.
   */
  arm(): void {
    if (!this.isArmed) this.services.pending.flush(this);
  }

  /** Gives the run its deadline, counted from its start. */
  onTurnEnd(): void {
    const { run, services } = this;
    this.isArmed = true;
    run.pendingRun = undefined;
    run.runState.answerTo(this.answer, services, services.limitsOf(run), this.startedMs);
  }

  /** Takes the result of the work. */
  receive(result: CallResult): void {
    const { run } = this;
    if (this.isArmed) return run.runState.settle(result);
    run.pendingRun = undefined;
    this.services.pending.remove(this);
    this.answer.receive(run.settle(result));
  }

  fail(thrown: unknown): void {
    this.services.pending.remove(this);
    this.answer.fail(thrown);
  }
}
