/** Jobs whose code does not fit them: when they are tried again. */
import type { CallResult } from "../../core/call/outcome.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import { CLOCK_SKEW_MS } from "./promise_tokens.ts";

/** Delays until a blocked job is tried again, in milliseconds: as long as it has been blocked, between these. */
const MIN_BLOCKED_MS = 30_000;
const MAX_BLOCKED_MS = 600_000;

/** The change that blocks the job of a run; `undefined` if its promise ends before it would be tried again. */
export function toBlocked(run: Job, outcome: CallResult, nowMs: number): ((job: Job) => Job) | undefined {
  const { blockedSinceMs = nowMs } = run;
  const wakeAtMs = nowMs + Math.min(MAX_BLOCKED_MS, Math.max(MIN_BLOCKED_MS, nowMs - blockedSinceMs));
  if (wakeAtMs >= run.expiresAtMs - CLOCK_SKEW_MS) return undefined;
  // Like a run that waits, it does not count as an attempt.
  return ({ owner: _, ...job }) => {
    return { ...job, state: "blocked", outcome, wakeAtMs, blockedSinceMs, attempt: job.attempt - 1 };
  };
}
