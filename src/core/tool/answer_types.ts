/** Types that callers receive for what handlers return. */
import type { FileBlock } from "../call/file_block.ts";

/** Output of a streaming handler that returns nothing: its partials, joined to one string if they are strings, else as an array. */
export type JoinedPartials<Partial> = [Partial] extends [string] ? string : Partial[];

/** Bytes, which are sent as a {@link FileBlock}: `Uint8Array`, `Buffer`, `ArrayBuffer`, `DataView`, `Blob` and `File`. */
export type FileData = Uint8Array | ArrayBuffer | DataView | {
  /** Size in bytes. */
  readonly size: number;
  /** Media type. */
  readonly type: string;
  /** Reads the bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
};

/** Type that callers receive for a returned value: a file for bytes, which may be the value itself, a member or an item of it. */
export type SentAs<Value> = Value extends FileData ? FileBlock
  : Value extends readonly (infer Item)[] ? [Extract<Item, FileData>] extends [never] ? Value : SentAs<Item>[]
  : Value extends object
    ? [Extract<Value[keyof Value], FileData>] extends [never] ? Value : { [Name in keyof Value]: SentAs<Value[Name]> }
  : Value;

/**
 * Output of a tool without `.output()`, from its handler's return type: awaited; of a generator, what it returns, else its joined
 * partials; of another stream, its joined partials.
 */
export type AnswerOf<Returned> = Returned extends AsyncGenerator<infer Partial, infer Output, never>
  ? [Output] extends [void] ? JoinedFiles<Partial> : SentAs<Output>
  : Awaited<Returned> extends AsyncIterable<infer Partial> ? JoinedFiles<Partial>
  : SentAs<Awaited<Returned>>;

/** Joined partials of a stream: one file for bytes. */
export type JoinedFiles<Partial> = [Partial] extends [FileData] ? FileBlock : JoinedPartials<SentAs<Partial>>;

/** Partial type of a handler: the yielded type of a generator or another stream, else the declared one. */
export type PartialOf<Returned, Declared> = Awaited<Returned> extends AsyncIterable<infer Partial> ? SentAs<Partial>
  : Declared;
