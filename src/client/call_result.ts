/**
 * When a call may be made again, and after how long.
 *
 * @module
 */
import type { CallResult, ErrorResult, UnknownOutcome } from "../core/call/outcome.ts";
import { Failure } from "../core/errors/failure.ts";
import { ToolError } from "../core/errors/tool_error.ts";

/** How a client tries again. */
export interface RetryOptions {
  /** How often a call is made again at most. Default: 2; 0 turns it off. */
  readonly attempts?: number;
  /** Longest wait before the first repeat, in milliseconds; it doubles with each. Default: 200. */
  readonly baseDelayMs?: number;
  /** Longest wait at all, in milliseconds; a server that asks for more is not called again. Default: 10,000. */
  readonly maxDelayMs?: number;
}

/** Whether the refusal is one that may pass: the server was not there, or had no room. */
export function isRetryable(settled: CallResult | UnknownOutcome): settled is ErrorResult {
  return settled.kind === "error" && (settled.code === "unavailable" || settled.code === "rate_limited");
}

/**
 * How long to wait before repeat number `attempt` (from 0), in milliseconds: what the server asked for, else exponential
 * with full jitter. `undefined` if it is too long.
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

/** The answer that a call gave, or the exception that there is none. */
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

/** What to throw where something else was wanted. */
export function unexpectedOutcome(settled: CallResult | UnknownOutcome, wanted: string): ToolError {
  const { kind, responseType = kind } = settled as UnknownOutcome;
  return new ToolError("invalid_request", `The server answered with ${responseType}, not with ${wanted}`, {
    details: settled,
  });
}

/** A refusal as an exception. */
export function toToolError(refusal: ErrorResult): ToolError {
  return new ToolError(refusal.code, refusal.message, { details: refusal.data, cause: refusal.cause });
}
