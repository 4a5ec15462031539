/** Faults that are planted into copies of the sources, each of which the explorer has to find: every guard of the transitions, removed. */

const TRANSITIONS = "src/jobs/promises/job_transitions.ts";
const JOBS = "src/jobs/promises/jobs.ts";
const WAITS = "src/jobs/promises/job_waits.ts";
const ANSWERS = "src/jobs/promises/job_answers.ts";

/** A fault: the text of a file that is replaced, which has to be there once, and the text in its place. */
export interface PlantedFault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const fault = (file: string, name: string, from: string, to: string): PlantedFault => ({ name, file, from, to });

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  fault(TRANSITIONS, "a run begins before its time", "if (untilDueMs(job, nowMs) > 0 || ", "if ("),
  fault(TRANSITIONS, "a job that has ended begins again", "> 0 || isFinal(job) || job.state", "> 0 || job.state"),
  fault(
    TRANSITIONS,
    "a job that asks begins again",
    `|| job.state === "asking") return undefined;\n  const {`,
    `) return undefined;\n  const {`,
  ),
  fault(TRANSITIONS, "a run does not increment the epoch", "epoch: epoch + 1,", "epoch,"),
  fault(TRANSITIONS, "a run is not counted as an attempt", "attempt: attempt + 1,", "attempt,"),
  fault(
    TRANSITIONS,
    "a wait does not end with its time",
    "const memo = expireWaits(job.memo, nowMs);\n  const died",
    "const memo = expireWaits(job.memo, 0);\n  const died",
  ),
  fault(
    TRANSITIONS,
    "a run changes a job that does not run",
    `job.state === "running" && job.epoch === run.epoch`,
    "job.epoch === run.epoch",
  ),
  fault(
    TRANSITIONS,
    "a superseded run changes its job",
    `job.state === "running" && job.epoch === run.epoch`,
    `job.state === "running"`,
  ),
  fault(
    TRANSITIONS,
    "a superseded run never schedules its job",
    "return job.epoch > run.epoch && !isSettled;",
    "return job.epoch > run.epoch && isSettled;",
  ),
  fault(
    TRANSITIONS,
    "a job is deleted that another call waits for",
    "return job.hasOtherWaiters ? job : {",
    "return {",
  ),
  fault(
    TRANSITIONS,
    "a follower is dropped",
    "{ ...job, followers: [...followers, follower] }",
    "{ ...job, followers }",
  ),
  fault(TRANSITIONS, "a join is not stored", "{ ...job, hasOtherWaiters: true }", "{ ...job }"),
  fault(
    JOBS,
    "a change is not compared with the version",
    "if (await this.engine.replace(next, job.version)) return next;",
    "if (await this.engine.replace(next, (await this.engine.get(id))?.version ?? 0)) return next;",
  ),
  fault(
    JOBS,
    "the change of a run is not compared with the version",
    "if (await this.engine.replace(next, run.version)) return next;",
    "if (await this.engine.replace(next, (await this.engine.get(run.id))?.version ?? 0)) return next;",
  ),
  fault(JOBS, "a superseded run does not schedule its job", "if (isSuperseded) await", "if (false) await"),
  fault(
    JOBS,
    "an early delivery is lost",
    "if (begun === undefined && earlyMs > 0) await",
    "if (begun === undefined && earlyMs < 0) await",
  ),
  fault(
    JOBS,
    "a run that ends schedules no other one",
    "await this.engine.schedule(run.id, ended.wakeAtMs",
    "if (run.epoch < 0) await this.engine.schedule(run.id, ended.wakeAtMs",
  ),
  fault(
    JOBS,
    "a value does not schedule its job",
    `if (changed?.state === "queued") await`,
    `if (changed?.state === "done") await`,
  ),
  fault(
    JOBS,
    "an answer does not schedule its job",
    `if (answered?.state === "queued") await`,
    `if (answered?.state === "done") await`,
  ),
  fault(
    JOBS,
    "a cancel ends a job that has ended",
    "return toCancelled(job, this.#toNotified(job), this.#clock.now());",
    'return { ...this.#toNotified(job), state: "cancelled" };',
  ),
  fault(
    JOBS,
    "an end wakes no follower",
    "for (const { id, wait } of job.followers ?? []) await",
    "for (const { id, wait } of []) await",
  ),
  fault(
    JOBS,
    "an end is notified only by the run that stored it",
    "const job = changed ?? await this.engine.get(id);\n    if",
    "const job = changed;\n    if",
  ),
  fault(WAITS, "a second value replaces the first", `if (wait.done !== undefined) return refuse("resolved");`, ""),
  fault(
    WAITS,
    "a value replaces a timeout",
    `if (wait.done === "timeout") return refuse("timeout");\n  if (wait.done !== undefined) return refuse("resolved");`,
    "",
  ),
  fault(WAITS, "a value is accepted after a cancel", `if (job.state === "cancelled") return refuse("cancelled");`, ""),
  fault(WAITS, "a value is accepted after the end", `if (job.state === "done") return refuse("over");`, ""),
  fault(
    WAITS,
    "a run that waits overwrites a value",
    "waits[name] = isResolved ? { ...wait, ...before } : wait;",
    "waits[name] = wait;",
  ),
  fault(
    WAITS,
    "a run waits for a value that is there",
    `if (waits.some(({ done }) => done !== undefined)) return`,
    "if (waits.length < 0) return",
  ),
  fault(
    WAITS,
    "a run that waits counts as an attempt",
    "const attempt = job.attempt - 1;",
    "const attempt = job.attempt;",
  ),
  fault(
    WAITS,
    "the digest of a value is dropped at the end",
    "[name, omitUndefined({ until, done, digest, job })]",
    "[name, omitUndefined({ until, done, job })]",
  ),
  fault(
    ANSWERS,
    "an answer that is repeated does not schedule its job",
    `if (job.state === "queued" && [`,
    `if (job.state === "done" && [`,
  ),
];
