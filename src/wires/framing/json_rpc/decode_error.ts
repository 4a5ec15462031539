/**
 * Decodes errors: of JSON-RPC, or, if a response is not of the protocol, of HTTP.
 *
 * Never throws. A Toolwire code in an error's data takes precedence over its number.
 */
import { type ErrorResult, errorResult, errorResultWithCause } from "../../../core/call/outcome.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";
import { isJsonObject, type Members, typedOr } from "../../../internal/json.ts";
import { DEFAULT_ERROR_MESSAGE } from "../result/decode.ts";

/** Decodes the `error` object of a response. Its code is that of its data, else that of its number, else that of the status. */
export function decodeError({ code: number, message, data: rawData }: Members, status?: number): ErrorResult {
  const data: Members = isJsonObject(rawData) ? rawData : { details: rawData };
  const { code: dataCode, ...details } = data;
  // The server puts data in `details` if it is not an object, or has its own member `code`.
  const rest = Object.keys(details).every((key) => key === "details") ? details["details"] : details;
  // An unknown code, of a newer server, is kept.
  const ownCode = typedOr(dataCode, "") as ToolErrorCode | "";
  const code = "requested_tool" in data ? "tool_not_found" : CODES.get(number) ?? CODES.get(status);
  return errorResult(ownCode || code || "internal", typedOr(message, DEFAULT_ERROR_MESSAGE), rest);
}

/** Makes the error of an HTTP response that is not of the protocol, from its status; its cause has the start of the text. */
export function decodeStatus(status: number, text: string, protocol: string): ErrorResult {
  const code = CODES.get(status) ?? (status < 500 ? "invalid_request" : "internal");
  const cause = `Status ${status}: ${text.trim().slice(0, 200)}`;
  return errorResultWithCause(code, `The server answered ${status}, not with ${protocol}`, cause);
}

/** Makes the error of a response with a wrong id. It has a cause, so that a gateway treats it as an error of its server. */
export function wrongIdError(): ErrorResult {
  return errorResultWithCause("invalid_request", "The answer has the id of another request");
}

/** Codes of JSON-RPC error numbers and HTTP statuses. */
const CODES: ReadonlyMap<unknown, ToolErrorCode> = new Map([
  [-32700, "parse_error"],
  [-32600, "invalid_request"],
  [-32601, "method_not_found"],
  [-32602, "invalid_input"],
  [-32001, "deadline_exceeded"],
  [-32002, "resource_not_found"],
  [401, "unauthenticated"],
  [403, "permission_denied"],
  [404, "method_not_found"],
  [408, "deadline_exceeded"],
  [413, "payload_too_large"],
  [429, "rate_limited"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "deadline_exceeded"],
]);
