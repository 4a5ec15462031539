/** Visits the subschemas of a JSON Schema, including those of unknown keywords. */
import { isJsonObject } from "../../internal/json.ts";

type SchemaObject = Readonly<Record<string, unknown>>;

/** Keywords whose value is an object of subschemas by name. */
export const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Keywords whose value is one schema. `items` is not among them, since its value may be a list. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
  "additionalItems",
  "contains",
  "not",
  "if",
  "then",
  "else",
]);

/** Keywords whose value is a list of schemas. */
export const SCHEMA_LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

/** Keywords whose value is data and contains no subschemas. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Whether a schema has its own `$id`. References below it (`#`, `#/$defs/a`) are then relative to it. */
export function hasOwnBase({ $id }: SchemaObject): boolean {
  return typeof $id === "string" && /^[^#]/.test($id);
}

/** Yields the direct subschemas that are objects, those of unknown keywords included; for one of `properties`, with its name. */
export function* subschemasOf(
  schema: SchemaObject,
): Generator<readonly [part: SchemaObject, property: string | undefined]> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) continue;
    const named = MAPS.has(keyword) && isJsonObject(value) ? Object.entries(value) : [["", value] as const];
    for (const [name, parts] of named) {
      for (const part of [parts].flat(Infinity)) {
        if (isJsonObject(part)) yield [part, keyword === "properties" ? name : undefined];
      }
    }
  }
}

/** Returns a copy with the direct subschemas mapped, those of unknown keywords included. Members that are `undefined` are removed. */
export function mapParts(schema: SchemaObject, change: (part: SchemaObject) => unknown): Record<string, unknown> {
  const changeAny = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changeAny);
    return isJsonObject(value) ? change(value) : value;
  };
  return mapMembers(schema, (value, keyword) => {
    if (DATA.has(keyword)) return value;
    return MAPS.has(keyword) && isJsonObject(value) ? mapMembers(value, changeAny) : changeAny(value);
  });
}

function mapMembers(members: SchemaObject, change: (value: unknown, name: string) => unknown): Record<string, unknown> {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept.map(([name, value]) => [name, change(value, name)]));
}

/**
 * Maps the direct subschemas in the places where JSON Schema 2020-12 has them. Values of unknown keywords stay as they are.
 *
 * @param change Gets a subschema, its keyword, and its place there: the name of a property or definition, the index in a list.
 */
export function mapSchemas(
  schema: SchemaObject,
  change: (part: SchemaObject, keyword: string, place: string | number | undefined) => unknown,
): Record<string, unknown> {
  return mapMembers(schema, (value, keyword) => {
    const changeAt = (part: unknown, place?: string | number): unknown =>
      isJsonObject(part) ? change(part, keyword, place) : part;
    if (MAPS.has(keyword)) return isJsonObject(value) ? mapMembers(value, changeAt) : value;
    const hasSchemas = keyword === "items" || SCHEMA_KEYWORDS.has(keyword) || SCHEMA_LISTS.has(keyword);
    if (!hasSchemas) return value;
    return Array.isArray(value) ? value.map((part: unknown, index) => changeAt(part, index)) : changeAt(value);
  });
}
