/**
 * Encodes the envelope of Webtools. `JSON.stringify` may throw for the value of a tool.
 *
 * Source: Webtools 2025-06-30, "Response Examples".
 */
import type { ErrorResult, Outcome } from "../../../core/call/outcome.ts";
import { errorData, errorMessage, outcomeMeta, promiseToJson, questionsToJson } from "../../framing/result/encode.ts";
import type { Members } from "../../../internal/json.ts";
import type { Reply } from "../../wire.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";

/** An envelope of Webtools, `{ status, data }` or `{ status, error }`, and its HTTP status. */
export type Envelope = Pick<Reply, "status"> & {
  /** JSON text of the envelope. */
  readonly json: string;
};

/** Encodes an outcome: an answer as `data`, a failure as `error`; others as `data`, with their kind in `_meta.response_type`. */
export function encodeOutcome(outcome: Outcome): Envelope {
  switch (outcome.kind) {
    case "answer":
      return { status: 200, json: JSON.stringify({ status: "ok", data: outcome.value, _meta: outcomeMeta(outcome) }) };
    case "failure": {
      const { code, message, data } = outcome;
      const error = { code, message, data };
      return { status: FAILURE_STATUS, json: JSON.stringify({ status: "error", error, _meta: outcomeMeta(outcome) }) };
    }
    case "promise":
      return encodeData(promiseToJson(outcome), outcome.kind);
    default:
      return encodeData({ continuation: outcome.continuation, requests: questionsToJson(outcome) }, outcome.kind);
  }
}

/** Encodes an error, with the code and status that Webtools has for it. Its data has the Toolwire code. */
export function encodeError(result: ErrorResult): Envelope {
  const { code, status } = webtoolErrorCodes[result.code];
  const error = { code, message: errorMessage(result, true), data: errorData(result) };
  return { status, json: JSON.stringify({ status: "error", error }) };
}

function encodeData(data: Members, kind: Outcome["kind"]): Envelope {
  return { status: 200, json: JSON.stringify({ status: "ok", data, _meta: { response_type: kind } }) };
}

/**
 * Code and status of each error code. `UNAUTHENTICATED` and `PERMISSION_DENIED` are additions to the five codes of the specification.
 *
 * Source: Webtools 2025-06-30, "Error Handling"; RFC 9110; 499 is a convention of nginx.
 */
const webtoolErrorCodes: Readonly<Record<ToolErrorCode, { readonly code: string; readonly status: number }>> = {
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

/** HTTP status of a failure, whose code is defined by the tool. */
const FAILURE_STATUS = 422;
