/**
 * The changes of jobs, as functions of the stored job alone: each returns the job to store, or `undefined` if the change is not valid in
 * its state. `Jobs` stores them under compare-and-set.
 */
import type { Question } from "../../core/call/outcome.ts";
import type { Job, JobFollower, JobState, Wait } from "../../core/dispatch/engine.ts";
import { isFinal, toEnded } from "./job_ends.ts";
import { expireWaits, mergeMemo } from "./job_waits.ts";

/** Delay until a job in an unknown state is delivered again, in milliseconds: a process of a newer version may run it. */
const UNKNOWN_STATE_MS = 5_000;

/** States of a job whose next run is scheduled. */
const SCHEDULED: ReadonlySet<JobState> = new Set(["queued", "waiting", "blocked"]);

/** What a run that stops leaves to the next one. */
export type RunStop = Pick<Job, "memo" | "progress" | "pieces">;

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
  if (untilDueMs(job, nowMs) > 0 || isFinal(job) || job.state === "asking") return undefined;
  const { wakeAtMs: _, outcome: __, ...rest } = job;
  const { epoch, attempt } = job;
  const takenFrom = job.state === "running" ? job.owner ?? "" : undefined;
  const memo = expireWaits(job.memo, nowMs);
  return { ...rest, state: "running", memo, epoch: epoch + 1, attempt: attempt + 1, owner, takenFrom };
}

/** Whether a run may change its job: it is under way, and no later one has begun. */
export function isCurrentRun(job: Job, run: Job): boolean {
  return job.state === "running" && job.epoch === run.epoch;
}

/** Whether a later run has begun, and has not ended the job. */
export function isSupersededRun(job: Job, run: Job): boolean {
  return job.epoch > run.epoch && !isFinal(job);
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
  return { ...job, memo: mergeMemo(job.memo, { ...job.memo, waits: { [name]: wait } }) };
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
