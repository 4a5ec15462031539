/**
 * The types of a client, read from those of its server: one key lookup a tool, nothing inferred anew.
 *
 * @module
 */
import type {
  AnswerOutcome,
  FailureOutcome,
  Progress,
  PromiseOutcome,
  Question,
  QuestionsResult,
  UnknownOutcome,
} from "../core/call/outcome.ts";
import type { Failure } from "../core/errors/failure.ts";
import type { MaybePromise } from "../internal/async.ts";
import type { ElicitAnswer } from "../core/handler/questions.ts";
import type { AnyTool, ToolTypes } from "../core/tool/definition.ts";
import type { ListedTool } from "../core/call/transport.ts";

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long the call may take in all, retries included, in milliseconds; the server is told. Default: the client's. */
  readonly timeoutMs?: number;
  /** How long the wire may be quiet, in milliseconds. Default: the client's. */
  readonly idleTimeoutMs?: number;
  /** Told how far the call has come; the call is then streamed. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Names the call: repeats with the same key, of the same principal and with the same arguments, are one call. The client may
   * then retry by itself.
   */
  readonly idempotencyKey?: string;
  /** Members of the request's `_meta`, with their names on the wire. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A streamed call: iterate it, once, for the pieces; leaving the loop early aborts the call. */
export interface ToolStream<Partial, Output> extends AsyncIterable<Partial> {
  /** The whole answer. Rejects as a plain call does. If the handler returned nothing, it is the pieces, joined. */
  readonly result: Promise<Output>;
}

/** A question of a tool. */
export interface ToolQuestion extends Question {
  /** Names it in its call. */
  readonly key: string;
  /** Name of the tool that was called. */
  readonly tool: string;
}

/** What is said to a question. */
export interface QuestionAnswer {
  /** Whether what is asked for is given; if not, for good or for now. */
  readonly action: ElicitAnswer["action"];
  /** What is given. Has to fit the question's schema, or it is asked again. */
  readonly content?: unknown;
}

/** Answers a question. */
export type AnswerQuestion = (question: ToolQuestion) => MaybePromise<QuestionAnswer>;

/** Options of what is done with a promise. */
export type RedeemOptions = Pick<CallOptions, "signal" | "timeoutMs" | "idleTimeoutMs">;

/**
 * An answer that was promised.
 *
 * @typeParam Output What it will be.
 */
export interface PromisedAnswer<Output> {
  /** Stands for the answer, here and in any other process: `client.$.redeem(token)`. */
  readonly token: string;
  /** How the work stands: the answer or a failure if it has ended, a question, or the promise again, with its progress. */
  status(options?: RedeemOptions): Promise<ToolOutcome<Output, Record<never, never>>>;
  /** The answer, once it is there. Rejects as a plain call does. */
  result(options?: RedeemOptions & Pick<CallOptions, "onProgress">): Promise<Output>;
  /** Cancels the work. `false` if it had ended. */
  cancel(options?: RedeemOptions): Promise<boolean>;
  /** How far the work is, each time that it has come further, until it ends. Rejects as a plain call does. */
  updates(options?: RedeemOptions): AsyncIterable<Progress>;
}

/** A failure outcome, by declared code: `switch (outcome.code)` narrows `outcome.data`. */
export type DeclaredFailure<Errors> = [keyof Errors] extends [never] ? FailureOutcome
  : string extends keyof Errors ? FailureOutcome
  : { [Code in keyof Errors & string]: FailureOutcome<Code, Errors[Code]> }[keyof Errors & string];

/** The exception of a failure outcome, by declared code. */
export type DeclaredFailureError<Errors> = [keyof Errors] extends [never] ? Failure
  : string extends keyof Errors ? Failure
  : { [Code in keyof Errors & string]: Failure<Code, Errors[Code]> }[keyof Errors & string];

/** How a call ended, with nothing awaited and nothing thrown but refusals. */
export type ToolOutcome<Output, Errors> =
  | AnswerOutcome<Output>
  | PromiseOutcome
  | QuestionsResult
  | DeclaredFailure<Errors>
  | UnknownOutcome;

/** The arguments of a call: the input may be left out where it may be empty. */
export type CallArguments<Input> = Record<never, never> extends Input ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions];

/**
 * A tool, as its client sees it: a function.
 *
 * @typeParam Types The tool's types.
 */
export interface ToolCall<Types extends ToolTypes<unknown, unknown, unknown, unknown>> {
  /**
   * Calls the tool and gives its answer.
   *
   * Rejects with `Failure` if the tool said no, with `ToolError` if the call was refused or broke, and with the signal's
   * reason if it was aborted.
   */
  (...args: CallArguments<Types["input"]>): Promise<Types["output"]>;
  /** Calls the tool and gives the pieces of its answer as they come. */
  stream(...args: CallArguments<Types["input"]>): ToolStream<Types["partial"], Types["output"]>;
  /** Calls the tool and tells how it ended: failures, promises and questions are values. Rejects with `ToolError` only. */
  outcome(...args: CallArguments<Types["input"]>): Promise<ToolOutcome<Types["output"], Types["errors"]>>;
  /**
   * Calls the tool and takes a promise of its answer, at once. Rejects with `ToolError`; with `invalid_request` if the tool
   * gives no promises.
   */
  start(...args: CallArguments<Types["input"]>): Promise<PromisedAnswer<Types["output"]>>;
  /** Whether an exception of this tool's call is a failure; the declared codes then narrow its data. Whose it is, it cannot know. */
  isFailure(error: unknown): error is DeclaredFailureError<Types["errors"]>;
}

/** What a client can do beside calling its tools. */
export interface ClientMethods {
  /** Lists the server's tools. Rejects with `ToolError`. */
  list(options?: Pick<CallOptions, "signal" | "timeoutMs" | "idleTimeoutMs">): Promise<readonly ListedTool[]>;
  /** Calls a tool by a name that is not known to the types. */
  call(tool: string, input?: unknown, options?: CallOptions): Promise<unknown>;
  /** Streams a tool by a name that is not known to the types. */
  stream(tool: string, input?: unknown, options?: CallOptions): ToolStream<unknown, unknown>;
  /** Calls a tool by a name that is not known to the types, and tells how it ended. */
  outcome(tool: string, input?: unknown, options?: CallOptions): Promise<ToolOutcome<unknown, Record<never, never>>>;
  /** Takes a promise of a tool by a name that is not known to the types. */
  start(tool: string, input?: unknown, options?: CallOptions): Promise<PromisedAnswer<unknown>>;
  /** Goes on with an answer that was promised to someone else: in another process, or before a restart. */
  redeem<Output = unknown>(token: string): PromisedAnswer<Output>;
  /** Ends what the transport holds open. */
  close(): void;
}

/** Anything with tools in its type: a server. */
export interface ToolSource {
  /** Types only. */
  readonly "~tools"?: readonly AnyTool[] | undefined;
}

/** The tools of a source. */
export type ToolsOf<Source extends ToolSource> = NonNullable<Source["~tools"]>[number];

/** The calls of the tools, by name. */
export type TypedTools<Tools extends AnyTool> = {
  readonly [T in Tools as T["name"]]: ToolCall<NonNullable<T["~types"]>>;
};

/** A client of a server whose tools are not known to the types. */
export interface UntypedTools {
  /** Any tool. */
  readonly [name: string]: ToolCall<
    ToolTypes<Readonly<Record<string, unknown>>, unknown, unknown, Record<never, never>>
  >;
}

/**
 * A client: one function a tool, and `$` for everything else.
 *
 * @typeParam Source The server's type: `Client<typeof server>`.
 */
export type Client<Source extends ToolSource> = TypedTools<ToolsOf<Source>> & {
  /** What a client can do beside calling its tools; no tool can have this name. */
  readonly $: ClientMethods;
};

/** A client of a server whose tools are not known to the types. */
export type UntypedClient = UntypedTools & {
  /** What a client can do beside calling its tools; no tool can have this name. */
  readonly $: ClientMethods;
};
