/**
 * What the refusals of a server elsewhere mean to callers of ours.
 *
 * Most mean the same. What is between the gateway and the server (who the gateway is, that the server is not there, what else it
 * has) is not the caller's business.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { isToolErrorCode } from "../../core/errors/code.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { RemoteRun } from "../../core/tool/definition.ts";

/** As our caller is told. */
export function passRefusal(refusal: ErrorResult, run: RemoteRun, gateway: string, name: string): ErrorResult {
  const { code, message, data } = refusal;
  const members: Readonly<Record<string, unknown>> = isJsonObject(data) ? data : {};
  const note = (what: string) => {
    run.services.logger?.warn(what, { tool: name, gateway, code, error: refusal.cause ?? message });
  };
  if (isStrangeAnswer(code, refusal.cause)) {
    note("A server does not speak as it should");
    return unavailable(gateway, "does not answer as it should");
  }
  switch (isToolErrorCode(code) ? code : "internal") {
    case "internal": {
      const { correlation_id: id } = members;
      // Our servers say under which id their log has it.
      if (typeof id === "string" && /^[\da-f-]{36}$/.test(id)) {
        return errorResult("internal", `Internal error, correlation id ${id}`, { correlation_id: id });
      }
      return run.services.mask(new Error(`The server "${gateway}" broke: ${message}`, { cause: refusal.cause }), {
        tool: name,
      });
    }
    case "tool_not_found":
      note("A tool is no longer there");
      return errorResult("tool_not_found", "Tool not found", { requested_tool: name });
    case "unauthenticated":
      note("A server does not know this gateway");
      return unavailable(gateway, "does not let this gateway in");
    case "unavailable": {
      note("A server cannot be used");
      const { retry_after_ms: retryAfterMs } = members;
      return unavailable(gateway, "cannot be reached, or takes no calls; try again later", retryAfterMs);
    }
    case "permission_denied": {
      // Which scopes the gateway lacks is nothing that our caller could ask for.
      const { required_scopes: _, ...rest } = members;
      return errorResult(code, message, Object.keys(rest).length === 0 ? undefined : rest);
    }
    default:
      return data === undefined ? errorResult(code, message) : errorResult(code, message, data);
  }
}

/** Codes of answers that a server of the protocol has no reason to give to a gateway. */
const STRANGE: ReadonlySet<string> = new Set(["parse_error", "method_not_found"]);

/** Whether an answer is not one of the protocol. What a server refuses has no cause here: that stays on its side. */
export function isStrangeAnswer(code: string, cause: unknown): boolean {
  return STRANGE.has(code) || (code === "invalid_request" && cause !== undefined);
}

/** When to try again, in milliseconds, where the server does not say. */
const RETRY_MS = 1_000;

function unavailable(gateway: string, problem: string, retryAfterMs?: unknown): ErrorResult {
  const data = { server: gateway, retry_after_ms: typeof retryAfterMs === "number" ? retryAfterMs : RETRY_MS };
  return errorResult("unavailable", `The server "${gateway}" ${problem}`, data);
}
