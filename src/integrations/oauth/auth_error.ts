import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import { asObject } from "../../internal/json.ts";

/** Error codes of temporary failures. */
const TRANSIENT: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"]);

/**
 * Converts an exception of `oauth4webapi` to the error for callers. Only the error code of an untrusted response is quoted; the rest is in
 * the `cause`.
 */
export function toAuthError(thrown: unknown, issuer: string): ToolError {
  if (thrown instanceof ToolError) return thrown;
  if (thrown instanceof AuthorizationResponseError || thrown instanceof ResponseBodyError) {
    return authServerError(issuer, thrown.error, thrown);
  }
  if (thrown instanceof WWWAuthenticateChallengeError) {
    // Another status than 401 comes from a firewall.
    return authServerError(issuer, thrown.status === 401 ? "invalid_client" : "server_error", thrown);
  }
  const message = `The response of ${issuer} is not valid OAuth`;
  // Without the cause of the library's error, which contains the response with its tokens: errors are logged.
  const cause = thrown instanceof Error ? new Error(thrown.message) : thrown;
  return new ToolError("unauthenticated", message, { cause });
}

/** The error for an error code of OAuth. */
export function authServerError(issuer: string, error: unknown, cause?: unknown): ToolError {
  const code = typeof error === "string" && /^[\w.-]{1,64}$/.test(error) ? error : "an error";
  return new ToolError(
    TRANSIENT.has(code) ? "unavailable" : "unauthenticated",
    `The authorization server ${issuer} rejected the request: ${code}`,
    { details: { error: code }, cause },
  );
}

/** Whether an error has one of these error codes of OAuth. */
export function hasAuthErrorCode(thrown: unknown, ...codes: readonly string[]): thrown is ToolError {
  return thrown instanceof ToolError && codes.includes(String(asObject(thrown.details)["error"]));
}
