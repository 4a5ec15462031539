/**
 * Runs whose handler is pending when `call()` returns.
 *
 * Most asynchronous handlers end within the same turn of the event loop. A run gets its deadline, its signal and the state for them
 * only if it is still pending after that turn, or if it needs one of them before.
 *
 * @module
 */
import type { CallResult } from "../call/outcome.ts";
import { Future, type Receiver } from "../../internal/future.ts";
import { type PendingEntry, PendingList } from "../../internal/pending_list.ts";
import type { CallContext } from "./call_context.ts";
import type { RunLimits } from "./run_state.ts";
import type { CallServices } from "./services.ts";

/** Services that pending runs need. */
export interface PendingServices extends CallServices {
  /** Time limits of a run. */
  limitsOf(run: CallContext): RunLimits;
}

/** The pending runs of one server that have no deadline yet. */
export class PendingRuns {
  readonly services: PendingServices;
  readonly list: PendingList;

  constructor(services: PendingServices) {
    this.services = services;
    this.list = new PendingList(services.clock);
  }

  /** Returns the result of `running`, or the error that ends the run before it. */
  add(run: CallContext, running: Future<CallResult>): Future<CallResult> {
    const pending = new PendingRun(run, this, this.services.clock.elapsed());
    run.pendingRun = pending;
    this.list.add(pending);
    if (run.isLive) pending.arm();
    running.into(pending);
    return pending.answer;
  }

  /** Gives all runs their deadlines. */
  armAll(): void {
    this.list.flush();
  }
}

/** A run that is pending, and the answer that its caller waits for. */
class PendingRun implements Receiver<CallResult>, PendingEntry {
  readonly answer: Future<CallResult>;
  readonly run: CallContext;
  readonly runs: PendingRuns;
  readonly startedMs: number;
  previous: PendingEntry | undefined;
  next: PendingEntry | undefined;
  isArmed: boolean;

  constructor(run: CallContext, runs: PendingRuns, startedMs: number) {
    this.answer = new Future<CallResult>();
    this.run = run;
    this.runs = runs;
    this.startedMs = startedMs;
    this.previous = this.next = undefined;
    this.isArmed = false;
  }

  /**
   * Gives the run its deadline, and those that started before it. In the order of their start: a list of deadlines would have to be
   * searched for the place of one that started before others.
   */
  arm(): void {
    if (!this.isArmed) this.runs.list.flush(this);
  }

  /** Gives the run its deadline, counted from its start. */
  onTurnEnd(): void {
    const { run, answer, runs: { services } } = this;
    this.isArmed = true;
    run.pendingRun = undefined;
    run.runState.answerTo(answer, services, services.limitsOf(run), this.startedMs);
  }

  /** Takes the result of the work. */
  receive(result: CallResult): void {
    if (this.isArmed) return this.run.runState.settle(result);
    this.#leave();
    this.answer.receive(this.run.settle(result));
  }

  fail(thrown: unknown): void {
    this.#leave();
    this.answer.fail(thrown);
  }

  #leave(): void {
    this.run.pendingRun = undefined;
    this.runs.list.remove(this);
  }
}
