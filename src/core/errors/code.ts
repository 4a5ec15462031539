/**
 * Every way in which a call can be refused, on every wire.
 *
 * A refusal is about the call; what the tool itself has to say against it is a failure *outcome* ({@link Failure}). Each
 * wire maps all of these to its own numbers and statuses, and sends the code itself beside them.
 */
export type ToolErrorCode =
  /** The request is not JSON in UTF-8, or not the format the wire speaks. */
  | "parse_error"
  /** Understood, but not a request that this wire allows. */
  | "invalid_request"
  /** No such method or path. */
  | "method_not_found"
  /** No such tool; the details name the tools there are and the nearest. */
  | "tool_not_found"
  /** No such resource. */
  | "resource_not_found"
  /** No such prompt. */
  | "prompt_not_found"
  /** The arguments do not fit the tool's input schema; the details list the issues. */
  | "invalid_input"
  /** The configuration does not fit the tool's configuration schema. */
  | "invalid_config"
  /** Not a promise token of this server. */
  | "invalid_promise"
  /** The promise token's time is over. */
  | "expired_promise"
  /** Not a continuation of this call. */
  | "invalid_continuation"
  /** The token is good, but the work is no longer known. */
  | "promise_lost"
  /** The idempotency key was used with other arguments. */
  | "conflict"
  /** The call took longer than its deadline. */
  | "deadline_exceeded"
  /** The caller gave up or cancelled. */
  | "cancelled"
  /** The caller has not said who it is. */
  | "unauthenticated"
  /** The caller may not do this. */
  | "permission_denied"
  /** Too many calls; try later. */
  | "rate_limited"
  /** The server cannot take the call now: it shuts down, sheds load, or cannot be reached. */
  | "unavailable"
  /** The request is larger than the server takes. */
  | "payload_too_large"
  /** The result is larger than the server sends. */
  | "result_too_large"
  /** Something broke that is not the caller's business; the details hold a correlation id. */
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

/** Whether a code, as it came from outside, is one that every wire can say. */
export function isToolErrorCode(code: string): code is ToolErrorCode {
  return Object.hasOwn(CODES, code);
}
