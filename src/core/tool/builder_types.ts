/**
 * The steps of a tool's definition, as types: what `defineTool` gives, and what each step makes of it.
 *
 * @module
 */
import type { Principal } from "../call/call.ts";
import type { Schema } from "../schema/standard_schema.ts";
import type { Ctx, ErrorMap, OpenState, Pending } from "../handler/context.ts";
import type { PromiseOptions, RenderedOutput, Tool } from "./definition.ts";
import type { Middleware, StateOf, ToolAnnotations } from "../handler/middleware.ts";

/** Stands for an output that was not declared: the handler's own type counts. */
export interface InferredOutput {
  /** Never present. */
  readonly "~inferred": true;
}

/** What an error says where `.handle()` comes before `.describe()`. */
export interface DescribeFirst {
  /** Never present. */
  readonly "call .describe() before .handle()": never;
}

/** What callers get for pieces that were streamed when the handler returned nothing. */
export type JoinedPartials<Partial> = [Partial] extends [string] ? string : Partial[];

/** What a handler's value means to callers. */
export type AnswerOf<Returned> = Returned extends AsyncGenerator<infer Partial, infer Output, never>
  ? [Output] extends [void] ? JoinedPartials<Partial> : Output
  : Awaited<Returned>;

/** What a handler streams: what its generator yields, else what was declared. */
export type PartialOf<Returned, Declared> = Returned extends AsyncGenerator<infer Partial, unknown, never> ? Partial
  : Declared;

/** `.handle()` of a tool that did not declare its output. */
export type InferringHandle<Name extends string, Input, Args, Partial, Errors extends ErrorMap, Config, State> = <
  Returned,
>(
  handler: (input: Args, ctx: Ctx<Errors, Config, State>) => Returned,
) => Tool<Name, Input, AnswerOf<Returned>, PartialOf<Returned, Partial>, Errors>;

/** `.handle()` of a tool that declared its output. */
export type DeclaredHandle<Name extends string, Input, Args, Output, Partial, Errors extends ErrorMap, Config, State> =
  (
    handler: (
      input: Args,
      ctx: Ctx<Errors, Config, State>,
    ) => Output | Promise<Output> | AsyncGenerator<Partial, Output> | AsyncGenerator<Partial, void>,
  ) => Tool<Name, Input, Output, Partial, Errors>;

/**
 * Work that goes on elsewhere: the promise's token carries its state, so that nothing is stored here, and any replica can ask
 * how far it is.
 *
 * @typeParam Args What `start` gets.
 * @typeParam Work What is known of the work: JSON, about a kilobyte. Callers can read it, unless tokens are sealed.
 * @typeParam Output What callers get in the end.
 * @typeParam Errors Data of declared failures, by code.
 * @typeParam Config What the environment supplies: with each call anew, also with one that redeems or cancels.
 * @typeParam State What middleware puts on `ctx.state`.
 */
export interface ExternalWork<Args, Work, Output, Errors extends ErrorMap, Config, State = OpenState> {
  /** Starts the work and tells how to find it again. */
  start(input: Args, ctx: Ctx<Errors, Config, State>): Work | Promise<Work>;
  /** Looks how far the work is: `ctx.pending()`, or the output. */
  check(state: NoInfer<Work>, ctx: Ctx<Errors, Config, State>): Output | Pending | Promise<Output | Pending>;
  /** Cancels the work; `false` if it cannot be any more. Left out, callers are told that it cannot. */
  cancel?(state: NoInfer<Work>, ctx: Ctx<Errors, Config, State>): boolean | void | Promise<boolean | void>;
  /** How long the promise lasts, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number;
}

/** `.external()` of a tool that did not declare its output. */
export type InferringExternal<Name extends string, Input, Args, Partial, Errors extends ErrorMap, Config, State> = <
  Work,
  Output,
>(
  work: ExternalWork<Args, Work, Output, Errors, Config, State>,
) => Tool<Name, Input, Exclude<Output, Pending>, Partial, Errors>;

/** `.external()` of a tool that declared its output. */
export type DeclaredExternal<
  Name extends string,
  Input,
  Args,
  Output,
  Partial,
  Errors extends ErrorMap,
  Config,
  State,
> = <Work>(
  work: ExternalWork<Args, Work, Output, Errors, Config, State>,
) => Tool<Name, Input, Output, Partial, Errors>;

/** Data of declared failures, from their schemas; `null` declares a code without data. */
export type ErrorData<Schemas> = {
  readonly [Code in keyof Schemas]: Schemas[Code] extends Schema<infer Data, unknown> ? Data : undefined;
};

/**
 * A tool in the making. Each step returns a new builder, so that builders can be shared and forked.
 *
 * @typeParam Name The tool's name.
 * @typeParam Described Whether `.describe()` was called.
 * @typeParam Input What callers send.
 * @typeParam Args What the handler gets.
 * @typeParam Output What callers get; {@link InferredOutput} until it is declared.
 * @typeParam Partial What is streamed before that.
 * @typeParam Errors Data of declared failures, by code.
 * @typeParam Config What the handler gets from the environment.
 * @typeParam State What middleware puts on `ctx.state`.
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
  /** Says what the tool does, for people and models. Required. */
  describe(description: string): ToolBuilder<Name, true, Input, Args, Output, Partial, Errors, Config, State>;
  /** Sets the category, the specification's `@type`: `"query"`, `"action"`, … */
  type(category: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Sets a title for people. */
  title(title: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Declares the arguments. The handler gets what the schema makes of them, with defaults and transforms.
   *
   * @throws {TypeError} If the schema cannot become JSON Schema, or its root is not an object.
   */
  input<In, Out>(
    schema: Schema<In, Out>,
  ): ToolBuilder<Name, Described, In, Out, Output, Partial, Errors, Config, State>;
  /**
   * Declares the output in wire form: it is validated, never transformed.
   *
   * @throws {TypeError} If the schema cannot become JSON Schema.
   */
  output<Value>(
    schema: Schema<Value, unknown>,
  ): ToolBuilder<Name, Described, Input, Args, Value, Partial, Errors, Config, State>;
  /**
   * Declares the pieces that an async generator yields, in wire form: validated, never transformed.
   *
   * @throws {TypeError} If the schema cannot become JSON Schema.
   */
  partial<Piece>(
    schema: Schema<Piece, unknown>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Piece, Errors, Config, State>;
  /**
   * Declares failures by code, with the schema of what goes with each (`null` for nothing).
   *
   * @throws {TypeError} If a schema cannot become JSON Schema.
   */
  errors<const Schemas extends Readonly<Record<string, Schema | null>>>(
    schemas: Schemas,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, ErrorData<Schemas>, Config, State>;
  /**
   * Declares what the environment has to supply beside the arguments: keys to other services, units, defaults of a user. The
   * handler gets it as `ctx.config`; models never see it. Webtools callers send it; other wires give what the server has
   * (`createServer({ config })`).
   *
   * @throws {TypeError} If the schema cannot become JSON Schema, or its root is not an object.
   */
  config<Out>(
    schema: Schema<unknown, Out>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Out, State>;
  /** Adds hints, with MCP's names. */
  annotate(
    annotations: ToolAnnotations,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Adds to the tool's own `_meta` in listings. */
  meta(
    members: Readonly<Record<string, unknown>>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Sets how long a call may take in all, in milliseconds. Default: the server's `timeoutMs`.
   *
   * @throws {RangeError} If it is not a positive number.
   */
  timeout(timeoutMs: number): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Lets the tool promise its answer when it is not ready in time: an engine goes on with the work, and the caller redeems the
   * promise, here or at another replica. The work may be run more than once: see `ctx.callId`, `ctx.attempt`, `ctx.step`.
   *
   * @throws {RangeError} If an option is not a positive number of milliseconds, or `retries` not a whole number.
   */
  promise(options?: PromiseOptions): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Names what the tool does now: work that was deferred, or stopped to ask, under another name is not gone on with. */
  revision(revision: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Adds middleware around this tool; the first added is the outermost. What it says that it adds is on `ctx.state`, typed. */
  use<Added extends readonly unknown[]>(
    ...middleware: { readonly [Index in keyof Added]: Middleware<Added[Index]> }
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State & StateOf<Added>>;
  /**
   * Lets only callers use the tool that have all of these scopes, on every wire, and to redeem its promises as well. Others are
   * refused before anything is run: `unauthenticated` who is not known, `permission_denied` who is. It stays listed.
   *
   * @throws {TypeError} If there is none, or one is empty or has spaces.
   */
  scopes(
    ...scopes: readonly string[]
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /**
   * Keeps the tool from callers that may not know of it: to them it is neither listed nor there. Asked for each of their lists
   * and calls; anything but `true` hides it. The principal is `undefined` if nobody is known.
   */
  visibleTo(
    isVisible: (principal: Principal | undefined) => boolean,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Sets how the output reads to people and models, on wires that send text beside it. */
  render(
    render: (output: [Output] extends [InferredOutput] ? unknown : Output) => RenderedOutput,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config, State>;
  /** Ends the definition. The handler may be synchronous, asynchronous, or an async generator; it may return nothing. */
  readonly handle: Described extends true
    ? [Output] extends [InferredOutput] ? InferringHandle<Name, Input, Args, Partial, Errors, Config, State>
    : DeclaredHandle<Name, Input, Args, Output, Partial, Errors, Config, State>
    : DescribeFirst;
  /** Ends the definition of a tool whose work goes on elsewhere. Its calls give a promise at once. */
  readonly external: Described extends true
    ? [Output] extends [InferredOutput] ? InferringExternal<Name, Input, Args, Partial, Errors, Config, State>
    : DeclaredExternal<Name, Input, Args, Output, Partial, Errors, Config, State>
    : DescribeFirst;
}

/** What `defineTool` starts from: arguments of any names, an inferred output, no declared failures. */
export type EmptyToolBuilder<Name extends string> = ToolBuilder<
  Name,
  false,
  Record<string, unknown>,
  Record<string, unknown>,
  InferredOutput,
  unknown,
  Record<never, never>,
  undefined
>;
