/**
 * Reads what MCP-lite over HTTP takes: the parameters of `tools/call`, and the empty body of the list endpoints.
 *
 * Total: bad input is a value.
 * Source: MCP-lite specification, section 4.2.
 *
 * @module
 */
import type { CallMeta } from "../../call/call.ts";
import { type Refusal, refuse } from "../../call/outcome.ts";
import { isJsonObject } from "../../internal/json.ts";

/** A call as it was sent. */
export interface DecodedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly meta: CallMeta | undefined;
}

/** Reads the parameters of `tools/call`. */
export function decodeCallParams(params: unknown): DecodedCall | Refusal {
  if (!isJsonObject(params)) return refuse("invalid_input", "tools/call needs params: an object with name and arguments");
  const { name, arguments: args = {}, _meta: meta } = params;
  if (typeof name !== "string") return refuse("invalid_input", "tools/call needs params.name: the tool's name, as a string");
  if (meta === undefined) return { tool: name, args, meta: undefined };
  const decoded = decodeCallMeta(meta);
  return "kind" in decoded ? decoded : { tool: name, args, meta: decoded };
}

function decodeCallMeta(meta: unknown): CallMeta | Refusal {
  if (!isJsonObject(meta)) return refuse("invalid_input", "params._meta must be an object");
  const { deadline_ms: deadlineMs } = meta;
  if (deadlineMs === undefined) return {};
  if (typeof deadlineMs !== "number" || !(deadlineMs > 0)) {
    return refuse("invalid_input", "params._meta.deadline_ms must be a positive number of milliseconds");
  }
  return { deadlineMs };
}
