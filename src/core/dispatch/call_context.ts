import type { Call, Metadata, Principal, TraceContext } from "../call/call.ts";
import type { CallEvent, CallResult, ErrorResult, LogLevel, Progress, Sink } from "../call/outcome.ts";
import { RESERVED_META } from "../call/call_meta.ts";
import type { Clock } from "../../internal/time.ts";
import { estimateJsonSize } from "../../internal/json_size.ts";
import { Failure } from "../errors/failure.ts";
import { ToolError } from "../errors/tool_error.ts";
import { digestOf } from "../token/digest.ts";
import type { AskAnswer, Memo } from "../../engine/engine.ts";
import type {
  Answers,
  ElicitAnswer,
  ElicitRequest,
  MoreRequest,
  QuestionSpec,
  RootsResult,
  SampleRequest,
  SampleResult,
  UrlRequest,
} from "../handler/questions.ts";
import { type CallingClient, Pending, type PendingOptions } from "../handler/context.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import { compileValidator } from "../schema/compile.ts";
import { formatIssues } from "../schema/issues.ts";
import type { Schema } from "../schema/standard_schema.ts";
import { Asking } from "./questions/asking.ts";
import { SignedCallerState } from "./questions/caller_state.ts";
import type { DispatchServices } from "./services.ts";
import type { JobLease } from "./promises/job_lease.ts";
import type { OpenedPromise } from "./promises/promise_tokens.ts";
import { RunState } from "./run_state.ts";
import type { MiddlewareCtx } from "../handler/middleware.ts";

/** One run; the handler's `ctx`. Every call makes one, so that what only some runs need is made when they do. */
export class CallContext implements MiddlewareCtx {
  readonly definition: ToolDefinition;
  readonly call: Call;
  readonly services: DispatchServices;
  readonly sink: Sink | undefined;
  /** What `meta()` was given. */
  addedMeta: Readonly<Record<string, unknown>> | undefined = undefined;
  /** What the run is of, if it is a job's. */
  lease: JobLease | undefined = undefined;
  /** Resolves when the run's job has been written; `undefined` until that begins. */
  written: Promise<boolean> | undefined = undefined;
  /** What is asked, and was; made when the handler asks, or the call goes on. */
  asking: Asking | undefined = undefined;
  /** The state that the caller keeps; made when the handler looks. */
  signedContext: SignedCallerState | undefined = undefined;
  /** The promise that is redeemed by running its tool's `check`. */
  redeemed: OpenedPromise | undefined = undefined;
  /** How far the handler says it is. */
  lastProgress: Progress | undefined = undefined;
  #live: RunState | undefined = undefined;
  #isOver = false;
  #hasBegun = false;
  #onBegun: (() => void) | undefined = undefined;
  #callId: string | undefined = undefined;
  #state: Record<string, unknown> | undefined = undefined;
  #trace: TraceContext | undefined = undefined;

  constructor(plan: ToolDefinition, call: Call, host: DispatchServices, sink: Sink | undefined) {
    this.definition = plan;
    this.call = call;
    this.services = host;
    this.sink = sink;
  }

  /** Another run within the same call: of the tool that a promise is redeemed of. */
  within(plan: ToolDefinition, callId: string): CallContext {
    const inner = new CallContext(plan, { ...this.call, tool: plan.name }, this.services, this.sink);
    inner.#live = this.live;
    inner.#callId = callId;
    return inner;
  }

  /** Goes on from earlier runs of the same call. */
  resume(callId: string, memo: Memo): void {
    this.#callId = callId;
    this.asking = this.#newAsking(memo);
  }

  /** The parts that only some runs need. */
  get live(): RunState {
    return (this.#live ??= new RunState(this.call, this.sink));
  }

  /** Whether the run was ended from outside, and with what. */
  get ended(): ErrorResult | undefined {
    return this.#live?.ended;
  }

  /** The handler is called now. */
  begin(): void {
    this.#hasBegun = true;
    this.#onBegun?.();
  }

  /** Calls `then` once the handler has been called. */
  whenBegun(then: () => void): void {
    if (this.#hasBegun) then();
    else this.#onBegun = then;
  }

  /** Settles a run that never waited. */
  settle(settled: CallResult): CallResult {
    this.#isOver = true;
    if (this.#live === undefined) return settled;
    this.#live.settle(settled);
    return this.#live.ended ?? settled;
  }

  end(refusal: ErrorResult): void {
    this.live.end(refusal);
  }

  onEvent(listener: (event: CallEvent) => void): void {
    this.live.listen((event) => {
      try {
        listener(event);
      } catch (thrown) {
        this.services.mask(thrown, { tool: this.definition.name });
      }
    });
  }

  get tool(): ToolDefinition {
    return this.definition;
  }

  get clock(): Clock {
    return this.services.clock;
  }

  get trace(): TraceContext | undefined {
    return this.#trace ?? this.call.meta?.trace;
  }

  set trace(trace: TraceContext | undefined) {
    this.#trace = trace;
  }

  get signal(): AbortSignal {
    return this.live.signal();
  }

  get principal(): Principal | undefined {
    return this.call.peer.principal;
  }

  get metadata(): Metadata {
    return this.call.peer.metadata;
  }

  get sessionId(): string | undefined {
    return this.call.peer.sessionId;
  }

  get config(): unknown {
    return this.#live?.config;
  }

  /** The config has been checked; it is no member that a log line of the context would show. */
  configure(config: unknown): void {
    this.live.config = config;
  }

  get requestId(): string | number | undefined {
    return this.call.peer.requestId;
  }

  /** Id of who calls; `""` for nobody in particular. */
  get principalId(): string {
    return this.call.peer.principal?.id ?? "";
  }

  /** Whether the call was named by an idempotency key. */
  get isKeyed(): boolean {
    return this.call.meta?.idempotencyKey !== undefined;
  }

  /** Whether its answer may be given to someone who did not see its pieces. */
  get mayBeJob(): boolean {
    return this.definition.promise !== undefined || this.isKeyed;
  }

  /** What the call is, whichever way its arguments were spelled: with another config it is another call. */
  get digest(): string {
    const { args, config } = this.call;
    return digestOf(this.definition.name, config === undefined ? args : { args, config: config.reveal() });
  }

  get callId(): string {
    return (this.#callId ??= crypto.randomUUID());
  }

  get attempt(): number {
    return this.lease?.job.attempt ?? 1;
  }

  get client(): CallingClient {
    const { supports = () => true, ...info } = this.call.peer.client;
    return { ...info, supports };
  }

  get state(): Record<string, unknown> {
    return (this.#state ??= {});
  }

  get callerState(): SignedCallerState {
    return (this.signedContext ??= new SignedCallerState(this));
  }

  progress(done: number, total?: number, message?: string): void {
    if (this.#isOver || (this.sink === undefined && !this.mayBeJob && this.#live?.isWatched !== true)) return;
    // Members one by one: spreading them costs more than sending the event.
    const progress: { -readonly [Member in keyof Progress]: Progress[Member] } = { done };
    if (total !== undefined) progress.total = total;
    if (message !== undefined) progress.message = message;
    this.lastProgress = progress;
    this.lease?.progress(progress);
    this.live.progress(progress);
  }

  elicit<Content>(key: string, request: ElicitRequest<Content>): Promise<ElicitAnswer<Content>> {
    return this.#askOne(key, request);
  }

  elicitUrl(key: string, request: UrlRequest): Promise<ElicitAnswer> {
    return this.#askOne(key, request);
  }

  sample(key: string, request: SampleRequest): Promise<ElicitAnswer<SampleResult>> {
    return this.#askOne(key, request);
  }

  roots(key: string = "roots"): Promise<ElicitAnswer<RootsResult>> {
    return this.#askOne(key, { roots: true });
  }

  ask<const Requests extends Readonly<Record<string, QuestionSpec>>>(requests: Requests): Promise<Answers<Requests>> {
    return this.#ask(requests, (answers) => answers as Answers<Requests>);
  }

  requestMore(more: string, options?: Omit<MoreRequest, "more">): Promise<unknown> {
    return this.#ask({ [more]: { ...options, more } }, ({ [more]: answer }) => {
      if (answer?.action === "accept") return answer.content;
      throw new Failure("resource_denied", `The caller gave no more ${more}`, { resource: more });
    });
  }

  async step<Value>(key: string, work: () => Value | Promise<Value>): Promise<Value> {
    this.asking ??= this.#newAsking();
    return await this.asking.step(key, work) as Value;
  }

  pending(options: PendingOptions = {}): Pending {
    const { name, external } = this.definition;
    if (external === undefined) {
      throw new TypeError(`Tool "${name}" cannot be pending: only the check of .external() can`);
    }
    return new Pending(options);
  }

  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void {
    try {
      this.services.logger?.[level](message, { tool: this.definition.name, callId: this.callId, ...fields });
    } catch {
      // A logger that throws must not break the call it writes about.
    }
    if (this.sink?.log === undefined || this.#isOver || this.#live?.isSettled === true) return;
    // What is said on the way is a courtesy: it is not worth a refusal.
    const { answerChars, depth } = this.services.answerLimits;
    if (estimateJsonSize(fields, answerChars, depth) >= 0) this.sink.log({ level, message, fields });
  }

  meta(members: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(members)) {
      if (RESERVED_META.has(name)) {
        throw new TypeError(`Cannot set _meta.${name}: the wire writes it; choose another name`);
      }
    }
    this.addedMeta = { ...this.addedMeta, ...members };
  }

  validate<Output>(schema: Schema<unknown, Output>, value: unknown): Output {
    const checked = compileValidator(schema, "The schema")(value);
    if (checked instanceof Promise) throw new TypeError("Cannot validate: the schema is asynchronous");
    if (checked.issues === undefined) return checked.value as Output;
    const issues = formatIssues(checked.issues, value);
    throw new ToolError("invalid_input", `Invalid value: ${issues[0]?.message}`, { details: { issues } });
  }

  #askOne<Content>(key: string, request: QuestionSpec): Promise<ElicitAnswer<Content>> {
    return this.#ask({ [key]: request }, (answers) => answers[key] as ElicitAnswer<Content>);
  }

  #ask<Value>(
    requests: Readonly<Record<string, QuestionSpec>>,
    read: (answers: Readonly<Record<string, AskAnswer>>) => Value,
  ): Promise<Value> {
    if (this.definition.external !== undefined) {
      throw new TypeError(
        `Tool "${this.definition.name}" cannot ask: its work goes on elsewhere, and is not run again`,
      );
    }
    this.asking ??= this.#newAsking();
    const answer = this.asking.ask(requests).then(read);
    // Nobody may await it, and a rejection that nobody sees ends the process.
    answer.catch(() => {});
    return answer;
  }

  #newAsking(memo?: Memo): Asking {
    return new Asking(memo, this.definition.adapters, (key, value) => this.lease?.saveStep(key, value));
  }

  fail<Code extends string>(code: Code, message: string, ...[data]: [data?: unknown]): Failure<Code, never> {
    const { errors, name } = this.definition;
    if (!errors.has(code)) {
      throw new TypeError(`Cannot fail with "${code}": declare it with .errors({ ${code}: … }) on tool "${name}"`);
    }
    const checked = errors.get(code)?.validate(data);
    if (checked instanceof Promise) {
      throw new TypeError(`Cannot check the data of "${code}": its schema is asynchronous`);
    }
    if (checked?.issues !== undefined) {
      const [issue] = formatIssues(checked.issues, data);
      throw new TypeError(`Cannot fail with "${code}": its data does not fit the declared schema: ${issue?.message}`);
    }
    return new Failure<Code, unknown>(code, message, data) as Failure<Code, never>;
  }
}
