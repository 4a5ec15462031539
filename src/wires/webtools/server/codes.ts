import type { ToolErrorCode } from "../../../core/errors/code.ts";

/** Webtools code and HTTP status of an error code. */
export interface WebtoolErrorCode {
  /** Code of the envelope: one of the five of the specification, or `UNAUTHENTICATED` or `PERMISSION_DENIED`. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
}

/** Code and status of each error code (Webtools 2025-06-30, "Error Handling"; RFC 9110; 499 is a convention of nginx). */
export const webtoolErrorCodes: Readonly<Record<ToolErrorCode, WebtoolErrorCode>> = {
  parse_error: { code: "SCHEMA_ERROR", status: 400 },
  invalid_request: { code: "SCHEMA_ERROR", status: 400 },
  method_not_found: { code: "WEBTOOL_NOT_FOUND", status: 404 },
  tool_not_found: { code: "WEBTOOL_NOT_FOUND", status: 404 },
  resource_not_found: { code: "WEBTOOL_NOT_FOUND", status: 404 },
  prompt_not_found: { code: "WEBTOOL_NOT_FOUND", status: 404 },
  invalid_input: { code: "SCHEMA_ERROR", status: 400 },
  invalid_config: { code: "CONFIG_ERROR", status: 400 },
  invalid_promise: { code: "SCHEMA_ERROR", status: 400 },
  expired_promise: { code: "SCHEMA_ERROR", status: 400 },
  invalid_continuation: { code: "SCHEMA_ERROR", status: 400 },
  promise_lost: { code: "SCHEMA_ERROR", status: 410 },
  conflict: { code: "SCHEMA_ERROR", status: 409 },
  deadline_exceeded: { code: "INTERNAL_ERROR", status: 504 },
  cancelled: { code: "INTERNAL_ERROR", status: 499 },
  unauthenticated: { code: "UNAUTHENTICATED", status: 401 },
  permission_denied: { code: "PERMISSION_DENIED", status: 403 },
  rate_limited: { code: "RATE_LIMIT", status: 429 },
  unavailable: { code: "INTERNAL_ERROR", status: 503 },
  payload_too_large: { code: "SCHEMA_ERROR", status: 413 },
  result_too_large: { code: "INTERNAL_ERROR", status: 500 },
  internal: { code: "INTERNAL_ERROR", status: 500 },
};

/** Status of a failure, whose code is defined by the tool. */
export const FAILURE_STATUS = 422;
