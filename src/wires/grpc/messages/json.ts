/**
 * Values as a `google.protobuf.Struct` can carry them.
 *
 * @module
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";

/**
 * A copy of a value as JSON sees it: dates are text, what is `undefined` is left out.
 *
 * @throws What `JSON.stringify` throws; `RangeError` if it is nested so deep that protobuf's readers and writers end.
 */
export function toJsonObject(members: Readonly<Record<string, unknown>>): JsonObject {
  const plain = copyPlain(members, MAX_PLAIN_DEPTH);
  if (plain !== undefined) return plain as JsonObject;
  const copy = JSON.parse(JSON.stringify(members)) as JsonObject;
  if (isDeeper(copy, MAX_DEPTH)) throw new RangeError(`Nested deeper than ${MAX_DEPTH} levels`);
  return copy;
}

/**
 * Each level is up to three messages, which readers and writers of protobuf have on their stacks. As deep as answers may be,
 * unless a server says otherwise, and what stands around them.
 */
const MAX_DEPTH = 516;

function isDeeper(value: JsonValue, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}

/** Deepest data that is copied here. What contains itself is deeper, and is left to JSON as well. */
const MAX_PLAIN_DEPTH = 64;

/**
 * A copy of plain data, as most answers are, in a fifth of the time that text takes there and back. `undefined` if JSON has
 * more to say of any part of it; getters are then asked again.
 */
function copyPlain(value: unknown, depth: number): JsonValue | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  // By addition -0 becomes 0, as in text.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object" || depth === 0 || "toJSON" in value) return undefined;
  if (Array.isArray(value)) return copyItems(value, depth - 1);
  return Object.getPrototypeOf(value) === Object.prototype ? copyMembers(value, depth - 1) : undefined;
}

function copyItems(items: readonly unknown[], depth: number): JsonValue[] | undefined {
  const copies: JsonValue[] = [];
  for (let index = 0; index < items.length; index++) {
    const copy = copyPlain(items[index], depth);
    if (copy === undefined) return undefined;
    copies.push(copy);
  }
  return copies;
}

function copyMembers(members: object, depth: number): JsonObject | undefined {
  const copies: JsonObject = {};
  for (const key of Object.keys(members)) {
    const member: unknown = (members as Readonly<Record<string, unknown>>)[key];
    if (member === undefined) continue;
    const copy = copyPlain(member, depth);
    if (copy === undefined || key === "__proto__") return undefined;
    copies[key] = copy;
  }
  return copies;
}

/** Says no to what is nested deeper than allowed. */
export const ARGUMENTS_TOO_DEEP: ErrorResult = errorResult(
  "invalid_request",
  "The arguments are nested deeper than this server reads",
);

/** Says no to a number that the eight bytes of a double have, and text of JSON has not. */
export function numberError(value: number): ErrorResult {
  return errorResult("parse_error", `A number is ${value}, which is not JSON`);
}

/** Why a value that came as a `Struct` is not JSON within the limits; `undefined` if it is. */
export function refuseStruct(value: JsonValue, maxDepth: number): ErrorResult | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return numberError(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (maxDepth === 0) return ARGUMENTS_TOO_DEEP;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    const refusal = refuseStruct(member, maxDepth - 1);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
