/**
 * Binary codec of typed messages: bytes to JSON and back, by a table for each message that is made once.
 *
 * Reading is total but for exceptions of the reader, and skips unknown fields. For the notation of tags see `wire_format.ts`.
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { errorResult, toToolError } from "../../../../core/call/outcome.ts";
import { isJsonObject } from "../../../../internal/json.ts";
import { ARGUMENTS_TOO_DEEP } from "../json.ts";
import { finite, putMember, readStruct, readValue, writeStruct, writeValue } from "../struct.ts";
import { BinaryReader, type BinaryWriter } from "../wire_format.ts";
import type { FieldType, ItemType, MessageField, MessageType } from "./types.ts";

/** A JSON value, or `undefined` for a value that was not sent. */
type Decoded = JsonValue | undefined;

/** Returns the codec of a message. Codecs are made once for each message. */
export function codecOf(message: MessageType): MessageCodec {
  const known = CODECS.get(message);
  if (known !== undefined) return known;
  const codec = new MessageCodec(message);
  CODECS.set(message, codec);
  return codec;
}

const CODECS = new WeakMap<MessageType, MessageCodec>();

/** Wire types: varint, eight bytes, length-delimited. */
const [VARINT, FIXED64, LENGTH] = [0, 1, 2] as const;

/** Converts protobuf messages of the typed service to JSON, and JSON to messages. */
export class MessageCodec {
  readonly #message: MessageType;
  /** Fields by their tags; those of packed lists have two. */
  readonly #readers = new Map<number, FieldCodec>();
  /** In descending order of numbers. */
  readonly #writers: readonly FieldCodec[];
  readonly #keys: ReadonlySet<string>;

  /** Codecs of fields are made at their first use, since messages can contain themselves. */
  constructor(message: MessageType) {
    this.#message = message;
    const fields = message.fields.map((field) => new FieldCodec(field));
    for (const field of fields) for (const tag of field.tags) this.#readers.set(tag, field);
    this.#writers = fields.toSorted((one, other) => other.field.number - one.field.number);
    this.#keys = new Set(message.fields.flatMap(({ key }) => key ?? []));
  }

  /**
   * Reads a message up to `end`.
   *
   * @param depth Maximum nesting depth. The depth of an empty message is 1.
   * @param previous Value of the same field that was read before, which is merged.
   */
  read(reader: BinaryReader, end: number, depth: number, previous?: Decoded): Decoded {
    if (depth <= 0) throw toToolError(ARGUMENTS_TOO_DEEP);
    const { form } = this.#message;
    const members = form !== "single" && isJsonObject(previous) ? previous as JsonObject : this.#initial();
    while (reader.offset < end) {
      const tag = reader.tag(end);
      const field = this.#readers.get(tag);
      if (field === undefined) reader.skip(tag, end);
      else field.read(reader, end, tag, members, depth - 1);
    }
    return form === "single" ? members[this.#message.fields[0]?.key as string] : members;
  }

  /** Values of the fields that are not sent. */
  #initial(): JsonObject {
    const members: JsonObject = {};
    for (const { key, type: { kind }, absent } of this.#message.fields) {
      if (key === undefined || absent === "omitted") continue;
      putMember(members, key, absent === "null" ? null : zeroOf(kind));
    }
    return members;
  }

  /**
   * Writes the fields of a value.
   *
   * @throws {TypeError} If the value does not fit the message.
   */
  write(writer: BinaryWriter, value: Decoded): void {
    if (this.#message.form === "single") return this.#writers[0]?.write(writer, value);
    if (!isJsonObject(value)) throw misfit(this.#message.typeName, "object");
    for (const codec of this.#writers) {
      const { key } = codec.field;
      if (this.#message.form === "oneof") codec.writeAlways(writer, value as JsonObject, key as string);
      else if (key === undefined) codec.write(writer, this.#others(value as JsonObject));
      else if (Object.hasOwn(value, key)) codec.write(writer, value[key] as JsonValue);
    }
  }

  /** The members that have no field. */
  #others(value: JsonObject): JsonObject {
    const others: JsonObject = {};
    for (const key of Object.keys(value)) if (!this.#keys.has(key)) putMember(others, key, value[key] as JsonValue);
    return others;
  }
}

function zeroOf(kind: FieldType["kind"]): JsonValue {
  switch (kind) {
    case "bool":
      return false;
    case "string":
      return "";
    case "list":
      return [];
    case "map":
      return {};
    default:
      return 0;
  }
}

/** Codec of a field. */
class FieldCodec {
  readonly field: MessageField;
  readonly tags: readonly number[];
  readonly #item: ItemType;
  /** All bytes of the tag but the last, which the writer takes by itself. */
  readonly #prefix: Uint8Array;
  readonly #lastByte: number;
  readonly #packedTag: number | undefined;

  constructor(field: MessageField) {
    this.field = field;
    const { type, number } = field;
    this.#item = type.kind === "list" || type.kind === "map" ? type.item : type;
    const wireType = type.kind === "map" ? LENGTH : wireTypeOf(this.#item);
    const tag = number * 8 + wireType;
    this.#packedTag = type.kind === "list" && wireType !== LENGTH ? number * 8 + LENGTH : undefined;
    this.tags = this.#packedTag === undefined ? [tag] : [tag, this.#packedTag];
    const bytes = varintOf(this.#packedTag ?? tag);
    this.#prefix = bytes.subarray(0, -1);
    this.#lastByte = bytes.at(-1) as number;
  }

  /** Reads an occurrence of the field into the members of its message. */
  read(reader: BinaryReader, end: number, tag: number, members: JsonObject, depth: number): void {
    const { key, type: { kind } } = this.field;
    if (kind === "list") {
      this.#readItems(reader, end, tag, listOf(members, key as string), depth - 1);
    } else if (kind === "map") {
      this.#readEntry(reader, end, key === undefined ? members : mapOf(members, key), depth - 1);
    } else {
      const previous = Object.hasOwn(members, key as string) ? members[key as string] : undefined;
      putMember(members, key as string, readItem(this.#item, reader, end, depth, previous) ?? null);
    }
  }

  #readItems(reader: BinaryReader, end: number, tag: number, items: JsonValue[], depth: number): void {
    if (depth < 0) throw toToolError(ARGUMENTS_TOO_DEEP);
    if (tag !== this.#packedTag) return void items.push(readItem(this.#item, reader, end, depth, undefined) ?? null);
    const packedEnd = reader.end(end);
    while (reader.offset < packedEnd) items.push(readItem(this.#item, reader, packedEnd, depth, undefined) ?? null);
  }

  #readEntry(reader: BinaryReader, outerEnd: number, members: JsonObject, depth: number): void {
    if (depth < 0) throw toToolError(ARGUMENTS_TOO_DEEP);
    const end = reader.end(outerEnd);
    const valueTag = 0o20 + wireTypeOf(this.#item);
    let key = "";
    let value: Decoded = emptyItem(this.#item);
    while (reader.offset < end) {
      const tag = reader.tag(end);
      if (tag === 0o12) key = reader.key(end);
      else if (tag === valueTag) value = readItem(this.#item, reader, end, depth, undefined);
      else reader.skip(tag, end);
    }
    putMember(members, key, value ?? null);
  }

  /** Writes the field, unless its value is the one of an absent field. */
  write(writer: BinaryWriter, value: Decoded): void {
    const { type: { kind }, absent } = this.field;
    if (value === undefined || (value === null && !holdsNull(this.#item))) {
      if (value === null && absent === "zero") throw misfit(this.field.name, kind);
      return;
    }
    if (kind === "list") this.#writeItems(writer, value);
    else if (kind === "map") this.#writeEntries(writer, value);
    else if (absent !== "zero" || value !== zeroOf(kind)) this.#writeTagged(writer, this.#item, value);
  }

  /** Writes a member of a `oneof`, whatever its value is. */
  writeAlways(writer: BinaryWriter, members: JsonObject, key: string): void {
    if (Object.hasOwn(members, key)) this.#writeTagged(writer, this.#item, members[key] as JsonValue);
  }

  #writeTagged(writer: BinaryWriter, item: ItemType, value: JsonValue): void {
    writeItem(item, writer, this.#lastByte, value, this.field.name);
    writer.bytes(this.#prefix);
  }

  #writeItems(writer: BinaryWriter, value: JsonValue): void {
    if (!Array.isArray(value)) throw misfit(this.field.name, "array");
    if (value.length === 0) return;
    if (this.#packedTag === undefined) {
      for (let at = value.length - 1; at >= 0; at--) this.#writeTagged(writer, this.#item, value[at] as JsonValue);
      return;
    }
    const sizeBefore = writer.size;
    for (let at = value.length - 1; at >= 0; at--) writePacked(this.#item, writer, value[at] as JsonValue, this.field);
    writer.head(this.#lastByte, sizeBefore);
    writer.bytes(this.#prefix);
  }

  #writeEntries(writer: BinaryWriter, value: JsonValue): void {
    if (!isJsonObject(value)) throw misfit(this.field.name, "object");
    const valueByte = 0o20 + wireTypeOf(this.#item);
    for (const key of Object.keys(value).reverse()) {
      const sizeBefore = writer.size;
      writeItem(this.#item, writer, valueByte, value[key] as JsonValue, this.field.name);
      writer.text(0o12, key);
      writer.head(this.#lastByte, sizeBefore);
      writer.bytes(this.#prefix);
    }
  }
}

/** The list of a member, which is created if it is absent. */
function listOf(members: JsonObject, key: string): JsonValue[] {
  if (!Object.hasOwn(members, key)) putMember(members, key, []);
  return members[key] as JsonValue[];
}

function mapOf(members: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(members, key)) putMember(members, key, {});
  return members[key] as JsonObject;
}

function wireTypeOf({ kind }: ItemType): number {
  if (kind === "double") return FIXED64;
  return kind === "bool" || kind === "int32" || kind === "int64" || kind === "uint32" ? VARINT : LENGTH;
}

function varintOf(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(rest % 128 + 128);
  return Uint8Array.from([...bytes, rest]);
}

const EMPTY = new BinaryReader(new Uint8Array(0), "message");

/** Whether a type has a form of `null`. */
function holdsNull(item: ItemType): boolean {
  if (item.kind !== "message") return item.kind === "value";
  return item.message.form === "single" && item.message.fields[0]?.absent === "null";
}

/** Value of a map's entry without a value. */
function emptyItem(item: ItemType): Decoded {
  if (item.kind === "value") return null;
  if (item.kind === "struct") return {};
  return item.kind === "message" ? codecOf(item.message).read(EMPTY, 0, 1) : zeroOf(item.kind);
}

function readItem(item: ItemType, reader: BinaryReader, end: number, depth: number, previous: Decoded): Decoded {
  switch (item.kind) {
    case "bool":
      return reader.varint(end) !== 0;
    case "double":
      return finite(reader.double(end));
    case "int32":
      return Number(BigInt.asIntN(32, reader.integer(end)));
    case "uint32":
      return Number(BigInt.asUintN(32, reader.integer(end)));
    case "int64":
      return safeInteger(reader.integer(end));
    case "string":
      return reader.text(end);
    case "value":
      return readValue(reader, end, previous ?? null, depth);
    case "struct":
      return readStruct(reader, end, isJsonObject(previous) ? previous as JsonObject : {}, depth);
    case "message":
      return codecOf(item.message).read(reader, reader.end(end), depth, previous);
  }
}

function safeInteger(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw toToolError(errorResult("parse_error", `${value} is beyond the integers that JSON has exactly`));
}

/** @param byte Last byte of the tag. */
function writeItem(item: ItemType, writer: BinaryWriter, byte: number, value: JsonValue, name: string): void {
  const { kind } = item;
  if (kind === "value") return writeValue(writer, byte, value);
  if (kind === "string") {
    if (typeof value !== "string") throw misfit(name, kind);
    return writer.text(byte, value);
  }
  if (kind === "struct") {
    if (!isJsonObject(value)) throw misfit(name, "object");
    return writeStruct(writer, byte, value as JsonObject);
  }
  if (kind === "message") {
    const sizeBefore = writer.size;
    codecOf(item.message).write(writer, value);
    return writer.head(byte, sizeBefore);
  }
  if (kind === "double") return writer.double(byte, checked(kind, value, name));
  writer.integer(byte, checked(kind, value, name));
}

function writePacked({ kind }: ItemType, writer: BinaryWriter, value: JsonValue, { name }: MessageField): void {
  const number = checked(kind, value, name);
  if (kind === "double") writer.bareDouble(number);
  else writer.bareInteger(number);
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/** Returns a value as a number of its type. */
function checked(kind: FieldType["kind"], value: JsonValue, name: string): number {
  if (kind === "bool" && typeof value === "boolean") return value ? 1 : 0;
  const range = RANGES[kind];
  if (typeof value !== "number" || kind === "bool") throw misfit(name, kind);
  if (range !== undefined && !(Number.isInteger(value) && value >= range[0] && value <= range[1])) {
    throw misfit(name, kind);
  }
  return value;
}

function misfit(name: string, kind: string): TypeError {
  return new TypeError(`${name} is not of the type ${kind}`);
}
