import type { Call, Metadata, Principal, TraceContext } from "../call/call.ts";
import { bindMethods } from "../../internal/bound_methods.ts";
import type { CallEvent, CallResult, ErrorResult, LogLevel, McpOnlyLevel, Progress, Sink } from "../call/outcome.ts";
import { RESERVED_META } from "../call/call_meta.ts";
import { callGuarded } from "../../internal/async.ts";
import type { Future } from "../../internal/future.ts";
import type { Clock } from "../../internal/time.ts";
import { estimateJsonSize } from "../../internal/json_size.ts";
import type { Closable } from "../../internal/used_resources.ts";
import type { Failure } from "../errors/failure.ts";
import type { LedgerEntry, Memo } from "./engine.ts";
import type {
  Answers,
  ElicitAnswer,
  ElicitRequest,
  MoreRequest,
  PlainElicitRequest,
  QuestionSpec,
  RootsResult,
  SampleRequest,
  SampleResult,
  UrlRequest,
} from "../handler/questions.ts";
import type { StepOptions, StepValue, StepWork } from "../handler/steps.ts";
import type { InnerCallFunction } from "../handler/inner_calls.ts";
import type { Resolver, WaitOptions, WaitResult } from "../handler/waits.ts";
import { type CallingClient, type Logger, Pending, type PendingOptions } from "../handler/context.ts";
import type { RemotePromise, ToolDefinition } from "../tool/definition.ts";
import { toCallable } from "./inner_call.ts";
import type { AnySchema } from "../schema/plain_schema.ts";
import type { PendingMiddleware } from "./pending_middleware.ts";
import { declaredFailure } from "./declared_failure.ts";
import { validateValue } from "./validate_value.ts";
import { type CallServices, type EncodableCallerState, missingKeys } from "./services.ts";
import type { LeasedJob, QuestionSupport, RunQuestions } from "./services.ts";
import type { RunState } from "./run_state.ts";
import type { MiddlewareCtx } from "../handler/middleware.ts";
import { toLogLine, writeHandlerLine } from "./log_line.ts";

/** One run of a tool, from its call to its result; the `ctx` of handlers and middleware. Parts that few runs need are made at first use. */
export class CallContext implements MiddlewareCtx {
  // Only declared: a member that few runs set costs the others nothing.
  declare readonly definition: ToolDefinition;
  declare readonly request: Call;
  declare readonly services: CallServices;
  declare readonly sink: Sink | undefined;
  /** Members added by `meta()`. */
  declare addedMeta: Readonly<Record<string, unknown>> | undefined;
  /** Binds the run to its job, if it has one. */
  declare lease: LeasedJob | undefined;
  /** Resolves when the run's job has been written; `undefined` until writing begins. */
  declare jobWritten: Promise<boolean> | undefined;
  /** Questions and steps; made when the handler asks or the call is resumed. */
  declare questions: RunQuestions | undefined;
  /** Caller state; made when the handler reads it. */
  declare openedCallerState: EncodableCallerState | undefined;
  /** The promise that is redeemed by running its tool's `check`. */
  declare redeemed: RemotePromise | undefined;
  /** Promise token through which the `check` of external work asks. */
  declare externalToken: string | undefined;
  /** The latest progress of the handler. */
  declare lastProgress: Progress | undefined;
  /** What the handler threw last. */
  declare lastThrown: unknown;
  /** Takes the result of the handler, if that is asynchronous. */
  declare handlerResult: Future<CallResult> | undefined;
  /** Settles when the handler has ended, if that is asynchronous and its call may be promised. */
  declare handlerEnd: Promise<unknown> | undefined;
  /** Whether the handler has read `ctx.signal`, and looks at it by itself. */
  declare hasReadSignal: boolean | undefined;
  declare middleware: PendingMiddleware | undefined;
  /** The run while it is pending without a deadline. */
  declare pendingRun: { arm(): void } | undefined;
  #runState: RunState | undefined;
  #isOver = false;
  #hasHandlerStarted = false;
  /** Listeners of {@link CallContext.onPromised}. */
  declare promisedListeners: ((work: Promise<CallResult>) => void)[] | undefined;
  /** Pieces that the handler has streamed so far, kept if the run may become a job; `undefined` otherwise. */
  declare collected: readonly unknown[] | undefined;
  #onHandlerStart: (() => void) | undefined;
  #callable: (Call & InnerCallFunction) | undefined;
  #callId: string | undefined;
  #state: Record<string, unknown> | undefined;
  #trace: TraceContext | undefined;

  constructor(definition: ToolDefinition, call: Call, services: CallServices, sink: Sink | undefined) {
    this.definition = definition;
    this.request = call;
    this.services = services;
    this.sink = sink;
  }

  /** Takes signal, deadlines and events from the run of `redeem` or `cancel` in which this one checks or cancels external work. */
  useStateOf({ runState }: CallContext, callId: string): void {
    this.#runState = runState;
    this.#callId = callId;
  }

  /** Sets the id of the call and, on a server with keys, the answers and steps of its earlier runs, before the handler starts. */
  resume(callId: string, memo: Memo, ledger?: readonly LedgerEntry[]): void {
    this.#callId = callId;
    this.questions = this.services.questions?.track(this, memo, ledger);
  }

  /** Signal, deadline and events: the parts that only some runs need. */
  get runState(): RunState {
    if (this.#runState === undefined) {
      this.#runState = this.services.createRunState(this.request, this.sink);
      this.pendingRun?.arm();
    }
    return this.#runState;
  }

  /** Whether the run has a signal, deadline or events, or a sink for events. */
  get isLive(): boolean {
    return this.#runState !== undefined || this.sink !== undefined;
  }

  /** The error that ended the run from outside; `undefined` if nothing did. */
  get ended(): ErrorResult | undefined {
    return this.#runState?.ended;
  }

  /** Marks the start of the handler, and notifies the listener of {@link CallContext.whenHandlerStarts}. */
  markHandlerStarted(): void {
    this.#hasHandlerStarted = true;
    this.#onHandlerStart?.();
  }

  /** Whether the handler has begun. */
  get hasStarted(): boolean {
    return this.#hasHandlerStarted;
  }

  /** Calls `listener` when the handler starts, at once if it has started. Only the latest listener is kept. */
  whenHandlerStarts(listener: () => void): void {
    if (this.#hasHandlerStarted) listener();
    else this.#onHandlerStart = listener;
  }

  /** Settles a run that has no deadline, such as a synchronous one. Returns the result, or the error that ended the run before. */
  settle(result: CallResult): CallResult {
    this.#isOver = true;
    if (this.#runState === undefined) return result;
    this.#runState.settle(result);
    return this.#runState.ended ?? result;
  }

  end(error: ErrorResult): void {
    this.runState.end(error);
  }

  leaveHandler(result: CallResult): void {
    if (this.handlerResult?.hasArrived === false) this.handlerResult.receive(result);
    else this.middleware?.leave(result);
    this.#runState?.abandon();
  }

  onEvent(listener: (event: CallEvent) => void): void {
    this.runState.listen((event) => void callGuarded(() => listener(event), this.#maskThrown));
  }

  onPromised(listener: (work: Promise<CallResult>) => void): void {
    (this.promisedListeners ??= []).push(listener);
  }

  /** Calls the listeners of {@link CallContext.onPromised}. */
  notifyPromised(work: Promise<CallResult>): void {
    for (const listener of this.promisedListeners ?? []) callGuarded(() => listener(work), this.#maskThrown);
  }

  /** Logs what a listener threw: it changes no result. */
  get #maskThrown(): (thrown: unknown) => void {
    return (thrown) => void this.services.mask(thrown, { tool: this.definition.name });
  }

  closeWithServer(resource: Closable): void {
    this.services.resources.add(resource, "What a middleware uses");
  }

  get isTakenOver(): boolean {
    return this.lease?.isTakenOver === true;
  }

  get tool(): ToolDefinition {
    return this.definition;
  }

  get clock(): Clock {
    return this.services.clock;
  }

  get trace(): TraceContext | undefined {
    return this.#trace ?? this.request.meta?.trace;
  }

  set trace(trace: TraceContext | undefined) {
    this.#trace = trace;
  }

  get signal(): AbortSignal {
    this.hasReadSignal ||= this.#hasHandlerStarted;
    this.lease?.undo?.markNotified();
    return this.runState.signal();
  }

  get principal(): Principal | undefined {
    return this.request.peer.principal;
  }

  get metadata(): Metadata {
    return this.request.peer.metadata;
  }

  get sessionId(): string | undefined {
    return this.request.peer.sessionId;
  }

  get session(): string | undefined {
    return this.request.peer.session;
  }

  get config(): unknown {
    return this.#runState?.config;
  }

  /** The call, which is also a function: `ctx.call(tool, input)`. Made when it is read: most runs read the call alone. */
  get call(): Call & InnerCallFunction {
    return (this.#callable ??= toCallable(this));
  }

  get requestId(): Call["peer"]["requestId"] {
    return this.request.peer.requestId;
  }

  /** Whether a continuation is the idempotency key of the call. A key of the caller goes before it: it spans all rounds of questions. */
  get isContinued(): boolean {
    const { meta } = this.request;
    if (meta?.continuation === undefined || meta.hasAskedItself || meta.idempotencyKey !== undefined) return false;
    return this.services.deferral?.joinsContinuations === true;
  }

  /** Whether the call has an idempotency key, or a continuation that is one. */
  get isKeyed(): boolean {
    return this.request.meta?.idempotencyKey !== undefined || this.isContinued;
  }

  /** Whether the result may be stored with a job, for a caller that did not receive the streamed pieces: `.promise()`, or an idempotency key. */
  get mayBeJob(): boolean {
    return this.definition.promise !== undefined || this.isKeyed;
  }

  get callId(): string {
    return (this.#callId ??= this.request.inner?.callId ?? crypto.randomUUID());
  }

  get attempt(): number {
    return this.lease?.job.attempt ?? 1;
  }

  get client(): CallingClient {
    const { supports = (kind) => kind !== "ui", ...info } = this.request.peer.client;
    return { ...info, supports };
  }

  get env(): unknown {
    return this.request.peer.host?.env;
  }

  waitUntil(work: Promise<unknown>): void {
    const logged = work.catch((thrown: unknown) => {
      this.services.mask(thrown, { tool: this.definition.name, during: "waitUntil" });
    });
    this.request.peer.host?.waitUntil(logged);
  }

  get state(): Record<string, unknown> {
    return (this.#state ??= {});
  }

  get callerState(): EncodableCallerState {
    return (this.openedCallerState ??= this.#support("callerState").openCallerState(this));
  }

  progress(done: number, total?: number, message?: string): void {
    if (typeof done !== "number") {
      throw new TypeError("Cannot report progress: write ctx.progress(done, total, message)");
    }
    if (this.#isOver || (this.sink === undefined && !this.mayBeJob && this.#runState?.isWatched !== true)) return;
    // Members one by one: spreading them costs more than sending the event.
    const progress: { -readonly [Member in keyof Progress]: Progress[Member] } = { done };
    if (total !== undefined) progress.total = total;
    // A later attempt begins again: without its number, progress that goes back looks like an error.
    const { attempt } = this;
    const described = attempt === 1 ? message : `attempt ${attempt}${message === undefined ? "" : `: ${message}`}`;
    if (described !== undefined) progress.message = described;
    this.lastProgress = progress;
    this.lease?.progress(progress);
    this.runState.progress(progress);
  }

  elicit<Content>(key: string, request: ElicitRequest<Content> | PlainElicitRequest): Promise<ElicitAnswer<Content>> {
    return this.#ask("elicit").elicit(key, request);
  }

  elicitUrl(key: string, request: UrlRequest): Promise<ElicitAnswer> {
    return this.#ask("elicitUrl").elicitUrl(key, request);
  }

  sample(key: string, request: SampleRequest): Promise<ElicitAnswer<SampleResult>> {
    return this.#ask("sample").sample(key, request);
  }

  roots(key?: string): Promise<ElicitAnswer<RootsResult>> {
    return this.#ask("roots").roots(key);
  }

  ask<const Requests extends Readonly<Record<string, QuestionSpec>>>(requests: Requests): Promise<Answers<Requests>> {
    return this.#ask("ask").ask(requests);
  }

  requestMore(more: string, options?: Omit<MoreRequest, "more">): Promise<unknown> {
    return this.#ask("requestMore").requestMore(more, options);
  }

  sleep(key: string, time: number | Date): Promise<void> {
    return this.#ask("sleep").sleep(key, time);
  }

  waitFor<Value>(key: string, schema: AnySchema<Value>, options?: WaitOptions): Promise<WaitResult<Value>> {
    return this.#ask("waitFor").waitFor(key, schema, options);
  }

  resolver(key: string, options?: WaitOptions): Promise<Resolver> {
    return this.#ask("resolver").resolver(key, options);
  }

  // Asynchronous, so that a step that cannot be stored rejects.
  async step<Value>(key: string, work: StepWork<Value>, options?: StepOptions): Promise<StepValue<Value>> {
    return await this.#ask("step").step(key, work, options);
  }

  patched(name: string): boolean {
    return this.#ask("patched").patched(name);
  }

  get logger(): Logger | undefined {
    return this.services.logger;
  }

  pending(options: PendingOptions = {}): Pending {
    const { name, external } = this.definition;
    if (external !== undefined) return new Pending(options);
    throw new TypeError(`Tool "${name}" cannot be pending: only the check of .external() can`);
  }

  log(named: LogLevel | McpOnlyLevel, data: unknown, fields?: Readonly<Record<string, unknown>>): void {
    writeHandlerLine(this.services.logger, named, data, { tool: this.definition.name, callId: this.callId, ...fields });
    if (this.sink?.log === undefined || this.#isOver || this.#runState?.isSettled === true) return;
    // Log lines are optional: one that is too large is dropped, without an error.
    const { answerChars, depth } = this.services.outputLimits;
    if (!(estimateJsonSize([data, fields], answerChars, depth) < 0)) this.sink.log(toLogLine(named, data, fields));
  }

  meta(members: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(members)) {
      if (RESERVED_META.has(name) || name.startsWith("toolwire/")) {
        throw new TypeError(`Cannot set _meta.${name}: the wire writes it; choose another name`);
      }
    }
    this.addedMeta = { ...this.addedMeta, ...members };
  }

  validate<Output>(schema: AnySchema<Output>, value: unknown): Output {
    return validateValue(schema, value, this.definition.adapters);
  }

  fail<Code extends string>(code: Code, message: string, ...[data]: [data?: unknown]): Failure<Code, never> {
    return declaredFailure(this.definition, code, message, data) as Failure<Code, never>;
  }

  get map(): RunQuestions["lists"]["map"] {
    return (...args) => this.#ask("map").lists.map(...args);
  }

  #ask(member: string): RunQuestions {
    return (this.questions ??= this.#support(member).track(this));
  }

  #support(member: string): QuestionSupport {
    const { questions } = this.services;
    if (questions !== undefined) return questions;
    throw missingKeys(`ctx.${member} in tool "${this.definition.name}"`);
  }
}

const TAKEN_OUT =
  "ask elicit elicitUrl fail log meta patched pending progress requestMore resolver roots sample sleep step validate waitFor waitUntil";
bindMethods(CallContext.prototype, TAKEN_OUT.split(" "));
