/** Decodes replies that are errors. */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { addRetryAfter } from "../../../http_client/read.ts";
import { asObject } from "../../../internal/json.ts";
import { decodeError } from "../../framing/json_rpc/decode_error.ts";
import { removeToolName } from "../../framing/result/decode.ts";
import { HEADER_MISMATCH, mcpErrorCodes, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from "../protocol/codes.ts";
import type { FailedReply } from "./message_transport.ts";

/** Numbers of errors that mean `invalid_request` here. */
const INVALID_REQUEST_NUMBERS: ReadonlySet<unknown> = new Set([
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
]);

/** Converts a failed reply to an error of the SDK: by the code in its data, its number or the status. A transport error stays as it is. */
export function decodeFailedReply(reply: FailedReply): ErrorResult {
  if ("transportError" in reply) return reply.transportError;
  const { error: { code, message, data }, status, headers } = reply;
  const number = INVALID_REQUEST_NUMBERS.has(code) ? mcpErrorCodes.invalid_request.number : code;
  const decoded = removeToolName(decodeError({ code: number, message, data }, status));
  // For a missing resource, 2026-07-28 has only the number of an invalid argument.
  const isResource = decoded.code === "invalid_input" && typeof asObject(data)["uri"] === "string";
  const error = isResource ? { ...decoded, code: "resource_not_found" as const } : decoded;
  return headers === undefined ? error : addRetryAfter(error, headers);
}

/** The error `internal` for a result of the server that does not fit its method. */
export function invalidResultError(method: string): ErrorResult {
  return errorResult("internal", `The server's result of ${method} is not valid in MCP`);
}
