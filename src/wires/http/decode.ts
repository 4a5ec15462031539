/**
 * Reads the parameters of `tools/call`, and of `prompts/get`, which are alike.
 *
 * Total: bad input is a value.
 * Source: docs/spec.md 4.2.2.
 *
 * @module
 */
import type { Call } from "../../call/call.ts";
import { decodeCallMeta } from "../../call/call_meta.ts";
import { type Refusal, refuseInput } from "../../call/outcome.ts";
import type { JsonRpcRequest } from "../../codec/jsonrpc/decode.ts";
import { isJsonObject } from "../../internal/json.ts";

/** A call as it was sent. */
export type DecodedCall = Omit<Call, "peer">;

/** Reads the parameters of a request that names something and has arguments for it. */
export function decodeCallParams({ method, params }: JsonRpcRequest): DecodedCall | Refusal {
  if (!isJsonObject(params)) {
    return refuseInput(`${method} needs params: an object with name and arguments`, ["params"], "object", params);
  }
  const { name, arguments: args = {}, _meta: meta } = params;
  if (typeof name !== "string") {
    return refuseInput(`${method} needs params.name, as a string`, ["params", "name"], "string", name);
  }
  if (meta === undefined) return { tool: name, args, meta: undefined };
  const decoded = decodeCallMeta(meta);
  return "kind" in decoded ? decoded : { tool: name, args, meta: decoded };
}
