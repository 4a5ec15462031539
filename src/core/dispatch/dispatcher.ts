/**
 * The plain call: looks up the tool, runs it within its deadline and returns the result.
 *
 * Never throws and never rejects: errors are return values. Awaits nothing if the handler is synchronous. Knows no bytes,
 * headers or statuses; promises and questions are reached through the interfaces of deferral.ts and services.ts.
 */
import { CleanUp } from "../../internal/clean_up.ts";
import type { Call, CallMeta } from "../call/call.ts";
import { type CallResult, type ErrorResult, errorResult, type FailureOutcome, type Sink } from "../call/outcome.ts";
import type { Clock } from "../../internal/time.ts";
import { Deadlines } from "../../internal/deadlines.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { Future, type MaybeFuture, toFuture, toPromise } from "../../internal/future.ts";
import { PendingList } from "../../internal/pending_list.ts";
import { UsedResources } from "../../internal/used_resources.ts";
import type { TokenKeys } from "../token/token.ts";
import type { Logger } from "../handler/context.ts";
import { authorizationError } from "../tool/access.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { ToolListing } from "../tool/listing.ts";
import { canPromise, type ToolRegistry } from "../tool/registry.ts";
import { CallContext } from "./call_context.ts";
import type { Deferral, DispatchServices, PromiseAccess, PromiseEngine, ServerJobOptions } from "./deferral.ts";
import { hintFor, type LogFields, maskThrown, settleThrown, writeLine } from "./error_masking.ts";
import { type CallObserver, GuardedObserver, observe } from "./observer.ts";
import { awaitRun, type PendingServices } from "./pending_runs.ts";
import { middlewareOfRun, runChain, sortByScope } from "./run_middleware.ts";
import { type RunLimits, RunState } from "./run_state.ts";
import { NO_ENGINE, ToolRunner } from "./run_tool.ts";
import {
  argumentsError,
  type CalledRun,
  DEADLINE_EXCEEDED,
  INVALID_CONTINUATION,
  missingEngine,
  type OutputLimits,
  type QuestionKeys,
  type QuestionSupport,
  SHUTTING_DOWN,
} from "./services.ts";
import type { Middleware, OnError } from "../handler/middleware.ts";

/** Options of a {@link Dispatcher}: those of `createServer` that concern calls, with defaults applied. */
export interface DispatchOptions extends ServerJobOptions {
  readonly registry: ToolRegistry;
  /** Runs around every call; the first is the outermost. */
  readonly middleware: readonly Middleware[];
  /** Converts unexpected exceptions of tools and middleware; `undefined` to mask them all. */
  readonly onError?: OnError | undefined;
  /** Time limit of calls whose tool sets none, in milliseconds. */
  readonly timeoutMs: number;
  /** Receives masked errors, refused calls, warnings, and the lines of `ctx.log()`. */
  readonly logger?: Logger | undefined;
  /** Source of time. */
  readonly clock: Clock;
  /** Signs tokens, and brings questions and caller state. Default: random keys of the engine; none without an engine. */
  readonly keys?: QuestionKeys | undefined;
  /** Runs deferred work, and brings promises; `undefined` for neither. */
  readonly engine?: PromiseEngine | undefined;
  /** Config for calls that bring none. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** The server as its wires see it: runs their calls, masks and logs their errors, and reports the shutdown. */
export interface Dispatch {
  /** Runs one call; its events go to the sink, if there is one. Never throws, never rejects. */
  call(call: Call, sink?: Sink): CallResult | Future<CallResult>;
  /** @internal Runs a definition that is not a tool of the server, such as a method of MCP. Checks its scopes. */
  run(definition: ToolDefinition, call: Call, sink?: Sink): CallResult | Future<CallResult>;
  /** Masks an error that occurred outside of a tool, such as in the encoding of a result: the log has it, the caller an id. */
  mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): ErrorResult;
  /** Writes a line to the log. */
  log(level: "info" | "warn", message: string, fields: Readonly<Record<string, unknown>>): void;
  /** Observes all calls; `undefined` for no observer, which costs a call next to nothing. */
  observer: CallObserver | undefined;
  /** Whether the shutdown has begun: further calls get the error `unavailable`, pending ones may still end. */
  readonly isClosed: boolean;
  /** Aborts when the shutdown begins. Created when it is first read: Workers allow no signal outside of a request. */
  readonly closeSignal: AbortSignal;
  /** @internal Jobs, promise tokens and waits, for operators and wires; `undefined` on a server without an engine. */
  readonly deferral: PromiseAccess | undefined;
}

/** Tools that are called apart from the server's own, with the same keys, engine, middleware and limits. */
export interface Toolset {
  /** The tools, as they are listed; system tools first, if one of them can promise. */
  readonly tools: readonly ToolListing[];
  /**
   * Definitions of the same tools, in the same order, with the names that tokens and jobs use.
   *
   * @internal
   */
  readonly definitions: readonly ToolDefinition[];
  /** Runs one call, as {@link Dispatch.call} does. */
  call(call: Call, sink?: Sink): CallResult | Future<CallResult>;
}

/** Time for an engine to finish its writes at the end of a shutdown, in milliseconds. */
const LAST_WRITES_MS = 5_000;

/** Runs the calls of one server: time limits, middleware, the tool, masked errors, and pending calls at shutdown. */
export class Dispatcher implements Dispatch, DispatchServices, PendingServices {
  declare readonly registry: ToolRegistry;
  declare readonly logger: Logger | undefined;
  declare readonly deadlines: Deadlines;
  declare readonly clock: Clock;
  declare readonly outputLimits: OutputLimits;
  declare readonly ownConfig: Readonly<Record<string, unknown>> | undefined;
  declare readonly keys: TokenKeys | undefined;
  readonly resolverUrl: string | undefined;
  declare readonly questions: QuestionSupport | undefined;
  declare readonly deferral: Deferral | undefined;
  readonly resources: UsedResources = new UsedResources();
  #observer: GuardedObserver | undefined = undefined;
  readonly #middleware: readonly Middleware[];
  readonly #perRun: readonly Middleware[];
  readonly #onError: OnError | undefined;
  readonly #timeoutMs: number;
  readonly #runner: ToolRunner;
  /** Definitions whose first masked error was logged with the hint. */
  readonly #hinted: WeakSet<ToolDefinition> = new WeakSet();
  declare readonly pending: PendingList;
  #closing: AbortController | undefined;
  #pendingRuns = 0;
  // A field, because each call reads it and reading a signal is slower.
  #isClosed = false;
  #isGraceOver = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: DispatchOptions) {
    const { logger, engine, keys = engine?.["~deferral"].randomKeys(logger), registry } = options;
    this.registry = registry;
    this.logger = logger;
    this.clock = options.clock;
    this.outputLimits = options.limits;
    this.ownConfig = options.config;
    this.deadlines = new Deadlines(options.clock);
    [this.#middleware, this.#perRun] = sortByScope(options.middleware);
    this.#onError = options.onError;
    this.#timeoutMs = options.timeoutMs;
    this.#runner = new ToolRunner(this);
    this.pending = new PendingList(this.clock);
    this.keys = keys;
    this.resolverUrl = options.waitEndpoint?.url;
    this.questions = keys?.["~questions"](keys);
    this.deferral = keys && engine?.["~deferral"].create(this, { ...options, engine, keys });
    this.assertServable(registry.definitions());
  }

  /** @param registry The tools to look in: those of the server, or of a {@link Toolset}. */
  call(call: Call, sink?: Sink, registry: ToolRegistry = this.registry): CallResult | Future<CallResult> {
    if (this.#isClosed) return this.refuse(call, SHUTTING_DOWN);
    const { tool, peer } = call;
    const definition = registry.getFor(tool, peer.principal, peer.session);
    return definition === undefined ? this.#refuseUnknown(call, registry) : this.run(definition, call, sink);
  }

  run(definition: ToolDefinition, call: Call, sink?: Sink): CallResult | Future<CallResult> {
    if (this.#isClosed) return this.refuse(call, SHUTTING_DOWN);
    const error = authorizationError(definition, call.peer.principal) ?? argumentsError(call.args) ??
      (definition.promise && this.deferral?.unusable);
    if (error !== undefined) return this.refuse(call, error);
    const run = new CallContext(definition, call, this, sink);
    const observer = this.#observer;
    if (observer === undefined) return this.#runWithMiddleware(run);
    return observe(observer, observer.begin(run, undefined), run, this.#runWithMiddleware(run));
  }

  /** The result of a run, with the middleware around it and its limits. */
  #runWithMiddleware(run: CallContext): CallResult | Future<CallResult> {
    const { part } = run.definition;
    const middleware = part === undefined
      ? this.#middleware
      : [...this.#middleware, ...sortByScope(part.middleware)[0]];
    const result = middleware.length === 0
      ? this.#runByMeta(run)
      : toFuture(runChain(run, middleware, this.#runner, () => this.#runWithinMiddleware(run)));
    return result instanceof Future ? this.#guard(run, result) : run.settle(result);
  }

  get observer(): CallObserver | undefined {
    return this.#observer;
  }

  set observer(observer: CallObserver | undefined) {
    this.#observer = observer && new GuardedObserver(observer, (thrown) => this.mask(thrown, { during: "observer" }));
  }

  mask(thrown: unknown, fields: LogFields): ErrorResult {
    return maskThrown(this.logger, thrown, fields);
  }

  log(level: "info" | "warn", message: string, fields: LogFields): void {
    writeLine(this.logger, level, message, fields);
  }

  settleRun(run: CallContext, thrown: unknown): FailureOutcome | ErrorResult {
    run.lastThrown = thrown;
    const settled = settleThrown(thrown) ?? this.#mapError(run, thrown);
    if (settled !== undefined) return settled;
    const { definition } = run;
    const hint = this.#hinted.has(definition) ? undefined : hintFor(thrown);
    if (hint === undefined) return this.mask(thrown, { tool: definition.name });
    this.#hinted.add(definition);
    return this.mask(thrown, { tool: definition.name, hint });
  }

  deadlineMs(run: CalledRun): number {
    const ownMs = run.definition.timeoutMs ?? this.#defaultMs(run);
    return Math.min(ownMs, run.request.meta?.deadlineMs ?? Infinity);
  }

  runTool(run: CallContext): MaybePromise<CallResult> {
    return toPromise(this.#runTool(run));
  }

  runWithin(
    run: CallContext,
    middleware: readonly Middleware[],
    last: () => MaybePromise<CallResult>,
  ): MaybePromise<CallResult> {
    return middleware.length === 0 ? last() : runChain(run, middleware, this.#runner, last);
  }

  /**
   * Returns promises and jobs of the server, for something that cannot be done without an engine.
   *
   * @param problem What cannot be done, for the error: `Cannot run deferred work`.
   * @throws {TypeError} If the server has no engine.
   */
  deferralOr(problem: string): Deferral {
    if (this.deferral !== undefined) return this.deferral;
    throw missingEngine(problem);
  }

  get isGraceOver(): boolean {
    return this.#isGraceOver;
  }

  get closeSignal(): AbortSignal {
    if (this.#closing === undefined) {
      this.#closing = new AbortController();
      if (this.#isClosed) this.#closing.abort();
    }
    return this.#closing.signal;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Stops taking calls, waits for pending runs, ends those left after `graceMs`, and gives the engine 5 seconds more to store their results. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#closing?.abort();
    const closing = new CleanUp();
    const isOver = Promise.withResolvers<void>();
    // An engine that does not answer must not keep a process from exiting.
    const cancel = this.clock.after(graceMs + LAST_WRITES_MS, isOver.resolve);
    const ended = [closing.wait(() => this.#drainRuns(graceMs)), closing.wait(() => this.deferral?.stop())];
    await Promise.race([isOver.promise, Promise.all(ended)]);
    cancel();
    closing.finish("Cannot end the calls under way");
  }

  createRunState(call: Call, sink: Sink | undefined): RunState {
    return this.deferral?.createRunState(call, sink) ?? new RunState(call, sink);
  }

  trackPending(): void {
    this.#pendingRuns++;
  }

  untrack(): void {
    if (--this.#pendingRuns === 0) this.#idle?.resolve();
  }

  deadlineError(): ErrorResult {
    return this.#isGraceOver ? SHUTTING_DOWN : DEADLINE_EXCEEDED;
  }

  /** @throws {TypeError} If tools need an engine, or keys, that the server does not have. */
  assertServable(definitions: readonly ToolDefinition[]): void {
    if (this.deferral !== undefined) return this.deferral.assertServable(definitions);
    const promising = definitions.find((definition) => canPromise(definition));
    if (promising !== undefined) {
      throw missingEngine(`Cannot create server: the tool "${promising.name}" gives promises`);
    }
  }

  async #drainRuns(graceMs: number): Promise<void> {
    this.pending.flush();
    if (this.#pendingRuns === 0) return;
    this.#idle ??= Promise.withResolvers();
    const cancel = this.clock.after(graceMs, () => {
      this.#isGraceOver = true;
      this.deadlines.expireAll();
    });
    await this.#idle.promise;
    cancel();
  }

  #runTool(run: CallContext): CallResult | Future<CallResult> {
    const middleware = middlewareOfRun(run, this.#perRun);
    if (middleware.length === 0) return this.#runner.run(run);
    return toFuture(this.runWithin(run, middleware, () => toPromise(this.#runner.run(run))));
  }

  /** Logs a call that ends before its middleware runs. */
  refuse(call: Call, error: ErrorResult): ErrorResult {
    const { kind: outcome, code } = error;
    this.#observer?.refuse(call, error);
    writeLine(this.logger, "info", "Call refused", {
      tool: call.tool.slice(0, 128),
      wire: call.peer.wire,
      outcome,
      code,
    });
    return error;
  }

  #refuseUnknown(call: Call, registry: ToolRegistry): CallResult | Future<CallResult> {
    const error = registry.notFound(call.tool, call.peer.principal, call.peer.session);
    if (!(error instanceof Promise)) return this.refuse(call, error);
    const masked = (thrown: unknown) => this.mask(thrown, { tool: call.tool });
    return Future.of(error.catch(masked).then((later) => this.refuse(call, later)));
  }

  #guard(run: CallContext, running: Future<CallResult>): Future<CallResult> {
    const { promise } = run.definition;
    if (promise === undefined || this.deferral === undefined) return awaitRun(run, running, this);
    return this.deferral.guard(run, running, promise, this.deadlineMs(run));
  }

  limitsOf(run: CallContext): RunLimits {
    const deadlineMs = this.deadlineMs(run);
    // A stream whose tool sets no timeout is limited in idle time; every other call in total time.
    const isIdleLimited = run.definition.timeoutMs === undefined && run.sink !== undefined && !run.definition.isSystem;
    const totalMs = isIdleLimited ? run.request.meta?.deadlineMs : deadlineMs;
    return { totalMs, idleMs: isIdleLimited ? this.#defaultMs(run) : undefined };
  }

  /** Time limit of a tool that sets none, in milliseconds. */
  #defaultMs({ definition: { part } }: CalledRun): number {
    return part?.timeoutMs ?? this.#timeoutMs;
  }

  /** Starts a run inside of server middleware, which sees the deadline and the promise as the caller does. */
  #runWithinMiddleware(run: CallContext): MaybePromise<CallResult> {
    const started = this.#runByMeta(run);
    return started instanceof Future ? run.runState.toMiddleware(started.toPromise()) : started;
  }

  #mapError(run: CallContext, thrown: unknown): FailureOutcome | ErrorResult | undefined {
    for (const onError of [...run.definition.part?.onError ?? [], this.#onError]) {
      try {
        const mapped = onError?.(thrown, run);
        if (mapped !== undefined && mapped !== null) return settleThrown(mapped);
      } catch (broken) {
        // A handler that throws does not keep the next one from being called.
        this.mask(broken, { tool: run.definition.name });
      }
    }
    return undefined;
  }

  /** Runs the tool, after the members of `_meta` were applied. */
  #runByMeta(run: CallContext): CallResult | Future<CallResult> {
    const { request: { meta }, definition: { promise, remote } } = run;
    const isPlain = meta === undefined && promise?.durable !== "start" && !this.deferral?.startsElsewhere;
    if (isPlain || remote !== undefined) return this.#runTool(run);
    try {
      const started = this.#applyMeta(run, meta ?? {});
      return started instanceof Promise ? this.#runner.settle(run, started) : started;
    } catch (thrown) {
      return this.#runner.thrown(run, thrown);
    }
  }

  #applyMeta(run: CallContext, meta: CallMeta): MaybeFuture<CallResult> {
    const { continuation, idempotencyKey, isPromiseWanted } = meta;
    const { definition } = run;
    const { deferral, questions } = this;
    // System tools have arguments in place of these members.
    if (definition.isSystem) return this.#runTool(run);
    if (isPromiseWanted && definition.promise === undefined && definition.external === undefined) {
      return errorResult(
        "invalid_request",
        `The tool ${definition.name} gives no promises: call it without .start() (_meta.promise), or define it with .promise()`,
      );
    }
    if (continuation?.startsWith("prom_")) return deferral?.join(run, continuation) ?? INVALID_CONTINUATION;
    if (continuation !== undefined) {
      const error = questions === undefined ? INVALID_CONTINUATION : questions.resume(run, continuation);
      if (error !== undefined) return error;
    }
    if (deferral === undefined && idempotencyKey !== undefined) return NO_ENGINE;
    return deferral?.startAsJob(run, meta) ?? this.#runTool(run);
  }
}
