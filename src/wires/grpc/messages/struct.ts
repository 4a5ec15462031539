/**
 * Binary codec of `google.protobuf.Struct`, which reads and writes JSON values directly, without a message for each value.
 *
 * Source: `google/protobuf/struct.proto`. For the notation of tags see `wire_format.ts`.
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { toToolError } from "../../../core/call/outcome.ts";
import { isJsonObject } from "../../../internal/json.ts";
import type { BinaryReader, BinaryWriter } from "./wire_format.ts";
import { ARGUMENTS_TOO_DEEP, numberError } from "./json.ts";

/**
 * Reads a struct, and merges it into the members that were read before.
 *
 * @param depth Maximum nesting depth. The depth of `{}` is 1.
 */
export function readStruct(reader: BinaryReader, outerEnd: number, members: JsonObject, depth: number): JsonObject {
  if (depth <= 0) throw toToolError(ARGUMENTS_TOO_DEEP);
  const end = reader.end(outerEnd);
  while (reader.offset < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) readEntry(reader, end, members, depth - 1);
    else reader.skip(tag, end);
  }
  return members;
}

function readEntry(reader: BinaryReader, outerEnd: number, members: JsonObject, depth: number): void {
  const end = reader.end(outerEnd);
  let key = "";
  let value: JsonValue = null;
  while (reader.offset < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) key = reader.key(end);
    else if (tag === 0o22) value = readValue(reader, end, value, depth);
    else reader.skip(tag, end);
  }
  putMember(members, key, value);
}

/** Sets a member of an object, also one that is called `__proto__`, without a change of the prototype. */
export function putMember(members: JsonObject, key: string, value: JsonValue): void {
  if (key !== "__proto__") members[key] = value;
  else Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
}

function readList(reader: BinaryReader, outerEnd: number, items: JsonValue[], depth: number): JsonValue[] {
  if (depth <= 0) throw toToolError(ARGUMENTS_TOO_DEEP);
  const end = reader.end(outerEnd);
  while (reader.offset < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) items.push(readValue(reader, end, null, depth - 1));
    else reader.skip(tag, end);
  }
  return items;
}

/** Reads a value: of several kinds the last one is used, and no kind at all is `null`. Structs are merged, lists are joined. */
export function readValue(reader: BinaryReader, outerEnd: number, previous: JsonValue, depth: number): JsonValue {
  const end = reader.end(outerEnd);
  let value = previous;
  while (reader.offset < end) {
    const tag = reader.tag(end);
    if (tag === 0o32) value = reader.text(end);
    else if (tag === 0o21) value = finite(reader.double(end));
    else if (tag === 0o52) value = readStruct(reader, end, isJsonObject(value) ? value : {}, depth);
    else if (tag === 0o62) value = readList(reader, end, Array.isArray(value) ? value : [], depth);
    else if (tag === 0o40) value = reader.varint(end) !== 0;
    else {
      reader.skip(tag, end);
      if (tag === 0o10) value = null;
    }
  }
  return value;
}

/** Returns a number that JSON has. @throws {ToolError} If the number is not JSON: `NaN` or an infinity. */
export function finite(value: number): number {
  if (!Number.isFinite(value)) throw toToolError(numberError(value));
  return value;
}

/** Writes an object as a struct with its tag and length, unless it is `undefined`. */
export function writeStruct(writer: BinaryWriter, tag: number, members: JsonObject | undefined): void {
  if (members === undefined) return;
  const sizeBefore = writer.size;
  const keys = Object.keys(members);
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index] as string;
    const sizeBeforeEntry = writer.size;
    writeValue(writer, 0o22, members[key] as JsonValue);
    writer.text(0o12, key);
    writer.head(0o12, sizeBeforeEntry);
  }
  writer.head(tag, sizeBefore);
}

function writeList(writer: BinaryWriter, tag: number, items: readonly JsonValue[]): void {
  const sizeBefore = writer.size;
  for (let index = items.length - 1; index >= 0; index--) writeValue(writer, 0o12, items[index] as JsonValue);
  writer.head(tag, sizeBefore);
}

/** Writes a JSON value as a `google.protobuf.Value`, with its tag and length. */
export function writeValue(writer: BinaryWriter, tag: number, value: JsonValue): void {
  const sizeBefore = writer.size;
  if (typeof value === "string") writer.text(0o32, value);
  else if (typeof value === "number") writer.double(0o21, value);
  else if (typeof value === "boolean") writer.varint(0o40, value ? 1 : 0);
  else if (value === null) writer.varint(0o10, 0);
  else if (Array.isArray(value)) writeList(writer, 0o62, value);
  else writeStruct(writer, 0o52, value);
  writer.head(tag, sizeBefore);
}
