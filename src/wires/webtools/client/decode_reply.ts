/**
 * Decodes the replies of a webtool.
 *
 * Never throws. Lenient: other servers send the codes of the specification, or their own, with any status.
 * Source: Webtools 2025-06-30, "Response Examples", "Error Handling".
 */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type FailureOutcome,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import { decodeError, decodeStatus } from "../../framing/json_rpc/decode_error.ts";
import { decodeResult, DEFAULT_ERROR_MESSAGE, removeToolName } from "../../framing/result/decode.ts";
import { asObject, isJsonObject, type Members, typedOr } from "../../../internal/json.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";

export function decodeReply(json: unknown, status: number, text: string): CallResult | UnknownOutcome {
  const { status: outcome, data, error, _meta } = asObject(json);
  if (outcome === "ok") {
    const meta = asObject(_meta);
    const kind = typedOr(meta["response_type"], "answer");
    // If the outcome is not an answer, its members are the data.
    return decodeResult(
      kind === "answer" ? { content: data, _meta: meta } : { _meta: { ...asObject(data), ...meta } },
    );
  }
  return isFailure(error, status) ? toFailure(error, asObject(_meta)) : decodeErrorReply(json, status, text);
}

/** Decodes the error of a reply: by the envelope's `error`, or without it by the HTTP status. */
export function decodeErrorReply(json: unknown, status: number, text: string): ErrorResult {
  const { error } = asObject(json);
  if (!isJsonObject(error)) return decodeStatus(status, text, "Webtools");
  const { code, message, data } = error;
  if (typeof asObject(data)["code"] === "string") return removeToolName(decodeError({ message, data }, status));
  const known = code === "INTERNAL_ERROR" ? CODES_BY_STATUS.get(status) : CODES.get(code);
  return errorResult(
    known ?? (status < 500 ? "invalid_request" : "internal"),
    typedOr(message, DEFAULT_ERROR_MESSAGE),
    data,
  );
}

/** Whether an error is a failure: its code is defined by the tool. */
function isFailure(error: unknown, status: number): error is Members {
  if (!isJsonObject(error) || typeof error["code"] !== "string") return false;
  return !CODES.has(error["code"]) && (status < 500 || status > 599);
}

function toFailure({ code, message, data }: Members, meta: Members): FailureOutcome {
  return {
    kind: "failure",
    code: typedOr(code, "failure"),
    message: typedOr(message, DEFAULT_ERROR_MESSAGE),
    data,
    meta,
  };
}

/** Error codes of the codes of Webtools. */
const CODES: ReadonlyMap<unknown, ToolErrorCode> = new Map([
  ["WEBTOOL_NOT_FOUND", "tool_not_found"],
  ["SCHEMA_ERROR", "invalid_input"],
  ["CONFIG_ERROR", "invalid_config"],
  ["RATE_LIMIT", "rate_limited"],
  ["INTERNAL_ERROR", "internal"],
  ["UNAUTHENTICATED", "unauthenticated"],
  ["PERMISSION_DENIED", "permission_denied"],
]);

/** Error codes of `INTERNAL_ERROR`, by status. */
const CODES_BY_STATUS: ReadonlyMap<number, ToolErrorCode> = new Map([
  [499, "cancelled"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "deadline_exceeded"],
]);
