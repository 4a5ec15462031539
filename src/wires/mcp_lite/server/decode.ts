/**
 * Decodes the parameters of `tools/call` and `prompts/get`, which have the same form.
 *
 * Never throws: the error for invalid input is a return value.
 * Source: docs/spec.md 4.2.2.
 */
import type { Call } from "../../../core/call/call.ts";
import { decodeCallMeta } from "../../../core/call/call_meta.ts";
import { type ErrorResult, invalidInputResult } from "../../../core/call/outcome.ts";
import type { JsonRpcRequest } from "../../framing/json_rpc/decode.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** A call of a tool, or a request for a prompt, without its peer: `tool` is the name of either. */
export type DecodedCall = Omit<Call, "peer">;

/** Decodes name, arguments and `_meta` of a request `tools/call` or `prompts/get`. Returns `invalid_input` if one is malformed. */
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
