import type { Failure } from "../errors/failure.ts";
import type { AskableKind, ClientInfo, Metadata, Principal } from "../call/call.ts";
import type { LogLevel, Progress } from "../call/outcome.ts";
import type { Schema } from "../schema/standard_schema.ts";
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

/** What {@link Pending} says. */
export interface PendingOptions {
  /** How long the caller should wait before it asks again, in milliseconds. Default: 1,000. */
  readonly retryAfterMs?: number;
  /** How far the work has come. */
  readonly progress?: Progress;
  /** When it may be done, in milliseconds since the Unix epoch. */
  readonly estimatedMs?: number;
}

/** What the `check` of an external tool returns while the work goes on; `ctx.pending()` makes it. */
export class Pending {
  /** What is known of the work. */
  readonly options: PendingOptions;

  /** Says that the work goes on. */
  constructor(options: PendingOptions) {
    this.options = options;
  }
}

/** What handlers of prompts and resources get beside their input: all that those of tools do, but declared failures. */
export type ContentCtx = Ctx<Record<never, never>>;

/** What lists and completions get: they cannot ask, and say nothing on the way. */
export type ListingCtx = Pick<
  ContentCtx,
  "signal" | "principal" | "metadata" | "requestId" | "client" | "state" | "log" | "callerState"
>;
