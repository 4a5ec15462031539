/**
 * The one way in which a call is made: look up, run within its time, settle.
 *
 * Total: outcomes and refusals are values, nothing is thrown, no promise rejects. Nothing is awaited where the handler is
 * synchronous. Knows no bytes, headers or statuses.
 *
 * @module
 */
import type { Call, CallMeta, Peer } from "../call/call.ts";
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type FailureOutcome,
  invalidInputResult,
  type Sink,
} from "../call/outcome.ts";
import type { Engine, EngineWorker } from "../../engine/engine.ts";
import { Jobs } from "../../engine/jobs.ts";
import { withErrorReporting } from "../../engine/with_error_reporting.ts";
import type { Clock } from "../../internal/time.ts";
import { Deadlines } from "../../internal/deadlines.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { formatIssues } from "../schema/issues.ts";
import type { TokenKeys } from "../token/token.ts";
import type { Logger } from "../handler/context.ts";
import { authorizationError } from "../tool/access.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { ToolListing } from "../tool/listing.ts";
import type { AnyTool, ToolDefinition } from "../tool/definition.ts";
import { assertConfigHidden } from "./promises/config_encryption.ts";
import { configure } from "./configure.ts";
import { runChain } from "./run_middleware.ts";
import { decodeContinuation } from "./questions/continuation.ts";
import { JobRunner } from "./promises/job_runner.ts";
import type { DispatchServices } from "./services.ts";
import { type LogFields, maskThrown, settleThrown, writeLine } from "./error_masking.ts";
import type { DispatchOptions } from "./options.ts";
import type { AnswerLimits } from "./output_limits.ts";
import { PromiseTokens } from "./promises/promise_tokens.ts";
import { Redeemer } from "./promises/redeem.ts";
import { CallContext } from "./call_context.ts";
import { invalidInput, ToolRunner } from "./run_tool.ts";
import { DEADLINE_SHARE, JobWaiters } from "./promises/job_waiters.ts";
import type { Middleware, OnError } from "../handler/middleware.ts";

/** Runs calls. */
export interface Dispatch {
  /** Runs one call; events go into the sink, if there is one. Never throws, never rejects. */
  call(call: Call, sink?: Sink): MaybePromise<CallResult>;
  /** Masks what broke outside of a tool, such as a result that cannot be encoded: the log has it, the caller an id. */
  mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): ErrorResult;
  /** Tells the log of what nobody has to mend in a hurry. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** Aborts once no more calls are taken. */
  readonly closeSignal: AbortSignal;
  /** What a promise token says by itself, to the one it was given to; nothing is looked up. */
  readPromise(token: string, peer: Peer): PromiseTerms | ErrorResult;
}

/** What a promise token says by itself. */
export interface PromiseTerms {
  /** What was called. */
  readonly tool: string;
  /** When it was given, in milliseconds since the Unix epoch; up to a second early. */
  readonly createdAtMs: number;
  /** How long it lasts from then, in milliseconds. */
  readonly ttlMs: number;
}

/** Tools that are called apart from the server's own, with the same keys, engine, middleware and limits. */
export interface Toolset {
  /** The tools, as they are listed; system tools first, if one of them can promise. */
  readonly tools: readonly ToolListing[];
  /**
   * The same tools as they are defined, in the same order; here they have the names that tokens and jobs know.
   *
   * @internal
   */
  readonly plans: readonly ToolDefinition[];
  /** Runs one call, as {@link Dispatch.call} does. */
  call(call: Call, sink?: Sink): MaybePromise<CallResult>;
}

const TOO_LATE: ErrorResult = errorResult("deadline_exceeded", "The call took longer than its deadline");

const CLOSING: ErrorResult = errorResult(
  "unavailable",
  "The server is shutting down; try again, another replica may answer",
  {
    retry_after_ms: 1_000,
  },
);

/** How long an engine may take at the end of a shutdown for what is still to be written, in milliseconds. */
const LAST_WRITES_MS = 5_000;

/** Runs the calls of one server. */
export class Dispatcher implements Dispatch, DispatchServices {
  readonly registry: ToolRegistry;
  readonly logger: Logger | undefined;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly keys: TokenKeys;
  readonly answerLimits: AnswerLimits;
  readonly ownConfig: Readonly<Record<string, unknown>> | undefined;
  readonly #middleware: readonly Middleware[];
  readonly #jobMiddleware: readonly Middleware[];
  readonly #onError: OnError | undefined;
  readonly #timeoutMs: number;
  readonly #runner: ToolRunner;
  readonly #waits: JobWaiters;
  readonly #deferrals: JobRunner;
  readonly #redeemer: Redeemer;
  readonly #promises: PromiseTokens;
  readonly #engine: Engine;
  #running = 0;
  readonly #closing = new AbortController();
  // Asked at every call, of which a signal makes more than a field.
  #isClosed = false;
  #isAbandoned = false;
  #idle: PromiseWithResolvers<void> | undefined = undefined;

  constructor(options: DispatchOptions) {
    const { concurrency, resultChars } = options;
    const engine = withErrorReporting(
      options.engine,
      (error) => void this.mask(error, { engine: options.engine.name }),
    );
    this.registry = options.registry;
    this.logger = options.logger;
    this.clock = options.clock;
    this.keys = options.keys;
    this.answerLimits = options.answerLimits;
    this.deadlines = new Deadlines(options.clock);
    this.#middleware = options.middleware;
    this.#jobMiddleware = options.jobMiddleware;
    this.#onError = options.onError;
    this.#timeoutMs = options.timeoutMs;
    this.#engine = options.engine;
    this.ownConfig = options.config;
    assertConfigHidden(options.registry.definitions(), options.engine, options.keys);
    const jobs = new Jobs(engine);
    const promises = this.#promises = new PromiseTokens(this, engine);
    const waits = this.#waits = new JobWaiters(this, jobs, promises);
    this.#deferrals = new JobRunner(this, { jobs, promises, waits, concurrency, resultChars });
    this.#redeemer = new Redeemer(this, jobs, promises, waits);
    this.#runner = new ToolRunner(this, promises, (run, input) => {
      this.#deferrals.ensureWorker();
      return run.definition.name === "redeem" ? this.#redeemer.redeem(run, input) : this.#redeemer.cancel(run, input);
    });
  }

  call(call: Call, sink?: Sink): MaybePromise<CallResult> {
    return this.#callOf(this.registry, call, sink);
  }

  /** Takes further tools, which only their own set calls: several versions of a tool have one name. */
  attach(tag: string, tools: readonly AnyTool[]): Toolset {
    const attached = this.registry.attach(tag, tools);
    assertConfigHidden(attached.definitions(), this.#engine, this.keys);
    return {
      tools: attached.listings(),
      plans: attached.definitions(),
      call: (call, sink) => this.#callOf(attached, call, sink),
    };
  }

  /** Runs what is not to be looked up: a prompt or a resource, under a name that no tool can have. */
  run(plan: ToolDefinition, call: Call, sink?: Sink): MaybePromise<CallResult> {
    if (this.#isClosed) return CLOSING;
    const refusal = authorizationError(plan, call.peer.principal);
    if (refusal !== undefined) return refusal;
    if (!isJsonObject(call.args)) return invalidInputResult("Arguments must be an object", [], "object", call.args);
    const run = new CallContext(plan, call, this, sink);
    const { part } = plan;
    const middleware = part === undefined ? this.#middleware : [...this.#middleware, ...part.middleware];
    const settled = middleware.length === 0
      ? this.#begin(run)
      : runChain(run, middleware, this.#runner, () => this.#beginWithin(run));
    return settled instanceof Promise ? this.#guard(run, settled) : run.settle(settled);
  }

  mask(thrown: unknown, fields: LogFields): ErrorResult {
    return maskThrown(this.logger, thrown, fields);
  }

  warn(message: string, fields: LogFields): void {
    writeLine(this.logger, "warn", message, fields);
  }

  readPromise(token: string, peer: Peer): PromiseTerms | ErrorResult {
    const opened = this.#promises.open(token, peer.principal);
    if ("kind" in opened) return opened;
    const { definition: plan, expiresAtMs } = opened;
    const { ttlMs = plan.remote?.ttlMs(opened) ?? 0 } = plan.promise ?? plan.external ?? {};
    // The token's end was rounded up to a second.
    return { tool: plan.name, createdAtMs: expiresAtMs - 1_000 - ttlMs, ttlMs };
  }

  settleThrown(thrown: unknown, fields: Readonly<Record<string, unknown>>): FailureOutcome | ErrorResult {
    return settleThrown(thrown) ?? this.mask(thrown, fields);
  }

  settleRun(run: CallContext, thrown: unknown): FailureOutcome | ErrorResult {
    return settleThrown(thrown) ?? this.#mapError(run, thrown) ?? this.mask(thrown, { tool: run.definition.name });
  }

  deadlineMs(run: CallContext): number {
    const ownMs = run.definition.timeoutMs ?? this.#defaultMs(run);
    return Math.min(ownMs, run.call.meta?.deadlineMs ?? Number.POSITIVE_INFINITY);
  }

  runTool(run: CallContext): MaybePromise<CallResult> {
    const { middleware } = run.definition;
    if (middleware.length === 0) return this.#runner.run(run);
    return this.runWithin(run, middleware, () => this.#runner.run(run));
  }

  runJob(run: CallContext): MaybePromise<CallResult> {
    const { jobMiddleware = [] } = run.definition.part ?? {};
    return this.runWithin(run, [...this.#jobMiddleware, ...jobMiddleware], () => this.runTool(run));
  }

  runWithin(
    run: CallContext,
    middleware: readonly Middleware[],
    last: () => MaybePromise<CallResult>,
  ): MaybePromise<CallResult> {
    return middleware.length === 0 ? last() : runChain(run, middleware, this.#runner, last);
  }

  /** Takes jobs as they come due. */
  work(concurrency: number): EngineWorker {
    return this.#deferrals.work(concurrency);
  }

  /** Goes on with what was promised before this process began, if the engine has kept it. */
  resume(): void {
    if (this.registry.canPromise && this.#deferrals.outlivesProcess) this.#deferrals.ensureWorker();
  }

  get closeSignal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether it takes no more calls. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes no more calls, waits until those under way have ended, and ends what is left after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    this.#waits.endAll();
    const stopped = this.#deferrals.stop();
    const isOver = Promise.withResolvers<void>();
    // An engine that does not answer must not keep a process from its end.
    const cancel = this.clock.after(graceMs + LAST_WRITES_MS, isOver.resolve);
    await Promise.race([isOver.promise, Promise.all([this.#drainRuns(graceMs), stopped])]);
    cancel();
  }

  trackPending(): void {
    this.#running++;
  }

  untrack(): void {
    if (--this.#running === 0) this.#idle?.resolve();
  }

  deadlineError(): ErrorResult {
    return this.#isAbandoned ? CLOSING : TOO_LATE;
  }

  shutdownError(): ErrorResult {
    return CLOSING;
  }

  async #drainRuns(graceMs: number): Promise<void> {
    if (this.#running === 0) return;
    this.#idle ??= Promise.withResolvers();
    const cancel = this.clock.after(graceMs, () => {
      this.#isAbandoned = true;
      this.deadlines.expireAll();
    });
    await this.#idle.promise;
    cancel();
  }

  #callOf(registry: ToolRegistry, call: Call, sink: Sink | undefined): MaybePromise<CallResult> {
    if (this.#isClosed) return CLOSING;
    const { tool, peer: { principal } } = call;
    const plan = registry.getFor(tool, principal);
    return plan === undefined ? registry.notFound(tool, principal) : this.run(plan, call, sink);
  }

  #guard(run: CallContext, running: Promise<CallResult>): Promise<CallResult> {
    const { promise, timeoutMs } = run.definition;
    const deadlineMs = this.deadlineMs(run);
    if (promise !== undefined) {
      const promiseMs = DEADLINE_SHARE * deadlineMs;
      const budgetMs = Math.min(promise.budgetMs, promiseMs);
      const onTotal = () => this.#spendBudget(run, budgetMs, promiseMs, deadlineMs);
      return run.live.guard(running, this, { totalMs: budgetMs, idleMs: undefined, onTotal });
    }
    // Without a word of its tool a stream may last as long as something happens on it; anything else is limited in all.
    const isIdleLimited = timeoutMs === undefined && run.sink !== undefined && !run.definition.isSystem;
    const totalMs = isIdleLimited ? run.call.meta?.deadlineMs : deadlineMs;
    return run.live.guard(running, this, { totalMs, idleMs: isIdleLimited ? this.#defaultMs(run) : undefined });
  }

  /** How long a call may take whose tool says nothing, in milliseconds. */
  #defaultMs({ definition: { part } }: CallContext): number {
    return part?.timeoutMs ?? this.#timeoutMs;
  }

  #spendBudget(run: CallContext, budgetMs: number, promiseMs: number, deadlineMs: number): void {
    if (this.#isAbandoned) return run.live.end(this.deadlineError());
    const startedMs = this.clock.now() - budgetMs;
    const promiseAtMs = this.clock.elapsed() + promiseMs - budgetMs;
    // The caller's deadline holds until there is a promise.
    run.live.limit(deadlineMs - budgetMs);
    // The work is done, and only the middleware around it goes on.
    if (run.live.settled !== undefined) return;
    run.whenBegun(() => {
      this.#deferrals.adopt(run, startedMs, promiseAtMs).catch((thrown) => {
        // Without a promise the run goes on, until its deadline.
        this.settleThrown(thrown, { tool: run.definition.name, callId: run.callId });
      });
    });
  }

  /** The middleware around it sees what the caller does: the deadline, and the promise. */
  #beginWithin(run: CallContext): MaybePromise<CallResult> {
    const begun = this.#begin(run);
    return begun instanceof Promise ? run.live.around(begun) : begun;
  }

  #mapError(run: CallContext, thrown: unknown): FailureOutcome | ErrorResult | undefined {
    for (const onError of [...run.definition.part?.onError ?? [], this.#onError]) {
      try {
        const said = onError?.(thrown, run);
        if (said !== undefined && said !== null) return settleThrown(said);
      } catch (broken) {
        // One that breaks is no reason not to ask the next.
        this.mask(broken, { tool: run.definition.name });
      }
    }
    return undefined;
  }

  /** Runs the tool; or, if the caller said more than its arguments, what that means. */
  #begin(run: CallContext): MaybePromise<CallResult> {
    const { meta } = run.call;
    if (meta === undefined || run.definition.remote !== undefined) return this.runTool(run);
    try {
      const begun = this.#beginWith(run, meta);
      return begun instanceof Promise ? begun.catch((thrown) => this.#runner.thrown(run, thrown)) : begun;
    } catch (thrown) {
      return this.#runner.thrown(run, thrown);
    }
  }

  #beginWith(run: CallContext, meta: CallMeta): MaybePromise<CallResult> {
    const { continuation, idempotencyKey, isPromiseWanted } = meta;
    const { definition: plan } = run;
    // What is asked of them is said in their arguments.
    if (plan.isSystem) return this.runTool(run);
    if (isPromiseWanted && plan.promise === undefined && plan.external === undefined) {
      return errorResult(
        "invalid_request",
        `The tool ${plan.name} gives no promises: call it without .start() (_meta.promise), or define it with .promise()`,
      );
    }
    if (continuation?.startsWith("prom_")) return this.#redeemer.join(run, continuation);
    if (continuation !== undefined) {
      const continued = decodeContinuation(this.keys, run, continuation);
      if ("kind" in continued) return continued;
      run.resume(continued.callId, continued.memo);
      run.live.skippedPieces = run.sink === undefined ? 0 : continued.deliveredPieces;
    }
    if (idempotencyKey !== undefined) this.#deferrals.bindKey(run, idempotencyKey);
    if (isPromiseWanted && plan.promise !== undefined) return this.#enqueue(run);
    return idempotencyKey === undefined ? this.runTool(run) : this.#deferrals.runKeyed(run);
  }

  /** Config and arguments are checked before their job is promised. */
  async #enqueue(run: CallContext): Promise<CallResult> {
    const refused = await configure(run);
    if (refused !== undefined) return refused;
    const checked = await run.definition.input?.validate(run.call.args);
    if (checked?.issues !== undefined) return invalidInput(formatIssues(checked.issues, run.call.args));
    return await this.#deferrals.enqueue(run);
  }
}
