import type { SchemaAdapter } from "../schema/adapter.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import type { JsonSchema } from "../schema/standard_schema.ts";
import type { Access } from "./access.ts";
import type { Ctx, ErrorMap, Middleware } from "../handler/context.ts";
import type { PartDefinition } from "./part.ts";
import type { RemoteRunner } from "./remote_runner.ts";

/** Hints about what a tool does, with MCP's names. They are hints: nothing holds a tool to them. */
export interface ToolAnnotations {
  /** A title for people. */
  readonly title?: string;
  /** Changes nothing. */
  readonly readOnlyHint?: boolean;
  /** May destroy something. */
  readonly destructiveHint?: boolean;
  /** A repeat with the same arguments changes nothing more; the client may then retry by itself. */
  readonly idempotentHint?: boolean;
  /** Reaches beyond the server, into an open world. */
  readonly openWorldHint?: boolean;
  /** Whom it is for. This and what follows are MCP's hints on content, which some clients read of tools, too. */
  readonly audience?: readonly ("user" | "assistant")[];
  /** How much it matters, from 0 to 1. */
  readonly priority?: number;
  /** When it was changed, as ISO 8601. */
  readonly lastModified?: string;
}

/** What `.render()` gives for people and models to read: text, or MCP content blocks. */
export type Rendered = string | readonly Readonly<Record<string, unknown>>[];

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
  readonly render: ((output: unknown) => Rendered) | undefined;
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
