/**
 * Converts what a handler returns to what JSON can express, and refuses what JSON would lose without a word.
 *
 * Bytes become content blocks; objects with `toJSON` and instances of classes with members stay as they are. Loaded on demand by
 * `sendable.ts`, from which it gets what it shares with it: an import would split the file that every server loads.
 *
 * @module
 */
import { fileBlock } from "../call/file_block.ts";
import type { CallResult } from "../call/outcome.ts";
import type { OutputLimits } from "./services.ts";

/** Result of the conversion of a value of a handler: the value, with content blocks in place of bytes, and how much of the size limit it leaves. */
export interface Sendable {
  /** The value: the given one if it has no bytes, else a copy with content blocks in their place. */
  readonly value: unknown;
  /** Characters that are left of the limit: negative if the value is too large, or too deep. */
  readonly left: number;
  /** Whether the value has bytes. */
  readonly hasFiles: boolean;
}

/** Options of the conversion of a value. */
export interface SendableOptions {
  /** Name of the value in errors: "output". */
  readonly what: string;
  readonly limits: OutputLimits;
  /** {@link Sendable.left} of a value that is too deep. */
  readonly tooDeep: number;
  readonly formatPath: (path: readonly (string | number)[]) => string;
}

/**
 * Converts a value.
 *
 * @returns A promise if a `Blob` has to be read.
 * @throws {TypeError} If JSON cannot express a part of the value; the message has its path, and what to return instead.
 */
export function convertValue(value: unknown, options: SendableOptions): Sendable | Promise<Sendable> {
  const writer = new Writer(options);
  const root: { value?: unknown } = {};
  writer.write(value, (written) => root.value = written, options.limits.depth);
  const settle = (): Sendable => ({
    value: writer.hasFiles ? root.value : value,
    left: writer.left,
    hasFiles: writer.hasFiles,
  });
  return writer.reading.length === 0 ? settle() : Promise.all(writer.reading).then(settle);
}

/**
 * Converts a result of a call: its value, data and `_meta`. {@link Sendable.value} is the result to send.
 *
 * @throws {TypeError} If JSON cannot express a part of it, or a `Blob` has to be read, for which there is no time here.
 */
export function convertResult(result: CallResult, { limits, ...options }: Omit<SendableOptions, "what">): Sendable {
  const members = { ...result } as Record<string, unknown>;
  let left = limits.answerChars;
  for (const [name, what] of [["value", "output"], ["data", "data"], ["meta", "_meta"]] as const) {
    const part = convertValue(members[name], { ...options, what, limits: { ...limits, answerChars: left } });
    if (part instanceof Promise) throw new TypeError(`The ${what} cannot be sent: read its Blob, by blob.bytes()`);
    if (part.hasFiles) {
      members[name] = part.value;
      if (name === "value") members["hasFiles"] = true;
    }
    ({ left } = part);
  }
  return { value: members, left, hasFiles: members["hasFiles"] === true };
}

/** Writes a converted value to its place in the copy that is sent. */
type Put = (written: unknown) => void;

/** Copies one value of a handler to a form that JSON can express, counts its size, and collects the blobs that have to be read. */
class Writer {
  left: number;
  hasFiles = false;
  /** Blobs that are being read. */
  readonly reading: Promise<void>[] = [];
  readonly #options: SendableOptions;
  readonly #path: (string | number)[] = [];
  readonly #open = new Set<object>();

  constructor(options: SendableOptions) {
    this.#options = options;
    this.left = options.limits.answerChars;
  }

  /** Writes a value, and passes on what is sent in its place. */
  write(value: unknown, put: Put, levels: number): void {
    put(value);
    switch (typeof value) {
      case "string":
        this.left -= value.length + 3;
        return;
      case "number":
        if (!Number.isFinite(value)) throw this.#refuse(`it is ${value}`, "null, or the number as text");
        this.left -= 18;
        return;
      case "bigint":
        throw this.#refuse("it is a BigInt", "String(value), or Number(value) if it is small");
      case "symbol":
      case "function":
        throw this.#refuse(`it is a ${typeof value}`, "its result, or leave the member out");
      case "object":
        if (value !== null) return this.#writeObject(value, put, levels - 1);
    }
    this.left -= 5;
  }

  #writeObject(value: object, put: Put, levels: number): void {
    if (levels < 0) this.left = this.#options.tooDeep;
    if (this.left < 0) return;
    if (this.#writeFile(value, put)) return;
    if (this.#open.has(value)) throw this.#refuse("it contains itself", "a value without cycles, such as ids");
    this.#open.add(value);
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      put(items);
      value.forEach((item, at) => this.#below(item, at, (written) => items[at] = written, levels));
    } else this.#writeMembers(value, put, levels);
    this.#open.delete(value);
  }

  #writeMembers(value: object, put: Put, levels: number): void {
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function" && !HAS_UNEVEN_JSON.test(tagOf(value))) {
      if (value instanceof Date && Number.isNaN(value.valueOf())) {
        throw this.#refuse("it is an invalid date", "null, or check the date");
      }
      const key = this.#path.at(-1) ?? "";
      return this.write(toJSON.call(value, String(key)), put, levels);
    }
    if (value instanceof String || value instanceof Number || value instanceof Boolean) {
      return this.write(value.valueOf(), put, levels);
    }
    const names = Object.keys(value);
    const problem = problemOf(value, names.length);
    if (problem !== undefined) throw this.#refuse(...problem);
    const members: Record<string, unknown> = {};
    put(members);
    for (const name of names) {
      this.left -= name.length + 3;
      const add: Put = (member) =>
        Object.defineProperty(members, name, { value: member, configurable: true, enumerable: true, writable: true });
      this.#below((value as Readonly<Record<string, unknown>>)[name], name, add, levels);
    }
  }

  #below(value: unknown, key: string | number, put: Put, levels: number): void {
    this.#path.push(key);
    this.write(value, put, levels);
    this.#path.pop();
  }

  /** Writes bytes as a content block. Returns whether the value is bytes. */
  #writeFile(value: object, put: Put): boolean {
    if (value instanceof Blob) {
      if (!this.#takeBytes(value.size)) return true;
      const { type, name } = value as Blob & { readonly name?: string };
      this.reading.push(value.arrayBuffer().then((bytes) => put(fileBlock(new Uint8Array(bytes), { type, name }))));
      return true;
    }
    const bytes = bytesOf(value);
    if (bytes === undefined) return false;
    if (this.#takeBytes(bytes.length)) put(fileBlock(bytes, {}));
    return true;
  }

  /** Whether the limit has room for so many bytes in base64. */
  #takeBytes(bytes: number): boolean {
    this.hasFiles = true;
    this.left -= Math.ceil(bytes / 3) * 4;
    return this.left >= 0;
  }

  #refuse(problem: string, instead: string): TypeError {
    const { what, formatPath } = this.#options;
    const where = this.#path.length === 0 ? "" : ` at "${formatPath(this.#path)}"`;
    return new TypeError(`The ${what} cannot be sent${where}: ${problem}; return ${instead}`);
  }
}

/** Bytes of the types that are sent as a file. */
function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (!(value instanceof Uint8ClampedArray) && !(value instanceof DataView)) return undefined;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** Tags of classes that have `toJSON` on Bun only. */
const HAS_UNEVEN_JSON = /^(Headers|FormData|URLSearchParams)$/;

function tagOf(value: object): string {
  return value instanceof Error ? "Error" : Object.prototype.toString.call(value).slice(8, -1);
}

/** What to return in place of objects that JSON writes as `{}`, by the tag of their class. */
const INSTEAD: Readonly<Record<string, string>> = {
  Map: "Object.fromEntries(map), or [...map]",
  Set: "[...set]",
  WeakMap: "a plain object",
  WeakSet: "a list",
  WeakRef: "the object that it refers to",
  Promise: "its value: await it",
  Response: "its body: await response.json(), response.text() or response.bytes(), or response.body as a stream",
  Request: "a plain object",
  Headers: "Object.fromEntries(headers)",
  FormData: "Object.fromEntries(data)",
  URLSearchParams: "Object.fromEntries(parameters), or its text",
  RegExp: "its source",
  Error: "its message, or throw it",
  ReadableStream: "the stream itself, not within another value; or read it",
  SharedArrayBuffer: "new Uint8Array(buffer)",
};

/** What is wrong with an object, and what to return; `undefined` if JSON writes its members. */
function problemOf(value: object, members: number): readonly [problem: string, instead: string] | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  const tag = tagOf(value);
  if (Object.hasOwn(INSTEAD, tag)) return [`it is a ${tag}`, INSTEAD[tag]!];
  if (ArrayBuffer.isView(value)) {
    return [`it is a ${tag}`, "[...array] for numbers, new Uint8Array(array.buffer) for bytes"];
  }
  if (Symbol.asyncIterator in value) return ["it is a stream", INSTEAD["ReadableStream"]!];
  if (Symbol.iterator in value) return ["it is an iterator", "[...values]"];
  if (members > 0) return undefined;
  const { name } = value.constructor ?? {};
  return [
    `it is an instance of ${name || "a class"} without members of its own`,
    "a plain object, or give the class toJSON()",
  ];
}
