import type { Call, ClientInfo, Metadata, Principal } from "../call/call.ts";
import type { Sink } from "../call/outcome.ts";
import { Failure } from "../error/failure.ts";
import type { LogLevel, MiddlewareCtx } from "../tool/context.ts";
import type { ToolPlan } from "../tool/tool.ts";
import { formatIssues } from "../schema/issues.ts";
import type { DispatchHost } from "./host.ts";
import { LiveRun } from "./live_run.ts";

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
