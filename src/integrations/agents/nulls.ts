/** Arguments without the nulls that models write for properties which they leave out. */
import { valueAt } from "../../core/json_schema/pointer.ts";
import { isJsonObject } from "../../internal/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Nesting limit of references and of values: both come from others. */
const MAX_DEPTH = 64;

/**
 * Leaves out members that are `null` where the schema says neither that they may be `null` nor that they are required. A required one stays,
 * so that the error says what is wrong with it.
 *
 * @param schema Input schema of the tool.
 * @returns The same value if nothing is left out.
 */
export function dropNulls(schema: Schema | undefined, value: unknown): unknown {
  return schema === undefined ? value : drop(schema, value, schema, 0);
}

function drop(given: unknown, value: unknown, root: Schema, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  const schema = resolve(given, root);
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    const kept = value.map((item) => drop(items, item, root, depth + 1));
    return kept.every((item, index) => item === value[index]) ? value : kept;
  }
  const members = Object.entries(value);
  const kept = members.flatMap(([name, member]): [string, unknown][] => {
    const property = propertyOf(schema, name);
    if (property === undefined) return [[name, member]];
    if (member === null) return isRequired(schema, name) || allowsNull(property, root, 0) ? [[name, member]] : [];
    return [[name, drop(property, member, root, depth + 1)]];
  });
  const isSame = kept.length === members.length && kept.every(([, member], index) => member === members[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}

/** The schema of an object or array: behind references, and of nullable ones the alternative that is not null. */
function resolve(given: unknown, root: Schema, depth: number = 0): Schema | undefined {
  if (!isJsonObject(given) || depth > MAX_DEPTH) return undefined;
  const { $ref, anyOf, oneOf } = given;
  if (typeof $ref === "string") return $ref.startsWith("#") ? resolve(valueAt(root, $ref), root, depth + 1) : undefined;
  const alternatives = anyOf ?? oneOf;
  if (!Array.isArray(alternatives)) return given;
  const [only, ...others] = alternatives.filter((one) => isJsonObject(one) && one["type"] !== "null");
  return others.length === 0 ? resolve(only, root, depth + 1) : undefined;
}

function propertyOf({ properties }: Schema, name: string): unknown {
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function isRequired({ required }: Schema, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

/** Whether a schema may allow null. Keywords that are not read here count as such: what the server allows is never left out. */
function allowsNull(schema: unknown, root: Schema, depth: number): boolean {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return schema !== false;
  const { type, const: constant, enum: values, anyOf, oneOf, allOf, $ref } = schema;
  const isAllowed = (part: unknown) => allowsNull(part, root, depth + 1);
  if (type !== undefined && type !== "null" && !(Array.isArray(type) && type.includes("null"))) return false;
  if ("const" in schema && constant !== null) return false;
  if (Array.isArray(values) && !values.includes(null)) return false;
  if (Array.isArray(allOf) && !allOf.every(isAllowed)) return false;
  if ([anyOf, oneOf].some((alternatives) => Array.isArray(alternatives) && !alternatives.some(isAllowed))) return false;
  return typeof $ref !== "string" || !$ref.startsWith("#") || isAllowed(valueAt(root, $ref));
}
