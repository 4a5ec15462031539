import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { withRetryAfter } from "../../../http_client/read.ts";
import { decodeError } from "../../framing/json_rpc/decode_error.ts";
import { asObject } from "../../../internal/json.ts";
import { withoutToolName } from "../../framing/result/unknown_tool.ts";
import type { RpcReply } from "./message_transport.ts";
import { HEADER_MISMATCH, mcpErrorCodes, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from "../protocol/codes.ts";

/** Why there is no result. */
export function refusalOf(reply: Exclude<RpcReply, { readonly result: unknown }>): ErrorResult {
  if ("refusal" in reply) return reply.refusal;
  const { error: { code, message, data }, status, headers } = reply;
  const number = BROKEN_RULES.has(code) ? mcpErrorCodes.invalid_request.number : code;
  const refusal = withoutToolName(decodeError({ code: number, message, data }, status));
  // Of resources that are not there, the newer revision says no more than that an argument is wrong.
  const isResource = refusal.code === "invalid_input" && typeof asObject(data)["uri"] === "string";
  const known = isResource ? { ...refusal, code: "resource_not_found" as const } : refusal;
  return headers === undefined ? known : withRetryAfter(known, headers);
}

/** Numbers of rules that a request has broken: of its headers, of what its caller can do, of its revision. */
const BROKEN_RULES: ReadonlySet<unknown> = new Set([HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION]);

/** A result that is not what its method gives. */
export function refuseResult(method: string): ErrorResult {
  return errorResult("internal", `The server's result of ${method} is not one of MCP`);
}
