/** Types of the last steps of a tool's definition, `.handle()` and `.external()`, and of the output that follows from them. */
import type { ErrorMap, OpenState, Pending, ToolCtx } from "../handler/context.ts";
import type { AnsweringHandler, AnswerOf, PartialOf } from "./answer_types.ts";
import type { Received } from "../schema/received.ts";
import type { ItemsPage, ListMember, ListPart, PageEnd, TextPage, Tool } from "./definition.ts";

/** Type of the output of a builder before `.output()`. Callers then receive what the handler returns, not validated. */
export interface InferredOutput {
  /** Never present. */
  readonly "~inferred": true;
}

/** Type of `.handle()` without a declared output: the output of the finished tool is what the handler returns. */
export type InferringHandle<Name extends string, Input, Args, Partial, Errors extends ErrorMap, Config, State> = <
  Returned,
>(
  handler: ((input: Args, ctx: ToolCtx<Errors, Config, State>) => Returned) & AnsweringHandler<Returned>,
) => Tool<Name, Input, AnswerOf<Returned>, PartialOf<Returned, Partial>, Errors>;

/** Type of `.handle()` after `.output()`: the handler has to return the declared output, directly, as a promise or from an async generator. */
export type DeclaredHandle<Name extends string, Input, Args, Output, Partial, Errors extends ErrorMap, Config, State> =
  (
    handler: (
      input: Args,
      ctx: ToolCtx<Errors, Config, State>,
    ) => Output | Promise<Output> | AsyncGenerator<Partial, Output> | AsyncGenerator<Partial, void>,
  ) => Tool<Name, Input, Output, Partial, Errors>;

/**
 * Functions of a tool whose work runs in another system. The promise token carries the work's state, so nothing is
 * stored here and any replica can check it.
 *
 * @typeParam Args Type that `start` receives.
 * @typeParam Work State of the work: JSON, about a kilobyte. Callers can read it unless tokens are sealed.
 * @typeParam Output Output type.
 * @typeParam Errors Data of declared failures, by code.
 * @typeParam Config Configuration, sent with each call, including those that redeem or cancel.
 * @typeParam State Members that middleware adds to `ctx.state`.
 */
export interface ExternalWork<Args, Work, Output, Errors extends ErrorMap, Config, State = OpenState> {
  /** Starts the work and returns the state that identifies it. */
  start(input: Args, ctx: ToolCtx<Errors, Config, State>): Work | Promise<Work>;
  /**
   * Returns `ctx.pending()` while the work is running, then the output. It may ask the caller: an answer reaches only the check of
   * the redeem that brings it, which passes it on to the work.
   */
  check(state: NoInfer<Work>, ctx: ToolCtx<Errors, Config, State>): Output | Pending | Promise<Output | Pending>;
  /** Cancels the work. Returns `false` if that is no longer possible. Without it, work cannot be cancelled. */
  cancel?(state: NoInfer<Work>, ctx: ToolCtx<Errors, Config, State>): boolean | void | Promise<boolean | void>;
  /** Lifetime of the promise token, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number | undefined;
}

/** Type of `.external()` without a declared output: the output of the finished tool is what `check` returns, except `Pending`. */
export type InferringExternal<Name extends string, Input, Args, Partial, Errors extends ErrorMap, Config, State> = <
  Work,
  Output,
>(
  work: ExternalWork<Args, Work, Output, Errors, Config, State>,
) => Tool<Name, Input, Received<Exclude<Output, Pending>>, Partial, Errors>;

/** Type of `.external()` after `.output()`: `check` has to return the declared output, or `Pending`. */
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

/** The members of an object beside its list. */
export type Beside<Answer, Name extends string> = {
  readonly [Member in keyof Answer as Exclude<Member, Name>]: Answer[Member];
};

/** A page of a list that a handler returns in an object with other members, which are kept. */
export type MemberPage<Answer, Name extends string, Format> = Answer extends
  { readonly [Member in Name]: readonly (infer Item)[] }
  ? Beside<Answer, Name> & ListMember<Name, Item, Format> & PageEnd
  : never;

/** A page of a list: what `ItemsPage` has, or a table. */
export type WholePage<Item, Format> = Format extends "table"
  ? ListMember<"items", Item, Format> & Omit<ItemsPage<Item>, "items">
  : ItemsPage<Item>;

/** Names of the members of a part of a list that have a meaning. */
export type PartMember = keyof ListPart<unknown>;

/** A page of a part of a list, with the other members of the handler's object, if it has any. */
export type PartPage<Returned, Item, Format> = [Exclude<keyof Returned, PartMember>] extends [never]
  ? WholePage<Item, Format>
  : WholePage<Item, Format> & Beside<Received<Returned>, PartMember>;

/**
 * Answer of a tool with a budget, by what its handler returns: a page of text for a string, of items for a list or a part of one, or, with
 * the name of the member that has the list, the object with a page of that list.
 */
export type PageOf<Returned, Items = undefined, Format = "json"> = Items extends string
  ? string extends Items ? unknown : MemberPage<Received<Returned>, Items, Format>
  : Returned extends string ? TextPage
  : Returned extends readonly (infer Item)[] ? WholePage<Received<Item>, Format>
  : Returned extends ListPart<infer Item> ? PartPage<Returned, Received<Item>, Format>
  : never;

/**
 * What a handler with a budget may return: a string, a list or a part of one if no output is declared, or an object with the named list;
 * else the output, or a part of its list.
 */
export type PagedReturn<Output, Items = undefined> = Items extends string
  ? [Output] extends [InferredOutput] ? { readonly [Member in Items]: readonly unknown[] } : Output
  : [Output] extends [InferredOutput] ? string | readonly unknown[] | ListPart<unknown>
  : Output extends readonly (infer Item)[] ? Output | ListPart<Item>
  : Output;

/**
 * The end of the definition of a tool with a budget. The declared output is that of the handler: a list, a text, or an object with the
 * list that `items` of the budget names; callers receive pages.
 */
export interface PagedToolBuilder<
  Name extends string,
  Input,
  Args,
  Output,
  Errors extends ErrorMap,
  Config,
  State,
  Items = undefined,
  Format = "json",
> {
  /** Ends the definition. The handler returns a list, a part of it as `{ items, next?, total? }`, a text, or an object with the named list. */
  handle<Returned extends PagedReturn<Output, Items>>(
    handler: (input: Args, ctx: ToolCtx<Errors, Config, State>) => Returned | Promise<Returned>,
  ): Tool<Name, Input, PageOf<[Output] extends [InferredOutput] ? Returned : Output, Items, Format>, never, Errors>;
}
