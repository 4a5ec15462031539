import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import { asObject } from "../../internal/json.ts";

/** What an authorization server says when it is not the request's fault. */
const TRANSIENT: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"]);

/**
 * The error that callers get where there is no token to be had. Of what a stranger says only its code is quoted; the rest is in the
 * `cause`.
 */
export function toAuthError(thrown: unknown, issuer: string): ToolError {
  if (thrown instanceof ToolError) return thrown;
  if (thrown instanceof AuthorizationResponseError || thrown instanceof ResponseBodyError) {
    return authServerError(issuer, thrown.error, thrown);
  }
  if (thrown instanceof WWWAuthenticateChallengeError) {
    // A firewall has challenges of its own.
    return authServerError(issuer, thrown.status === 401 ? "invalid_client" : "server_error", thrown);
  }
  const message = `The answer of ${issuer} is not one of OAuth`;
  // What the library has as its own cause is the whole answer, tokens and all: errors are logged.
  const cause = thrown instanceof Error ? new Error(thrown.message) : thrown;
  return new ToolError("unauthenticated", message, { cause });
}

/** The refusal that an error code of OAuth means. */
export function authServerError(issuer: string, error: unknown, cause?: unknown): ToolError {
  const code = typeof error === "string" && /^[\w.-]{1,64}$/.test(error) ? error : "an error";
  return new ToolError(
    TRANSIENT.has(code) ? "unavailable" : "unauthenticated",
    `The authorization server ${issuer} refuses: ${code}`,
    { details: { error: code }, cause },
  );
}

/** Whether the refusal is one with this code of OAuth. */
export function hasAuthErrorCode(thrown: unknown, ...codes: readonly string[]): thrown is ToolError {
  return thrown instanceof ToolError && codes.includes(String(asObject(thrown.details)["error"]));
}
