/**
 * The two messages of a call in protobuf's bytes, read and written without reflection: a server reads the one and writes the
 * other, a client the other way round.
 *
 * The other messages are left to the library. Reading is total, and takes time in proportion to the bytes.
 * Source: `proto/mcplite.proto`; tags are written as `binary_format.ts` says.
 *
 * @module
 */
import type { JsonObject, Message } from "@bufbuild/protobuf";
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { BinaryReader, BinaryWriter, DecodeError } from "./wire_format.ts";
import { readStruct, writeStruct } from "./struct.ts";
import { type ResponseMeta, ResponseType } from "./gen/mcplite_pb.ts";
import { ARGUMENTS_TOO_DEEP } from "./json.ts";

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

/** A ResponseMeta that says nothing. */
export const EMPTY_META: ResponseMetaMembers = {
  responseType: ResponseType.ANSWER,
  promiseToken: "",
  timestamp: 0n,
  processingTimeMs: 0,
  expiresAt: 0n,
  estimatedCompletion: 0n,
  retryAfterMs: 0,
  continuation: "",
  context: "",
  serverVersion: "",
};

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
export function decodeToolRequestBytes(bytes: Uint8Array, depth: number): ToolRequestMembers | ErrorResult {
  return readWhole(bytes, "mcplite.ToolRequest", (reader) => readToolRequest(reader, bytes.length, depth));
}

/**
 * Reads a ToolResponse, as {@link decodeToolRequestBytes} reads a request.
 *
 * @param depth Deepest nesting of each of its structs; that of `{}` is 1.
 */
export function decodeToolResponseBytes(bytes: Uint8Array, depth: number): ResponseMembers | ErrorResult {
  return readWhole(bytes, "mcplite.ToolResponse", (reader) => readToolResponse(reader, bytes.length, depth));
}

function readWhole<Members>(
  bytes: Uint8Array,
  typeName: string,
  read: (reader: BinaryReader) => Members,
): Members | ErrorResult {
  try {
    return read(new BinaryReader(bytes, typeName));
  } catch (thrown) {
    if (thrown instanceof DecodeError) return thrown.error;
    // The stack is less deep than what may be nested.
    if (thrown instanceof RangeError) return ARGUMENTS_TOO_DEEP;
    throw thrown;
  }
}

function readToolRequest(reader: BinaryReader, end: number, depth: number): ToolRequestMembers {
  let name = "";
  let args: JsonObject | undefined;
  let meta: JsonObject | undefined;
  while (reader.offset < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) name = reader.text(end);
    else if (tag === 0o22) args = readStruct(reader, end, args ?? {}, depth);
    else if (tag === 0o32) meta = readStruct(reader, end, meta ?? {}, depth);
    else reader.skip(tag, end);
  }
  return { name, arguments: args, meta };
}

function readToolResponse(reader: BinaryReader, end: number, depth: number): ResponseMembers {
  let result: JsonObject | undefined;
  let meta: ResponseMetaMembers | undefined;
  while (reader.offset < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) result = readStruct(reader, end, result ?? {}, depth);
    else if (tag === 0o22) readMeta(reader, end, meta ??= { ...EMPTY_META }, depth);
    else reader.skip(tag, end);
  }
  return { result, meta };
}

/** Reads a meta into what was sent of it before. */
function readMeta(reader: BinaryReader, outerEnd: number, meta: ResponseMetaMembers, depth: number): void {
  const end = reader.end(outerEnd);
  while (reader.offset < end) {
    const tag = reader.tag(end);
    if (tag === 0o10) meta.responseType = readInt32(reader, end) as ResponseType;
    else if (tag === 0o30) meta.timestamp = reader.integer(end);
    else if (tag === 0o40) meta.processingTimeMs = readInt32(reader, end);
    else if (tag === 0o142) meta.serverVersion = reader.text(end);
    else if (tag === 0o22) meta.promiseToken = reader.text(end);
    else if (tag === 0o50) meta.expiresAt = reader.integer(end);
    else if (tag === 0o60) meta.estimatedCompletion = reader.integer(end);
    else if (tag === 0o70) meta.retryAfterMs = readInt32(reader, end);
    else if (tag === 0o102) meta.progress = readStruct(reader, end, meta.progress ?? {}, depth);
    else if (tag === 0o112) meta.continuation = reader.text(end);
    else if (tag === 0o122) meta.requests = readStruct(reader, end, meta.requests ?? {}, depth);
    else if (tag === 0o132) meta.context = reader.text(end);
    else if (tag === 0o152) meta.extra = readStruct(reader, end, meta.extra ?? {}, depth);
    else reader.skip(tag, end);
  }
}

function readInt32(reader: BinaryReader, end: number): number {
  return Number(BigInt.asIntN(32, reader.integer(end)));
}

/**
 * Writes a ToolRequest in its envelope, as {@link encodeResponseEnvelope} writes a response.
 *
 * @throws {RangeError} If its values are nested deeper than the stack.
 */
export function encodeRequestEnvelope(request: ToolRequestMembers): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writeStruct(writer, 0o32, request.meta);
  writeStruct(writer, 0o22, request.arguments);
  writeText(writer, 0o12, request.name);
  return writer.toEnvelope();
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
