/** The messages of section 5 in binary, as the suite writes and reads them. Names and numbers of fields are those of the specification. */
import { isJsonObject, type Members } from "../../internal/json.ts";
import {
  decodeToolResponseBytes,
  encodeRequestEnvelope,
  type ResponseMetaMembers,
} from "../../wires/grpc/messages/binary.ts";
import { readStruct } from "../../wires/grpc/messages/struct.ts";
import { BinaryReader } from "../../wires/grpc/messages/wire_format.ts";

/** Maximum nesting depth of a value. */
const MAX_DEPTH = 1_000;

/** Types of responses in the order of their numbers. */
const TYPES_BY_NUMBER = ["answer", "promise", "elicitation", "failure", "request-for-more-resource"];

/** Encodes a `ToolRequest` with the name and arguments of a tool, in the envelope of gRPC: flags and length before the message. */
export function encodeToolRequest(name: string, args: Members): Uint8Array<ArrayBuffer> {
  return encodeRequestEnvelope({ name, arguments: JSON.parse(JSON.stringify(args)) });
}

/** Reads a `ToolsList` as the entries of HTTP. `undefined` if the bytes are not one. */
export function decodeToolsList(bytes: Uint8Array): readonly Members[] | undefined {
  try {
    const reader = new BinaryReader(bytes, "mcplite.ToolsList");
    const tools: Members[] = [];
    while (reader.offset < bytes.length) {
      const tag = reader.tag(bytes.length);
      // Field 1, which has a length.
      if (tag === 0o12) tools.push(readTool(reader, bytes.length));
      else reader.skip(tag, bytes.length);
    }
    return tools;
  } catch {
    return undefined;
  }
}

/** Reads a `Tool`: name 1, type 2, description 3, input_schema 4; annotations 7 is an addition. */
function readTool(reader: BinaryReader, outerEnd: number): Members {
  const end = reader.end(outerEnd);
  const tool: Record<string, unknown> = {};
  while (reader.offset < end) {
    const tag = reader.tag(end);
    if (tag === 0o12) tool["name"] = reader.text(end);
    else if (tag === 0o22) tool["@type"] = reader.text(end);
    else if (tag === 0o32) tool["description"] = reader.text(end);
    else if (tag === 0o42) tool["inputSchema"] = readStruct(reader, end, {}, MAX_DEPTH);
    else if (tag === 0o72) tool["annotations"] = readStruct(reader, end, {}, MAX_DEPTH);
    else reader.skip(tag, end);
  }
  return tool;
}

/** A `ToolResponse` with the members of HTTP. */
export interface DecodedResponse {
  /** `undefined` if the message has no result. */
  readonly result: Members | undefined;
  /** `undefined` if the message has no meta. */
  readonly meta: Members | undefined;
}

/** Reads a `ToolResponse`. `undefined` if the bytes are not one. */
export function decodeToolResponse(bytes: Uint8Array): DecodedResponse | undefined {
  const decoded = decodeToolResponseBytes(bytes, MAX_DEPTH);
  if ("kind" in decoded) return undefined;
  const { result, meta } = decoded;
  return { result: isJsonObject(result) ? result : undefined, meta: meta && toMembers(meta) };
}

function toMembers(
  { responseType, promiseToken, timestamp, processingTimeMs, expiresAt }: ResponseMetaMembers,
): Members {
  return {
    response_type: TYPES_BY_NUMBER[Number(responseType)] ?? `number ${responseType}`,
    ...(promiseToken !== "" && { promise_token: promiseToken }),
    ...(timestamp !== 0n && { timestamp: Number(timestamp) }),
    processing_time_ms: processingTimeMs,
    ...(expiresAt !== 0n && { expires_at: Number(expiresAt) }),
  };
}
