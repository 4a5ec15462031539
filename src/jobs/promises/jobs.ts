/**
 * Semantics of jobs, the same for every engine: which changes are valid in which state.
 *
 * `done` and `cancelled` are final. Changes by a run with a stale epoch, which was considered dead, are rejected.
 * How all of it works together: docs/how-it-works/jobs.md.
 */
import type { CallResult, Question } from "../../core/call/outcome.ts";
import type { Clock } from "../../internal/time.ts";
import type {
  AskAnswer,
  Engine,
  Job,
  JobFollower,
  JobState,
  LedgerEntry,
  Memo,
  Wait,
} from "../../core/dispatch/engine.ts";
import type { Resolution } from "../../core/handler/waits.ts";
import { isFinal, toEnded } from "./job_ends.ts";
import type { Notifier } from "../../core/dispatch/job_notifier.ts";
import { withAnswers } from "./job_answers.ts";
import { endOfParked, toBlocked } from "./blocked_jobs.ts";
import {
  isCurrentRun,
  isScheduled,
  isSupersededRun,
  type RunStop,
  toAsking,
  toCancelled,
  toClaimed,
  toFollowed,
  toForgotten,
  toJoined,
  toLeftOut,
  toUndone,
  undoUntilMsOf,
  untilDueMs,
  withWait,
} from "./job_transitions.ts";
import { resolveJobWait, type StoredResolution, toWaiting } from "./job_waits.ts";

/** Number of entries of a ledger that are read at once: each may have 256 KiB. */
const LEDGER_PAGE = 250;

/** Number of times that a change is repeated after concurrent changes. */
const MAX_TRIES = 100;

/** Delay until a job is delivered again whose run was superseded by another one, in milliseconds. */
const SUPERSEDED_MS = 3_000;

/** Delay after which the end of a job is notified if that has failed, or the process that ended it has died, in milliseconds. */
const NOTIFY_AGAIN_MS = 5_000;

/** What a run leaves to its job at its end, beside its result: its pieces, and why it has failed. */
export type RunRest = Pick<Job, "pieces" | "failures">;

/** What a run writes to its job before its end. */
export type RunReport = Pick<Job, "progress" | "estimatedMs" | "pieces">;

/** Reads and changes the jobs of an engine. A change is tried again if another process changed the job meanwhile. */
export class Jobs {
  /** Stores and delivers the jobs. */
  readonly engine: Engine;
  /** Notifies of the ends of jobs, if the server has such targets. */
  notifier: Notifier | undefined = undefined;
  readonly #clock: Clock;
  /** Pending reads, shared by concurrent readers of the same job. */
  readonly #reads = new Map<string, Promise<Job | undefined>>();
  readonly #ownerOf: () => string;

  constructor(engine: Engine, clock: Clock, ownerOf: () => string) {
    this.engine = engine;
    this.#clock = clock;
    this.#ownerOf = ownerOf;
  }

  /** Id of this server as the owner of runs. */
  get owner(): string {
    return this.#ownerOf();
  }

  /**
   * Starts a run of a job that is due; `undefined` if there is nothing to run. An early delivery is put off: the clocks of
   * machines differ, timers have a longest delay, and the delivery for the case that a run's process dies comes after each run.
   */
  async claim(id: string): Promise<Job | undefined> {
    let earlyMs = 0;
    const begun = await this.#change(id, (job) => {
      const nowMs = this.#clock.now();
      earlyMs = untilDueMs(job, nowMs);
      const outcome = endOfParked(job, nowMs);
      if (outcome !== undefined) return { ...this.#toNotified(job, outcome), state: "done", outcome };
      return toClaimed(job, nowMs, this.owner);
    });
    if (begun === undefined && earlyMs > 0) await this.engine.schedule(id, earlyMs);
    // The process that ended the job may have died before it stored the notifications.
    else if (begun === undefined || isFinal(begun)) await this.#notify(id);
    // The time to undo is over, or that of a job that an operator has to look at.
    return begun !== undefined && isFinal(begun) && begun.undoUntilMs === undefined ? undefined : begun;
  }

  /** Stores progress and pieces of a run. Returns the changed job; `undefined` if the run is no longer the current one. */
  report(run: Job, report: RunReport): Promise<Job | undefined> {
    return this.#changeRun(run, (job) => ({ ...job, ...report }));
  }

  /** The whole ledger of a job. */
  async readLedger(id: string): Promise<readonly LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (;;) {
      const page = await this.engine.readLedger(id, entries.length, LEDGER_PAGE);
      for (const entry of page) entries.push(entry);
      if (page.length < LEDGER_PAGE) return entries;
    }
  }

  /** Stores the result of a run, ends the job and notifies of its end. `undefined`, without a change, if the run is no longer the current one. */
  finish(
    run: Job,
    outcome: CallResult,
    pieces?: RunRest,
    undos?: Memo["undos"],
  ): Promise<Job | undefined> {
    const ended = (job: Job): Job => {
      const undone = undos === undefined ? job : { ...job, memo: { ...job.memo, undos } };
      return { ...this.#toNotified(undone, outcome), ...pieces, state: "done", outcome };
    };
    return this.#notify(
      run.id,
      this.#changeRun(run, ended),
      // A job that was cancelled meanwhile is notified by the one that has cancelled it.
      (job) => job.state === "done" && job.epoch === run.epoch,
    );
  }

  /** Marks a job as awaited by another call. Returns the job; `undefined` if it is missing. */
  async join(id: string): Promise<Job | undefined> {
    return await this.#change(id, toJoined) ??
      await this.engine.get(id);
  }

  /** Deletes the job of a run that ended without a result to store. `false` if other calls wait for it; then it remains. */
  async forget(run: Job): Promise<boolean> {
    const forgotten = await this.#change(run.id, (job) => toForgotten(job, run));
    return forgotten?.state !== "running";
  }

  /** Stores the questions of a run that stopped at them, with its memo and progress. The job then waits in the state `asking`. */
  ask(run: Job, requests: Readonly<Record<string, Question>>, stop: RunStop): Promise<Job | undefined> {
    return this.#notify(run.id, this.#changeRun(run, (job) => toAsking(job, requests, stop)));
  }

  /** Stores a sleep, or a wait for a value, of a run that continues. Returns the changed job. */
  saveWait(run: Job, name: string, wait: Wait): Promise<Job | undefined> {
    return this.#changeRun(run, (job) => withWait(job, name, wait));
  }

  /** Ends a run that stopped at waits; the next one begins when one of them has ended. */
  async suspend(run: Job, names: readonly string[], stop: RunStop): Promise<void> {
    const ended = await this.#endRun(run, (job) => toWaiting({ ...job, ...stop, memo: job.memo }, stop.memo, names));
    if (ended?.state === "cancelled") await this.cancelAwaited(stop.memo);
  }

  /**
   * Ends a run whose code does not fit its job, which keeps all that it has: it is tried again after a delay, until code that fits it is
   * there, or an operator decides. Shortly before the end of its promise it ends with the failure.
   */
  block(run: Job, outcome: CallResult): Promise<unknown> {
    const block = toBlocked(run, outcome, this.#clock.now());
    return block === undefined ? this.finish(run, outcome) : this.#endRun(run, block);
  }

  /** Resolves a wait of a job, whatever the job does. The first value counts. */
  async resolve(id: string, name: string, value: StoredResolution): Promise<Resolution> {
    let resolution: Resolution = { resolved: false, reason: "over" };
    const changed = await this.#change(id, (job) => {
      const [next, result] = resolveJobWait(job, name, value);
      resolution = result;
      return next;
    });
    if (changed?.state === "queued") await this.engine.schedule(id, 0);
    return resolution;
  }

  #msUntil(epochMs: number): number {
    return Math.max(0, epochMs - this.#clock.now());
  }

  /** Schedules another attempt after a failed run. */
  retry(run: Job, delayMs: number, pieces?: RunRest): Promise<void> {
    return this.#requeue(run, run.attempt, delayMs, { ...pieces, blockedSinceMs: undefined });
  }

  /** Cancels the claimed job of a scheduled call that is not made, because of the earlier call `blockedBy`, or of an unknown schedule. */
  leaveOut(run: Job, blockedBy: string | undefined): Promise<Job | undefined> {
    return this.#changeRun(run, (job) => toLeftOut(job, blockedBy));
  }

  /** Ends a run so that another process runs the job after a delay. The attempt is not counted. */
  async handOver(run: Job, delayMs: number): Promise<void> {
    if (run.undoUntilMs !== undefined) return await this.engine.schedule(run.id, delayMs);
    return await this.#requeue(run, run.attempt - 1, delayMs);
  }

  /** Leaves the claimed job of a scheduled call, whose handler has not begun, to another process. The attempt is not counted. */
  passOn(run: Job, delayMs: number): Promise<void> {
    const { schedule } = run;
    const passed = schedule && { schedule: { ...schedule, passedEpoch: run.epoch } };
    return this.#requeue(run, run.attempt - 1, delayMs, passed);
  }

  /**
   * Stores the caller's answers. The first answer to each key counts; answers to other keys are ignored, and malformed ones are
   * asked for again. The job continues once all questions are answered.
   */
  async answer(id: string, answers: ReadonlyMap<string, AskAnswer>): Promise<void> {
    const answered = await this.#change(id, (job) => withAnswers(job, answers));
    if (answered?.state === "queued") await this.engine.schedule(id, 0);
  }

  /** Cancels a job, unless it has ended. Returns its state; `undefined` if it is missing. */
  async cancel(id: string): Promise<JobState | undefined> {
    await this.#prepareNotify(id);
    let memo: Memo | undefined;
    const cancelled = await this.#notify(
      id,
      this.#change(id, (job) => {
        memo = job.memo;
        return toCancelled(job, this.#toNotified(job), this.#clock.now());
      }),
      ({ state }) => state === "cancelled",
    );
    if (cancelled !== undefined && memo !== undefined) await this.cancelAwaited(memo);
    // A run that is under way undoes by itself; then there is nothing left to do.
    if (cancelled?.undoUntilMs !== undefined) await this.engine.schedule(id, 0);
    return (cancelled ?? await this.engine.get(id))?.state;
  }

  /** Ends a cancelled job whose handler has undone what it did. Nothing happens if a later run does that. */
  async endUndo({ id, epoch }: Job): Promise<void> {
    await this.#change(id, (job) => job.epoch === epoch ? toUndone(job) : undefined);
  }

  /** Cancels the jobs of other tools that a cancelled job has waited for. If this process dies here, they end by themselves. */
  async cancelAwaited({ waits = {} }: Memo): Promise<void> {
    for (const { job, done } of Object.values(waits)) if (job !== undefined && !done) await this.cancel(job);
  }

  #toNotified(job: Job, outcome?: CallResult): Job {
    // A call that continues with answers, and was not promised, returns its answer itself.
    const isOfCall = job.memo.rounds !== undefined && !job.hasOtherWaiters;
    return { ...toEnded(job, outcome), ...(!isOfCall && this.notifier?.wants(job) && { isNotified: true }) };
  }

  /** Schedules a delivery of a job that is about to be cancelled: if this process dies afterwards, another one notifies, and wakes the handler. */
  async #prepareNotify(id: string): Promise<void> {
    const job = await this.engine.get(id);
    if (job === undefined || isFinal(job)) return;
    const isWoken = undoUntilMsOf(job, this.#clock.now()) !== undefined;
    if (isWoken || this.notifier?.wants(job) || job.followers !== undefined) {
      await this.engine.schedule(id, NOTIFY_AGAIN_MS);
    }
  }

  /**
   * Notifies of a job that has ended, or asks: the targets of `onComplete`, and the jobs that wait for it. Called again after an error of the
   * change, it finds the job as the first call has left it. If the notifications cannot be stored, the job is delivered again later, so that
   * its run ends and makes room.
   */
  async #notify(
    id: string,
    change?: Promise<Job | undefined>,
    isOwn?: (job: Job) => boolean,
  ): Promise<Job | undefined> {
    const changed = await change;
    const job = changed ?? await this.engine.get(id);
    if (job === undefined || !(isFinal(job) || job.state === "asking")) return changed;
    if (changed === undefined && isOwn?.(job) === false) return changed;
    try {
      for (const { id, wait } of job.followers ?? []) await this.resolve(id, wait, { done: "accept", digest: "over" });
      if (job.isNotified && isFinal(job)) await this.notifier?.notify(job);
    } catch {
      await this.engine.schedule(id, NOTIFY_AGAIN_MS);
    }
    return changed;
  }

  /** Has a job wake another one when it ends or asks. Returns the job, which may have ended before; `undefined` if it is missing. */
  async follow(id: string, follower: JobFollower): Promise<Job | undefined> {
    return await this.#change(id, (job) => toFollowed(job, follower)) ?? await this.engine.get(id);
  }

  /** Waits until `isEnough` or `ended`, and returns the job; `undefined` if it is missing (any more). */
  async wait(
    id: string,
    isEnough: (job: Job) => boolean,
    ended: Promise<void>,
    onChange?: (job: Job) => void | Promise<void>,
  ): Promise<Job | undefined> {
    // One promise at a time: thousands of calls may wait, and each promise would live as long as its call.
    let wake = (): void => {};
    let isOver = false;
    const unsubscribe = this.engine.subscribe(id, () => wake());
    void ended.then(() => {
      isOver = true;
      wake();
    });
    try {
      for (;;) {
        // Before the read, so that no change is missed in between.
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const job = await this.read(id);
        if (job === undefined || isEnough(job) || isOver) return job;
        await onChange?.(job);
        await woken;
      }
    } finally {
      unsubscribe();
    }
  }

  async #requeue(
    run: Job,
    attempt: number,
    delayMs: number,
    more?: Pick<Job, "schedule" | "pieces" | "failures" | "blockedSinceMs">,
  ): Promise<void> {
    const wakeAtMs = this.#clock.now() + delayMs;
    await this.#endRun(run, (job) => ({ ...job, ...more, state: "queued", attempt, wakeAtMs }));
  }

  /**
   * Ends a run that another one follows, and schedules that one. Called again after an error, it finds the job as the first call has
   * left it, maybe without a delivery.
   */
  async #endRun(run: Job, change: (job: Job) => Job): Promise<Job | undefined> {
    const ended = await this.#changeRun(run, change) ?? await this.engine.get(run.id);
    if (ended?.epoch !== run.epoch || !isScheduled(ended)) return ended;
    await this.engine.schedule(run.id, ended.wakeAtMs === undefined ? 0 : this.#msUntil(ended.wakeAtMs));
    return ended;
  }

  /** The current state of a job. Subscribers of one change share a read, because a job may be large. */
  read(id: string): Promise<Job | undefined> {
    let read = this.#reads.get(id);
    if (read === undefined) {
      // After this turn, in which all subscribers are notified.
      read = Promise.resolve().then(() => {
        this.#reads.delete(id);
        return this.engine.get(id);
      });
      this.#reads.set(id, read);
    }
    return read;
  }

  /** Changes the job of a run. Without concurrent changes this takes one request to the engine. */
  async #changeRun(run: Job, change: (job: Job) => Job): Promise<Job | undefined> {
    const next = { ...change(run), version: run.version + 1 };
    if (await this.engine.replace(next, run.version)) return next;
    let isSuperseded = false;
    const changed = await this.#change(run.id, (job) => {
      isSuperseded = isSupersededRun(job, run);
      return isCurrentRun(job, run) ? change(job) : undefined;
    });
    // The later run may have lost its lease before it began. Then the delivery of this one, which ends now, is the only one.
    if (isSuperseded) await this.engine.schedule(run.id, SUPERSEDED_MS);
    return changed;
  }

  /** Changes a job. Returns the changed job; `undefined` if it is missing, or the change is invalid. */
  async #change(id: string, change: (job: Job) => Job | undefined): Promise<Job | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const job = await this.engine.get(id);
      const changed = job && change(job);
      if (job === undefined || changed === undefined) return undefined;
      const next = { ...changed, version: job.version + 1 };
      if (await this.engine.replace(next, job.version)) return next;
    }
    throw new Error(`Cannot change job ${id}: it was changed concurrently ${MAX_TRIES} times`);
  }
}
