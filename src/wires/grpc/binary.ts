import { fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { type Refusal, refuse } from "../../call/outcome.ts";
import { encodeEnvelope } from "./envelope.ts";
import { ToolRequestSchema, type ToolResponse, ToolResponseSchema } from "./gen/mcplite_pb.ts";
export interface ToolRequestMembers {
  readonly name: string;
  readonly arguments?: JsonObject | undefined;
  readonly meta?: JsonObject | undefined;
}
export function decodeToolRequestBytes(bytes: Uint8Array, depth: number): ToolRequestMembers | Refusal {
  try {
    return fromBinary(ToolRequestSchema, bytes, { recursionLimit: 3 * depth + 7 });
  } catch (thrown) {
    return refuse("parse_error", `Not a mcplite.ToolRequest: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}
export function encodeResponseEnvelope(response: ToolResponse): Uint8Array<ArrayBuffer> {
  return encodeEnvelope(toBinary(ToolResponseSchema, response));
}
