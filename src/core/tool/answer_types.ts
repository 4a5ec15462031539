/** Types that callers receive for what handlers return: the whole answer, and the pieces of a stream. */
import type { FileBlock } from "../call/file_block.ts";
import type { FileData, PlainJson, Received, SendableForm } from "../schema/received.ts";

/** Output of a streaming handler that returns nothing: its partials, joined to one string if they are strings, else as an array. */
export type JoinedPartials<Partial> = [Partial] extends [string] ? string : Partial[];

/**
 * Output of a tool without `.output()`, from its handler's return type: awaited; of a generator, what it returns, else its joined
 * partials; of another stream, its joined partials.
 */
export type AnswerOf<Returned> = Returned extends AsyncGenerator<infer Partial, infer Output, never>
  ? [Output] extends [void] ? JoinedFiles<Partial> : Received<Output>
  : Awaited<Returned> extends AsyncIterable<infer Partial> ? JoinedFiles<Partial>
  : Received<Awaited<Returned>>;

/** Joined partials of a stream: one file for bytes. */
export type JoinedFiles<Partial> = [Partial] extends [FileData] ? FileBlock : JoinedPartials<Received<Partial>>;

/** Partial type of a handler: the yielded type of a generator or another stream, else the declared one. */
export type PartialOf<Returned, Declared> = Awaited<Returned> extends AsyncIterable<infer Partial> ? Received<Partial>
  : Declared;

/** All values that a handler sends: what it returns, awaited; of a stream, its pieces and its end. */
export type ContentOf<Returned> = Returned extends AsyncGenerator<infer Partial, infer Output, never> ? Partial | Output
  : Awaited<Returned> extends AsyncIterable<infer Partial> ? Partial
  : Awaited<Returned>;

/** What a handler would have to return so that its answer can be sent. */
export type SendableReturn<Returned> = Returned extends AsyncGenerator<infer Partial, infer Output, never>
  ? AsyncGenerator<SendableForm<Partial>, SendableForm<Output>>
  : Awaited<Returned> extends AsyncIterable<infer Partial> ? AsyncIterable<SendableForm<Partial>>
  : Returned extends PromiseLike<infer Output> ? Promise<SendableForm<Output>>
  : SendableForm<Returned>;

/** `true` for values that can be sent, else `never`. Plain JSON, the common case, is decided by one comparison. */
export type IfSendable<Content> = [Content] extends [PlainJson] ? true
  : [Content] extends [SendableForm<Content>] ? true
  : never;

/**
 * Type of a handler beside its own: `unknown`; or, if its answer cannot be sent, a type that shows the place and what to return.
 *
 * The condition has this form so that a handler within a generic function, whose type is not known yet, is accepted.
 */
export type AnsweringHandler<Returned> = [IfSendable<ContentOf<Returned>>] extends [never]
  ? (...args: never) => SendableReturn<Returned>
  : unknown;
