import type { Call, Metadata, Principal, TraceContext } from "../call/call.ts";
import type { CallEvent, LogLevel, Progress, Refusal, Settled, Sink } from "../call/outcome.ts";
import { RESERVED_META } from "../call/reserved_meta.ts";
import type { Clock } from "../internal/clock.ts";
import { weigh } from "../internal/weight.ts";
import { Failure } from "../error/failure.ts";
import { ToolError } from "../error/tool_error.ts";
import { digestOf } from "../token/digest.ts";
import type { AskAnswer, Memo } from "../engine/engine.ts";
import type {
  Answers,
  AskedFor,
  ElicitAnswer,
  ElicitRequest,
  ResourceRequest,
  RootsResult,
  SampleRequest,
  SampleResult,
  UrlRequest,
} from "../tool/asks.ts";
import type { CallingClient, MiddlewareCtx } from "../tool/context.ts";
import { Pending, type PendingOptions } from "../tool/pending.ts";
import type { ToolPlan } from "../tool/tool.ts";
import { compileValidator } from "../schema/compile.ts";
import { formatIssues } from "../schema/issues.ts";
import type { Schema } from "../schema/schema.ts";
import { Asking } from "./asking.ts";
import { SignedContext } from "./caller_context.ts";
import type { DispatchHost } from "./host.ts";
import type { Lease } from "./lease.ts";
import type { OpenedPromise } from "./promises.ts";
import { LiveRun } from "./live_run.ts";

/** One run; the handler's `ctx`. Every call makes one, so that what only some runs need is made when they do. */
export class Run implements MiddlewareCtx {
  readonly plan: ToolPlan;
  readonly call: Call;
  readonly host: DispatchHost;
  readonly sink: Sink | undefined;
  /** What `meta()` was given. */
  addedMeta: Readonly<Record<string, unknown>> | undefined = undefined;
  /** What the run is of, if it is a job's. */
  lease: Lease | undefined = undefined;
  /** Resolves when the run's job has been written; `undefined` until that begins. */
  written: Promise<boolean> | undefined = undefined;
  /** What is asked, and was; made when the handler asks, or the call goes on. */
  asking: Asking | undefined = undefined;
  /** The state that the caller keeps; made when the handler looks. */
  signedContext: SignedContext | undefined = undefined;
  /** The promise that is redeemed by running its tool's `check`. */
  redeemed: OpenedPromise | undefined = undefined;
  /** How far the handler says it is. */
  lastProgress: Progress | undefined = undefined;
  #live: LiveRun | undefined = undefined;
  #isOver = false;
  #hasBegun = false;
  #onBegun: (() => void) | undefined = undefined;
  #callId: string | undefined = undefined;
  #state: Record<string, unknown> | undefined = undefined;
  #trace: TraceContext | undefined = undefined;

  constructor(plan: ToolPlan, call: Call, host: DispatchHost, sink: Sink | undefined) {
    this.plan = plan;
    this.call = call;
    this.host = host;
    this.sink = sink;
  }

  /** Another run within the same call: of the tool that a promise is redeemed of. */
  within(plan: ToolPlan, callId: string): Run {
    const inner = new Run(plan, { ...this.call, tool: plan.name }, this.host, this.sink);
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
  get live(): LiveRun {
    return (this.#live ??= new LiveRun(this.call, this.sink));
  }

  /** Whether the run was ended from outside, and with what. */
  get ended(): Refusal | undefined {
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
  settle(settled: Settled): Settled {
    this.#isOver = true;
    if (this.#live === undefined) return settled;
    this.#live.settle(settled);
    return this.#live.ended ?? settled;
  }

  end(refusal: Refusal): void {
    this.live.end(refusal);
  }

  onEvent(listener: (event: CallEvent) => void): void {
    this.live.listen((event) => {
      try {
        listener(event);
      } catch (thrown) {
        this.host.mask(thrown, { tool: this.plan.name });
      }
    });
  }

  get tool(): ToolPlan {
    return this.plan;
  }

  get clock(): Clock {
    return this.host.clock;
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
    return this.plan.promise !== undefined || this.isKeyed;
  }

  /** What the call is, whichever way its arguments were spelled: with another config it is another call. */
  get digest(): string {
    const { args, config } = this.call;
    return digestOf(this.plan.name, config === undefined ? args : { args, config: config.reveal() });
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

  get context(): SignedContext {
    return (this.signedContext ??= new SignedContext(this));
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

  ask<const Requests extends Readonly<Record<string, AskedFor>>>(requests: Requests): Promise<Answers<Requests>> {
    return this.#ask(requests, (answers) => answers as Answers<Requests>);
  }

  requireResource(resource: string, options?: Omit<ResourceRequest, "resource">): Promise<unknown> {
    return this.#ask({ [resource]: { ...options, resource } }, ({ [resource]: answer }) => {
      if (answer?.action === "accept") return answer.content;
      throw new Failure("resource_denied", `The caller gave no more ${resource}`, { resource });
    });
  }

  async step<Value>(key: string, work: () => Value | Promise<Value>): Promise<Value> {
    this.asking ??= this.#newAsking();
    return await this.asking.step(key, work) as Value;
  }

  pending(options: PendingOptions = {}): Pending {
    const { name, external } = this.plan;
    if (external === undefined) {
      throw new TypeError(`Tool "${name}" cannot be pending: only the check of .external() can`);
    }
    return new Pending(options);
  }

  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void {
    try {
      this.host.logger?.[level](message, { tool: this.plan.name, callId: this.callId, ...fields });
    } catch {
      // A logger that throws must not break the call it writes about.
    }
    if (this.sink?.log === undefined || this.#isOver || this.#live?.isSettled === true) return;
    // What is said on the way is a courtesy: it is not worth a refusal.
    const { answerChars, depth } = this.host.answerLimits;
    if (weigh(fields, answerChars, depth) >= 0) this.sink.log({ level, message, fields });
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

  #askOne<Content>(key: string, request: AskedFor): Promise<ElicitAnswer<Content>> {
    return this.#ask({ [key]: request }, (answers) => answers[key] as ElicitAnswer<Content>);
  }

  #ask<Value>(
    requests: Readonly<Record<string, AskedFor>>,
    read: (answers: Readonly<Record<string, AskAnswer>>) => Value,
  ): Promise<Value> {
    if (this.plan.external !== undefined) {
      throw new TypeError(`Tool "${this.plan.name}" cannot ask: its work goes on elsewhere, and is not run again`);
    }
    this.asking ??= this.#newAsking();
    const answer = this.asking.ask(requests).then(read);
    // Nobody may await it, and a rejection that nobody sees ends the process.
    answer.catch(() => {});
    return answer;
  }

  #newAsking(memo?: Memo): Asking {
    return new Asking(memo, this.plan.adapters, (key, value) => this.lease?.saveStep(key, value));
  }

  fail<Code extends string>(code: Code, message: string, ...[data]: [data?: unknown]): Failure<Code, never> {
    const { errors, name } = this.plan;
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
