/**
 * The two messages of a call in protobuf's bytes, read and written without reflection.
 *
 * A `Struct` goes from bytes to JSON and back at once: no message is made of any of its values. The other messages are left
 * to the library. Reading is total, and takes time in proportion to the bytes.
 * Source: `proto/mcplite.proto` and `google/protobuf/struct.proto`; tags are written as `binary_format.ts` says.
 *
 * @module
 */
import type { JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import type { Refusal } from "../../call/outcome.ts";
import { isJsonObject } from "../../internal/json.ts";
import { BinaryReader, BinaryWriter, Unreadable } from "./binary_format.ts";
import type { ResponseMeta } from "./gen/mcplite_pb.ts";
import { refuseNumber, TOO_DEEP } from "./json.ts";

/** What a ToolRequest says. */
export interface ToolRequestMembers {
  /** The tool's name; empty if it was not sent. */
  readonly name: string;
  /** The arguments; `undefined` if they were not sent. */
  readonly arguments?: JsonObject | undefined;
  /** What the caller says beside them; `undefined` if it was not sent. */
  readonly meta?: JsonObject | undefined;
}

/** What a ResponseMeta says, every field of it. */
export type ResponseMetaMembers = Omit<ResponseMeta, keyof Message>;

/** What a ToolResponse says. */
export interface ResponseMembers {
  /** The result. */
  readonly result?: JsonObject | undefined;
  /** Of the last response alone. */
  readonly meta?: ResponseMetaMembers | undefined;
}

/**
 * Reads a ToolRequest.
 *
 * Fields that it does not know are skipped, but groups are refused, and so are numbers that JSON has not.
 *
 * @param bytes The message, without its envelope.
 * @param depth Deepest nesting of the arguments, and of the meta; that of `{}` is 1.
 */
export function decodeToolRequestBytes(bytes: Uint8Array, depth: number): ToolRequestMembers | Refusal {
  try {
    return readToolRequest(new BinaryReader(bytes, "mcplite.ToolRequest"), bytes.length, depth);
  } catch (thrown) {
    if (thrown instanceof Unreadable) return thrown.refusal;
    // The stack is less deep than `depth`.
    if (thrown instanceof RangeError) return TOO_DEEP;
    throw thrown;
  }
}

function readToolRequest(reader: BinaryReader, end: number, depth: number): ToolRequestMembers {
  let name = "";
  let args: JsonObject | undefined;
  let meta: JsonObject | undefined;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) name = reader.text(end);
    else if (tag === 0o22) args = readStruct(reader, end, args ?? {}, depth);
    else if (tag === 0o32) meta = readStruct(reader, end, meta ?? {}, depth);
    else reader.skip(tag, end);
  }
  return { name, arguments: args, meta };
}

/** Reads a struct into the members that were sent before it. */
function readStruct(reader: BinaryReader, outerEnd: number, members: JsonObject, depth: number): JsonObject {
  if (depth <= 0) throw new Unreadable(TOO_DEEP);
  const end = reader.end(outerEnd);
  while (reader.at < end) {
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
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) key = reader.key(end);
    else if (tag === 0o22) value = readValue(reader, end, value, depth);
    else reader.skip(tag, end);
  }
  if (key !== "__proto__") members[key] = value;
  else Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
}

function readList(reader: BinaryReader, outerEnd: number, items: JsonValue[], depth: number): JsonValue[] {
  if (depth <= 0) throw new Unreadable(TOO_DEEP);
  const end = reader.end(outerEnd);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) items.push(readValue(reader, end, null, depth - 1));
    else reader.skip(tag, end);
  }
  return items;
}

/** Reads a value. The kind that comes last counts, none is `null`; one struct after another adds to it, as lists do. */
function readValue(reader: BinaryReader, outerEnd: number, before: JsonValue, depth: number): JsonValue {
  const end = reader.end(outerEnd);
  let value = before;
  while (reader.at < end) {
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

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Unreadable(refuseNumber(value));
  return value;
}

/**
 * Writes a ToolResponse in its envelope: one flag byte 0, four bytes of length, the message.
 *
 * @throws {RangeError} If its values are nested deeper than the stack.
 */
export function encodeResponseEnvelope({ result, meta }: ResponseMembers): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  if (meta !== undefined) writeMeta(writer, meta);
  writeStruct(writer, 0o12, result);
  return writer.toEnvelope();
}

function writeMeta(writer: BinaryWriter, meta: ResponseMetaMembers): void {
  const before = writer.size;
  writeStruct(writer, 0o152, meta.extra);
  writeText(writer, 0o142, meta.serverVersion);
  writeText(writer, 0o132, meta.context);
  writeStruct(writer, 0o122, meta.requests);
  writeText(writer, 0o112, meta.continuation);
  writeStruct(writer, 0o102, meta.progress);
  writeInteger(writer, 0o70, meta.retryAfterMs);
  writeInteger(writer, 0o60, meta.estimatedCompletion);
  writeInteger(writer, 0o50, meta.expiresAt);
  writeInteger(writer, 0o40, meta.processingTimeMs);
  writeInteger(writer, 0o30, meta.timestamp);
  writeText(writer, 0o22, meta.promiseToken);
  writeInteger(writer, 0o10, meta.responseType);
  writer.head(0o22, before);
}

function writeText(writer: BinaryWriter, tag: number, text: string): void {
  if (text !== "") writer.text(tag, text);
}

function writeInteger(writer: BinaryWriter, tag: number, value: number | bigint): void {
  if (Number(value) !== 0) writer.integer(tag, value);
}

function writeStruct(writer: BinaryWriter, tag: number, members: JsonObject | undefined): void {
  if (members === undefined) return;
  const before = writer.size;
  const keys = Object.keys(members);
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index] as string;
    const entryBefore = writer.size;
    writeValue(writer, 0o22, members[key] as JsonValue);
    writer.text(0o12, key);
    writer.head(0o12, entryBefore);
  }
  writer.head(tag, before);
}

function writeList(writer: BinaryWriter, tag: number, items: readonly JsonValue[]): void {
  const before = writer.size;
  for (let index = items.length - 1; index >= 0; index--) writeValue(writer, 0o12, items[index] as JsonValue);
  writer.head(tag, before);
}

function writeValue(writer: BinaryWriter, tag: number, value: JsonValue): void {
  const before = writer.size;
  if (typeof value === "string") writer.text(0o32, value);
  else if (typeof value === "number") writer.double(0o21, value);
  else if (typeof value === "boolean") writer.varint(0o40, value ? 1 : 0);
  else if (value === null) writer.varint(0o10, 0);
  else if (Array.isArray(value)) writeList(writer, 0o62, value);
  else writeStruct(writer, 0o52, value);
  writer.head(tag, before);
}
