import type { CallResult, ErrorResult, FailureOutcome } from "../call/outcome.ts";
import type { Clock } from "../../internal/time.ts";
import type { Deadlines } from "../../internal/deadlines.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { TokenKeys } from "../token/token.ts";
import type { Logger } from "../handler/context.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { AnswerLimits } from "./output_limits.ts";
import type { CallContext } from "./call_context.ts";
import type { Middleware } from "../handler/middleware.ts";

/** What all runs of one server share. */
export interface DispatchServices {
  /** The server's tools. */
  readonly registry: ToolRegistry;
  /** The server's logger, if it has one. */
  readonly logger: Logger | undefined;
  /** The server's deadlines. */
  readonly deadlines: Deadlines;
  /** Where time comes from. */
  readonly clock: Clock;
  /** What tokens are signed with. */
  readonly keys: TokenKeys;
  /** How much tools may give. */
  readonly answerLimits: AnswerLimits;
  /** What tools get whose calls bring no config. */
  readonly ownConfig: Readonly<Record<string, unknown>> | undefined;
  /** Whether it takes no more calls. */
  readonly isClosed: boolean;
  /** A run goes on after the function call that began it. */
  trackPending(): void;
  /** Such a run has settled. */
  untrack(): void;
  /** What callers are told once it takes no more calls. */
  shutdownError(): ErrorResult;
  /** What a run is told whose deadline has come. */
  deadlineError(): ErrorResult;
  /** How long a call may take in all, in milliseconds; of a stream, how long it may go on until it promises. */
  deadlineMs(run: CallContext): number;
  /** Runs a tool, with its own middleware around it. Never throws, never rejects. */
  runTool(run: CallContext): MaybePromise<CallResult>;
  /** Runs middleware, the first outermost, around `last`. Never throws, never rejects. */
  runWithin(
    run: CallContext,
    middleware: readonly Middleware[],
    last: () => MaybePromise<CallResult>,
  ): MaybePromise<CallResult>;
  /** Runs a tool because its job is due. */
  runJob(run: CallContext): MaybePromise<CallResult>;
  /** Masks what is not the caller's business: the log has it, the caller an id. */
  mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): ErrorResult;
  /** Turns what a run threw into how it ends, by what the server makes of errors that nobody declared. */
  settleRun(run: CallContext, thrown: unknown): FailureOutcome | ErrorResult;
  /** Turns what was thrown into how a call ends. */
  settleThrown(thrown: unknown, fields: Readonly<Record<string, unknown>>): FailureOutcome | ErrorResult;
}
