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

/** Says no to what is nested deeper than allowed. */
export const TOO_DEEP: Refusal = refuse("invalid_request", "The arguments are nested deeper than this server reads");

/** Says no to a number that the eight bytes of a double have, and text of JSON has not. */
export function refuseNumber(value: number): Refusal {
  return refuse("parse_error", `A number is ${value}, which is not JSON`);
}

/** Why a value that came as a `Struct` is not JSON within the limits; `undefined` if it is. */
export function refuseStruct(value: JsonValue, maxDepth: number): Refusal | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return refuseNumber(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (maxDepth === 0) return TOO_DEEP;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    const refusal = refuseStruct(member, maxDepth - 1);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
