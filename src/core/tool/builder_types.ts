/** Types of the steps of a tool's definition. */
import type { PlainArguments, PlainSchema, PlainValue } from "../schema/plain_schema.ts";
import type { Schema } from "../schema/standard_schema.ts";
import type { UnknownArgumentsMode } from "../schema/unknown_arguments.ts";
import type { ErrorMap, OpenState, ToolCtx } from "../handler/context.ts";
import type { IsVisible } from "./access.ts";
import type {
  AnswerFormat,
  AnyTool,
  PageFormat,
  PromiseOptions,
  RenderedOutput,
  Tool,
  ToolExample,
  ToolView,
} from "./definition.ts";
import type {
  DeclaredExternal,
  DeclaredHandle,
  ExternalWork,
  InferredOutput,
  InferringExternal,
  InferringHandle,
  PagedToolBuilder,
} from "./last_steps.ts";
import type { Middleware, StateOf, ToolAnnotations } from "../handler/middleware.ts";

/**
 * A step that cannot be called before `.describe()`. The sentence is part of the argument's type, so that the compiler shows it.
 *
 * @typeParam Argument Type of the argument after `.describe()`, so that the parameters of a function have their types.
 * @typeParam Result Type of the result, so that there is one error and not one for each use of the result.
 */
export type DescribeFirst<Argument, Result> = (
  argument: "Call .describe(…) before this step: callers choose by the description" & Argument,
) => Result;

/** Type of the last overload's schema: what the compiler shows for an argument that is not a schema. */
export type NotASchema =
  "Not a schema: wrap properties, as in v.object({ … }) or z.object({ … }), and Effect, as in Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(…))";

/** Type of the last overload's view: what the compiler shows for an argument that is not a view. */
export type NotAView = 'Not a view: wrap the options, as in .view(view({ html: "…" })), with view of "toolwire/apps"';

/** Type of the data of one declared failure, from the schema given to `.errors()`. */
export type ErrorDataOf<Given> = Given extends Schema<infer Data, unknown> ? Data
  : Given extends PlainSchema ? PlainValue<Given>
  : undefined;

/** Types of the data of declared failures, by code, from the schemas given to `.errors()`. `undefined` for a code with `null`, which has no data. */
export type ErrorData<Schemas> =
  & { readonly [Code in keyof Schemas]: ErrorDataOf<Schemas[Code]> }
  // Editors then show the members, not this name.
  & unknown;

/**
 * An unfinished tool. Each step returns a new builder, so that builders can be shared and extended separately.
 *
 * @typeParam Name Name of the tool.
 * @typeParam Described Whether `.describe()` was called.
 * @typeParam Input Type that callers send.
 * @typeParam Args Type that the handler receives.
 * @typeParam Output Type that callers receive; {@link InferredOutput} until it is declared.
 * @typeParam Partial Type of streamed partials.
 * @typeParam Errors Data of declared failures, by code.
 * @typeParam Config Configuration that the handler receives.
 * @typeParam State Members that middleware adds to `ctx.state`.
 */
export interface ToolBuilder<
  Name extends string,
  Described extends boolean,
  Input,
  Args,
  Output,
  Partial,
  Errors extends ErrorMap,
  Config,
  State = OpenState,
> {
  /** Name of the tool. */
  readonly name: Name;
  /** Never present: a builder is not a tool. The compiler shows the sentence where a tool is expected. */
  readonly "~definition": ["This tool is not finished: end it with .handle(…) or .external(…)"];
  /** Sets the description for people and models. Required. */
  describe(description: string): ToolBuilder<Name, true, Input, Args, Output, Partial, Errors, Config, State>;
  /** Sets the category, the specification's `@type`: `"query"`, `"action"`, … */
  type(category: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Sets the title for people. */
  title(title: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Declares the arguments. The handler receives the schema's output, with defaults and transforms applied.
   *
   * @throws {TypeError} If the schema has no JSON Schema, or its root is not an object.
   */
  input<In, Out>(
    schema: Schema<In, Out>,
  ): ToolBuilder<Name, Described, In, Out, Output, Partial, Errors, Config, State>;
  /** Declares the arguments by plain JSON Schema, or a schema of TypeBox. Values are validated, but not changed: a `default` is only listed. */
  input<const Plain extends PlainSchema>(
    schema: Plain,
  ): ToolBuilder<
    Name,
    Described,
    PlainArguments<Plain>,
    PlainArguments<Plain>,
    Output,
    Partial,
    Errors,
    Config,
    State
  >;
  /** Overload for arguments that are not a schema: the compiler then shows the sentence of {@link NotASchema}. */
  input(
    schema: NotASchema,
  ): ToolBuilder<
    Name,
    Described,
    Record<string, unknown>,
    Record<string, unknown>,
    Output,
    Partial,
    Errors,
    Config,
    State
  >;
  /**
   * Sets what happens to arguments that the schema of `.input()` does not declare. Default: the server's `unknownArguments`.
   *
   * A schema that allows or refuses other properties decides for itself, such as valibot's `looseObject` and `strictObject`.
   *
   * @throws {TypeError} If there is no such mode.
   */
  unknownArguments(
    mode: UnknownArgumentsMode,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Declares the output in wire form. It is validated, but not transformed. Members that the schema does not have are left out if its
   * library does so by default, as valibot and zod do.
   *
   * @throws {TypeError} If the schema has no JSON Schema.
   */
  output<Value>(
    schema: Schema<Value, unknown>,
  ): ToolBuilder<Name, Described, Input, Args, Value, Partial, Errors, Config, State>;
  /** Declares the output by plain JSON Schema, or a schema of TypeBox. */
  output<const Plain extends PlainSchema>(
    schema: Plain,
  ): ToolBuilder<Name, Described, Input, Args, PlainValue<Plain>, Partial, Errors, Config, State>;
  /** Overload for arguments that are not a schema: the compiler then shows the sentence of {@link NotASchema}. */
  output(
    schema: NotASchema,
  ): ToolBuilder<Name, Described, Input, Args, unknown, Partial, Errors, Config, State>;
  /**
   * Declares the partials of an async generator in wire form. They are validated as an output is.
   *
   * @throws {TypeError} If the schema has no JSON Schema.
   */
  partial<Piece>(
    schema: Schema<Piece, unknown>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Piece, Errors, Config, State>;
  /** Declares the partials by plain JSON Schema, or a schema of TypeBox. */
  partial<const Plain extends PlainSchema>(
    schema: Plain,
  ): ToolBuilder<Name, Described, Input, Args, Output, PlainValue<Plain>, Errors, Config, State>;
  /** Overload for arguments that are not a schema: the compiler then shows the sentence of {@link NotASchema}. */
  partial(
    schema: NotASchema,
  ): ToolBuilder<Name, Described, Input, Args, Output, unknown, Errors, Config, State>;
  /**
   * Declares failures by code, with the schema of their data, or `null` for none.
   *
   * @throws {TypeError} If a schema has no JSON Schema.
   */
  errors<const Schemas extends Readonly<Record<string, Schema | PlainSchema | null>>>(
    schemas: Schemas,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, ErrorData<Schemas>, Config, State>;
  /** Overload for arguments that are not a schema: the compiler then shows the sentence of {@link NotASchema}. */
  errors(
    schemas: Readonly<Record<string, NotASchema>>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, ErrorMap, Config, State>;
  /**
   * Declares configuration that the environment supplies: credentials for other services, units, user defaults. The
   * handler receives it as `ctx.config`; models never see it. Callers of webtools and of `memoryTransport` send it. On other wires
   * it is that of `createServer({ config })`, or of the part of the server.
   *
   * @throws {TypeError} If the schema has no JSON Schema, or its root is not an object.
   */
  config<Out>(
    schema: Schema<unknown, Out>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Out, State>;
  /** Declares configuration by plain JSON Schema, or a schema of TypeBox. */
  config<const Plain extends PlainSchema>(
    schema: Plain,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, PlainArguments<Plain>, State>;
  /** Overload for arguments that are not a schema: the compiler then shows the sentence of {@link NotASchema}. */
  config(
    schema: NotASchema,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, unknown, State>;
  /**
   * Keeps answers within a budget, by `budget({ maxTokens })` of `./answers`. The last step before `.handle()`.
   *
   * @throws {TypeError} If it was not made by `budget()`. At `.handle()`, if the tool is not read-only, streams, promises, or returns neither a list nor a text.
   */
  readonly answer: Described extends true
    ? <const Items extends string | undefined, Format extends PageFormat | undefined>(
      format: AnswerFormat<Items, Format>,
    ) => PagedToolBuilder<Name, Input, Args, Output, Errors, Config, State, Items, Format>
    : DescribeFirst<AnswerFormat, PagedToolBuilder<Name, Input, Args, Output, Errors, Config, State>>;
  /**
   * Sets examples of calls, which callers and models read in the listed schemas (`examples`). They replace earlier ones. The
   * last step of the definition checks them against the schemas, in wire form: arguments as a caller sends them.
   *
   * @throws {TypeError} At `.handle()` or `.external()`, if an example does not fit its schema, or the schema is asynchronous.
   */
  examples(
    examples: readonly ToolExample<Input, [Output] extends [InferredOutput] ? unknown : Output>[],
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Adds hints, as defined by MCP. */
  annotate(
    annotations: ToolAnnotations,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Adds words by which a search of `discover()` or an adapter of `./agents` finds the tool, such as synonyms of its callers. Listed as
   * `_meta["anthropic/searchHint"]`, for hosts with a search.
   *
   * @throws {TypeError} If they are not an array of texts.
   */
  keywords(
    words: readonly string[],
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Adds members to the tool's `_meta` in listings. */
  meta(
    members: Readonly<Record<string, unknown>>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Shows a page for the tool in hosts with MCP Apps, by `view({ html: "…" })` of `./apps`. Other callers get the same answer, as text.
   *
   * @throws {TypeError} If it was not made by `view()`.
   */
  view(view: ToolView): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Overload for arguments that are not a view: the compiler then shows the sentence of {@link NotAView}. */
  view(
    view: NotAView,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Sets the total time limit of a call, in milliseconds. Default: the server's `timeoutMs`, which limits a stream in idle time only.
   *
   * @throws {RangeError} If it is not a positive number.
   */
  timeout(timeoutMs: number): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Lets a call return a promise token if its answer is not ready in time. An engine continues the work, and the caller
   * redeems the token at any replica. The work may run more than once: see `ctx.callId`, `ctx.attempt` and `ctx.step`. Without the
   * option `engine`, `createServer` rejects the tool.
   *
   * @throws {RangeError} If an option is not a positive number of milliseconds, or `retries` not a whole number.
   */
  promise(options?: PromiseOptions): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Sets the revision of the tool's behaviour. Deferred work of another revision ends with the failure `revision_changed`, unless
   * `.before(…)` has the definition of that revision. Continuations, and handles for `more`, of another revision are rejected.
   */
  revision(revision: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Adds an earlier definition of the tool, a finished one with another `.revision()`, or none. Deferred work that began with it
   * ends with it: its input, handler and output. Calls use the new definition.
   *
   * @throws {TypeError} If it is not a finished tool of the same name with `.promise()`, or, at `.handle()`, its revision is the same.
   */
  before(tool: AnyTool): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Adds middleware around this tool. The first is the outermost. The members that it adds to `ctx.state` are typed.
   */
  use<Added extends readonly unknown[]>(
    ...middleware: { readonly [Index in keyof Added]: Middleware<Added[Index]> }
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State & StateOf<Added>>;
  /**
   * Restricts the tool, and redeeming its promises, to callers with all of these scopes, on every wire. Other callers
   * are rejected before anything runs: `unauthenticated` without a principal, else `permission_denied`. The tool is
   * still listed.
   *
   * @throws {TypeError} If there are no scopes, or one is empty or contains spaces.
   */
  scopes(
    ...scopes: readonly string[]
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Hides the tool from some callers: it is not listed, and calls fail as for an unknown tool. The predicate runs for
   * each list and call; any result but `true` hides the tool. The principal is `undefined` if the caller is not
   * authenticated.
   */
  visibleTo(
    isVisible: IsVisible,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Sets how the output is shown to people and models, as text or content blocks, on wires that send these in addition to it, such as MCP. */
  render(
    render: (output: [Output] extends [InferredOutput] ? unknown : Output) => RenderedOutput,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Ends the definition. The handler may be synchronous, asynchronous or an async generator, and may return nothing.
   */
  readonly handle: Described extends true
    ? [Output] extends [InferredOutput] ? InferringHandle<Name, Input, Args, Partial, Errors, Config, State>
    : DeclaredHandle<Name, Input, Args, Output, Partial, Errors, Config, State>
    : DescribeFirst<
      (input: Args, ctx: ToolCtx<Errors, Config, State>) => unknown,
      Tool<Name, Input, unknown, Partial, Errors>
    >;
  /** Ends the definition of a tool whose work runs in another system. Its calls return a promise token as soon as `start` has returned. */
  readonly external: Described extends true
    ? [Output] extends [InferredOutput] ? InferringExternal<Name, Input, Args, Partial, Errors, Config, State>
    : DeclaredExternal<Name, Input, Args, Output, Partial, Errors, Config, State>
    : DescribeFirst<
      ExternalWork<Args, unknown, unknown, Errors, Config, State>,
      Tool<Name, Input, unknown, Partial, Errors>
    >;
}

/** Return type of `defineTool`: a builder without a description, with any arguments, an inferred output, and no failures or config declared. */
export type EmptyToolBuilder<Name extends string, State = OpenState> = ToolBuilder<
  Name,
  false,
  Record<string, unknown>,
  Record<string, unknown>,
  InferredOutput,
  unknown,
  Record<never, never>,
  undefined,
  State
>;
