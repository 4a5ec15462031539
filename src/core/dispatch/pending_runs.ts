/**
 * Runs whose handler is pending when `call()` returns.
 *
 * Most asynchronous handlers end within the same turn of the event loop. A run gets its deadline, its signal and the state for them
 * only if it is still pending when a timer fires, which is one for all runs of a turn, or if it needs one of them before.
 *
 * @module
 */
import type { CallResult } from "../call/outcome.ts";
import { Future, type Receiver } from "../../internal/future.ts";
import type { CallContext } from "./call_context.ts";
import type { RunLimits } from "./run_state.ts";
import type { CallServices } from "./services.ts";

/** Services that pending runs need. */
export interface PendingServices extends CallServices {
  /** Time limits of a run. */
  limitsOf(run: CallContext): RunLimits;
}

/** The pending runs of one server that have no deadline yet, in the order of their start. */
export class PendingRuns {
  readonly services: PendingServices;
  #first: PendingRun | undefined = undefined;
  #last: PendingRun | undefined = undefined;
  #isTimerSet = false;

  constructor(services: PendingServices) {
    this.services = services;
  }

  /** Returns the result of `running`, or the error that ends the run before it. */
  add(run: CallContext, running: Future<CallResult>): Future<CallResult> {
    const { clock } = this.services;
    const pending = new PendingRun(run, this, clock.elapsed());
    this.#append(pending);
    // Timers that end with their request cannot serve the runs of others.
    if (run.isLive || clock.isPerRequest) pending.arm();
    else this.#setTimer();
    running.into(pending);
    return pending.answer;
  }

  /**
   * Gives runs their deadlines, up to `last`, by default all. In the order of their start: a list of deadlines would have to be
   * searched for the place of one that started before others.
   */
  arm(last?: PendingRun): void {
    for (let run = this.#first; run !== undefined; run = run === last ? undefined : this.#first) run.startLimits();
  }

  remove(pending: PendingRun): void {
    const { previous, next } = pending;
    if (previous !== undefined) previous.next = next;
    else if (this.#first === pending) this.#first = next;
    if (next !== undefined) next.previous = previous;
    else if (this.#last === pending) this.#last = previous;
    pending.previous = pending.next = undefined;
  }

  #append(pending: PendingRun): void {
    pending.run.pendingRun = pending;
    pending.previous = this.#last;
    if (this.#last === undefined) this.#first = pending;
    else this.#last.next = pending;
    this.#last = pending;
  }

  #setTimer(): void {
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    this.services.clock.after(0, () => {
      this.#isTimerSet = false;
      this.arm();
    });
  }
}

/** A run that is pending, and the answer that its caller waits for. */
class PendingRun implements Receiver<CallResult> {
  readonly answer: Future<CallResult> = new Future<CallResult>();
  readonly run: CallContext;
  previous: PendingRun | undefined = undefined;
  next: PendingRun | undefined = undefined;
  readonly #runs: PendingRuns;
  readonly #startedMs: number;
  #isArmed = false;

  constructor(run: CallContext, runs: PendingRuns, startedMs: number) {
    this.run = run;
    this.#runs = runs;
    this.#startedMs = startedMs;
  }

  /** Gives the run and those before it their deadlines. */
  arm(): void {
    this.#runs.arm(this);
  }

  /** Gives the run its deadline, counted from its start. */
  startLimits(): void {
    const { run, answer } = this;
    const { services } = this.#runs;
    this.#leave();
    this.#isArmed = true;
    run.runState.answerTo(answer, services, services.limitsOf(run), this.#startedMs);
  }

  /** Takes the result of the work. */
  receive(result: CallResult): void {
    if (this.#isArmed) return this.run.runState.settle(result);
    this.#leave();
    this.answer.receive(this.run.settle(result));
  }

  fail(thrown: unknown): void {
    this.#leave();
    this.answer.fail(thrown);
  }

  #leave(): void {
    this.run.pendingRun = undefined;
    this.#runs.remove(this);
  }
}
