/**
 * One run of a tool: what its handler gets as `ctx`, and the parts that only some runs need (signal, deadline, progress),
 * made when they are first touched.
 *
 * @module
 */
import type { Call, ClientInfo, Metadata, Principal } from "../call/call.ts";
import type { CallEvent, Progress, Refusal, Settled, Sink } from "../call/outcome.ts";
import { refuse } from "../call/outcome.ts";
import { Failure } from "../error/failure.ts";
import { ToolError } from "../error/tool_error.ts";
import type { Deadline } from "../internal/deadlines.ts";
import type { LogLevel, MiddlewareCtx } from "../tool/context.ts";
import type { ToolPlan } from "../tool/tool.ts";
import { formatIssues } from "../schema/issues.ts";
import type { DispatchHost } from "./host.ts";

/** Members of a result's `_meta` that the wires write themselves. */
const RESERVED_META: ReadonlySet<string> = new Set([
  "response_type",
  "timestamp",
  "processing_time_ms",
  "server_version",
  "promise_token",
  "expires_at",
  "ttl_ms",
  "retry_after_ms",
  "estimated_completion",
  "progress",
  "continuation",
  "requests",
  "context",
]);

/** One run; the handler's `ctx`. Four fields, because every call makes one. */
export class Run implements MiddlewareCtx {
  readonly plan: ToolPlan;
  readonly call: Call;
  readonly host: DispatchHost;
  #live: LiveRun | undefined = undefined;

  constructor(plan: ToolPlan, call: Call, host: DispatchHost, sink: Sink | undefined) {
    this.plan = plan;
    this.call = call;
    this.host = host;
    if (sink !== undefined) this.live.sink = sink;
  }

  /** The parts that only some runs need. */
  get live(): LiveRun {
    return (this.#live ??= new LiveRun(this.call));
  }

  /** Where the events go, if anywhere. */
  get sink(): Sink | undefined {
    return this.#live?.sink;
  }

  /** What `meta()` was given. */
  get addedMeta(): Readonly<Record<string, unknown>> | undefined {
    return this.#live?.meta;
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

  get requestId(): string | number | undefined {
    return this.call.peer.requestId;
  }

  get callId(): string {
    return (this.live.callId ??= crypto.randomUUID());
  }

  get attempt(): number {
    return 1;
  }

  get client(): ClientInfo {
    return this.call.peer.client;
  }

  get state(): Record<string, unknown> {
    return (this.live.state ??= {});
  }

  progress(done: number, total?: number, message?: string): void {
    const live = this.#live;
    if (live?.sink === undefined) return;
    live.progress({ done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
  }

  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void {
    try {
      this.host.logger?.[level](message, { tool: this.plan.name, callId: this.callId, ...fields });
    } catch {
      // A logger that throws must not break the call it writes about.
    }
  }

  meta(members: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(members)) {
      if (RESERVED_META.has(name)) throw new TypeError(`Cannot set _meta.${name}: the wire writes it; choose another name`);
    }
    this.live.meta = { ...this.live.meta, ...members };
  }

  fail<Code extends string>(code: Code, message: string, ...[data]: [data?: unknown]): Failure<Code, never> {
    const { errors, name } = this.plan;
    if (!errors.has(code)) {
      throw new TypeError(`Cannot fail with "${code}": declare it with .errors({ ${code}: … }) on tool "${name}"`);
    }
    const checked = errors.get(code)?.validate(data);
    if (checked instanceof Promise) throw new TypeError(`Cannot check the data of "${code}": its schema is asynchronous`);
    if (checked?.issues !== undefined) {
      const [issue] = formatIssues(checked.issues, data);
      throw new TypeError(`Cannot fail with "${code}": its data does not fit the declared schema: ${issue?.message}`);
    }
    return new Failure<Code, unknown>(code, message, data) as Failure<Code, never>;
  }
}

/** What a run has once it lives longer than a function call. */
export class LiveRun {
  readonly #call: Call;
  #controller: AbortController | undefined = undefined;
  #ended: Refusal | undefined = undefined;
  #deadline: Deadline | undefined = undefined;
  #isIdleDeadline = false;
  #host: DispatchHost | undefined = undefined;
  #resolve: ((settled: Settled) => void) | undefined = undefined;
  #pendingProgress: Progress | undefined = undefined;
  #isSinkFull = false;
  #unhook: (() => void) | undefined = undefined;
  sink: Sink | undefined = undefined;
  callId: string | undefined = undefined;
  state: Record<string, unknown> | undefined = undefined;
  meta: Readonly<Record<string, unknown>> | undefined = undefined;
  /** Called once when the run is ended from outside. */
  onEnd: (() => void) | undefined = undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Why the run was ended from outside; `undefined` while it goes on. */
  get ended(): Refusal | undefined {
    return this.#ended;
  }

  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#abort(this.#ended);
      else this.watch(this.#call.peer.signal);
    }
    return this.#controller.signal;
  }

  /** Ends the run when `leaving` aborts: the caller has gone. The first one counts. */
  watch(leaving: AbortSignal | undefined): void {
    if (leaving === undefined || this.#unhook !== undefined || this.#ended !== undefined) return;
    const leave = () => this.end(refuse("cancelled", "The caller has gone"));
    if (leaving.aborted) return leave();
    leaving.addEventListener("abort", leave, { once: true });
    this.#unhook = () => leaving.removeEventListener("abort", leave);
  }

  /** Ends the run from outside: its signal aborts and the call settles at once, whatever the handler does. */
  end(refusal: Refusal): void {
    if (this.#ended !== undefined) return;
    this.#ended = refusal;
    this.#abort(refusal);
    this.onEnd?.();
    this.#settle(refusal);
  }

  /** Settles with `running`, or with the refusal that ends the run before it. */
  guard(running: Promise<Settled>, host: DispatchHost, limitMs: number, isIdleLimit: boolean): Promise<Settled> {
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.#host = host;
    this.#isIdleDeadline = isIdleLimit;
    this.#deadline = host.deadlines.add(limitMs, () => this.end(host.overdue()));
    host.enter();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void running.then((settled) => this.#settle(settled));
    });
  }

  /** Sends one event; a returned promise resolves when there is room for the next. */
  push(event: CallEvent): void | Promise<void> {
    if (this.#ended !== undefined) return;
    if (this.#isIdleDeadline) this.#deadline?.renew();
    return this.sink?.push(event);
  }

  /** Sends progress; while the sink is full only the latest is kept. */
  progress(progress: Progress): void {
    if (this.#ended !== undefined) return;
    this.#pendingProgress = progress;
    // What cannot be written is dropped: progress is a courtesy.
    if (!this.#isSinkFull) void this.#flushProgress().catch(() => {});
  }

  async #flushProgress(): Promise<void> {
    while (this.#pendingProgress !== undefined && this.#ended === undefined) {
      const progress = this.#pendingProgress;
      this.#pendingProgress = undefined;
      const room = this.push({ kind: "progress", progress });
      if (room === undefined) continue;
      this.#isSinkFull = true;
      await room;
      this.#isSinkFull = false;
    }
  }

  #abort(refusal: Refusal): void {
    this.#controller?.abort(new ToolError(refusal.code, refusal.message));
  }

  /** Only the first to settle counts. */
  #settle(settled: Settled): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    this.#deadline?.clear();
    this.#unhook?.();
    this.#host?.leave();
    resolve(settled);
  }
}
