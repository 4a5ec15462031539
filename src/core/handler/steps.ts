/** Steps of a handler: how often their work is tried, for how long, and what they return. */
import type { CannotBeSent, FileData, Received } from "../schema/received.ts";

/** Delays between tries of a step, or between attempts of promised work. */
export interface BackoffOptions {
  /** Delay before the second try, in milliseconds. Default: 1,000. */
  readonly minMs?: number | undefined;
  /** Longest delay, in milliseconds. Default: 60,000. */
  readonly maxMs?: number | undefined;
  /** Number by which each delay is longer than the one before. Default: 2. */
  readonly factor?: number | undefined;
  /** Share of a delay that differs from call to call, from 0 to 1, so that many calls do not try again at once. Default: 0. */
  readonly jitter?: number | undefined;
}

/** Attempts of promised work, as the option `retries` of `.promise()`. */
export interface AttemptOptions extends BackoffOptions {
  /** Number of attempts, the first included. Default: 3. */
  readonly attempts?: number | undefined;
}

/** Options of `ctx.step`. */
export interface StepOptions {
  /** Number of further tries of work that throws. Default: as many as the tool has `retries`; 0 without `.promise()`. */
  readonly retries?: number | undefined;
  /** Delays between the tries. Above a second the run ends, and its job waits. Default: those of `.promise()`. */
  readonly backoff?: BackoffOptions | undefined;
  /** Time limit of one try, in milliseconds, after which it has failed with `deadline_exceeded`. Default: none. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether an error may be tried again. Not tried again if this throws, which is logged. Default: all but a `Failure`, and a `ToolError`
   * that refuses, such as `permission_denied`.
   */
  readonly retryIf?: ((error: unknown) => boolean | Promise<boolean>) | undefined;
}

/** The argument of the work of a step. */
export interface StepTry {
  /** Aborts at `timeoutMs`, and with `ctx.signal`. */
  readonly signal: AbortSignal;
  /** Number of this try, starting at 1. */
  readonly attempt: number;
}

/**
 * The work of a step.
 *
 * @typeParam Value Its result.
 */
export type StepWork<Value> = (work: StepTry) => Value | Promise<Value>;

/**
 * Type of the result of a step: what JSON gives back for the value of its work, in the first run as in each later one. A `Date` is a text
 * then, and `undefined` is `null`.
 *
 * @typeParam Value What the work returns.
 */
export type StepValue<Value> = Value extends undefined ? null
  : Value extends FileData ? CannotBeSent<"bytes: return where they are stored, or a text such as bytes.toBase64()">
  : Received<Value>;
