/**
 * How the definition of a tool ends: with a handler, or with work that goes on elsewhere; as types.
 *
 * @module
 */
import type { Ctx, ErrorMap } from "./context.ts";
import type { Pending } from "./pending.ts";
import type { Tool } from "./tool.ts";

/** Stands for an output that was not declared: the handler's own type counts. */
export interface Inferred {
  /** Never present. */
  readonly "~inferred": true;
}

/** What an error says where `.handle()` comes before `.describe()`. */
export interface DescribeFirst {
  /** Never present. */
  readonly "call .describe() before .handle()": never;
}

/** What callers get for pieces that were streamed when the handler returned nothing. */
export type Joined<Partial> = [Partial] extends [string] ? string : Partial[];

/** What a handler's value means to callers. */
export type AnswerOf<Returned> = Returned extends AsyncGenerator<infer Partial, infer Output, never>
  ? [Output] extends [void] ? Joined<Partial> : Output
  : Awaited<Returned>;

/** What a handler streams: what its generator yields, else what was declared. */
export type PartialOf<Returned, Declared> = Returned extends AsyncGenerator<infer Partial, unknown, never> ? Partial
  : Declared;

/** `.handle()` of a tool that did not declare its output. */
export type InferringHandle<Name extends string, Input, Args, Partial, Errors extends ErrorMap, Config> = <Returned>(
  handler: (input: Args, ctx: Ctx<Errors, Config>) => Returned,
) => Tool<Name, Input, AnswerOf<Returned>, PartialOf<Returned, Partial>, Errors>;

/** `.handle()` of a tool that declared its output. */
export type DeclaredHandle<Name extends string, Input, Args, Output, Partial, Errors extends ErrorMap, Config> = (
  handler: (
    input: Args,
    ctx: Ctx<Errors, Config>,
  ) => Output | Promise<Output> | AsyncGenerator<Partial, Output> | AsyncGenerator<Partial, void>,
) => Tool<Name, Input, Output, Partial, Errors>;

/**
 * Work that goes on elsewhere: the promise's token carries its state, so that nothing is stored here, and any replica can ask
 * how far it is.
 *
 * @typeParam Args What `start` gets.
 * @typeParam State What is known of the work: JSON, about a kilobyte. Callers can read it, unless tokens are sealed.
 * @typeParam Output What callers get in the end.
 * @typeParam Errors Data of declared failures, by code.
 * @typeParam Config What the environment supplies: with each call anew, also with one that redeems or cancels.
 */
export interface ExternalWork<Args, State, Output, Errors extends ErrorMap, Config> {
  /** Starts the work and tells how to find it again. */
  start(input: Args, ctx: Ctx<Errors, Config>): State | Promise<State>;
  /** Looks how far the work is: `ctx.pending()`, or the output. */
  check(state: NoInfer<State>, ctx: Ctx<Errors, Config>): Output | Pending | Promise<Output | Pending>;
  /** Cancels the work; `false` if it cannot be any more. Left out, callers are told that it cannot. */
  cancel?(state: NoInfer<State>, ctx: Ctx<Errors, Config>): boolean | void | Promise<boolean | void>;
  /** How long the promise lasts, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number;
}

/** `.external()` of a tool that did not declare its output. */
export type InferringExternal<Name extends string, Input, Args, Partial, Errors extends ErrorMap, Config> = <
  State,
  Output,
>(
  work: ExternalWork<Args, State, Output, Errors, Config>,
) => Tool<Name, Input, Exclude<Output, Pending>, Partial, Errors>;

/** `.external()` of a tool that declared its output. */
export type DeclaredExternal<Name extends string, Input, Args, Output, Partial, Errors extends ErrorMap, Config> = <
  State,
>(
  work: ExternalWork<Args, State, Output, Errors, Config>,
) => Tool<Name, Input, Output, Partial, Errors>;
