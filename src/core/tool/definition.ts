import type { SchemaAdapter } from "../schema/adapter.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import type { JsonSchema } from "../schema/standard_schema.ts";
import type { Access } from "./access.ts";
import type { Ctx, ErrorMap, Logger } from "../handler/context.ts";
import type { PartDefinition } from "./part.ts";
import type { CallEvent, CallResult, ErrorResult, Progress, Sink } from "../call/outcome.ts";
import type { Json } from "../../internal/json.ts";
import type { TokenKeys } from "../token/token.ts";
import type { Middleware, MiddlewareCtx, ToolAnnotations } from "../handler/middleware.ts";

/** What `.render()` gives for people and models to read: text, or MCP content blocks. */
export type RenderedOutput = string | readonly Readonly<Record<string, unknown>>[];

/** How a tool's work is deferred that takes longer than its caller should wait. */
export interface PromiseOptions {
  /** How long a call waits for the answer before it gives a promise, in milliseconds; never longer than 0.8 of its deadline. Default: 2,000. */
  readonly budgetMs?: number;
  /** How long the promise lasts, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number;
  /** How often the work is begun again, once it was promised and broke or its process died. Default: 2. */
  readonly retries?: number;
  /** How long one attempt may take, in milliseconds. Default: as long as the promise lasts. */
  readonly jobTimeoutMs?: number;
  /** Whether callers are refused that cannot take a promise: on MCP, those without its tasks. Default: `false`, they wait. */
  readonly required?: boolean;
}

/** Work that goes on elsewhere: the token carries its state, nothing is stored here. */
export interface ExternalDefinition {
  readonly ttlMs: number;
  readonly check: (state: unknown, ctx: Ctx) => unknown;
  readonly cancel: ((state: unknown, ctx: Ctx) => unknown) | undefined;
}

/** Everything about a tool that does not change from call to call; made once, by `defineTool`. */
export interface ToolDefinition extends Access {
  readonly name: string;
  readonly description: string;
  readonly type: string | undefined;
  readonly title: string | undefined;
  readonly inputSchema: JsonSchema;
  /** `undefined`: arguments are taken as they are. */
  readonly input: CompiledSchema | undefined;
  /** What is known of the schemas that it asks its caller with. */
  readonly adapters: readonly SchemaAdapter[];
  /** What the environment has to supply; `undefined`: nothing. */
  readonly config: CompiledSchema | undefined;
  readonly output: CompiledSchema | undefined;
  readonly partial: CompiledSchema | undefined;
  /** Declared failures; `undefined` as a value means that no data goes with the code. */
  readonly errors: ReadonlyMap<string, CompiledSchema | undefined>;
  readonly annotations: ToolAnnotations | undefined;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly timeoutMs: number | undefined;
  readonly middleware: readonly Middleware[];
  /** What a deferred run or a continuation has to have begun with. */
  readonly revision: string | undefined;
  /** Set if an engine may run it. */
  readonly promise: Required<PromiseOptions> | undefined;
  /** Set if its work goes on elsewhere; the handler then starts it, and returns its state. */
  readonly external: ExternalDefinition | undefined;
  /** The part of the server that it is of; `undefined` for the server itself. */
  readonly part: PartDefinition | undefined;
  /** Set if it is run somewhere else: by this, and not by its handler. */
  readonly remote: RemoteRunner | undefined;
  /** Whether it is one of Toolwire's own: dispatch runs it, not its handler. */
  readonly isSystem: boolean;
  readonly render: ((output: unknown) => RenderedOutput) | undefined;
  readonly handler: (input: unknown, ctx: Ctx) => unknown;
}

/** The types of a tool, for inference. */
export interface ToolTypes<Input, Output, Partial, Errors> {
  /** What callers send. */
  readonly input: Input;
  /** What callers get. */
  readonly output: Output;
  /** What is streamed before that, piece by piece. */
  readonly partial: Partial;
  /** Data of the declared failures, by code. */
  readonly errors: Errors;
}

/**
 * A finished tool: what `createServer` takes. Inference reads `~types` and nothing else.
 *
 * @typeParam Name The tool's name, a literal.
 * @typeParam Input What callers send.
 * @typeParam Output What callers get.
 * @typeParam Partial What is streamed before that, piece by piece.
 * @typeParam Errors Data of the declared failures, by code.
 */
export interface Tool<Name extends string, Input, Output, Partial, Errors> {
  /** Unique on a server. */
  readonly name: Name;
  /** Types only; never present at run time. */
  readonly "~types"?: ToolTypes<Input, Output, Partial, Errors> | undefined;
  /**
   * For the server; not part of the public interface.
   *
   * @internal
   */
  readonly "~definition": ToolDefinition;
}

/** Any tool: a read-only phantom makes `Tool` covariant, so that `unknown` is enough. */
export type AnyTool = Tool<string, unknown, unknown, unknown, unknown>;

/** What callers of a tool send. */
export type InferInput<T extends AnyTool> = NonNullable<T["~types"]>["input"];

/** What callers of a tool get. */
export type InferOutput<T extends AnyTool> = NonNullable<T["~types"]>["output"];

/** What a tool streams before its answer. */
export type InferPartial<T extends AnyTool> = NonNullable<T["~types"]>["partial"];

/** Data of a tool's declared failures, by code. */
export type InferErrors<T extends AnyTool> = NonNullable<T["~types"]>["errors"] & ErrorMap;

/** A definition that says nothing yet: any arguments, any output, no limits of its own. */
export const EMPTY_DEFINITION: Omit<ToolDefinition, "name" | "description" | "handler"> = {
  type: undefined,
  title: undefined,
  inputSchema: { type: "object" },
  input: undefined,
  adapters: [],
  config: undefined,
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
  promise: undefined,
  external: undefined,
  part: undefined,
  remote: undefined,
  isSystem: false,
  render: undefined,
};

/** Runs a tool somewhere else: what the caller says beside its arguments is for whoever runs it there. Rejects with what handlers throw. */
export interface RemoteRunner {
  /** Whether promises may come of its calls. */
  readonly mayPromise: boolean;
  /** How long a promise lasts from when it was given, in milliseconds. */
  ttlMs(promise: RemotePromise): number;
  /** Makes a call. */
  call(run: RemoteRun): Promise<CallResult>;
  /** Asks once what became of a promise that came of a call. */
  redeem(run: RemoteRun, promise: RemotePromise, wait: RemoteWait): Promise<CallResult>;
  /** Cancels what was promised. */
  cancel(run: RemoteRun, promise: RemotePromise): Promise<CallResult>;
}

/** One request for what became of a promise. */
export interface RemoteWait {
  /** How long the answer may take, in milliseconds, while the work goes on. */
  readonly waitMs: number;
  /** Whether it is the first: what the caller answers is said once. */
  readonly isFirst: boolean;
  /** Aborts when the answer is of no use any more. */
  readonly signal: AbortSignal;
}

/** A promise token of this server, read. */
export interface RemotePromise {
  /** As it was given. */
  readonly token: string;
  /** Id of what it is about. */
  readonly id: string;
  /** The tool that was called. */
  readonly definition: ToolDefinition;
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** What was signed with it. */
  readonly data: Json | undefined;
}

/** A run whose tool is somewhere else, as its relay sees it. */
export interface RemoteRun extends MiddlewareCtx {
  /** The tool; that of a redemption is `redeem`. */
  readonly definition: ToolDefinition;
  /** Where events go; `undefined` if nobody streams. */
  readonly sink: Sink | undefined;
  /** What the call is, whichever way its arguments were spelled. */
  readonly digest: string;
  /** What was given to `meta()`. */
  readonly addedMeta: Readonly<Record<string, unknown>> | undefined;
  /** Id of who calls; `""` for nobody in particular. */
  readonly principalId: string;
  /** Takes events. */
  readonly live: {
    /** Sends one; a returned promise resolves when there is room for the next. */
    push(event: CallEvent): void | Promise<void>;
    /** Sends progress; only the latest is kept where there is no room. */
    progress(progress: Progress): void;
    /** Why the run was ended from outside; `undefined` while it goes on. */
    readonly ended: ErrorResult | undefined;
  };
  /** What it shares with the server's other runs. */
  readonly services: {
    /** Signs what callers keep. */
    readonly keys: TokenKeys;
    /** The server's logger, if it has one. */
    readonly logger: Logger | undefined;
    /** How long a call may take in all, in milliseconds. */
    deadlineMs(run: RemoteRun): number;
    /** Masks what is not the caller's business: the log has it, the caller an id. */
    mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): ErrorResult;
  };
}
