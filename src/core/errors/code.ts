/**
 * Codes of error results, on every wire.
 *
 * An error result concerns the call. A reason of the tool's domain is a failure *outcome* ({@link Failure}). Each wire
 * maps all codes to its own numbers and statuses, and sends the code in addition.
 */
export type ToolErrorCode =
  /** The request is not JSON in UTF-8, or not in the wire's format. */
  | "parse_error"
  /** The request is well-formed, but not allowed on this wire. */
  | "invalid_request"
  /** Unknown method or path. */
  | "method_not_found"
  /** Unknown tool. The details contain the available tools and the closest name. */
  | "tool_not_found"
  /** Unknown resource. */
  | "resource_not_found"
  /** Unknown prompt. */
  | "prompt_not_found"
  /** The arguments do not match the tool's input schema. The details contain the issues. */
  | "invalid_input"
  /** The configuration does not match the tool's configuration schema. */
  | "invalid_config"
  /** Not a promise token of this server. */
  | "invalid_promise"
  /** The promise token has expired. */
  | "expired_promise"
  /** Not a continuation of this call. */
  | "invalid_continuation"
  /** The token is valid, but its work was deleted. */
  | "promise_lost"
  /** The idempotency key was used with other arguments. */
  | "conflict"
  /** The call took longer than its deadline. */
  | "deadline_exceeded"
  /** The caller cancelled or disconnected. */
  | "cancelled"
  /** The caller is not authenticated. */
  | "unauthenticated"
  /** The caller lacks permission. */
  | "permission_denied"
  /** Too many calls. Retry later. */
  | "rate_limited"
  /** The server cannot process the call now: it is shutting down, overloaded or unreachable. */
  | "unavailable"
  /** The request exceeds the server's size limit. */
  | "payload_too_large"
  /** The result exceeds the server's size limit. */
  | "result_too_large"
  /** Internal error. The details contain a correlation id only. */
  | "internal";

const CODES: Readonly<Record<ToolErrorCode, true>> = {
  parse_error: true,
  invalid_request: true,
  method_not_found: true,
  tool_not_found: true,
  resource_not_found: true,
  prompt_not_found: true,
  invalid_input: true,
  invalid_config: true,
  invalid_promise: true,
  expired_promise: true,
  invalid_continuation: true,
  promise_lost: true,
  conflict: true,
  deadline_exceeded: true,
  cancelled: true,
  unauthenticated: true,
  permission_denied: true,
  rate_limited: true,
  unavailable: true,
  payload_too_large: true,
  result_too_large: true,
  internal: true,
};

/** Whether a received code is one of {@link ToolErrorCode}. */
export function isToolErrorCode(code: string): code is ToolErrorCode {
  return Object.hasOwn(CODES, code);
}
