/** What is left of a job after its end. */
import type { CallResult } from "../../core/call/outcome.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import { endedMemo } from "./job_waits.ts";

/** Failures after which an operator may begin a job again. */
const KEPT_CODES: ReadonlySet<string> = new Set(["attempts_exhausted", "invalid_handler"]);

/** Whether a job keeps its arguments and memo after its end, so that an operator can begin it again. Config is never kept. */
function isKept({ keepsFailed, config }: Job, outcome: CallResult): boolean | undefined {
  return keepsFailed && outcome.kind === "failure" && KEPT_CODES.has(outcome.code) && config === undefined;
}

/** Removes members at the end of a job: arguments may be large, and config may hold secrets. The digest remains. */
export function toEnded(job: Job, outcome?: CallResult): Job {
  if (outcome !== undefined && isKept(job, outcome)) return job;
  const expiresAtMs = Math.min(job.expiresAtMs, job.endedExpiresAtMs ?? Infinity);
  return { ...job, args: null, config: undefined, memo: endedMemo(job.memo), expiresAtMs };
}

/** Whether a job has ended: it is `done` or `cancelled`, and no run changes it any more. */
export function isFinal({ state }: Job): boolean {
  return state === "done" || state === "cancelled";
}
