/** Keywords of JSON Schema, and what a conversion does with those that a vendor does not take. */
import type { Dialect, ParameterSchema } from "./dialects.ts";

/** A change to a keyword of a tool's input schema that a vendor needs: its place, what was done, and why. */
export interface SchemaChange {
  /** JSON Pointer of the keyword in the tool's input schema. */
  readonly pointer: string;
  /**
   * `"rewritten"`: expressed by other keywords. `"described"`: stated in the description, and enforced by the server alone.
   * `"removed"`: not sent, because it constrains nothing.
   */
  readonly change: "rewritten" | "described" | "removed";
  /** Why, and what is there instead. */
  readonly reason: string;
}

/** Annotations that are of use for a model. */
const DESCRIBED: ReadonlySet<string> = new Set(["default", "examples", "deprecated", "readOnly", "writeOnly"]);

/** Keywords that constrain values, and have no conversion where a vendor does not take them. */
const ASSERTIONS: ReadonlySet<string> = new Set([
  ...["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...[
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "additionalItems",
  ],
  ...["minProperties", "maxProperties", "propertyNames", "patternProperties", "unevaluatedProperties"],
  ...["dependentRequired", "dependentSchemas", "dependencies", "not", "if", "then", "else"],
]);

/** Keywords that the conversion of a schema handles itself. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...["type", "const", "enum", "anyOf", "oneOf", "allOf", "$ref", "$defs", "definitions"],
  ...["properties", "required", "additionalProperties", "items", "prefixItems"],
]);

/** The members of a schema that stay, and the text for those that move into the description. */
export interface SortedKeywords {
  readonly kept: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
  readonly changes: readonly SchemaChange[];
}

/** Sorts the keywords of one schema by what the vendor takes: kept, described or removed. Skips structure, such as `properties` and `anyOf`. */
export function sortKeywords(schema: ParameterSchema, at: string, dialect: Dialect): SortedKeywords {
  const kept: Record<string, unknown> = {};
  const notes: string[] = [];
  const changes: SchemaChange[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (STRUCTURE.has(keyword)) continue;
    const pointer = `${at}/${escapeKey(keyword)}`;
    if (isTaken(keyword, value, schema, dialect)) kept[keyword] = value;
    else if (ASSERTIONS.has(keyword) || DESCRIBED.has(keyword)) {
      notes.push(`${keyword}: ${JSON.stringify(value)}`);
      changes.push({ pointer, change: "described", reason: `${dialect.name} does not enforce it` });
    } else changes.push({ pointer, change: "removed", reason: "constrains nothing, and is of no use for a model" });
  }
  return { kept, notes, changes };
}

function isTaken(keyword: string, value: unknown, schema: ParameterSchema, dialect: Dialect): boolean {
  if (dialect.annotations.has(keyword)) return true;
  // Beside a list of values assertions constrain nothing that the list does not.
  if (!dialect.assertions.has(keyword) || schema["enum"] !== undefined || Object.hasOwn(schema, "const")) return false;
  if (dialect.isStrict && (schema["anyOf"] !== undefined || schema["oneOf"] !== undefined)) return false;
  if (keyword === "format") return dialect.formats.has(value);
  if (keyword === "pattern") return dialect.refusedPattern?.test(String(value)) !== true;
  if (keyword === "minItems") return Number(value) <= dialect.maxMinItems;
  return !keyword.startsWith("exclusive") || typeof value === "number";
}

/** Whether a keyword can make a value invalid, unlike annotations and definitions. */
export function isConstraint(keyword: string): boolean {
  return ASSERTIONS.has(keyword) || STRUCTURE.has(keyword) && keyword !== "$defs" && keyword !== "definitions";
}

/** Whether a schema has a keyword with subschemas or values, so that it is more than a type with bounds. */
export function hasStructure(schema: ParameterSchema): boolean {
  return Object.keys(schema).some((keyword) => keyword !== "type" && STRUCTURE.has(keyword) && isConstraint(keyword));
}

/** Appends notes about keywords that are not sent to the description of a schema, in parentheses; without one they are the description. */
export function describeNotes(schema: ParameterSchema, notes: readonly string[]): ParameterSchema {
  if (notes.length === 0) return schema;
  const text = notes.join("; ");
  const { description } = schema;
  return {
    ...schema,
    description: typeof description === "string" && description !== "" ? `${description} (${text})` : text,
  };
}

/** Escapes a key for a JSON Pointer. */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
