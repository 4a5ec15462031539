import type { Failure } from "../errors/failure.ts";
import type { ToolError } from "../errors/tool_error.ts";
import type { AskableKind, Call, ClientInfo, Metadata, Principal, TraceContext } from "../call/call.ts";
import type { CallEvent, CallResult, ErrorResult, LogLevel } from "../call/outcome.ts";
import type { Schema } from "../schema/standard_schema.ts";
import type { Clock } from "../../internal/time.ts";
import type { MaybePromise } from "../../internal/async.ts";
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
} from "./questions.ts";
import type { CallerState } from "./caller_state.ts";
import type { Pending, PendingOptions } from "./pending.ts";
import type { ToolAnnotations } from "../tool/definition.ts";

/** Where the server writes what callers must not see. `console` is one; so are most loggers. */
export interface Logger {
  /** For whoever debugs the server. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Ordinary events. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Something to look at. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Something broke. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Declared failures of a tool: their data by their code. */
export type ErrorMap = Readonly<Record<string, unknown>>;

/** The calling software, and what it can be asked. */
export interface CallingClient extends ClientInfo {
  /** Whether it says that it can answer questions of this kind. */
  supports(kind: AskableKind): boolean;
}

/** What any middleware may have put on `ctx.state`: nothing is known of it. */
export type OpenState = Record<string, unknown>;

/**
 * What a handler gets beside its input. Everything on it is lazy: what a handler does not touch costs nothing.
 *
 * @typeParam Errors The failures that the tool declared with `.errors()`.
 * @typeParam Config What the tool said with `.config()` that it needs.
 * @typeParam State What the tool's middleware says that it puts on `ctx.state`.
 */
export interface Ctx<Errors extends ErrorMap = ErrorMap, Config = unknown, State = OpenState> {
  /** Aborts at the deadline, when the caller has gone, and when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Who calls, if the server knows. */
  readonly principal: Principal | undefined;
  /** The request's headers or gRPC metadata. */
  readonly metadata: Metadata;
  /** The request's id on the wire; unique to its sender at best. */
  readonly requestId: string | number | undefined;
  /** Globally unique, and the same when a call is run again: the key to deduplicate side effects by. */
  readonly callId: string;
  /**
   * What the environment of the caller supplied beside the arguments, or else that of the server: what `.config()` made of it.
   * `undefined` for a tool without `.config()`. It may hold secrets.
   */
  readonly config: Config;
  /** What the caller says that several of its requests have in common. Not to be trusted, and never stored. */
  readonly sessionId: string | undefined;
  /** Which run of this call it is, from 1. */
  readonly attempt: number;
  /** The calling software, as it names itself. */
  readonly client: CallingClient;
  /** Shared by the middleware and the handler of one call. */
  readonly state: State;
  /**
   * Tells the caller how far the call has come, if the caller listens.
   *
   * @param done Units finished.
   * @param total Units in all, if that is known.
   * @param message What is being done now.
   */
  progress(done: number, total?: number, message?: string): void;
  /** Writes a line about this call to the server's logger; and to the caller, over a wire that was told to, if it asked for such lines. */
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Adds members to the result's `_meta`.
   *
   * @throws {TypeError} If a name is one that the wires use themselves, such as `response_type`.
   */
  meta(members: Readonly<Record<string, unknown>>): void;
  /** The state that the caller keeps for the server. */
  readonly callerState: CallerState;
  /**
   * Asks the caller one question.
   *
   * The first run of the handler ends here: the call's outcome is the question. Once the caller has answered, the handler runs
   * again from its start and gets the answer; so what comes before should read, not write, or be a {@link Ctx.step}. An answer
   * that does not fit the schema is asked for again.
   *
   * @param key Names the question in this call; each once in a run.
   */
  elicit<Content>(key: string, request: ElicitRequest<Content>): Promise<ElicitAnswer<Content>>;
  /** Sends the caller to a page of the web, for what must not come through it, such as a password; else as {@link Ctx.elicit}. */
  elicitUrl(key: string, request: UrlRequest): Promise<ElicitAnswer>;
  /** Asks the caller's model, on MCP; its answer comes as that of {@link Ctx.elicit} does. */
  sample(key: string, request: SampleRequest): Promise<ElicitAnswer<SampleResult>>;
  /** Asks for the folders that the caller works in, on MCP; the answer comes as that of {@link Ctx.elicit} does. */
  roots(key?: string): Promise<ElicitAnswer<RootsResult>>;
  /** Asks the caller several things at once, by key; answers come as those of {@link Ctx.elicit} do. */
  ask<const Requests extends Readonly<Record<string, QuestionSpec>>>(requests: Requests): Promise<Answers<Requests>>;
  /**
   * Asks the caller for more of something, such as credits, under the resource's name as key. Goes on only if it was granted:
   * otherwise the call ends with the failure `resource_denied`.
   *
   * @returns What the caller says of the grant.
   */
  requestMore(more: string, options?: Omit<MoreRequest, "more">): Promise<unknown>;
  /**
   * Does something once, however often the handler runs: its result (small, JSON) is kept until the call has ended.
   *
   * @param key Names the step in this call; each once in a run.
   */
  step<Value>(key: string, work: () => Value | Promise<Value>): Promise<Value>;
  /** Says that external work goes on: what the `check` of an external tool returns. */
  pending(options?: PendingOptions): Pending;
  /**
   * Checks a value that the handler got elsewhere, and gives what the schema makes of it.
   *
   * @throws {ToolError} `invalid_input`, with the issues, if it does not fit.
   * @throws {TypeError} If the schema is asynchronous.
   */
  validate<Output>(schema: Schema<unknown, Output>, value: unknown): Output;
  /**
   * Makes a declared failure: `throw ctx.fail("locked", "The record is locked", { by: "batch" })`.
   *
   * @throws {TypeError} If the code was not declared with `.errors()`, or the data does not fit its schema.
   */
  fail<Code extends keyof Errors & string>(
    code: Code,
    message: string,
    ...data: undefined extends Errors[Code] ? [data?: Errors[Code]] : [data: Errors[Code]]
  ): Failure<Code, Errors[Code]>;
}

/** What middleware can know of the tool that is called. */
export interface CalledTool {
  /** Its name. */
  readonly name: string;
  /** Its hints. */
  readonly annotations: ToolAnnotations | undefined;
  /** Whether it is one of Toolwire's own: `redeem` or `cancel`. */
  readonly isSystem: boolean;
}

/**
 * What middleware gets: all that a handler has, the call itself, and what ends or watches it.
 *
 * @typeParam Added What the middleware puts on `ctx.state`.
 */
export interface MiddlewareCtx<Added = unknown> extends Ctx<ErrorMap, unknown, Partial<Added> & OpenState> {
  /** The call as it came, before validation. */
  readonly call: Call;
  /** The tool that is called; a prompt or a resource has a name that no tool can have. */
  readonly tool: CalledTool;
  /** Where the server's time comes from. */
  readonly clock: Clock;
  /**
   * The trace that the call belongs to, as its caller said in `_meta`. Middleware may say another: what is deferred of the
   * call has that in `ctx.trace` when it is run, wherever that is.
   */
  trace: TraceContext | undefined;
  /**
   * Has `listener` see each event of the call from now on, whether or not its caller does: pieces as the handler yields them,
   * progress, the news of a promise. Events cannot be changed; what the listener throws is logged.
   */
  onEvent(listener: (event: CallEvent) => void): void;
  /** Ends the call now: `ctx.signal` aborts, and the caller gets the refusal, whatever the handler does. */
  end(refusal: ErrorResult): void;
}

/**
 * Runs around a call: `next` goes on with it, and its value is how the call ended. Whatever is returned instead takes
 * its place. What is thrown is treated as if the handler had thrown it.
 *
 * @example A user on `ctx.state`, typed for the handlers of tools that use it
 * ```ts
 * import { createServer, defineTool, type Middleware, ToolError } from "jsr:@toolwire/toolwire";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * const signedIn: Middleware<{ user: { name: string } }> = (ctx, next) => {
 *   const name = ctx.metadata.get("x-user");
 *   if (name === null) throw new ToolError("unauthenticated", "Who are you?");
 *   ctx.state.user = { name };
 *   return next();
 * };
 * const greet = defineTool("greet").describe("Greet").use(signedIn).handle((_, ctx) => `Hello, ${ctx.state.user.name}`);
 *
 * const client = testClient(createServer({ tools: [greet] }), { metadata: new Headers({ "x-user": "Ada" }) });
 * strictEqual(await client.greet(), "Hello, Ada");
 * ```
 * @typeParam Added What it puts on `ctx.state` before it goes on.
 */
export type Middleware<Added = unknown> = AroundCall<Added>["around"];

/**
 * Says what the caller is told of an error that is no {@link Failure} and no {@link ToolError}: one of these, to be treated as
 * if it had been thrown; or nothing, and the error is masked and logged.
 */
export type OnError = (error: unknown, ctx: MiddlewareCtx) => Failure | ToolError | undefined;

/** What middleware is; a method, whose parameter is not held to be the same: middleware that adds something can stand where any can. */
export interface AroundCall<Added> {
  /** The middleware. */
  around(ctx: MiddlewareCtx<Added>, next: () => MaybePromise<CallResult>): MaybePromise<CallResult>;
}

/** What several pieces of middleware put on `ctx.state`, in all. */
export type StateOf<Added extends readonly unknown[]> = Added extends readonly [infer First, ...infer Rest]
  ? First & StateOf<Rest>
  : unknown;
