/**
 * Checks for schemas of other servers, whose patterns may take exponential time.
 *
 * A pattern that is not matched in linear time applies to short strings only, or not at all: the server validates what it receives. A
 * schema with such a pattern is checked by keywords that can only accept more when a part of them is left out.
 *
 * @module
 */
import { isJsonObject } from "../../internal/json.ts";
import { type Check, compileCheck, compileLazily } from "./check.ts";
import { maxMatchedLength } from "./pattern_cost.ts";
import { mapParts, subschemasOf } from "./subschemas.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Like `compileCheck`, at the first check, for a schema of another server: patterns that may be slow apply to short strings, or not at all. */
export function compileForeignCheck(schema: JsonSchema): Check {
  let check: Check | undefined;
  return (value) => (check ??= compileBounded(schema))(value);
}

function compileBounded(schema: JsonSchema): Check {
  return hasSlowPattern(schema) ? lenient(compileLazily(loosen(schema))) : compileCheck(schema);
}

/** Returns a check that accepts each value for which `check` throws: its schema is invalid, or its references lead nowhere or in a circle. */
export function lenient(check: Check): Check {
  return (value) => {
    try {
      return check(value);
    } catch {
      return [];
    }
  };
}

function patternsOf({ pattern, patternProperties }: JsonSchema): readonly string[] {
  const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return typeof pattern === "string" ? [pattern, ...names] : names;
}

function hasSlowPattern(schema: JsonSchema): boolean {
  const open = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (patternsOf(next).some((pattern) => maxMatchedLength(pattern) < Infinity)) return true;
    for (const [part] of subschemasOf(next)) open.push(part);
  }
  return false;
}

/** Leaves out slow patterns, and keywords that would reject more without them. */
function loosen(schema: JsonSchema): JsonSchema {
  const {
    pattern,
    patternProperties,
    additionalProperties,
    oneOf,
    not: _not,
    if: _if,
    maxContains: _max,
    unevaluatedProperties: _properties,
    unevaluatedItems: _items,
    ...rest
  } = schema;
  const byPattern = Object.entries(isJsonObject(patternProperties) ? patternProperties : {});
  const linear = byPattern.filter(([name]) => maxMatchedLength(name) === Infinity);
  const added = [
    ...(typeof pattern === "string" ? boundedPattern(pattern) : []),
    ...(Array.isArray(oneOf) ? [mapParts({ anyOf: oneOf }, loosen)] : []),
  ];
  const kept = mapParts({
    ...rest,
    ...(linear.length > 0 && { patternProperties: Object.fromEntries(linear) }),
    ...(linear.length === byPattern.length && additionalProperties !== undefined && { additionalProperties }),
  }, loosen);
  if (added.length === 0) return kept;
  return { ...kept, allOf: [...(Array.isArray(kept["allOf"]) ? kept["allOf"] : []), ...added] };
}

/** A pattern for strings that it is fast for; empty if that is the case for no string. */
function boundedPattern(pattern: string): readonly JsonSchema[] {
  const maxLength = maxMatchedLength(pattern);
  if (maxLength === Infinity) return [{ pattern }];
  return maxLength === 0 ? [] : [{ if: { maxLength }, then: { pattern } }];
}
