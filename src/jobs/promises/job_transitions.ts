/**
 * The changes of jobs, as functions of the stored job alone: each returns the job to store, or `undefined` if the change is not valid in
 * its state. `Jobs` stores them under compare-and-set.
 */
import type { Question } from "../../core/call/outcome.ts";
import type { Job, JobFollower, JobState, LedgerEntry, Wait } from "../../core/dispatch/engine.ts";
import { isFinal, toEnded } from "./job_ends.ts";
import { withFailure } from "./job_failures.ts";
import { expireWaits, mergeMemo } from "./job_waits.ts";

/** Delay until a job in an unknown state is delivered again, in milliseconds: a process of a newer version may run it. */
const UNKNOWN_STATE_MS = 5_000;

/** States of a job whose next run is scheduled. */
const SCHEDULED: ReadonlySet<JobState> = new Set(["queued", "waiting", "blocked"]);

/** What a run that stops leaves to the next one. */
export type RunStop = Pick<Job, "memo" | "progress" | "pieces">;

/** Time that a handler has to undo what it did unless its tool has another one, in milliseconds. */
const UNDO_MS = 60_000;

/** Time until a job may run, in milliseconds; not above 0 if it may run now, or never. */
export function untilDueMs({ state, wakeAtMs = 0 }: Job, nowMs: number): number {
  // A running job is due if the process that ran it has died.
  if (state === "running" || state === "asking" || state === "done" || state === "cancelled") return 0;
  return SCHEDULED.has(state) ? wakeAtMs - nowMs : UNKNOWN_STATE_MS;
}

/** Whether another run follows the one that has left a job so. */
export function isScheduled({ state }: Job): boolean {
  return SCHEDULED.has(state);
}

/** A job whose next run begins: those before it can no longer change it. */
export function toClaimed(job: Job, nowMs: number, owner: string): Job | undefined {
  if (job.undoUntilMs !== undefined) return toWoken(job, nowMs, owner);
  if (untilDueMs(job, nowMs) > 0 || isFinal(job) || job.state === "asking") return undefined;
  const { wakeAtMs: _, outcome: __, ...rest } = job;
  const { epoch, attempt } = job;
  const takenFrom = job.state === "running" ? job.owner ?? "" : undefined;
  const memo = expireWaits(job.memo, nowMs);
  const died = takenFrom === undefined ? undefined : withFailure(job, nowMs, "The process of the run died");
  return { ...rest, ...died, state: "running", memo, epoch: epoch + 1, attempt: attempt + 1, owner, takenFrom };
}

/** A cancelled job whose handler begins to undo what it did; one whose time for that is over has ended. */
function toWoken(job: Job, nowMs: number, owner: string): Job | undefined {
  if (nowMs >= job.undoUntilMs!) return toUndone(job);
  const { wakeAtMs: _, outcome: __, requests: ___, ...rest } = job;
  const memo = expireWaits(job.memo, nowMs);
  // A run that stopped at a wait was not counted as an attempt.
  return { ...rest, memo, epoch: job.epoch + 1, attempt: Math.max(1, job.attempt), owner };
}

/** A cancelled job whose handler has undone what it did. */
export function toUndone({ undoUntilMs, ...job }: Job): Job | undefined {
  return undoUntilMs === undefined ? undefined : toEnded(job);
}

/**
 * A cancelled job. If its handler has begun, it keeps what it has for the time to undo.
 *
 * @param ended The job as it is without that.
 */
export function toCancelled(job: Job, ended: Job, nowMs: number): Job | undefined {
  if (isFinal(job)) return undefined;
  const untilMs = undoUntilMsOf(job, nowMs);
  if (untilMs === undefined) return { ...ended, state: "cancelled" };
  const { args, config, memo, expiresAtMs } = job;
  return { ...ended, state: "cancelled", args, config, memo, expiresAtMs, undoUntilMs: untilMs };
}

/** Until when the handler of a job that is cancelled now may undo what it did; `undefined` if it has not begun, or there is no time. */
export function undoUntilMsOf({ undoMs = UNDO_MS, epoch, expiresAtMs }: Job, nowMs: number): number | undefined {
  const untilMs = Math.min(nowMs + undoMs, expiresAtMs);
  return epoch === 0 || untilMs <= nowMs ? undefined : untilMs;
}

/** Whether the handler of a job has come to anything that it may have to undo, or waits behind. */
export function hasRecorded({ memo, requests }: Job, ledger: readonly LedgerEntry[]): boolean {
  const { waits = {}, steps, failed = {}, answers } = memo;
  const isKept = [waits, steps, failed, answers].some((members) => Object.keys(members).length > 0);
  return isKept || ledger.length > 0 || requests !== undefined;
}

/** Whether a run may change its job: it is under way, and no later one has begun. */
export function isCurrentRun(job: Job, run: Job): boolean {
  return job.state === "running" && job.epoch === run.epoch;
}

/**
 * Whether a later run has begun that may need another delivery: to end or to undo the job or, if that run died right after the end, to
 * notify of it.
 */
export function isSupersededRun(job: Job, run: Job): boolean {
  const isSettled = isFinal(job) && job.undoUntilMs === undefined && job.isNotified !== true &&
    job.followers === undefined;
  return job.epoch > run.epoch && !isSettled;
}

/** A job that another call waits for, too. */
export function toJoined(job: Job): Job | undefined {
  return isFinal(job) ? undefined : { ...job, hasOtherWaiters: true };
}

/** A job that is deleted with its run, which has no result to store; as it is if other calls wait for it. */
export function toForgotten(job: Job, run: Job): Job | undefined {
  // After a lost reply to an earlier attempt, another call may have created a job with the same id.
  if (!isCurrentRun(job, run) || job.expiresAtMs !== run.expiresAtMs) return undefined;
  // The job expires at once, which frees its id. Removing it as well could remove a newer job with the same id.
  return job.hasOtherWaiters ? job : { ...job, state: "cancelled", expiresAtMs: 0 };
}

/** The job of a run that stopped at questions. */
export function toAsking(
  { blockedSinceMs: _, ...job }: Job,
  requests: Readonly<Record<string, Question>>,
  stop: RunStop,
): Job {
  return { ...job, ...stop, state: "asking", requests, memo: mergeMemo(job.memo, stop.memo) };
}

/** The job of a run that has come to a sleep, or to a wait, and continues. */
export function withWait(job: Job, name: string, wait: Wait): Job {
  return { ...job, memo: mergeMemo(job.memo, { ...job.memo, waits: { ...job.memo.waits, [name]: wait } }) };
}

/** The cancelled job of a scheduled call that is not made, because of the earlier call `blockedBy`, or of an unknown schedule. */
export function toLeftOut(job: Job, blockedBy: string | undefined): Job {
  const { schedule } = job;
  const marked = schedule && blockedBy !== undefined && { schedule: { ...schedule, blockedBy } };
  return { ...toEnded(job), state: "cancelled", ...marked };
}

/** A job that wakes another one when it ends or asks. */
export function toFollowed(job: Job, follower: JobFollower): Job | undefined {
  const { followers = [] } = job;
  const isKnown = followers.some(({ id, wait }) => id === follower.id && wait === follower.wait);
  return isFinal(job) || job.state === "asking" || isKnown
    ? undefined
    : { ...job, followers: [...followers, follower] };
}
