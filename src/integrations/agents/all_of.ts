import { canonicalJson, isJsonObject, type Json } from "../../internal/json.ts";
import type { ParameterSchema } from "./dialects.ts";

/** Deepest nesting of `allOf` and of references in it. */
const MAX_DEPTH = 16;

/**
 * Merges the parts of `allOf`, and what is beside it, into one schema that allows the same values. Returns `undefined` if they cannot be
 * merged: two values of a keyword cannot be joined, a closed part lacks a property of another, or a part is not an object or nested too deeply.
 *
 * @param resolve Returns the schema that a reference is for.
 */
export function mergeAllOf(
  schema: ParameterSchema,
  resolve: (reference: unknown) => unknown,
  depth = 0,
): ParameterSchema | undefined {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf) || depth > MAX_DEPTH) return undefined;
  let merged: ParameterSchema | undefined = rest;
  for (const part of allOf) {
    const flat = flattenPart(part, resolve, depth);
    merged = flat && merged && mergeTwo(merged, flat);
  }
  return merged;
}

/** A part without references and `allOf` at its root. */
function flattenPart(
  part: unknown,
  resolve: (reference: unknown) => unknown,
  depth: number,
): ParameterSchema | undefined {
  if (part === true) return {};
  if (!isJsonObject(part)) return undefined;
  const { $ref, ...beside } = part;
  if ($ref !== undefined) return mergeAllOf({ ...beside, allOf: [resolve($ref)] }, resolve, depth + 1);
  return part["allOf"] === undefined ? part : mergeAllOf(part, resolve, depth + 1);
}

function mergeTwo(one: ParameterSchema, other: ParameterSchema): ParameterSchema | undefined {
  // A closed part forbids the other part's properties.
  if (closes(one, other) || closes(other, one)) return undefined;
  const merged: Record<string, unknown> = { ...other, ...one };
  for (const [keyword, value] of Object.entries(other)) {
    if (!Object.hasOwn(one, keyword) || ANNOTATIONS.has(keyword)) continue;
    const joined = join(keyword, one[keyword], value);
    if (joined === undefined) return undefined;
    merged[keyword] = joined;
  }
  return merged;
}

const ANNOTATIONS: ReadonlySet<string> = new Set(
  ["description", "title", "default", "examples", "$comment", "$schema", "$id", "$defs", "definitions"],
);

/** Whether a part forbids a property that only the other part has. */
function closes({ properties, additionalProperties }: ParameterSchema, other: ParameterSchema): boolean {
  if (additionalProperties === undefined || additionalProperties === true) return false;
  const own = isJsonObject(properties) ? properties : {};
  return Object.keys(other["properties"] ?? {}).some((name) => !Object.hasOwn(own, name));
}

function join(keyword: string, one: unknown, other: unknown): unknown {
  if (canonicalJson(one as Json) === canonicalJson(other as Json)) return one;
  if (keyword === "required" && Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if (keyword === "properties" && isJsonObject(one) && isJsonObject(other)) return joinProperties(one, other);
  if (typeof one !== "number" || typeof other !== "number") return undefined;
  if (/^(min|exclusiveMin)/.test(keyword)) return Math.max(one, other);
  return /^(max|exclusiveMax)/.test(keyword) ? Math.min(one, other) : undefined;
}

function joinProperties(one: ParameterSchema, other: ParameterSchema): ParameterSchema | undefined {
  const shared = Object.keys(other).filter((name) => Object.hasOwn(one, name));
  // A property of both parts has to satisfy both.
  const both = shared.map((name) => [name, { allOf: [one[name], other[name]] }] as const);
  return { ...one, ...other, ...Object.fromEntries(both) };
}
