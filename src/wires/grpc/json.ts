/**
 * Values as a `google.protobuf.Struct` can carry them.
 *
 * @module
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Refusal, refuse } from "../../call/outcome.ts";

/**
 * A copy of a value as JSON sees it: dates are text, what is `undefined` is left out.
 *
 * @throws What `JSON.stringify` throws.
 */
export function toJsonObject(members: Readonly<Record<string, unknown>>): JsonObject {
  return JSON.parse(JSON.stringify(members)) as JsonObject;
}

/** Why a value that came as a `Struct` is not JSON within the limits; `undefined` if it is. */
export function refuseStruct(value: JsonValue, maxDepth: number): Refusal | undefined {
  // Text of JSON has no such numbers; the eight bytes of a double do.
  if (typeof value === "number" && !Number.isFinite(value)) {
    return refuse("parse_error", `A number is ${value}, which is not JSON`);
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (maxDepth === 0) return refuse("invalid_request", "The arguments are nested deeper than this server reads");
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    const refusal = refuseStruct(member, maxDepth - 1);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
