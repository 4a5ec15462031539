/** Jobs whose code does not fit them: when they are tried again. */
import type { CallResult } from "../../core/call/outcome.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import { CLOCK_SKEW_MS } from "./promise_tokens.ts";

/** Delays until a blocked job is tried again, in milliseconds: as long as it has been blocked, between these. */
const MIN_BLOCKED_MS = 30_000;
const MAX_BLOCKED_MS = 600_000;

/** Whether a job is blocked until an operator decides: its handler has ended, so that another run would do all of it again. */
function isParked(outcome: CallResult): boolean {
  return outcome.kind === "error" && outcome.code === "result_too_large";
}

/** The outcome of a job that is blocked until an operator decides, whose promise ends now; `undefined` for other jobs. */
export function endOfParked({ state, outcome, wakeAtMs = 0 }: Job, nowMs: number): CallResult | undefined {
  const isOver = state === "blocked" && outcome !== undefined && isParked(outcome) && wakeAtMs <= nowMs;
  return isOver ? outcome : undefined;
}

/** The change that blocks the job of a run; `undefined` if its promise ends before it would be tried again. */
export function toBlocked(run: Job, outcome: CallResult, nowMs: number): ((job: Job) => Job) | undefined {
  const { blockedSinceMs = nowMs } = run;
  const againMs = nowMs + Math.min(MAX_BLOCKED_MS, Math.max(MIN_BLOCKED_MS, nowMs - blockedSinceMs));
  const endMs = run.expiresAtMs - CLOCK_SKEW_MS;
  if (againMs >= endMs) return undefined;
  const wakeAtMs = isParked(outcome) ? endMs : againMs;
  // Like a run that waits, it does not count as an attempt.
  return ({ owner: _, ...job }) => {
    return { ...job, state: "blocked", outcome, wakeAtMs, blockedSinceMs, attempt: job.attempt - 1 };
  };
}
