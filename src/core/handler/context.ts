import type { Failure } from "../errors/failure.ts";
import type { AskableKind, ClientInfo, Metadata, Principal } from "../call/call.ts";
import type { LogLevel, McpOnlyLevel, Progress } from "../call/outcome.ts";
import type { PlainSchema, PlainValue } from "../schema/plain_schema.ts";
import type { Schema } from "../schema/standard_schema.ts";
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
} from "./questions.ts";
import type { CallerState } from "./caller_state.ts";
import type { StepOptions, StepValue, StepWork } from "./steps.ts";
import type { InnerCallFunction, MapOptions } from "./inner_calls.ts";
import type { Resolver, WaitOptions, WaitResult } from "./waits.ts";

/** Logger of the server. Its lines are not sent to callers. `console` and most logging libraries are compatible. */
export interface Logger {
  /** Debugging information. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Normal events. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Conditions that need attention. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Errors. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Types of the data of a tool's declared failures, by code, as `.errors()` infers them from its schemas. */
export type ErrorMap = Readonly<Record<string, unknown>>;

/** The calling software and its capabilities. */
export interface CallingClient extends ClientInfo {
  /**
   * Whether it declares support for questions of this kind. `"ui"`: whether it declares MCP Apps, so that it shows the view of the tool.
   * On MCP `false` if its capabilities are unknown. On wires without declarations `true` for questions, `false` for `"ui"`.
   */
  supports(kind: AskableKind | "ui"): boolean;
}

/** Untyped `ctx.state`: middleware may have added any member. */
export type OpenState = Record<string, unknown>;

/**
 * What the program around a server gives to handlers, as a type of `defineTool.for<…>()`. It is not checked: what the program gives is
 * what it states.
 */
export interface ToolHost {
  /** Type of `ctx.env`: on Workers the bindings. */
  readonly env?: unknown;
  /** Type of `ctx.principal`, with `| undefined` where callers may be anonymous. */
  readonly principal?: Principal<object> | undefined;
}

/** Part of the type of `ctx.state` that has the types of `defineTool.for<…>()`. */
export interface Hosted<Host extends ToolHost> {
  /** Types only. */
  readonly "~host"?: Host;
}

/** The types of `defineTool.for<…>()`, or `unknown`. */
export type HostOf<State> = State extends { readonly "~host"?: infer Host } ? Exclude<Host, undefined> : unknown;

/** Type of `ctx.env`. */
export type EnvOf<Host> = Host extends { readonly env: infer Env } ? Env : unknown;

/** Type of `ctx.principal`. */
export type PrincipalOf<Host> = Host extends { readonly principal: infer Caller } ? Caller : Principal | undefined;

/** The second argument of the handler of a tool. */
export type ToolCtx<Errors extends ErrorMap, Config, State> = Ctx<Errors, Config, State, HostOf<State>>;

/**
 * The second argument of a handler. Members are lazy: unused ones have no cost.
 *
 * @typeParam Errors Failures declared with `.errors()`.
 * @typeParam Config Configuration declared with `.config()`.
 * @typeParam State Members that the tool's middleware adds to `ctx.state`.
 * @typeParam Host Types of `ctx.env` and `ctx.principal`, as `defineTool.for<…>()` declares them.
 */
export interface Ctx<Errors extends ErrorMap = ErrorMap, Config = unknown, State = OpenState, Host = unknown> {
  /** Aborts at the deadline, when the call is cancelled, and when the caller disconnects, unless the call has become a job. */
  readonly signal: AbortSignal;
  /** The authenticated caller, if there is one. */
  readonly principal: PrincipalOf<Host>;
  /** The request's headers or gRPC metadata. */
  readonly metadata: Metadata;
  /** Request id on the wire. It is unique for one sender at most. */
  readonly requestId: string | number | undefined;
  /** Globally unique id of the call. It stays the same if the call runs again, so it can deduplicate side effects. */
  readonly callId: string;
  /**
   * Configuration from the caller's environment, else that of the server, validated by the schema of `.config()`.
   * `undefined` for a tool without `.config()`. It may contain secrets.
   */
  readonly config: Config;
  /**
   * Id with which the caller groups its requests: of its MCP session, if the server has sessions, or as a Webtools caller sends it.
   * It authenticates no one: the client keeps it, and may share it or begin another session at any time. With `auth`, a session
   * is usable only by the principal that began it.
   */
  readonly sessionId: string | undefined;
  /**
   * Id of the session that the server has begun and has found for this request, as with `mcpSessions()`. No caller can choose it, so it may
   * be a key of what the server keeps for the session. `undefined` on other wires and without sessions.
   */
  readonly session: string | undefined;
  /** Number of this attempt of a job, starting at 1. Runs that stopped at a question or a wait do not count. 1 for a call that is not a job. */
  readonly attempt: number;
  /** The calling software, as it describes itself. */
  readonly client: CallingClient;
  /**
   * The second argument of `server.fetch(request, env, ctx)`: on Workers the bindings. Its type is that of
   * `defineTool.for<{ env: Env }>()`. `undefined` if the runtime passes none, on transports without `fetch` (memory, stdio, native
   * gRPC), and in runs that a worker starts: of jobs that were resumed, and of schedules.
   */
  readonly env: EnvOf<Host>;
  /**
   * Continues with work after the response. On Workers the request stays alive for it, up to the limit of the host; elsewhere it
   * runs on by itself. A rejection is logged.
   */
  waitUntil(work: Promise<unknown>): void;
  /** State shared by the middleware and the handler of one call. */
  readonly state: State;
  /**
   * Reports progress to the caller, if it listens.
   *
   * @param done Completed units.
   * @param total Total units, if known.
   * @param message Description of the current step.
   */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Logs a line about this call to the server's logger. The line is also sent to the caller if it asked for log lines
   * and the wire is configured to send them. Levels of MCP reach callers over MCP as they are; the server's logger gets `"notice"` as
   * `"info"`, `"warning"` as `"warn"`, and the more severe ones as `"error"`.
   *
   * @param data Message, or data of any form, which the caller gets as it is.
   * @param fields Structured fields. A text as `logger` names the logger for the caller; without it that is the tool's name.
   */
  log(level: LogLevel | McpOnlyLevel, data: unknown, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Adds members to the `_meta` of the result, if that is an answer or a failure.
   *
   * @throws {TypeError} If a name is reserved for wires, such as `response_type`, or begins with `toolwire/`.
   */
  meta(members: Readonly<Record<string, unknown>>): void;
  /** Values that the caller stores for the server, by slots of `defineCallerState`. */
  readonly callerState: CallerState;
  /**
   * Asks the caller a question.
   *
   * The first run of the handler ends here, and the call's outcome is the question. When the caller has answered, the
   * handler runs again from its start and receives the answer. **Effects before this line happen twice**: code before it
   * should only read, or be a {@link Ctx.step}, such as `await ctx.step("charge", () => charge(card))`. A question is repeated if its answer does not match the schema, up to `attempts` (3) times.
   *
   * With an engine, the same answer sent again joins the call that it continued. Without one, the handler runs again each time.
   *
   * @param key Name of the question, unique in a run.
   */
  elicit<Content>(key: string, request: ElicitRequest<Content>): Promise<ElicitAnswer<Content>>;
  /** Asks the caller a question whose answer has a plain JSON Schema, or a schema of TypeBox. */
  elicit<const Plain extends PlainSchema>(
    key: string,
    request: PlainElicitRequest<Plain>,
  ): Promise<ElicitAnswer<PlainValue<Plain>>>;
  /**
   * Asks the caller to open a web page, for input that must not pass through the caller, such as a password. Otherwise
   * like {@link Ctx.elicit}.
   */
  elicitUrl(key: string, request: UrlRequest): Promise<ElicitAnswer>;
  /** Requests a sample of the caller's model, on MCP. Otherwise like {@link Ctx.elicit}. */
  sample(key: string, request: SampleRequest): Promise<ElicitAnswer<SampleResult>>;
  /** Requests the folders that the caller works in, on MCP. Otherwise like {@link Ctx.elicit}. Default of `key`: `roots`. */
  roots(key?: string): Promise<ElicitAnswer<RootsResult>>;
  /** Asks the caller several questions at once, by key. Otherwise like {@link Ctx.elicit}. */
  ask<const Requests extends Readonly<Record<string, QuestionSpec>>>(requests: Requests): Promise<Answers<Requests>>;
  /**
   * Asks the caller for more of something, such as credits. Continues only if the request is granted; otherwise the
   * call ends with the failure `resource_denied`. The name is also the key of the question.
   *
   * @returns Content of the grant.
   */
  requestMore(more: string, options?: Omit<MoreRequest, "more">): Promise<unknown>;
  /**
   * Runs `work`, and keeps its result (small, JSON) for the later runs of the handler, until the call ends. Work that throws is tried
   * again, as often as the tool has `retries`, or `options.retries`; then the step has failed finally, which is kept as well, so that each
   * later run throws the same error: its name, message and JSON members. `work` runs again if the process ended before its outcome was
   * stored, even after the effect of `work`: an effect that must not happen twice needs an idempotency key, such as {@link Ctx.callId}.
   * The outcome outlives the process only if the call is a job: with `.promise({ durable: "start" })` from its start, with `.promise()`
   * alone from its budget, or from the first sleep or wait, on.
   * On a server without an engine a caller can also replay its continuation, and the steps after the last question run each time.
   *
   * @param key Name of the step, unique in a run.
   * @param work Gets the number of the try, and a signal that aborts at `timeoutMs`.
   */
  step<Value>(key: string, work: StepWork<Value>, options?: StepOptions): Promise<StepValue<Value>>;
  /**
   * Whether a changed handler takes its new way: `if (ctx.patched("insurance")) await ctx.step("insure", insure)`. It is `false` for work
   * that had recorded steps behind this line when it was not there yet, and `true` for all other work, in each later run too.
   *
   * @param name Name of the change.
   */
  patched(name: string): boolean;
  /**
   * Calls another tool of the same server, for the caller of this one: with its rights, through middleware, validation and limits. In a tool
   * with `.promise()` the result is kept as that of a step, and a call that is promised is awaited without a worker. What the tool asks, the
   * caller of this one is asked. The call ends with this one.
   *
   * `ctx.call(tool, input, options?)` returns the answer, and rejects with the failure of the tool, or with the error of the call.
   */
  readonly call: InnerCallFunction;
  /**
   * Does work for each item of a list, a bounded number at once, and keeps the result of each item as that of a step, so that a later run
   * does not repeat it. After the first error no further item begins.
   *
   * @param key Name of the list, unique in a run.
   * @param work Returns JSON. It may use {@link Ctx.call}, and steps and waits with their own keys.
   * @returns The results, in the order of the items.
   */
  map<Item, Value>(
    key: string,
    items: readonly Item[],
    options: MapOptions<Item>,
    work: (item: Item, index: number) => Value | Promise<Value>,
  ): Promise<StepValue<Value>[]>;
  /**
   * Sleeps, for a tool with `.promise()`. Above a second the run ends here, its caller has a promise, and nothing is kept in
   * memory; when the time has come, the handler runs again from its start, in any process, and comes past this line. The time is
   * fixed when the first run comes here. Code before this line should therefore only read, or be a {@link Ctx.step}.
   *
   * @param key Name of the sleep, unique in a run.
   * @param time Milliseconds, or a date.
   * @throws {TypeError} If the tool has no `.promise()`, or the key was used before in this run.
   * @throws {RangeError} If the time is invalid, or later than the end of the promise.
   */
  sleep(key: string, time: number | Date): Promise<void>;
  /**
   * Waits for a value of another service or of a person, which has the token of {@link Ctx.resolver} with the same key. The run
   * ends here as with {@link Ctx.sleep}. The first value counts, also one that came before the handler was here. A value that does
   * not match the schema is logged, and the wait stays open.
   *
   * @param key Name of the wait, unique in a run.
   * @throws {TypeError} If the tool has no `.promise()`, the key was used before in this run, or the schema has no JSON Schema.
   * @throws {RangeError} If the wait would end after the promise.
   */
  waitFor<Value>(key: string, schema: Schema<unknown, Value>, options?: WaitOptions): Promise<WaitResult<Value>>;
  /** Waits for a value with a plain JSON Schema, or a schema of TypeBox. */
  waitFor<const Plain extends PlainSchema>(
    key: string,
    schema: Plain,
    options?: WaitOptions,
  ): Promise<WaitResult<PlainValue<Plain>>>;
  /**
   * Makes the token that resolves the wait of this key, before any other party learns of it. The call becomes a job at once, and
   * its caller gets the promise. It is the same token in each run.
   *
   * @param key Name of the wait.
   * @throws {TypeError} If the tool has no `.promise()`, or the key was used before in this run.
   * @throws {RangeError} If the wait would end after the promise, or the key has more than about 200 characters.
   */
  resolver(key: string, options?: WaitOptions): Promise<Resolver>;
  /** Reports that external work is still running: the return value for `check` of `.external()`. Throws a `TypeError` in other tools. */
  pending(options?: PendingOptions): Pending;
  /**
   * Validates a value from another source and returns the schema's output.
   *
   * @throws {ToolError} `invalid_input`, with the issues, if the value does not match.
   * @throws {TypeError} If the schema is asynchronous.
   */
  validate<Output>(schema: Schema<unknown, Output>, value: unknown): Output;
  /** Validates a value by plain JSON Schema, or a schema of TypeBox, and returns it. */
  validate<const Plain extends PlainSchema>(schema: Plain, value: unknown): PlainValue<Plain>;
  /**
   * Creates a declared failure: `throw ctx.fail("locked", "The record is locked", { by: "batch" })`.
   *
   * @throws {TypeError} If the code was not declared with `.errors()`, or the data does not match its schema.
   */
  fail<Code extends keyof Errors & string>(
    code: Code,
    message: string,
    ...data: undefined extends Errors[Code] ? [data?: Errors[Code]] : [data: Errors[Code]]
  ): Failure<Code, Errors[Code]>;
}

/** Options of {@link Pending}. */
export interface PendingOptions {
  /** Delay before the caller should ask again, in milliseconds. Default: 1,000. */
  readonly retryAfterMs?: number | undefined;
  /** Progress of the work. */
  readonly progress?: Progress | undefined;
  /** Estimated time of completion, in milliseconds since the Unix epoch. */
  readonly estimatedMs?: number | undefined;
}

/** What `check` of an external tool returns while its work is running, created by `ctx.pending()`: the caller gets its promise again. */
export class Pending {
  /** State of the work. */
  readonly options: PendingOptions;

  /** Creates the state of work that is still running. */
  constructor(options: PendingOptions) {
    this.options = options;
  }
}

/** The second argument of handlers of prompts and readers of resources. They cannot declare failures. */
export type ContentCtx = Ctx<Record<never, never>>;

/** The second argument of functions that list resources or complete arguments. They cannot ask questions or report progress. */
export type ListingCtx = Pick<
  ContentCtx,
  "signal" | "principal" | "metadata" | "requestId" | "client" | "state" | "log" | "callerState"
>;
