/**
 * Reads what is posted to a webtool.
 *
 * Total: bad input is a value.
 * Source: Webtools 2025-06-30, "POST {webtoolUrl}/".
 *
 * @module
 */
import type { CallMeta } from "../../../core/call/call.ts";
import { decodeCallMeta } from "../../../core/call/call_meta.ts";
import { type ErrorResult, errorResult, invalidInputResult } from "../../../core/call/outcome.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** One request to execute an action. */
export interface WebtoolRequest {
  /** Names what the caller's requests have in common. */
  readonly sessionId: string | undefined;
  /** The version that is meant; `undefined` for the latest. */
  readonly version: string | undefined;
  /** The action; `undefined` for the only one. */
  readonly action: string | undefined;
  /** What the environment supplies. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  /** What the model filled in. */
  readonly request: unknown;
  /** What the caller says about the call, as on MCP-lite. */
  readonly meta: CallMeta | undefined;
}

/** Reads a parsed body. */
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
    // What it is instead may be a secret.
    return errorResult("invalid_config", "config must be an object", {
      issues: [{ path: ["config"], expected: "object" }],
    });
  }
  const meta = _meta === undefined ? undefined : decodeCallMeta(_meta, "_meta");
  if (meta !== undefined && "kind" in meta) return meta;
  return { sessionId, version, action, config, request, meta };
}
