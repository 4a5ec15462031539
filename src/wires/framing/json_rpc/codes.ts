import type { ToolErrorCode } from "../../../core/errors/code.ts";

/** JSON-RPC number and HTTP status of an error code. */
export interface JsonRpcErrorCode {
  /** Error number of JSON-RPC. */
  readonly number: number;
  /** HTTP status. */
  readonly status: number;
}

/** Number and status of each code, as MCP-lite over HTTP has them (docs/spec.md 4.4; RFC 9110; 499 is a convention of nginx). */
export const jsonRpcErrorCodes: Readonly<Record<ToolErrorCode, JsonRpcErrorCode>> = {
  parse_error: { number: -32700, status: 400 },
  invalid_request: { number: -32600, status: 400 },
  method_not_found: { number: -32601, status: 404 },
  tool_not_found: { number: -32601, status: 404 },
  resource_not_found: { number: -32602, status: 404 },
  prompt_not_found: { number: -32602, status: 404 },
  invalid_input: { number: -32602, status: 400 },
  invalid_config: { number: -32602, status: 400 },
  invalid_promise: { number: -32602, status: 400 },
  expired_promise: { number: -32602, status: 400 },
  invalid_continuation: { number: -32602, status: 400 },
  promise_lost: { number: -32602, status: 410 },
  conflict: { number: -32602, status: 409 },
  deadline_exceeded: { number: -32001, status: 504 },
  cancelled: { number: -32000, status: 499 },
  unauthenticated: { number: -32000, status: 401 },
  permission_denied: { number: -32000, status: 403 },
  rate_limited: { number: -32000, status: 429 },
  unavailable: { number: -32000, status: 503 },
  payload_too_large: { number: -32600, status: 413 },
  result_too_large: { number: -32603, status: 500 },
  internal: { number: -32603, status: 500 },
};
