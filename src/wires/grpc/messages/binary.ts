/**
 * Binary codec of `ToolRequest` and `ToolResponse`, without the reflection of protobuf-es: the only reader of request bytes, for
 * all protocols.
 *
 * The other messages are left to protobuf-es. Reading is total, and takes time in proportion to the bytes.
 * Source: `proto/mcplite.proto`. For the notation of tags see `wire_format.ts`.
 */
import type { JsonObject, Message } from "@bufbuild/protobuf";
import { type ErrorResult, toErrorResult } from "../../../core/call/outcome.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";
import { BinaryReader, BinaryWriter } from "./wire_format.ts";
import { readStruct, writeStruct } from "./struct.ts";
import { type ResponseMeta, ResponseType } from "./gen/mcplite_pb.ts";
import { ARGUMENTS_TOO_DEEP } from "./json.ts";

/** Fields of a ToolRequest. */
export interface ToolRequestMembers {
  /** Name of the tool; empty if it is absent. */
  readonly name: string;
  /** The arguments; `undefined` if they are absent. */
  readonly arguments?: JsonObject | undefined;
  /** The metadata of the call; `undefined` if it is absent. */
  readonly meta?: JsonObject | undefined;
}

/** Fields of a ResponseMeta. */
export type ResponseMetaMembers = Omit<ResponseMeta, keyof Message>;

/** A ResponseMeta in which every field has its default. */
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

/** Fields of a ToolResponse. */
export interface ResponseMembers {
  readonly result?: JsonObject | undefined;
  /** Set in the last response only. */
  readonly meta?: ResponseMetaMembers | undefined;
}

/**
 * Reads a ToolRequest.
 *
 * Unknown fields are skipped. Groups are rejected, and so are numbers that are not JSON.
 *
 * @param bytes The message, without its envelope.
 * @param depth Maximum nesting depth of the arguments, and of the meta. The depth of `{}` is 1.
 */
export function decodeToolRequestBytes(bytes: Uint8Array, depth: number): ToolRequestMembers | ErrorResult {
  return readWhole(bytes, "mcplite.ToolRequest", (reader) => readToolRequest(reader, bytes.length, depth));
}

/** Reads an Empty, whose fields are all unknown, as a ToolRequest without members. */
export function decodeEmptyBytes(bytes: Uint8Array): ToolRequestMembers | ErrorResult {
  return readWhole(bytes, "mcplite.Empty", (reader) => {
    while (reader.offset < bytes.length) reader.skip(reader.tag(bytes.length), bytes.length);
    return { name: "" };
  });
}

/**
 * Reads a ToolResponse, under the rules of {@link decodeToolRequestBytes}.
 *
 * @param depth Maximum nesting depth of each of its structs. The depth of `{}` is 1.
 */
export function decodeToolResponseBytes(bytes: Uint8Array, depth: number): ResponseMembers | ErrorResult {
  return readWhole(bytes, "mcplite.ToolResponse", (reader) => readToolResponse(reader, bytes.length, depth));
}

/** Reads a message. A `ToolError` of the reader is returned as an error result, a stack overflow as {@link ARGUMENTS_TOO_DEEP}. */
export function readWhole<Members>(
  bytes: Uint8Array,
  typeName: string,
  read: (reader: BinaryReader) => Members,
): Members | ErrorResult {
  try {
    return read(new BinaryReader(bytes, typeName));
  } catch (thrown) {
    if (thrown instanceof ToolError) return toErrorResult(thrown);
    // The stack overflowed before the limit was reached.
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

/** Reads a ResponseMeta, and merges it into the fields that were read before. */
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
 * Writes a ToolRequest in an envelope.
 *
 * @throws {RangeError} If the nesting of its values exceeds the stack.
 */
export function encodeRequestEnvelope(request: ToolRequestMembers): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writeStruct(writer, 0o32, request.meta);
  writeStruct(writer, 0o22, request.arguments);
  writeText(writer, 0o12, request.name);
  return writer.toEnvelope();
}

/**
 * Writes a ToolResponse in an envelope.
 *
 * @throws {RangeError} If the nesting of its values exceeds the stack.
 */
export function encodeResponseEnvelope({ result, meta }: ResponseMembers): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  if (meta !== undefined) writeMeta(writer, meta);
  writeStruct(writer, 0o12, result);
  return writer.toEnvelope();
}

function writeMeta(writer: BinaryWriter, meta: ResponseMetaMembers): void {
  const sizeBefore = writer.size;
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
  writer.head(0o22, sizeBefore);
}

function writeText(writer: BinaryWriter, tag: number, text: string): void {
  if (text !== "") writer.text(tag, text);
}

function writeInteger(writer: BinaryWriter, tag: number, value: number | bigint): void {
  if (Number(value) !== 0) writer.integer(tag, value);
}
