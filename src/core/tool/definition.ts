import type { SchemaAdapter } from "../schema/adapter.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import type { JsonSchema } from "../schema/standard_schema.ts";
import type { UnknownArgumentsMode } from "../schema/unknown_arguments.ts";
import type { Access } from "./access.ts";
import type { Ctx, ErrorMap, Logger } from "../handler/context.ts";
import type { PartDefinition } from "./part.ts";
import type { Call } from "../call/call.ts";
import type { CallEvent, CallResult, ErrorResult, Progress, Sink } from "../call/outcome.ts";
import type { ConfigureRun } from "../call/call_config.ts";
import type { Complete, Json } from "../../internal/json.ts";
import type { TokenKeys } from "../token/token.ts";
import type { AttemptOptions } from "../handler/steps.ts";
import type { Middleware, MiddlewareCtx, ToolAnnotations } from "../handler/middleware.ts";

/** What the function given to `.render()` returns: text, or MCP content blocks. */
export type RenderedOutput = string | readonly Readonly<Record<string, unknown>>[];

/** Options of `.promise()`: when a call returns a promise token, how long that is valid, and how the deferred work is retried and kept. */
export interface PromiseOptions {
  /**
   * Time that a call waits for the answer before it returns a promise token, in milliseconds; at most 0.8 of its
   * deadline. Default: 2,000.
   */
  readonly budgetMs?: number | undefined;
  /** Lifetime of the promise token, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number | undefined;
  /**
   * How often work is run again that has broken (`internal`, `unavailable`, `deadline_exceeded`) or whose process has died. Each step of
   * the work has the same number of retries for itself. An object sets the number of attempts, and the delays between them. Default: 2.
   */
  readonly retries?: number | AttemptOptions | undefined;
  /** Time limit of one attempt, in milliseconds. Default: the lifetime of the promise token. */
  readonly jobTimeoutMs?: number | undefined;
  /**
   * Whether to reject callers that do not support promises: on MCP, those without tasks. Default: `false`, their calls
   * wait.
   */
  readonly required?: boolean | undefined;
  /**
   * Whether a job whose attempts are used up keeps its arguments and steps until it expires, so that an operator can begin it again, with
   * `jobsOf` of `./jobs`. No effect on calls with config. Default: `false`, they are deleted when it ends.
   */
  readonly keepFailed?: boolean | undefined;
  /**
   * When the work is stored in the engine, so that another process continues it if this one dies: `"start"`, before the handler begins, or
   * `"budget"`, when the call gets its promise token, or the handler sleeps or waits. Until then nothing survives the process, also no
   * result of `ctx.step`, and `retries` and `keepFailed` do not apply. Calls with an idempotency key, and those of `start()`, are stored
   * at the start in any case. Default: `"budget"`.
   */
  readonly durable?: "start" | "budget" | undefined;
  /** Names of arguments by whose values operators find the work, which are kept in plain text until the job is deleted. Default: none. */
  readonly tags?: readonly string[] | undefined;
  /**
   * Time that the handler has after a cancellation for steps in `catch` and `finally`, which undo what it did, in milliseconds. With 0 a
   * cancellation does not wake it. Default: 60,000 (a minute).
   */
  readonly undoMs?: number | undefined;
}

/**
 * An example of a call.
 *
 * @typeParam Input Type that callers send.
 * @typeParam Output Type that callers receive.
 */
export interface ToolExample<Input, Output> {
  /** Arguments, as a caller sends them. */
  readonly input: Input;
  /** The answer to these arguments. */
  readonly output?: Output | undefined;
}

/** A part of a list, as a handler with a budget may return it in place of the whole list. */
export interface ListPart<Item> {
  /** The items of this part. */
  readonly items: readonly Item[];
  /** Cursor of the next part, which the handler reads with `cursorOf(ctx)`. Absent in the last part. */
  readonly next?: Json;
  /** Number of all items, if known. */
  readonly total?: number;
}

/** Form of the items of pages: as the handler returns them, or as rows of a table. */
export type PageFormat = "json" | "table";

/** What pages of an answer have beside its items or text. */
export interface PageEnd {
  /** Handle of what follows, for the tool `more`. Absent at the end. */
  readonly more?: string;
  /** Which part this is, and how to get less. Absent if the page is the whole answer. */
  readonly note?: string;
  /** Whether what comes before this page has changed since the page before, so that items may be missing or repeated. */
  readonly changed?: true;
}

/** Answer of a tool with a budget whose handler returns a list: the items that fit, and a handle of the rest. */
export interface ItemsPage<Item> extends PageEnd {
  /** The items, in the order of the list. */
  readonly items: readonly Item[];
  /** Number of all items, if known. */
  readonly total?: number;
}

/** Answer of a tool with a budget whose handler returns a text: the lines that fit, and a handle of the rest. */
export interface TextPage extends PageEnd {
  /** A part of the text. */
  readonly text: string;
  /** Length of the whole text, in UTF-16 code units. */
  readonly total: number;
}

/** An item of a table, as `items()` of a client gives it: members that it lacked are `null`. */
export type TableRow<Item> = {
  [Name in keyof Item]-?: undefined extends Item[Name] ? Exclude<Item[Name], undefined> | null : Item[Name];
};

/** What a page has for its list under `Name`: the items, or with `format: "table"` the columns and the rows. */
export type ListMember<Name extends string, Item, Format> = Format extends "table" ?
    & { readonly columns: readonly string[] }
    & { readonly [Member in Name]: readonly (readonly unknown[])[] }
    & ListedItem<TableRow<Item>>
  : { readonly [Member in Name]: readonly Item[] } & ListedItem<Item>;

/** The type of an item of a page, for `items()` of a client. */
export interface ListedItem<Item> {
  /** Types only; never present at run time. */
  readonly "~item"?: Item | undefined;
}

/** The argument of `.answer()`, which makes the answers of a tool pages of limited size: made by `budget()` of `./answers`. */
export interface AnswerFormat<
  Items extends string | undefined = string | undefined,
  Format extends PageFormat | undefined = PageFormat | undefined,
> {
  /** Types only; never present at run time. */
  readonly "~page"?: readonly [Items, Format] | undefined;
  /**
   * Returns the changed definition.
   *
   * @internal
   */
  readonly "~apply": (definition: ToolDefinition) => ToolDefinition;
}

/** A resource (`defineResource`) as a tool refers to it, such as the page of its view; its contents are defined in core/content. */
interface ToolResource {
  /** URI, unique on a server. */
  readonly uri: string;
  /** @internal */
  readonly "~resource": object;
  /** @internal */
  readonly "~catalog": unknown;
}

/** The members of a definition from which `view()` makes its changes. */
export type ViewedDefinition = Pick<ToolDefinition, "name" | "meta">;

/** The argument of `.view()`, an HTML page that hosts with MCP Apps show for the tool: made by `view()` of `./apps`. */
export interface ToolView {
  /**
   * Returns the changed members of a definition.
   *
   * @internal
   */
  readonly "~apply": (definition: ViewedDefinition) => Pick<ToolDefinition, "meta" | "resource">;
}

/** `check`, `cancel` and `ttlMs` of `.external()`: work in another system, whose state is in the promise token and not stored here. */
export interface ExternalDefinition {
  readonly ttlMs: number;
  readonly check: (state: unknown, ctx: Ctx) => unknown;
  readonly cancel: ((state: unknown, ctx: Ctx) => unknown) | undefined;
}

/** Value that gives the builders of `toolDefiner` their method `.config()`: `toolConfig` of `./core`. Absent, the method throws. */
export interface ToolConfig {
  /**
   * Validates the config of a run, which dispatch created, and sets it.
   *
   * @internal
   */
  readonly "~configure": ConfigureRun;
}

/** All that a server knows of a tool, created when its definition is finished. Prompts and resources run as such definitions, too. */
export interface ToolDefinition extends Access {
  readonly name: string;
  readonly description: string;
  readonly type: string | undefined;
  readonly title: string | undefined;
  readonly inputSchema: JsonSchema;
  /** `undefined`: arguments are not validated. */
  readonly input: CompiledSchema | undefined;
  /** What happens to arguments that are not declared. `undefined`: as the server's option `unknownArguments` specifies. */
  readonly unknownArguments: UnknownArgumentsMode | undefined;
  /** Schema adapters of its builder, for the schemas of its questions and waits. */
  readonly adapters: readonly SchemaAdapter[];
  /** Schema of the configuration. `undefined`: none is needed. */
  readonly config: CompiledSchema | undefined;
  /** Checks the config of its calls. `undefined` without a schema. */
  readonly configure: ConfigureRun | undefined;
  readonly output: CompiledSchema | undefined;
  readonly partial: CompiledSchema | undefined;
  /** Schemas of declared failures. `undefined` as a value: the code has no data. */
  readonly errors: ReadonlyMap<string, CompiledSchema | undefined>;
  readonly annotations: ToolAnnotations | undefined;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly timeoutMs: number | undefined;
  readonly middleware: readonly Middleware[];
  /** Value of `.revision()`. Deferred runs and continuations of another one are not continued. */
  readonly revision: string | undefined;
  /** Earlier definitions, with other revisions, which end the work that began with them. */
  readonly earlierRevisions: readonly ToolDefinition[];
  /** Options of `.promise()`, with defaults. `undefined` without it: calls return no promise tokens of jobs. */
  readonly promise: Complete<PromiseOptions> | undefined;
  /** Set if its work runs in another system. The handler starts it and returns its state. */
  readonly external: ExternalDefinition | undefined;
  /** Part of the server that the tool belongs to. `undefined` for the server itself. */
  readonly part: PartDefinition | undefined;
  /** Set if the tool runs on another server, or is `more`. The handler is then unused. */
  readonly remote: RemoteRunner | undefined;
  /** A tool that the server lists, once, if it has this one: `more`, for tools with a budget. */
  readonly continuationTool: ToolDefinition | undefined;
  /** Resource that a server adds if it has this tool: the page of its view. */
  readonly resource: ToolResource | undefined;
  /** Whether it is `redeem`, `cancel` or `more`, which dispatch implements. */
  readonly isSystem: boolean;
  readonly render: ((output: unknown) => RenderedOutput) | undefined;
  readonly handler: (input: unknown, ctx: Ctx) => unknown;
}

/** The types of a tool, which `InferInput` and the like, and typed clients, read. There is no such value at run time. */
export interface ToolTypes<Input, Output, Partial, Errors> {
  /** Type that callers send. */
  readonly input: Input;
  /** Type that callers receive. */
  readonly output: Output;
  /** Type of streamed partials. */
  readonly partial: Partial;
  /** Data of declared failures, by code. */
  readonly errors: Errors;
}

/**
 * A finished tool, for `createServer`. Type inference reads `~types` only.
 *
 * @typeParam Name Name of the tool, a literal.
 * @typeParam Input Type that callers send.
 * @typeParam Output Type that callers receive.
 * @typeParam Partial Type of streamed partials. Default: `unknown`, as of a handler that does not stream.
 * @typeParam Errors Data of declared failures, by code. Default: none are declared.
 */
export interface Tool<Name extends string, Input, Output, Partial = unknown, Errors = Record<never, never>> {
  /** Name, unique on a server. */
  readonly name: Name;
  /** Types only; never present at run time. */
  readonly "~types"?: ToolTypes<Input, Output, Partial, Errors> | undefined;
  /**
   * The definition of the tool, for servers. Not part of the public interface.
   *
   * @internal
   */
  readonly "~definition": ToolDefinition;
}

/** A finished tool of any types, for functions that take any tool. `Tool` is covariant, because its type member is read-only. */
export type AnyTool = Tool<string, unknown, unknown, unknown, unknown>;

/** Type of the arguments that callers of a tool send, before defaults and transforms of its schema. */
export type InferInput<T extends AnyTool> = NonNullable<T["~types"]>["input"];

/** Type of the answer that callers of a tool receive. */
export type InferOutput<T extends AnyTool> = NonNullable<T["~types"]>["output"];

/** Type of a tool's streamed partials. */
export type InferPartial<T extends AnyTool> = NonNullable<T["~types"]>["partial"];

/** Data of a tool's declared failures, by code. */
export type InferErrors<T extends AnyTool> = NonNullable<T["~types"]>["errors"] & ErrorMap;

/** Members of a definition before any step: any arguments, any output, no scopes, and the server's time limit. */
export const EMPTY_DEFINITION: Omit<ToolDefinition, "name" | "description" | "handler"> = {
  type: undefined,
  title: undefined,
  inputSchema: { type: "object" },
  input: undefined,
  unknownArguments: undefined,
  adapters: [],
  config: undefined,
  configure: undefined,
  output: undefined,
  partial: undefined,
  errors: new Map(),
  annotations: undefined,
  meta: undefined,
  timeoutMs: undefined,
  scopes: [],
  isVisible: undefined,
  middleware: [],
  revision: undefined,
  earlierRevisions: [],
  promise: undefined,
  external: undefined,
  part: undefined,
  remote: undefined,
  continuationTool: undefined,
  resource: undefined,
  isSystem: false,
  render: undefined,
};

/**
 * Runs a tool in place of its handler: the tools of a gateway on the remote server, which receives the call's metadata, and `more`.
 * Rejects with exceptions, which dispatch treats as thrown by a handler.
 */
export interface RemoteRunner {
  /** Whether its calls may return promises. */
  readonly mayPromise: boolean;
  /** Total lifetime of a promise, in milliseconds. */
  ttlMs(promise: RemotePromise): number;
  /** Calls the tool. */
  call(run: RemoteRun): Promise<CallResult>;
  /** Requests the result of a promise once. Returns the result, questions, or the promise again if the work is still running. */
  redeem(run: RemoteRun, promise: RemotePromise, wait: RemoteWait): Promise<CallResult>;
  /** Cancels the work of a promise on the remote server. */
  cancel(run: RemoteRun, promise: RemotePromise): Promise<CallResult>;
}

/** One request for the state of a promise. */
export interface RemoteWait {
  /** Maximum wait for a result, in milliseconds. */
  readonly waitMs: number;
  /** Whether it is the first request. Only that one carries the caller's answers. */
  readonly isFirst: boolean;
  /** Number of pieces that the caller of a stream has at the first request; `undefined` if it wants none. */
  readonly after?: number | undefined;
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** Contents of a promise token of this server, whose signature and expiry were verified, with the tool that it names. */
export interface RemotePromise {
  /** The token. */
  readonly token: string;
  /** Id of the call or job. */
  readonly id: string;
  /** The called tool. */
  readonly definition: ToolDefinition;
  /** Time of expiry, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** Data in the token: the state of external work, the token of the remote server, or the process of a job. `undefined` without data. */
  readonly data: Json | undefined;
}

/** The context of a call of a remote tool, or of a redemption of its promise, as {@link RemoteRunner} gets it. */
export interface RemoteRun extends MiddlewareCtx {
  /** The tool. For a redemption, `redeem`. */
  readonly definition: ToolDefinition;
  /** The call as received. */
  readonly request: Call;
  /** Receiver of events. `undefined` if the call is not streamed. */
  readonly sink: Sink | undefined;
  /** Members passed to `ctx.meta()`. */
  readonly addedMeta: Readonly<Record<string, unknown>> | undefined;
  /** Sends events of the call. */
  readonly runState: {
    /** Sends an event. A returned promise resolves when there is room for the next. */
    push(event: CallEvent): void | Promise<void>;
    /** Sends progress. Only the latest is kept while the buffer is full. */
    progress(progress: Progress): void;
    /** Number of pieces of the remote stream that were passed on, or were dropped before. */
    deliveredPieces: number;
    /** Reason why the call was ended. `undefined` while it is running. */
    readonly ended: ErrorResult | undefined;
  };
  /** Services shared by the server's calls. */
  readonly services: {
    /** Signs tokens. `undefined` on a server without `keys`. */
    readonly keys: TokenKeys | undefined;
    /** Logger of the server, if any. */
    readonly logger: Logger | undefined;
    /** Total time limit of a call, in milliseconds. */
    deadlineMs(run: RemoteRun): number;
    /** Limits of results: their size in UTF-16 code units of JSON, and their depth. */
    readonly outputLimits: { readonly answerChars: number; readonly depth: number };
    /** Masks an exception: the log receives it, the caller a correlation id. */
    mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): ErrorResult;
  };
}

/** A tool's definition in its builder: without the handler, and with what the last step reads, examples and the format of answers. */
export type ToolDraft = Omit<ToolDefinition, "description" | "handler"> & {
  readonly description: string | undefined;
  /** Examples that are checked at the end, because schemas may be declared after them. */
  readonly examples?: readonly ToolExample<unknown, unknown>[];
  readonly format?: AnswerFormat;
};
