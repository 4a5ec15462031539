/**
 * Reads what a webtool answers.
 *
 * Total, and lenient: servers that know nothing of us send the specification's codes, or their own, with any status.
 * Source: Webtools 2025-06-30, "Response Examples", "Error Handling".
 *
 * @module
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

/** Reads the answer to a call. */
export function decodeReply(json: unknown, status: number, text: string): CallResult | UnknownOutcome {
  const { status: said, data, error, _meta } = asObject(json);
  if (said === "ok") {
    const meta = asObject(_meta);
    const kind = typedOr(meta["response_type"], "answer");
    // What is no answer has its members as data.
    return decodeResult(
      kind === "answer" ? { content: data, _meta: meta } : { _meta: { ...asObject(data), ...meta } },
    );
  }
  return isFailure(error, status) ? toFailure(error, asObject(_meta)) : decodeRefusal(json, status, text);
}

/** Reads why there is no answer: from the envelope, or, if there is none, from the status. */
export function decodeRefusal(json: unknown, status: number, text: string): ErrorResult {
  const { error } = asObject(json);
  if (!isJsonObject(error)) return decodeStatus(status, text, "Webtools");
  const { code, message, data } = error;
  if (typeof asObject(data)["code"] === "string") return removeToolName(decodeError({ message, data }, status));
  const meant = code === "INTERNAL_ERROR" ? BY_STATUS.get(status) : MEANINGS.get(code);
  return errorResult(
    meant ?? (status < 500 ? "invalid_request" : "internal"),
    typedOr(message, DEFAULT_ERROR_MESSAGE),
    data,
  );
}

/** Whether the webtool says no by a code of its own. */
function isFailure(error: unknown, status: number): error is Members {
  if (!isJsonObject(error) || typeof error["code"] !== "string") return false;
  return !MEANINGS.has(error["code"]) && (status < 500 || status > 599);
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

/** What the specification's codes mean, and our two. */
const MEANINGS: ReadonlyMap<unknown, ToolErrorCode> = new Map([
  ["WEBTOOL_NOT_FOUND", "tool_not_found"],
  ["SCHEMA_ERROR", "invalid_input"],
  ["CONFIG_ERROR", "invalid_config"],
  ["RATE_LIMIT", "rate_limited"],
  ["INTERNAL_ERROR", "internal"],
  ["UNAUTHENTICATED", "unauthenticated"],
  ["PERMISSION_DENIED", "permission_denied"],
]);

/** What `INTERNAL_ERROR` is about. */
const BY_STATUS: ReadonlyMap<number, ToolErrorCode> = new Map([
  [499, "cancelled"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "deadline_exceeded"],
]);
