import type { ToolErrorCode } from "../../../core/errors/code.ts";

/** How MCP says one of our codes. */
export interface McpErrorCode {
  /** JSON-RPC error number. */
  readonly number: number;
  /** HTTP status, where the answer is an error of the request; else 200. */
  readonly status: number;
  /** Whether a tool's call that ends so is a result with `isError`, which its caller's model sees. */
  readonly isResult?: true;
}

/** What HTTP says by a status of its own has no number in MCP: servers use this one, and clients look at the status. */
const HTTP_STATUS = -32000;

/** Number and status of every code (MCP 2026-07-28, "Error codes"; RFC 9110). */
export const mcpErrorCodes: Readonly<Record<ToolErrorCode, McpErrorCode>> = {
  parse_error: { number: -32700, status: 400 },
  invalid_request: { number: -32600, status: 400 },
  method_not_found: { number: -32601, status: 404 },
  tool_not_found: { number: -32602, status: 200 },
  resource_not_found: { number: -32602, status: 200 },
  prompt_not_found: { number: -32602, status: 200 },
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

/** Numbers that are the protocol's own. */
export const HEADER_MISMATCH = -32020;
/** A request needs what its caller has not declared that it can. */
export const MISSING_CAPABILITY = -32021;
/** The revision is not spoken here. */
export const UNSUPPORTED_VERSION = -32022;
/** There is no such resource, in revisions before 2026-07-28. */
export const LEGACY_RESOURCE_NOT_FOUND = -32002;
