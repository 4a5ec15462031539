/** Why the attempts of a job have failed, as its record keeps it for operators. */
import type { Job } from "../../core/dispatch/engine.ts";

/** Number of failures that a job keeps, and the longest message, in UTF-16 code units. */
const MAX_FAILURES = 20;
const MAX_MESSAGE = 1_000;

/** The failures of a job with one more: that of its latest attempt. */
export function withFailure({ failures = [], attempt }: Job, atMs: number, message: string): Pick<Job, "failures"> {
  const failure = { attempt, atMs, message: message.slice(0, MAX_MESSAGE) };
  return { failures: [...failures, failure].slice(-MAX_FAILURES) };
}

/** Message of what a handler has thrown, or else of the error that its caller gets, which may be masked. */
export function messageOf(thrown: unknown, error: { readonly message: string }): string {
  return thrown instanceof Error ? thrown.message : error.message;
}
