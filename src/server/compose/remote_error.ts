/**
 * Maps errors of a remote server to errors for callers of the gateway.
 *
 * Most are passed on. Details between the gateway and the server (the gateway's identity, reachability, the server's other
 * contents) are hidden from the caller.
 */
import { type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { isToolErrorCode } from "../../core/errors/code.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { RemoteRun } from "../../core/tool/definition.ts";

export function passRefusal(refusal: ErrorResult, run: RemoteRun, gateway: string, name: string): ErrorResult {
  const { code, message, data } = refusal;
  const members: Readonly<Record<string, unknown>> = isJsonObject(data) ? data : {};
  const note = (what: string) => {
    run.services.logger?.warn(`Server "${gateway}" ${what}`, {
      tool: name,
      gateway,
      code,
      error: refusal.cause ?? message,
    });
  };
  if (isStrangeAnswer(code, refusal.cause)) {
    note("does not answer in its protocol");
    return unavailable(gateway, "does not answer as it should");
  }
  switch (isToolErrorCode(code) ? code : "internal") {
    case "internal": {
      const { correlation_id: id } = members;
      // Toolwire servers send the correlation id of their log.
      if (typeof id === "string" && /^[\da-f-]{36}$/.test(id)) {
        return errorResult("internal", `Internal error, correlation id ${id}`, { correlation_id: id });
      }
      return run.services.mask(new Error(`The server "${gateway}" broke: ${message}`, { cause: refusal.cause }), {
        tool: name,
      });
    }
    case "tool_not_found":
      note("has removed a tool");
      return errorResult("tool_not_found", "Tool not found", { requested_tool: name });
    case "unauthenticated":
      note("does not authenticate this gateway");
      return unavailable(gateway, "does not let this gateway in");
    case "unavailable": {
      note("is unavailable");
      const { retry_after_ms: retryAfterMs } = members;
      return unavailable(gateway, "cannot be reached, or takes no calls; try again later", retryAfterMs);
    }
    case "permission_denied": {
      // The caller cannot change the gateway's missing scopes.
      const { required_scopes: _, ...rest } = members;
      return errorResult(code, message, Object.keys(rest).length === 0 ? undefined : rest);
    }
    default:
      return data === undefined ? errorResult(code, message) : errorResult(code, message, data);
  }
}

/** Codes that a conforming server does not send to a gateway. */
const STRANGE: ReadonlySet<string> = new Set(["parse_error", "method_not_found"]);

/** Whether an error means that the answer is not of the protocol. An `invalid_request` of the remote server has no local cause. */
export function isStrangeAnswer(code: string, cause: unknown): boolean {
  return STRANGE.has(code) || (code === "invalid_request" && cause !== undefined);
}

/** Default retry delay, in milliseconds. */
const RETRY_MS = 1_000;

function unavailable(gateway: string, problem: string, retryAfterMs?: unknown): ErrorResult {
  const data = { server: gateway, retry_after_ms: typeof retryAfterMs === "number" ? retryAfterMs : RETRY_MS };
  return errorResult("unavailable", `The server "${gateway}" ${problem}`, data);
}
