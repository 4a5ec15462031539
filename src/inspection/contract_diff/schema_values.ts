/** Finite sets of values: `enum`, `const`, booleans and null. They are compared value by value, with the validator. */
import { compileCheck } from "../../core/json_schema/check.ts";
import { maxMatchedLength } from "../../core/json_schema/pattern_cost.ts";
import type { SchemaPlace } from "../../core/json_schema/type_node.ts";
import { valueAt } from "../../core/json_schema/pointer.ts";
import { canonicalJson, isJsonObject, type Members, pointerKeys } from "../../internal/json.ts";
import { shorten } from "../../internal/text.ts";
import { changeHere, type ValueChange } from "./schema_change.ts";

/** Maximum number of values that are named one by one. */
const MAX_NAMED = 10;
/** Maximum length of a value in a message, in characters. */
const MAX_VALUE = 60;

/** The values of `const` or `enum`, or of the types `null` and `boolean`. `undefined` for a schema that does not list its values. */
function listedValues(schema: Members): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  if (Array.isArray(schema["enum"])) return schema["enum"];
  if (schema["type"] === "null") return [null];
  return schema["type"] === "boolean" ? [true, false] : undefined;
}

/** Compares two schemas of which at least one lists its values. Lost values are `narrower`, and the first 10 are named; new ones are `wider`. */
export function compareValues(before: SchemaPlace, after: SchemaPlace): ValueChange[] {
  const [valuesBefore, valuesAfter] = [before, after].map(({ schema }) => listedValues(schema as Members));
  const lost = missingValues(valuesBefore ?? [], before, after);
  const added = missingValues(valuesAfter ?? [], after, before);
  if (lost === undefined || added === undefined) {
    return [changeHere("uncertain", "the listed values cannot be compared")];
  }
  const changes = lost.slice(0, MAX_NAMED).map((value) => {
    return changeHere("narrower", `the value ${shorten(JSON.stringify(value), MAX_VALUE)} was removed`);
  });
  if (lost.length > MAX_NAMED) {
    changes.push(changeHere("narrower", `${lost.length - MAX_NAMED} more values were removed`));
  }
  if (valuesBefore === undefined) changes.push(changeHere("narrower", "only listed values are left"));
  if (valuesAfter === undefined) changes.push(changeHere("wider", "values beside the listed ones were added"));
  else if (added.length > 0) changes.push(changeHere("wider", "listed values were added"));
  return changes;
}

/** The values that one schema accepts and the other does not. `undefined` if that cannot be determined. */
function missingValues(values: readonly unknown[], from: SchemaPlace, other: SchemaPlace): unknown[] | undefined {
  if (values.length === 0) return [];
  const [plain, current] = [plainValues(from.schema), plainValues(other.schema)];
  const distinct = new Map(values.map((value) => [canonicalJson(value), value]));
  if (plain !== undefined && current !== undefined) {
    const left = new Set(current.map(canonicalJson));
    return [...distinct].filter(([json]) => !left.has(json)).map(([, value]) => value);
  }
  const [accepts, isStillAccepted] = [compilePlace(from), compilePlace(other)];
  if (accepts === undefined || isStillAccepted === undefined) return undefined;
  try {
    return [...distinct.values()].filter((value) => accepts(value) && !isStillAccepted(value));
  } catch {
    // A reference is circular, or leads out of the definitions.
    return undefined;
  }
}

/** The values of a schema that has no other keyword that restricts them. `undefined` for other schemas. */
function plainValues(schema: unknown): readonly unknown[] | undefined {
  if (!isJsonObject(schema) || !Object.keys(schema).every((name) => PLAIN.has(name))) return undefined;
  const values = listedValues(schema);
  const { type = "string" } = schema;
  return type === "string" && values?.every((value) => typeof value === "string") ? values : undefined;
}

const PLAIN: ReadonlySet<string> = new Set("enum const type title description default examples deprecated".split(" "));

function compilePlace({ schema, root }: SchemaPlace): ((value: unknown) => boolean) | undefined {
  if (!isJsonObject(schema)) return undefined;
  const document = schema === root ? schema : withDefinitions(schema, root);
  if (document === undefined || hasSlowPattern(document)) return undefined;
  try {
    const check = compileCheck(document);
    return (value) => check(value).length === 0;
  } catch {
    return undefined;
  }
}

/**
 * A part of a schema with the definitions that it refers to. `undefined` if a reference leads to another place: the part is the root of
 * its references then.
 */
function withDefinitions(part: Members, root: unknown): Members | undefined {
  const found: Record<string, Record<string, unknown>> = { $defs: {}, definitions: {} };
  const open: unknown[] = [part];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const reference of referencesIn(next)) {
      const [, keyword = "", raw = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
      const definitions = found[keyword];
      if (definitions === undefined) return undefined;
      const [name = ""] = pointerKeys(`/${raw}`);
      if (Object.hasOwn(definitions, name)) continue;
      definitions[name] = valueAt(root, reference) ?? false;
      open.push(definitions[name]);
    }
  }
  return { ...part, ...found };
}

/** All `$ref` of a schema at any depth, without those in its `$defs` and `definitions`. */
export function referencesIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(referencesIn);
  if (!isJsonObject(node)) return [];
  const { $ref, $defs: _defs, definitions: _definitions, ...rest } = node;
  return [...(typeof $ref === "string" ? [$ref] : []), ...Object.values(rest).flatMap(referencesIn)];
}

/** Whether a pattern may take more than linear time. */
function hasSlowPattern(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasSlowPattern);
  if (!isJsonObject(node)) return false;
  const { pattern, patternProperties } = node;
  const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  if (typeof pattern === "string") patterns.push(pattern);
  return patterns.some((one) => maxMatchedLength(one) < Infinity) || Object.values(node).some(hasSlowPattern);
}
