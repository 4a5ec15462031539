/** Types of a client, derived from those of its server with one key lookup for each tool. */
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
import type { ListedTool, Transport } from "../core/call/transport.ts";

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Total time limit including retries, in milliseconds. It is sent to the server. Default: that of the client. */
  readonly timeoutMs?: number | undefined;
  /** Maximum time without data from the server, in milliseconds. Default: that of the client. */
  readonly idleTimeoutMs?: number | undefined;
  /** Receives progress. The call is then streamed. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Idempotency key: calls with the same key and principal are one call while its result is kept, unless it breaks. The client may then retry. */
  readonly idempotencyKey?: string | undefined;
  /** Members of the request's `_meta`, with their names on the wire. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A streamed call: an iterable of partials, to be read once. Leaving the loop early aborts the call. */
export interface ToolStream<Partial, Output> extends AsyncIterable<Partial> {
  /** The answer, or the joined partials if the handler returned nothing. Rejects like a plain call. */
  readonly result: Promise<Output>;
  /** Number of partials so far that are missing, because the server no longer keeps them: it bounds those of promised work. */
  readonly dropped: number;
  /**
   * Returns what `.render()` shows in place of the answer, once `result` has resolved; for adapters.
   *
   * @internal
   */
  readonly "~shown"?: (() => unknown) | undefined;
}

/** A question that a tool asks during a call, as a client passes it to the application. */
export interface ToolQuestion extends Question {
  /** Key of the question in its call. */
  readonly key: string;
  /** Name of the called tool. */
  readonly tool: string;
}

/** The application's response to a {@link ToolQuestion}. */
export interface QuestionAnswer {
  /** Whether the question is answered, declined or cancelled. */
  readonly action: ElicitAnswer["action"];
  /** Content of the answer. If it does not match the question's schema, the question is repeated. */
  readonly content?: unknown;
}

/** Function of the application that answers questions of tools, for example by asking a person. */
export type AnswerQuestion = (question: ToolQuestion) => MaybePromise<QuestionAnswer>;

/** Cancellation and time limits of one operation on a promise. */
export type RedeemOptions = Pick<CallOptions, "signal" | "timeoutMs" | "idleTimeoutMs">;

/**
 * Work that continues after its call has returned: its state, result, progress, pieces and cancellation.
 *
 * @typeParam Output Type of the answer.
 * @typeParam Piece Type of a piece of a streamed answer.
 */
export interface PromisedAnswer<Output, Piece = unknown> {
  /** Promise token. Another process can use it with `client.$.redeem(token)`. */
  readonly token: string;
  /** Returns the current state: the answer or failure, a question, or the promise with its progress. */
  status(options?: RedeemOptions): Promise<ToolOutcome<Output, Record<never, never>>>;
  /** Waits for the answer. Rejects like a plain call. */
  result(options?: RedeemOptions & Pick<CallOptions, "onProgress">): Promise<Output>;
  /** Cancels the work. Returns `false` if it had already ended. Rejects with `Failure` (`not_cancellable`) if the tool cannot cancel. */
  cancel(options?: RedeemOptions): Promise<boolean>;
  /** Iterates over progress until the work ends. Rejects like a plain call. */
  updates(options?: RedeemOptions): AsyncIterable<Progress>;
  /**
   * Iterates over the pieces of a streamed answer until the work ends: those that the server has kept, then the others as they come. Over
   * a protocol without streams it gives no piece; `result` of the stream has the answer in any case.
   *
   * @param options With `after`, the number of pieces that were received before, as in another process: those that follow are sent.
   */
  stream(options?: RedeemOptions & { readonly after?: number | undefined }): ToolStream<Piece, Output>;
}

/** A failure outcome by declared code: `switch (outcome.code)` narrows `outcome.data`. */
export type DeclaredFailure<Errors> = [keyof Errors] extends [never] ? FailureOutcome
  : string extends keyof Errors ? FailureOutcome
  : { [Code in keyof Errors & string]: FailureOutcome<Code, Errors[Code]> }[keyof Errors & string];

/** The exception of a failure outcome, by declared code. */
export type DeclaredFailureError<Errors> = [keyof Errors] extends [never] ? Failure
  : string extends keyof Errors ? Failure
  : { [Code in keyof Errors & string]: Failure<Code, Errors[Code]> }[keyof Errors & string];

/** Any result of a call but an error, which is thrown: an answer, a promise, questions, a failure, or one of an unknown type. */
export type ToolOutcome<Output, Errors> =
  | AnswerOutcome<Output>
  | PromiseOutcome
  | QuestionsResult
  | DeclaredFailure<Errors>
  | UnknownOutcome;

/** What the compiler shows for an option of a call in the place of an argument. */
export type OptionInArguments = "Options of a call are its second argument, as in tool({}, { signal })";

/**
 * Arguments of a call. The input is optional if it may be empty. A tool without `.input()` accepts any argument, so that an option among them
 * would be sent: their names are refused there.
 */
export type CallArguments<Input> = Record<never, never> extends Input
  ? [input?: string extends keyof Input ? Input & NoOptions : Input, options?: CallOptions]
  : [input: Input, options?: CallOptions];

/** Members that arguments of any names cannot have. */
export type NoOptions = { readonly [Option in Exclude<keyof CallOptions, "meta">]?: OptionInArguments | undefined };

/** Type of what `items` iterates over: an item of the answer's list, or a `string` for pages of text. */
export type ItemOf<Output> = "~item" extends keyof Output ? Exclude<Output["~item"], undefined>
  : Output extends { readonly items: readonly (infer Item)[] } ? Item
  : Output extends { readonly text: string } ? string
  : unknown;

/**
 * A tool as a function of its client.
 *
 * @typeParam Types Types of the tool.
 */
export interface ToolCall<Types extends ToolTypes<unknown, unknown, unknown, unknown>> {
  /**
   * Calls the tool and returns its answer.
   *
   * Rejects with `Failure` for a failure outcome, with `ToolError` for an error, and with the signal's reason if
   * aborted.
   */
  (...args: CallArguments<Types["input"]>): Promise<Types["output"]>;
  /** Calls the tool and returns its partials as they arrive, as an iterable. It begins at once, and throws what the call rejects with. */
  stream(...args: CallArguments<Types["input"]>): ToolStream<Types["partial"], Types["output"]>;
  /**
   * Calls the tool and returns the outcome: failures, promises and questions are values. Rejects with `ToolError` for an
   * error, and with the signal's reason if aborted.
   */
  outcome(...args: CallArguments<Types["input"]>): Promise<ToolOutcome<Types["output"], Types["errors"]>>;
  /**
   * Starts the tool and returns a promise of its answer, which can be redeemed later. Rejects with `Failure` or `ToolError`;
   * with `invalid_request` if the server answers at once, as for a tool without promises.
   */
  start(...args: CallArguments<Types["input"]>): Promise<PromisedAnswer<Types["output"], Types["partial"]>>;
  /**
   * Calls a tool with a budget (`.answer()`) and iterates over all items, or parts of the text, of its answer: the pages that
   * follow are requested as the loop reaches them. Rejects like a plain call.
   */
  items(...args: CallArguments<Types["input"]>): AsyncIterable<ItemOf<Types["output"]>>;
  /**
   * Whether an exception is a failure. Narrows its data by the declared codes, but cannot check which tool it is from.
   */
  isFailure(error: unknown): error is DeclaredFailureError<Types["errors"]>;
}

/** Operations of a client, at `client.$`: the list of tools, calls of tools by any name, promises from tokens, and its end. */
export interface ClientMethods {
  /** Lists the server's tools, as the caller may see them. Rejects with `ToolError`, or the signal's reason if aborted. */
  list(options?: Pick<CallOptions, "signal" | "timeoutMs" | "idleTimeoutMs">): Promise<readonly ListedTool[]>;
  /** Calls a tool by a name unknown to the type checker, and returns its answer. Rejects like a typed call. */
  call(tool: string, input?: unknown, options?: CallOptions): Promise<unknown>;
  /** Calls a tool by a name unknown to the type checker, and returns its partials as they arrive. */
  stream(tool: string, input?: unknown, options?: CallOptions): ToolStream<unknown, unknown>;
  /** Calls a tool by a name unknown to the type checker and returns the outcome. */
  outcome(tool: string, input?: unknown, options?: CallOptions): Promise<ToolOutcome<unknown, Record<never, never>>>;
  /** Requests a promise of a tool by a name unknown to the type checker. */
  start(tool: string, input?: unknown, options?: CallOptions): Promise<PromisedAnswer<unknown>>;
  /** Returns the promise of a token from another process, or from before a restart. Sends no request yet. */
  redeem<Output = unknown, Piece = unknown>(token: string): PromisedAnswer<Output, Piece>;
  /** Closes the transport's connection, if it keeps one. */
  close(): void;
  /**
   * The option `onElicitation`, for adapters that ask before a call.
   *
   * @internal
   */
  readonly "~onElicitation"?: AnswerQuestion | undefined;
}

/** A value with tools in its type, such as a server. */
export interface ToolSource {
  /** Carries the types of the tools for the compiler. There is no such member at run time. */
  readonly "~tools"?: readonly AnyTool[] | undefined;
}

/** A server in the same process, for `createClient(server)`. */
export interface InProcessServer {
  /** @internal */
  readonly "~server": object;
  /**
   * Creates a transport to the server.
   *
   * @internal
   */
  readonly "~transport"?: (() => Transport) | undefined;
}

/** Union of the tool types of a source: of `typeof server`, or of a list of tools. */
export type ToolsOf<Source extends ToolSource | readonly AnyTool[]> = Source extends readonly AnyTool[] ? Source[number]
  : Source extends ToolSource ? NonNullable<Source["~tools"]>[number]
  : never;

/** The functions of a client: one for each tool, under the name of the tool. */
export type TypedTools<Tools extends AnyTool> = {
  readonly [T in Tools as T["name"]]: ToolCall<NonNullable<T["~types"]>>;
};

/** Functions of a client whose tools are unknown to the type checker. */
export interface UntypedTools {
  /** Any tool. Its arguments may have the names of options: at run time those are refused that cannot be JSON. */
  readonly [name: string]: ToolCall<
    ToolTypes<Readonly<Record<string, unknown>> | undefined, unknown, unknown, Record<never, never>>
  >;
}

/**
 * A client: one function for each tool, and `$` for other operations.
 *
 * @typeParam Source Type of the server, `Client<typeof server>`, or of a list of its tools, `Client<typeof tools>`.
 */
export type Client<Source extends ToolSource | readonly AnyTool[]> = TypedTools<ToolsOf<Source>> & {
  /** Other operations. `$` is not a valid tool name. */
  readonly $: ClientMethods;
};

/** A client whose tools are unknown to the type checker. */
export type UntypedClient = UntypedTools & {
  /** Other operations. `$` is not a valid tool name. */
  readonly $: ClientMethods;
};
