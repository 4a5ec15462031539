/**
 * The type that callers receive for a value: the form that JSON gives it, as `sendable.ts` of the dispatch sends it.
 *
 * @module
 */
import type { FileBlock } from "../call/file_block.ts";

/** Bytes, which are sent as a {@link FileBlock}: `Uint8Array`, `Buffer`, `ArrayBuffer`, `DataView`, `Blob` and `File`. */
export type FileData = Uint8Array | ArrayBuffer | DataView | {
  /** Size in bytes. */
  readonly size: number;
  /** Media type. */
  readonly type: string;
  /** Reads the bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
};

/** JSON without members that are `undefined`. Interfaces are not assignable to it. */
export type PlainJson =
  | string
  | number
  | boolean
  | null
  | readonly PlainJson[]
  | { readonly [name: string]: PlainJson };

/** A value with its own JSON form, such as a `Date`. */
export interface HasJson<Form> {
  /** Returns the JSON form. */
  toJSON(key?: never): Form;
}

/** A value that cannot be sent. `Problem` is what the compiler shows: what the value is, and what to return instead. */
export interface CannotBeSent<Problem extends string> {
  /** Never present. */
  readonly "~cannotBeSent": Problem;
}

/** What a value is that cannot be sent, and what to return instead; `never` for other values. */
export type SendingProblem<Value> = Value extends bigint
  ? "a BigInt: return String(value), or Number(value) if it is small"
  : Value extends symbol ? "a symbol: return its description"
  : Value extends (...args: never) => unknown ? "a function: return its result"
  : Value extends PromiseLike<unknown> ? "a promise within the answer: await it"
  : Value extends ReadonlyMap<unknown, unknown> ? "a Map: return Object.fromEntries(map), or [...map]"
  : Value extends ReadonlySet<unknown> ? "a Set: return [...set]"
  : Value extends WeakMap<WeakKey, unknown> | WeakSet<WeakKey> ? "a weak collection: return a plain object or a list"
  : Value extends { readonly ok: boolean; readonly status: number; json(): Promise<unknown>; text(): Promise<string> }
    ? "a Response: return its body, as in await response.json(), response.text() or response.bytes()"
  : Value extends RegExp ? "a RegExp: return its source"
  : Value extends AsyncIterable<unknown> ? "a stream within the answer: return the stream itself, or read it"
  : Value extends ArrayBufferView
    ? "a typed array: return [...array] for numbers, new Uint8Array(array.buffer) for bytes"
  : Value extends readonly unknown[] ? never
  : Value extends Iterable<unknown> ? "an iterator: return [...values], or write async function*"
  : never;

/**
 * Type that callers receive for a returned value: what JSON writes for it, and a file for bytes. Members that are functions are not
 * sent. The JSON form of `toJSON()` is taken first.
 */
export type SentAs<Value> = unknown extends Value ? Value
  : Value extends string | number | boolean | null | undefined | void ? Value
  : Value extends FileData ? FileBlock
  : Value extends HasJson<infer Form> ? [Value] extends [Form] ? SentMembers<Value> : SentAs<Form>
  : Value extends readonly unknown[] ? SentList<Value>
  : [SendingProblem<Value>] extends [never] ? SentMembers<Value>
  : CannotBeSent<SendingProblem<Value>>;

/** A list or a tuple as it is sent. The form `[]` resolves the items of recursive types when they are read. */
export type SentList<List extends readonly unknown[]> = number extends List["length"]
  ? List extends unknown[] ? SentItem<List[number]>[] : readonly SentItem<List[number]>[]
  : { [Index in keyof List]: SentItem<List[Index]> };

/** Item of a list: `undefined` is sent as `null`. */
export type SentItem<Item> = unknown extends Item ? Item : Item extends undefined ? null : SentAs<Item>;

/** An object as it is sent: members that may be `undefined` are optional. Written as one object, which is what editors show. */
export type SentMembers<Value> = (
  & { [Name in keyof Value as NameIf<Name, Value[Name], false>]: SentAs<Value[Name]> }
  & { [Name in keyof Value as NameIf<Name, Value[Name], true>]?: SentAs<Value[Name]> }
) extends infer Members ? { [Name in keyof Members]: Members[Name] } : never;

/** Name of a member that is sent, if the member is optional, or if it is not; else `never`. */
export type NameIf<Name, Member, IsOptional extends boolean> = Name extends symbol ? never
  : unknown extends Member ? IsOptional extends true ? never : Name
  : [Exclude<Member, undefined>] extends [(...args: never) => unknown] ? never
  : undefined extends Member ? IsOptional extends true ? Name : never
  : IsOptional extends true ? never
  : Name;

/** {@link SentAs} for a whole answer or piece: the type itself if it is what is sent, so that it keeps its name. */
export type Received<Value> = [Value] extends [PlainJson] ? Value
  : [Value] extends [SentAs<Value>] ? [SentAs<Value>] extends [Value] ? Value : SentAs<Value>
  : SentAs<Value>;

/** What a value has to be so that it can be sent: the same type, with {@link CannotBeSent} in the place of what cannot. */
export type SendableForm<Value> = unknown extends Value ? Value
  : Value extends string | number | boolean | null | undefined | void | FileData | HasJson<unknown> ? Value
  : Value extends readonly unknown[] ? readonly SendableForm<Value[number]>[]
  : [SendingProblem<Value>] extends [never] ? {
      [Name in keyof Value]: Value[Name] extends ((...args: never) => unknown) | undefined ? Value[Name]
        : SendableForm<Value[Name]>;
    }
  : CannotBeSent<SendingProblem<Value>>;
