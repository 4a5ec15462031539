import type { Call, ClientInfo, Metadata, Principal } from "../call/call.ts";
import type { Settled, Sink } from "../call/outcome.ts";
import { RESERVED_META } from "../call/reserved_meta.ts";
import { Failure } from "../error/failure.ts";
import { ToolError } from "../error/tool_error.ts";
import type { LogLevel, MiddlewareCtx } from "../tool/context.ts";
import type { ToolPlan } from "../tool/tool.ts";
import { compileValidator } from "../schema/compile.ts";
import { formatIssues } from "../schema/issues.ts";
import type { Schema } from "../schema/schema.ts";
import type { DispatchHost } from "./host.ts";
import { LiveRun } from "./live_run.ts";

/** One run; the handler's `ctx`. Few fields, because every call makes one; what else a run may need is made when it does. */
export class Run implements MiddlewareCtx {
  readonly plan: ToolPlan;
  readonly call: Call;
  readonly host: DispatchHost;
  readonly sink: Sink | undefined;
  /** What `meta()` was given. */
  addedMeta: Readonly<Record<string, unknown>> | undefined = undefined;
  #live: LiveRun | undefined = undefined;
  #isOver = false;
  #callId: string | undefined = undefined;
  #state: Record<string, unknown> | undefined = undefined;

  constructor(plan: ToolPlan, call: Call, host: DispatchHost, sink: Sink | undefined) {
    this.plan = plan;
    this.call = call;
    this.host = host;
    this.sink = sink;
  }

  /** The parts that only some runs need. */
  get live(): LiveRun {
    return (this.#live ??= new LiveRun(this.call, this.sink));
  }

  /** Settles a run that never waited. */
  settle(settled: Settled): Settled {
    this.#isOver = true;
    this.#live?.settle(settled);
    return settled;
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
    return (this.#callId ??= crypto.randomUUID());
  }

  get attempt(): number {
    return 1;
  }

  get client(): ClientInfo {
    return this.call.peer.client;
  }

  get state(): Record<string, unknown> {
    return (this.#state ??= {});
  }

  progress(done: number, total?: number, message?: string): void {
    if (this.sink === undefined || this.#isOver) return;
    this.live.progress({ done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
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
