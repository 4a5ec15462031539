/**
 * Reads why there is no answer: from an error of JSON-RPC, or from an HTTP status.
 *
 * Total. Our own code, where the error has it, is worth more than the number.
 *
 * @module
 */
import { type ErrorResult, errorResult, errorResultWithCause } from "../../../core/call/outcome.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";
import { isJsonObject, type Members, typedOr } from "../../../internal/json.ts";
import { NO_REASON } from "../result/decode.ts";

/** Our own code if it is there, else what the number means, else what the status does. */
export function decodeError({ code: number, message, data: sent }: Members, status?: number): ErrorResult {
  const data: Members = isJsonObject(sent) ? sent : { details: sent };
  const { code, ...details } = data;
  // What was no object, or had a code of its own, is in `details`.
  const rest = Object.keys(details).every((key) => key === "details") ? details["details"] : details;
  // A code that a newer server has is worth more than a guess.
  const known = typedOr(code, "") as ToolErrorCode | "";
  const meant = "requested_tool" in data ? "tool_not_found" : MEANINGS.get(number) ?? MEANINGS.get(status);
  return errorResult(known || meant || "internal", typedOr(message, NO_REASON), rest);
}

/** What an answer that is not of the protocol means, by its status. */
export function decodeStatus(status: number, text: string, protocol: string): ErrorResult {
  const code = MEANINGS.get(status) ?? (status < 500 ? "invalid_request" : "internal");
  const cause = `Status ${status}: ${text.trim().slice(0, 200)}`;
  return errorResultWithCause(code, `The server answered ${status}, not with ${protocol}`, cause);
}

/** What becomes of a request whose answer has not its id: by its cause a gateway knows that the server is to blame. */
export function ofAnotherRequest(): ErrorResult {
  return errorResultWithCause("invalid_request", "The answer has the id of another request");
}

/** What numbers of JSON-RPC errors and HTTP statuses mean. */
const MEANINGS: ReadonlyMap<unknown, ToolErrorCode> = new Map([
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
