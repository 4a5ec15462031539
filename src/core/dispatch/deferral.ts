/** The interface between the plain call and the code of promises: the option `engine` brings an implementation. */
import type { Call, CallMeta, Peer } from "../call/call.ts";
import { type CallResult, type ErrorResult, errorResult, type FailureOutcome, type Sink } from "../call/outcome.ts";
import type { AskAnswer, Engine, EngineWorker, JobState, LedgerEntry, WorkOptions } from "./engine.ts";
import type { Clock } from "../../internal/time.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { Complete, JsonObject, Optional } from "../../internal/json.ts";
import type { InputIssue } from "../schema/issues.ts";
import type { Future } from "../../internal/future.ts";
import type { Logger } from "../handler/context.ts";
import type { TokenKeys } from "../token/token.ts";
import type { PromiseOptions, ToolDefinition } from "../tool/definition.ts";
import type { SystemTools } from "../tool/registry.ts";
import type { RedeemInput } from "../tool/system_tools.ts";
import type { CallContext } from "./call_context.ts";
import type { RunState } from "./run_state.ts";
import type { CallObserver } from "./observer.ts";
import type { CallServices, OutputLimits, QuestionKeys, RunPromises } from "./services.ts";
import type { Schedule, Scheduler } from "./schedule_contract.ts";
import type { CompletionTarget, Notifier } from "./job_notifier.ts";
import type { Resolution } from "../handler/waits.ts";
import type { Middleware } from "../handler/middleware.ts";

/** The dispatcher as the code of promises and jobs uses it: services of every run, the server's tools, and the functions that run one. */
export interface DispatchServices extends CallServices {
  /** Promises and jobs; `undefined` on a server without an engine. */
  readonly deferral: Deferral | undefined;
  /** Observes all calls, and the attempts of jobs. */
  readonly observer: CallObserver | undefined;
  /** Whether the grace period of a shutdown is over. */
  readonly isGraceOver: boolean;
  /** Runs a tool within its own middleware. Never throws, never rejects. */
  runTool(run: CallContext): MaybePromise<CallResult>;
  /** Runs middleware, the first outermost, around `last`. Never throws, never rejects. */
  runWithin(
    run: CallContext,
    middleware: readonly Middleware[],
    last: () => MaybePromise<CallResult>,
  ): MaybePromise<CallResult>;
  /** Converts a value that a run threw to its result, with the handlers of `onError`. */
  settleRun(run: CallContext, thrown: unknown): FailureOutcome | ErrorResult;
}

/** What the signed contents of a promise token state: the tool, when it was issued, and how long it is valid. */
export interface PromiseTokenClaims {
  /** Name of the tool that was called. */
  readonly tool: string;
  /** When the token was issued, in milliseconds since the Unix epoch; up to a second early. */
  readonly createdAtMs: number;
  /** Lifetime of the token from then, in milliseconds. */
  readonly ttlMs: number;
}

/** Reads a promise token without a look-up of its job. An error if it is invalid, expired or another caller's, or there is no engine. */
export function readPromise(
  { deferral }: { readonly deferral: Pick<PromiseAccess, "readPromise"> | undefined },
  token: string,
  peer: Peer,
): PromiseTokenClaims | ErrorResult {
  return deferral?.readPromise(token, peer) ?? errorResult("invalid_promise", "Not a promise of this server");
}

/** What `server.resolve` or `server.decline` passes to a wait of a handler: a value, or a refusal with an optional reason. */
export type WaitResolution =
  | { readonly done: "accept"; readonly content: unknown }
  | { readonly done: "decline"; readonly reason?: string | undefined };

/** A wait of `ctx.waitFor` that has no value yet, as its resolver token shows it to the service or person with the value. */
export interface OpenWait {
  /** Key that the handler has given it. */
  readonly key: string;
  /** JSON Schema of the value; `undefined` until a run has come to the wait. */
  readonly schema: JsonObject | undefined;
}

/** The HTTP route of the option `resolver`: its URL, and the check of values against the schema of their wait before they are stored. */
export interface WaitEndpoint {
  /** URL below which values arrive by `POST`. */
  readonly url: string;
  /** Checks a value against a JSON Schema. Returns the issues, `undefined` if it fits. */
  readonly check: (schema: JsonObject, value: unknown) => readonly InputIssue[] | undefined;
}

/** Access of operators to the jobs of a server: `jobsOf` of `./jobs` and the console read and change them by it. */
export interface JobControl {
  /** The engine; it throws `unavailable` in place of its errors, which are logged. */
  readonly engine: Engine;
  readonly clock: Clock;
  /** Id of this server as the owner of runs. */
  readonly owner: string;
  /** The whole ledger of a job. */
  readLedger(id: string): Promise<readonly LedgerEntry[]>;
  /** Cancels a job, unless it has ended. Returns its state; `undefined` if it is missing. */
  cancel(id: string): Promise<JobState | undefined>;
  /** Passes answers to a job that asks. */
  answer(id: string, answers: ReadonlyMap<string, AskAnswer>): Promise<void>;
  /** Resolves a wait of a job by its key. */
  resolveWait(id: string, key: string, resolution: WaitResolution): Promise<Resolution | ErrorResult>;
  /** The tool that a job names; `undefined` if this server does not have it. */
  toolOf(name: string): ToolDefinition | undefined;
}

/**
 * Deferred work, as the dispatcher uses it for each run: gives a promise when the budget is spent, runs calls as jobs, and runs the tools
 * `redeem` and `cancel`.
 */
interface RunDeferrer extends RunPromises {
  /** The error for calls that need the engine, if it can never work; `undefined` if it may. */
  readonly unusable: ErrorResult | undefined;
  /** Whether jobs run in other processes only, so that calls of tools with `.promise()` are stored as jobs at once. */
  readonly startsElsewhere: boolean;
  /** Creates the state of a run, which can become that of a job. */
  createRunState(call: Call, sink: Sink | undefined): RunState;
  /**
   * Settles with `running`, or with the error at the deadline; once the tool's budget is spent, the run becomes a job, and its
   * caller gets a promise token.
   */
  guard(
    run: CallContext,
    running: Future<CallResult>,
    promise: Complete<PromiseOptions>,
    deadlineMs: number,
  ): Future<CallResult>;
  /**
   * Runs a call as a job from the start, if its `_meta` or the engine requires that; a repeated call with the same idempotency key
   * joins the first.
   *
   * @returns `undefined` for a call that starts like any other.
   */
  startAsJob(run: CallContext, meta: CallMeta): Promise<CallResult> | undefined;
  /** Answers the questions of a job by a call that has the job's promise token as its continuation. */
  join(run: CallContext, token: string): Promise<CallResult>;
  /** Runs the system tools `redeem` and `cancel`. */
  runSystemTool(run: CallContext, input: RedeemInput): Promise<CallResult>;
  /** The promise of external work, for a `value` of `start`, or of `check` if it is `Pending`; `undefined` for an output or questions of `check`. */
  promiseExternal(run: CallContext, value: unknown): CallResult | undefined;
}

/** Deferred work, as wires and pages use it, which run no tools: reads promise tokens, reads and resolves waits, and lists jobs. */
export interface PromiseAccess {
  /** The jobs, for operators. Reading this starts a worker, as a call does. */
  readonly jobs: JobControl;
  /** Reads a promise token of this caller. */
  readPromise(token: string, peer: Peer): PromiseTokenClaims | ErrorResult;
  /** Reads the wait of a token; of one that is no longer open, why. Never rejects. */
  readWait(token: string): Promise<OpenWait | Resolution | ErrorResult>;
  /**
   * Resolves a wait by its token. Never rejects.
   *
   * @param resolution The value that was accepted, or the reason of a refusal.
   */
  resolve(token: string, resolution: WaitResolution): Promise<Resolution | ErrorResult>;
}

/** Deferred work, as the server itself uses it: checks its tools, and starts and stops the workers that run jobs. */
interface DeferralLifecycle {
  /**
   * Checks tools against engine and keys.
   *
   * @throws {TypeError} If a tool takes config, which the engine would store in plain text, or promises work that would end with
   * its request.
   */
  assertServable(definitions: readonly ToolDefinition[]): void;
  /**
   * Resolves a wait by its token, for callers of {@link PromiseAccess.resolve} that expect exceptions.
   *
   * @throws {ToolError} If the wait cannot be resolved.
   */
  settleWait(token: string, resolution: WaitResolution): Promise<Resolution>;
  /**
   * Starts a worker that runs jobs as they come due.
   *
   * @throws {RangeError} If `concurrency` is not a positive whole number.
   */
  work(options: Optional<WorkOptions> | undefined): EngineWorker;
  /** Starts a worker when the server starts, if it has schedules, or jobs of an earlier process may be waiting in the engine. */
  resume(): void;
  /** Ends the waits of calls for jobs, and stops the workers; resolves when the jobs under way here have ended. */
  stop(): Promise<void>;
}

/** Promises, jobs and idempotency keys of one server. Implemented in `src/jobs/promises/`; a server has it if it has an engine. */
export interface Deferral extends RunDeferrer, PromiseAccess, DeferralLifecycle {}

/** Limits on the output of tools, and on the results that are stored with jobs; results beyond them become `result_too_large`. */
interface ResultLimits extends OutputLimits {
  /** Largest result of a job, in UTF-16 code units of JSON. */
  readonly resultChars: number;
}

/** Options of a server for the jobs of its tools: how many run at once, their schedules, middleware, limits and notifications. */
export interface ServerJobOptions {
  /** Runs around every run of a job; the first is the outermost. */
  readonly jobMiddleware: readonly Middleware[];
  /** Number of jobs that run at once in this process; `false` for none. Default: 10. */
  readonly work?: WorkOptions | false | undefined;
  readonly limits: ResultLimits;
  /** Calls of tools at times of the clock. */
  readonly schedules?: readonly Schedule[] | undefined;
  /** Receivers of a notification for each job that has ended, such as webhooks. */
  readonly onComplete?: readonly CompletionTarget[] | undefined;
  /** Checks values for waits where they arrive. Default: they are checked when the handler runs. */
  readonly waitEndpoint?: WaitEndpoint | undefined;
}

/** Options with which a server creates its {@link Deferral}: those for its jobs, its engine and its keys. */
export interface DeferralOptions extends ServerJobOptions {
  /** Stores and delivers jobs. */
  readonly engine: Engine;
  /** Signs promise tokens. */
  readonly keys: TokenKeys;
}

/** Engine, keys and options of one server's promises, with defaults applied: what the code of jobs gets once it is loaded. */
export interface ResolvedDeferralOptions extends Omit<DeferralOptions, "work" | "schedules" | "onComplete"> {
  /** The engine, whose errors are `unavailable`. */
  readonly reporting: Engine;
  /** Number of jobs that run at once in this process; 0 for none. */
  readonly concurrency: number;
  /** Plans the calls of schedules; `undefined` on a server without them, which does not have their code. */
  readonly scheduler: Scheduler | undefined;
  /** Notifies of the ends of jobs, if the server has such targets. */
  readonly notifier: Notifier | undefined;
  /** Returns the id of the server as the owner of runs. */
  readonly ownerOf: () => string;
}

/** Creates promises, jobs, system tools and default keys for servers. An engine brings it, so a bundle without an engine does not contain it. */
export interface DeferralFactory {
  readonly systemTools: SystemTools;
  /**
   * Makes the deferral of one server.
   *
   * @throws {RangeError} If `work.concurrency` is not a positive whole number.
   */
  create(services: DispatchServices, options: DeferralOptions): Deferral;
  /** Makes keys for a server that has none: random ones, with a warning at their first use. */
  randomKeys(logger: Logger | undefined): QuestionKeys;
}

/** An engine that brings the code of promises: made by the functions of Toolwire, or by `withPromises(engine)`. */
export interface PromiseEngine extends Engine {
  /**
   * Not part of the public interface.
   *
   * @internal
   */
  readonly "~deferral": DeferralFactory;
}
