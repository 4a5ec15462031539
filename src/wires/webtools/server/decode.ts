/**
 * Decodes requests to a webtool.
 *
 * Never throws: the error for invalid input is a return value.
 * Source: Webtools 2025-06-30, "POST {webtoolUrl}/".
 */
import type { CallMeta } from "../../../core/call/call.ts";
import { decodeCallMeta } from "../../../core/call/call_meta.ts";
import { type ErrorResult, errorResult, invalidInputResult } from "../../../core/call/outcome.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** One request to execute an action. */
export interface WebtoolRequest {
  /** Id that several requests of the caller have in common. */
  readonly sessionId: string | undefined;
  /** Version; `undefined` for the latest. */
  readonly version: string | undefined;
  /** Action; `undefined` for the only one. */
  readonly action: string | undefined;
  /** Configuration that the environment of the caller supplies. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  readonly request: unknown;
  /** Members of `_meta`, as on MCP-lite. */
  readonly meta: CallMeta | undefined;
}

/** Decodes a parsed body as a request to execute an action. Returns an error if it is invalid. */
export function decodeRequest(body: unknown): WebtoolRequest | ErrorResult {
  if (!isJsonObject(body)) return errorResult("invalid_request", "The body is not an object");
  for (const name of ["sessionId", "version", "action"]) {
    const value = body[name];
    if (value !== undefined && typeof value !== "string") {
      return invalidInputResult(`${name} must be a string`, [name], "string", value);
    }
  }
  const { sessionId, version, action, config, request, _meta } = body as Record<string, string | undefined>;
  if (request === undefined) {
    return invalidInputResult("request is missing: send an object", ["request"], "object", request);
  }
  if (config !== undefined && !isJsonObject(config)) {
    // The value may be a secret, so the error does not describe it.
    return errorResult("invalid_config", "config must be an object", {
      issues: [{ path: ["config"], expected: "object" }],
    });
  }
  const meta = _meta === undefined ? undefined : decodeCallMeta(_meta, "_meta");
  if (meta !== undefined && "kind" in meta) return meta;
  return { sessionId, version, action, config, request, meta };
}
