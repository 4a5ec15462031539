/**
 * Reads the parameters of `tools/call`, and of `prompts/get`, which are alike.
 *
 * Total: bad input is a value.
 * Source: docs/spec.md 4.2.2.
 *
 * @module
 */
import type { Call } from "../../../core/call/call.ts";
import { decodeCallMeta } from "../../../core/call/call_meta.ts";
import { type ErrorResult, invalidInputResult } from "../../../core/call/outcome.ts";
import type { JsonRpcRequest } from "../../framing/json_rpc/decode.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** A call as it was sent. */
export type DecodedCall = Omit<Call, "peer">;

/** Reads the parameters of a request that names something and has arguments for it. */
export function decodeCallParams({ method, params }: JsonRpcRequest): DecodedCall | ErrorResult {
  if (!isJsonObject(params)) {
    return invalidInputResult(
      `${method} needs params: an object with name and arguments`,
      ["params"],
      "object",
      params,
    );
  }
  const { name, arguments: args = {}, _meta: meta } = params;
  if (typeof name !== "string") {
    return invalidInputResult(`${method} needs params.name, as a string`, ["params", "name"], "string", name);
  }
  if (meta === undefined) return { tool: name, args, meta: undefined };
  const decoded = decodeCallMeta(meta);
  return "kind" in decoded ? decoded : { tool: name, args, meta: decoded };
}
