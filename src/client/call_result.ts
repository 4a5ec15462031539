/**
 * Reads results of calls: retryable errors, answers and exceptions.
 *
 * @module
 */
import type { CallResult, ErrorResult, UnknownOutcome } from "../core/call/outcome.ts";
import { Failure } from "../core/errors/failure.ts";
import { ToolError } from "../core/errors/tool_error.ts";

/** Options for retries. */
export interface RetryOptions {
  /** Maximum number of retries. Default: 2; 0 disables retries. */
  readonly attempts?: number;
  /** Maximum delay before the first retry, in milliseconds. It doubles with each retry. Default: 200. */
  readonly baseDelayMs?: number;
  /** Maximum delay, in milliseconds. If the server requests a longer one, the call is not retried. Default: 10,000. */
  readonly maxDelayMs?: number;
}

/** Whether the error is transient: the server was unreachable or overloaded. */
export function isRetryable(settled: CallResult | UnknownOutcome): settled is ErrorResult {
  return settled.kind === "error" && (settled.code === "unavailable" || settled.code === "rate_limited");
}

/**
 * Delay before retry number `attempt` (from 0), in milliseconds: the one that the server requests, else exponential
 * with full jitter. `undefined` if it exceeds the maximum.
 */
export function retryDelayMs(
  refusal: ErrorResult,
  attempt: number,
  { baseDelayMs = 200, maxDelayMs = 10_000 }: RetryOptions = {},
): number | undefined {
  const asked = (refusal.data as { readonly retry_after_ms?: unknown } | null | undefined)?.retry_after_ms;
  if (typeof asked === "number") return asked > maxDelayMs ? undefined : asked;
  return Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** attempt);
}

/** Returns the value of an answer. Throws for any other result. */
export function unwrapAnswer(settled: CallResult | UnknownOutcome): unknown {
  switch (settled.kind) {
    case "answer":
      return settled.value;
    case "failure":
      throw new Failure(settled.code, settled.message, settled.data);
    case "error":
      throw toToolError(settled);
    default: {
      const answerIt = "requests" in settled ? "give the client onElicitation and onMoreRequested, or " : "";
      throw unexpectedOutcome(settled, `an answer: ${answerIt}read it with .outcome()`);
    }
  }
}

/** Creates the exception for a result of another kind than expected. */
export function unexpectedOutcome(settled: CallResult | UnknownOutcome, wanted: string): ToolError {
  const { kind, responseType = kind } = settled as UnknownOutcome;
  return new ToolError("invalid_request", `The server answered with ${responseType}, not with ${wanted}`, {
    details: settled,
  });
}

/** Converts an error result to an exception. */
export function toToolError(refusal: ErrorResult): ToolError {
  return new ToolError(refusal.code, refusal.message, { details: refusal.data, cause: refusal.cause });
}
