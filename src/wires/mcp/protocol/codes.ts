import { type ErrorResult, missingScopesOf } from "../../../core/call/outcome.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";

/** How an error is sent over MCP. */
export interface McpErrorCode {
  /** JSON-RPC error number. */
  readonly number: number;
  /** HTTP status of a response with the error. 200 if the method has run or its parameters are wrong. */
  readonly status: number;
  /** Whether a tool call with this error gets a result with `isError`, which the caller's model sees, instead of a JSON-RPC error. */
  readonly isResult?: true;
}

/** Number for errors that only HTTP has a status for: MCP has no numbers for them. Clients read the status. */
const HTTP_STATUS = -32000;

/** JSON-RPC number and HTTP status of each error code of the SDK (MCP 2026-07-28, "Error codes"; RFC 9110). */
export const mcpErrorCodes: Readonly<Record<ToolErrorCode, McpErrorCode>> = {
  // Of a tool call, these are errors that the tool has thrown: such a request never reaches a tool.
  parse_error: { number: -32700, status: 400, isResult: true },
  invalid_request: { number: -32600, status: 400 },
  method_not_found: { number: -32601, status: 404, isResult: true },
  tool_not_found: { number: -32602, status: 200 },
  resource_not_found: { number: -32602, status: 200, isResult: true },
  prompt_not_found: { number: -32602, status: 200, isResult: true },
  invalid_input: { number: -32602, status: 200, isResult: true },
  invalid_config: { number: -32602, status: 200, isResult: true },
  invalid_promise: { number: -32602, status: 200 },
  expired_promise: { number: -32602, status: 200 },
  invalid_continuation: { number: -32602, status: 200 },
  promise_lost: { number: -32602, status: 200 },
  conflict: { number: -32602, status: 200, isResult: true },
  deadline_exceeded: { number: -32603, status: 200, isResult: true },
  cancelled: { number: -32603, status: 200, isResult: true },
  unauthenticated: { number: HTTP_STATUS, status: 401 },
  permission_denied: { number: HTTP_STATUS, status: 403 },
  rate_limited: { number: HTTP_STATUS, status: 429 },
  unavailable: { number: HTTP_STATUS, status: 503 },
  payload_too_large: { number: -32600, status: 413 },
  result_too_large: { number: -32603, status: 200, isResult: true },
  internal: { number: -32603, status: 200, isResult: true },
};

/** A refusal that other scopes would not change. With HTTP status 403, clients would request another token, and drop the message. */
const REFUSED: McpErrorCode = { number: -32603, status: 200, isResult: true };

/** The row of an error in {@link mcpErrorCodes}. A `permission_denied` that names no missing scopes is an ordinary error of the tool. */
export function mcpErrorCodeOf({ code, data }: ErrorResult): McpErrorCode {
  return code === "permission_denied" && missingScopesOf(data).length === 0 ? REFUSED : mcpErrorCodes[code];
}

/** JSON-RPC error code: an HTTP header that repeats the body is missing or differs from it (2026-07-28). */
export const HEADER_MISMATCH = -32020;
/** JSON-RPC error code: the request needs a capability that the client has not declared (2026-07-28). */
export const MISSING_CAPABILITY = -32021;
/** JSON-RPC error code: the server does not support the protocol version of the request (2026-07-28). */
export const UNSUPPORTED_VERSION = -32022;
/** JSON-RPC error code: the user has to visit URLs before the client sends the request again (2025-11-25). */
export const URL_ELICITATION_REQUIRED = -32042;
/** JSON-RPC error code for an unknown resource in MCP revisions before 2026-07-28. */
export const LEGACY_RESOURCE_NOT_FOUND = -32002;
