/**
 * Types that a JSON Schema accepts, as far as its keywords state them.
 *
 * @module
 */
import { valueAt } from "../../../core/json_schema/pointer.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** A schema within another. */
export interface SchemaAt {
  /** The schema. A boolean schema accepts everything or nothing. */
  readonly schema: unknown;
  /** The schema that its references are relative to. */
  readonly root: Readonly<Record<string, unknown>>;
}

const ALL_TYPES: readonly string[] = ["null", "boolean", "number", "object", "array", "string"];

/** Types of the values that a schema accepts: `number` stands for `integer` too. All types if the schema does not state them. */
export function typesOf(at: SchemaAt): ReadonlySet<string> {
  const types = new Set(partsOf(at).flatMap(statedTypes));
  return types.size === 0 ? new Set(ALL_TYPES) : types;
}

/** The schema of a property: the declared one, or that of `additionalProperties`, which may be `undefined`. */
export function propertySchema(at: SchemaAt, name: string): SchemaAt {
  const parts = partsOf(at);
  for (const { properties } of parts) {
    if (isJsonObject(properties) && Object.hasOwn(properties, name)) return { schema: properties[name], root: at.root };
  }
  const { additionalProperties } = parts.find((part) => part["additionalProperties"] !== undefined) ?? {};
  return { schema: additionalProperties, root: at.root };
}

/** The schema of an item of an array, by `prefixItems` and `items`; `undefined` if there is neither. */
export function itemSchema(at: SchemaAt, index: number): SchemaAt {
  const listed = partsOf(at).find(({ items, prefixItems }) => items !== undefined || prefixItems !== undefined) ?? {};
  const { items, prefixItems } = listed;
  const schema = Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items;
  return { schema, root: at.root };
}

/** The schema, what its references lead to, and its alternatives, each once. */
function partsOf({ schema, root }: SchemaAt): readonly Readonly<Record<string, unknown>>[] {
  const parts = new Set<unknown>([schema]);
  for (const part of parts) {
    if (!isJsonObject(part)) continue;
    const { $ref, anyOf, oneOf, allOf } = part;
    for (const further of [anyOf, oneOf, allOf].flatMap(listOf)) parts.add(further);
    if (typeof $ref === "string" && $ref.startsWith("#")) parts.add(valueAt(root, $ref));
  }
  return [...parts].filter(isJsonObject);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? [...value] : [];
}

function statedTypes(schema: Readonly<Record<string, unknown>>): readonly string[] {
  const { type, enum: values } = schema;
  if (type !== undefined) return [type].flat().map((name) => (name === "integer" ? "number" : String(name)));
  const constants = "const" in schema ? [schema["const"]] : listOf(values);
  return constants.map((value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value));
}
