/**
 * Services that all runs of one server share, and the interface of the code that the option `keys` brings.
 *
 * Knows nothing of the class of a run, so that the context of a call can refer to it.
 */
import type { Call, CallMeta } from "../call/call.ts";
import { callerKey } from "../../internal/caller_key.ts";
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  invalidInputResult,
  type Progress,
  type Question,
  type Sink,
} from "../call/outcome.ts";
import type { Job, JobFollower, LedgerEntry, Memo, StepOutcome, Wait } from "./engine.ts";
import type { Clock } from "../../internal/time.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { CallerState } from "../handler/caller_state.ts";
import type { Ctx, Logger } from "../handler/context.ts";
import type { ElicitAnswer, ElicitRequest, PlainElicitRequest } from "../handler/questions.ts";
import type { MapOptions } from "../handler/inner_calls.ts";
import type { StepValue } from "../handler/steps.ts";
import type { WaitOptions, WaitResult } from "../handler/waits.ts";
import type { AnySchema } from "../schema/plain_schema.ts";
import type { TokenKeys } from "../token/token.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { Future } from "../../internal/future.ts";
import type { LogFields } from "./error_masking.ts";
import type { UsedResources } from "../../internal/used_resources.ts";
import type { RunState, RunStateServices } from "./run_state.ts";
import type { UndoWindow } from "./undo_window.ts";
import { TOO_DEEP } from "../../internal/json_size.ts";

/** The error for a token that is not a continuation of the call. The reason is not disclosed. */
export const INVALID_CONTINUATION: ErrorResult = errorResult(
  "invalid_continuation",
  "Not a continuation of this call, or no longer: repeat the call without it",
);

/** The error `deadline_exceeded` for a run whose time limit has expired, unless that is because of a shutdown. */
export const DEADLINE_EXCEEDED: ErrorResult = errorResult(
  "deadline_exceeded",
  "The call took longer than its deadline",
);

/** The error `invalid_input` for arguments of a call that are not a JSON object; `undefined` for an object. */
export function argumentsError(args: unknown): ErrorResult | undefined {
  return isJsonObject(args) ? undefined : invalidInputResult("Arguments must be an object", [], "object", args);
}

/** The error for calls that arrive after the shutdown began, or are still pending when its grace period ends. */
export const SHUTTING_DOWN: ErrorResult = errorResult(
  "unavailable",
  "The server is shutting down; try again, another replica may answer",
  { retry_after_ms: 1_000 },
);

/** Limits on the size and nesting depth of tool output. */
export interface OutputLimits {
  /** Deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Largest answer, or piece of a streamed one, in UTF-16 code units of JSON; estimated. */
  readonly answerChars: number;
}

/**
 * The error for output that exceeds a limit, from the characters that `estimateJsonSize` left; `undefined` if it fits.
 *
 * Checked before the output is encoded, so that no wire spends time on a result that is dropped. The depth comes first: on Bun
 * `JSON.stringify` of a deep value takes half a second to overflow the stack, and on Node the depth at which it overflows depends
 * on the caller.
 */
export function outputLimitError(left: number, limits: OutputLimits): ErrorResult | undefined {
  if (left >= 0) return undefined;
  const name = left === TOO_DEEP ? "depth" : "answerChars";
  return errorResult("result_too_large", `The result is over limits.${name}, ${limits[name]}`);
}

/** Services that all runs of one server share: time, log, limits, config, keys, and the masking of unexpected errors. */
export interface CallServices extends RunStateServices {
  /** The server's logger, if it has one. */
  readonly logger: Logger | undefined;
  /** Source of time. */
  readonly clock: Clock;
  /** Limits on the size and nesting depth of tool output. */
  readonly outputLimits: OutputLimits;
  /** Config for calls that bring none. */
  readonly ownConfig: Readonly<Record<string, unknown>> | undefined;
  /** Code of questions, steps and caller state; `undefined` on a server without `keys`. */
  readonly questions: QuestionSupport | undefined;
  /** Signs and verifies tokens; `undefined` on a server without `keys`. */
  readonly keys: TokenKeys | undefined;
  /** Whether the server has stopped taking calls. */
  readonly isClosed: boolean;
  /** Resources that the server closes when it is closed. */
  readonly resources: UsedResources;
  /** The server's tools. */
  readonly registry: ToolRegistry;
  /** Runs a call of a handler, as one of a wire. */
  call(call: Call, sink?: Sink): CallResult | Future<CallResult>;
  /** Creates the state of a run that holds its signal, deadlines and events; with an engine, one that can become a job's. */
  createRunState(call: Call, sink: Sink | undefined): RunState;
  /** Time limit of a whole call, in milliseconds; for a stream, the time until it has to give a promise. */
  deadlineMs(run: CalledRun): number;
  /** Promises of runs that stop; `undefined` on a server without an engine. */
  readonly deferral: RunPromises | undefined;
  /** URL that takes values for waits; `undefined` on a server without the option `resolver`. */
  readonly resolverUrl: string | undefined;
  /** Masks an error: the log has it in full, the caller gets a correlation id. */
  mask(thrown: unknown, fields: LogFields): ErrorResult;
}

/** The tool and the call of a run: from them its time limit and its caller are known. */
export interface CalledRun {
  readonly definition: ToolDefinition;
  readonly request: Call;
}

/** Key of the caller of a run, to which tokens are bound; `""` for an unauthenticated caller. */
export function callerKeyOf({ request: { peer } }: Pick<CalledRun, "request">): string {
  return callerKey(peer.principal);
}

/** The job that a run executes, while no other process may run it: takes the run's progress, steps and waits, and stores them. */
export interface LeasedJob {
  /** The job, as last written by this run. */
  readonly job: Job;
  /** Whether the job is kept whatever the result, as that of a caller with a promise token. */
  isPromised: boolean;
  /** Whether the call itself still waits for the result, without a promise token. */
  isAwaited: boolean;
  /** Whether the run follows one of a process that has died. */
  readonly isTakenOver: boolean;
  /** Whether another run of the job has begun, or the job is over, unless it was cancelled. */
  readonly isSuperseded: boolean;
  /** The time that the handler has to undo what it did; `undefined` unless the job was cancelled. */
  readonly undo: UndoWindow | undefined;
  /** Writes progress to the job without blocking the run, at most every 250 ms; only the latest is kept. */
  progress(progress: Progress): void;
  /** Writes the pieces that the run has collected to a job that is promised, as {@link LeasedJob.progress} does. */
  keepPieces(): void;
  /**
   * Stores an outcome in the ledger of the job. Entries that come together share a write, which is repeated until it succeeds.
   *
   * @throws {ToolError} If the run is superseded.
   */
  append(entry: LedgerEntry): Promise<void>;
  /** When the promise of the job ends, in milliseconds since the Unix epoch. */
  readonly endsAtMs: number;
  /** Id of the process if only this process has the job. */
  readonly processId: string | undefined;
  /**
   * Stores a sleep or a wait for a value.
   *
   * @throws {ToolError} If the run is superseded.
   */
  saveWait(name: string, wait: Wait): Promise<void>;
  /** Estimates when the work ends, from its pace so far, in milliseconds since the Unix epoch; `undefined` without a total, or after the promise. */
  estimateEnd(progress: Progress): number | undefined;
}

/** Methods of a handler's `ctx` that may stop its run: they ask the caller, wait, or return the stored result of a step. */
interface QuestionMethods
  extends
    Pick<Ctx, "elicitUrl" | "sample" | "roots" | "ask" | "requestMore" | "step" | "patched" | "sleep" | "resolver"> {
  elicit<Content>(
    key: string,
    request: ElicitRequest<Content> | PlainElicitRequest,
  ): Promise<ElicitAnswer<Content>>;
  waitFor<Value>(key: string, schema: AnySchema<Value>, options?: WaitOptions): Promise<WaitResult<Value>>;
  /** The answer of another tool that the handler calls. */
  innerCall(call: InnerCall): Promise<unknown>;
  /** Work for each item of a list. */
  readonly lists: {
    map<Item, Value>(
      key: string,
      items: readonly Item[],
      options: MapOptions<Item>,
      work: (item: Item, index: number) => Value | Promise<Value>,
    ): Promise<StepValue<Value>[]>;
  };
}

/** A call of another tool by a handler, as the code of steps records it. */
export interface InnerCall {
  /** Name that the handler has given it. */
  readonly key: string | undefined;
  readonly tool: ToolDefinition;
  readonly args: unknown;
  /** Whether errors that may pass are kept. */
  readonly keepsErrors: boolean | undefined;
  /** Makes the call, or continues it. */
  send(meta?: CallMeta, callId?: string): Promise<CallResult>;
}

/** A run, as the code of questions, waits, steps and caller state uses it. */
export interface ResumableRun extends CalledRun {
  readonly callId: string;
  readonly lease: LeasedJob | undefined;
  /** Resolves when the run's job has been written; `undefined` until writing begins. */
  readonly jobWritten: Promise<boolean> | undefined;
  /** Promise token through which the `check` of external work asks; `undefined` for other runs. */
  readonly externalToken: string | undefined;
  /** The error that ended the run from outside; `undefined` if nothing did. */
  readonly ended: ErrorResult | undefined;
  readonly runState: { readonly deliveredPieces: number; skippedPieces: number; signal(): AbortSignal };
  readonly services: CallServices;
  readonly sink: Sink | undefined;
  /** Sets the id of the call, and the answers and steps of its earlier runs, before the handler starts. */
  resume(callId: string, memo: Memo): void;
  /** Ends the run while its handler, or middleware, is pending, which is left where it is. */
  leaveHandler(result: CallResult): void;
}

/** Result of a promised call so far, and the id of its job, if it is one of this server. */
export interface AwaitedJob {
  readonly result: CallResult;
  readonly job?: string | undefined;
}

/** Deferred work, as runs that stop at a question or wait use it: makes such a run a job, and promises its result. */
export interface RunPromises {
  /** Whether a continuation is the idempotency key of its call: sent again, it gives the result of the first time. */
  readonly joinsContinuations: boolean;
  /** Makes a run of a tool with `.promise()` a job at once, and promises its result. Rejects if that fails. */
  makeJob(run: ResumableRun): Promise<void>;
  /** The promise of a run that stopped at waits. */
  promiseOf(run: ResumableRun, waits: RunQuestions): CallResult;
  /**
   * The result of a promised call of another tool: waits for it, or, for a job that is woken by its end, the promise again.
   *
   * @param follower The job to wake.
   */
  awaitJob(run: ResumableRun, token: string, follower?: JobFollower): Promise<AwaitedJob>;
  /** Cancels the work of a promised call of another tool, unless it has ended. Returns its result. */
  endJob(run: ResumableRun, token: string): Promise<CallResult>;
  /** The promise token of a run whose job was promised; `undefined` for other runs. */
  tokenOf(run: ResumableRun): string | undefined;
}

/** Questions, steps and waits of one run: those that are open, which stop it, and the memo with which the next run continues. */
export interface RunQuestions extends QuestionMethods {
  /** Questions without an answer; `undefined` if all are answered. */
  readonly requests: Readonly<Record<string, Question>> | undefined;
  /** Names of the waits that have not ended; `undefined` if the run waits for nothing. */
  readonly waiting: readonly string[] | undefined;
  /**
   * Whether the run stops, with a question, a wait or steps that differ from those of the runs before it: what its handler returns is
   * ignored. Waits that are open when the handler ends by itself are not needed.
   *
   * @param ending How the handler has ended; omitted while it is pending, or later.
   */
  hasStopped(ending?: "returned" | "thrown"): boolean;
  /** Settles when the steps of a run that has stopped are over; `undefined` without steps in flight, or if the run has not stopped. Never rejects. */
  readonly unsettled: Promise<void> | undefined;
  /** Whether the run has stopped while its handler was pending: what that returns later is dropped. */
  readonly isLeft: boolean;
  /** Names and outcomes of all results that are kept, those of steps and of calls, in the order in which they came. */
  readonly kept: readonly (readonly [name: string, outcome: StepOutcome])[];
  /** Answers and steps for the next run of the handler. */
  readonly memo: Memo;
  /** Rejects what the handler of a cancelled job waits for. `false` if the run has left the handler: the next run notifies it. */
  cancel(): boolean;
  /**
   * The result of a run that stops: its questions, the promise of its job, or a failure. Never throws.
   */
  settle(): CallResult;
}

/** Caller state during one call, which the handler reads and writes, and its signed form for the result. */
export interface EncodableCallerState extends CallerState {
  /**
   * The signed state for the caller to keep; `undefined` if nothing changed.
   *
   * @throws {RangeError} If it is longer than a token may be.
   */
  encode(): string | undefined;
}

/** Creates the questions, steps and caller state of a server's runs. Implemented in questions/; a server has it if it has keys. */
export interface QuestionSupport {
  /** Starts the questions and steps of a run, with the answers of the runs before it, and the ledger of its job. */
  track(run: ResumableRun, memo?: Memo, ledger?: readonly LedgerEntry[]): RunQuestions;
  /** Reads the caller state that came with a call. */
  openCallerState(run: ResumableRun): EncodableCallerState;
  /** Continues the run of a continuation, with the answers that came with it; an error if it is not one of this call. */
  resume(run: ResumableRun, continuation: string): ErrorResult | undefined;
}

/** Creates the {@link QuestionSupport} of one server with its keys, which sign continuations and caller state. */
type CreateQuestions = (keys: TokenKeys) => QuestionSupport;

/** Keys that bring the code of questions and caller state to a server: made by `keyRing`, `sealed`, `keysFromEnv` or `withQuestions`. */
export interface QuestionKeys extends TokenKeys {
  /**
   * Not part of the public interface.
   *
   * @internal
   */
  readonly "~questions": CreateQuestions;
}

/** The error for an option or a tool that needs an engine on a server without one. `problem`: what cannot be done, as the start of the message. */
export function missingEngine(problem: string): TypeError {
  return new TypeError(
    `${problem}: pass createServer({ engine: memoryEngine() }), from "toolwire/engines"`,
  );
}

/** The error for a member of `ctx` that needs keys on a server without them. `use`: `ctx.elicit in tool "add"`. */
export function missingKeys(use: string): TypeError {
  return new TypeError(
    `Cannot use ${use} without keys: pass createServer({ keys: keyRing("k1:…") }), from "toolwire/keys"`,
  );
}
