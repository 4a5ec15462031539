/** What happens to a job whose run has ended with an error: it is tried again, or it ends. */
import type { CallResult, ErrorResult, FailureOutcome } from "../../core/call/outcome.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { failedStepOf } from "../../core/dispatch/questions/step_failure.ts";
import { isMistake } from "../../core/errors/mistake.ts";
import { backoffMs, retryPolicyOf } from "../../core/tool/retry_policy.ts";
import { asObject } from "../../internal/json.ts";
import { CLOCK_SKEW_MS } from "./promise_tokens.ts";

/** Errors after which another attempt may succeed. */
const RETRYABLE: ReadonlySet<string> = new Set(["internal", "unavailable", "deadline_exceeded"]);

/** The failure `attempts_exhausted` of a job that is not tried again, with the number of attempts, and the message of the last error if it is known. */
export function attemptsExhausted(job: Job, last?: ErrorResult): FailureOutcome {
  const attempts = Math.min(job.attempt, job.maxAttempts);
  const message = `Gave up after ${attempts} attempt${attempts === 1 ? "" : "s"}`;
  const data = { attempts, ...(last !== undefined && { reason: last.message }) };
  return { kind: "failure", code: "attempts_exhausted", message, data };
}

/**
 * The result if it is one that the tool did not declare, of code that does not fit a promised job: its handler or its input schema has
 * changed, or its result is too large. The last one only if the tool keeps failed jobs, since it may be of the tool itself.
 */
export function blockOf(run: CallContext, job: Job, result: CallResult): ErrorResult | FailureOutcome | undefined {
  if (run.lease?.isPromised !== true) return undefined;
  if (result.kind === "failure") return result.code === "replay_diverged" ? result : undefined;
  if (result.kind !== "error") return undefined;
  // The arguments fitted when the job was made.
  const isOfInput = result.code === "invalid_input" && !run.hasStarted;
  const isTooLarge = result.code === "result_too_large" && job.keepsFailed === true && job.config === undefined;
  return isOfInput || isTooLarge ? result : undefined;
}

/** The delay in milliseconds before the next attempt of a job, or the outcome with which it ends. */
export function afterError(run: CallContext, job: Job, result: ErrorResult): number | CallResult {
  const { lastThrown, services: { clock }, definition: { promise } } = run;
  if (result.code === "internal" && isMistake(lastThrown)) return invalidHandler(job, lastThrown);
  const { retry_after_ms: requestedMs } = asObject(result.data);
  const retryAfterMs = typeof requestedMs === "number" && requestedMs > 0 ? requestedMs : 0;
  const leftMs = job.expiresAtMs - CLOCK_SKEW_MS - clock.now();
  if (leftMs <= 0 || (!RETRYABLE.has(result.code) && retryAfterMs === 0)) return result;
  const step = failedStepOf(lastThrown);
  // Another attempt gets the same error from the step.
  if (step !== undefined) return stepExhausted(step.key, step.tries, result);
  if (job.attempt >= job.maxAttempts) return attemptsExhausted(job, result);
  const delayMs = Math.max(retryAfterMs, backoffMs(retryPolicyOf(promise?.retries ?? 0), job.attempt, job.id));
  return delayMs >= leftMs ? attemptsExhausted(job, result) : delayMs;
}

function stepExhausted(step: string, attempts: number, last: ErrorResult): FailureOutcome {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  const data = { attempts, step, reason: last.message };
  return { kind: "failure", code: "attempts_exhausted", message: `Gave up: the step "${step}" failed ${times}`, data };
}

function invalidHandler({ tool }: Job, { message }: Error): FailureOutcome {
  return {
    kind: "failure",
    code: "invalid_handler",
    message: `The handler of ${tool} cannot work, however often it is tried: ${message}`,
    data: undefined,
  };
}
