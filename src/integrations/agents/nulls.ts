/** Arguments without the nulls that models write for properties which they leave out. */
import { isJsonObject } from "../../internal/json.ts";
import type { ParameterSchema } from "./dialects.ts";
import { formsOf, type SchemaForm } from "./schema_forms.ts";

/** Nesting limit of values, which come from others. */
const MAX_DEPTH = 64;

/**
 * Leaves out members that are `null` where the schema says neither that they may be `null` nor that they are required. A required one stays,
 * so that the error says what is wrong with it.
 *
 * @param schema Input schema of the tool.
 * @returns The same value if nothing is left out.
 */
export function dropNulls(schema: ParameterSchema | undefined, value: unknown): unknown {
  return schema === undefined ? value : drop(schema, value, schema, 0);
}

function drop(schema: unknown, value: unknown, root: ParameterSchema, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  const allowed = formsOf(schema, root);
  if (allowed === undefined) return value;
  const possible = allowed.filter((form) => isPossible(form, value));
  const forms = possible.length > 0 ? possible : allowed;
  const [only] = forms.length === 1 ? forms : [];
  if (Array.isArray(value)) {
    const kept = value.map((item) => dropByAll(only?.parts.map(({ items }) => items), item, root, depth));
    return kept.every((item, index) => item === value[index]) ? value : kept;
  }
  const members = Object.entries(value);
  const kept = members.flatMap(([name, member]): [string, unknown][] => {
    if (member === null) return isLeftOut(forms, name, root) ? [] : [[name, member]];
    return [[name, dropByAll(only?.parts.map((part) => propertyOf(part, name)), member, root, depth)]];
  });
  const isSame = kept.length === members.length && kept.every(([, member], index) => member === members[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}

/** Leaves out what one of several schemas does not allow, all of which hold for the value. */
function dropByAll(schemas: readonly unknown[] = [], value: unknown, root: ParameterSchema, depth: number): unknown {
  return schemas.reduce((kept, schema) => schema === undefined ? kept : drop(schema, kept, root, depth + 1), value);
}

/** Whether a value may have a form: by its type, and by the properties that distinguish forms. */
function isPossible({ parts }: SchemaForm, value: object): boolean {
  const ofType = Array.isArray(value) ? "array" : "object";
  return parts.every((part) => {
    const { type, properties = {}, required } = part;
    if (type !== undefined && type !== ofType && !(Array.isArray(type) && type.includes(ofType))) return false;
    if (Array.isArray(value)) return true;
    const members = value as Readonly<Record<string, unknown>>;
    if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, String(name)))) return false;
    return Object.entries(properties as object).every(([name, property]) =>
      !Object.hasOwn(value, name) || !isJsonObject(property) || !("const" in property) ||
      property["const"] === members[name]
    );
  });
}

/** Whether a null is not what any form says of a property, which may be left out. One that no form has stays, so that the error names it. */
function isLeftOut(forms: readonly SchemaForm[], name: string, root: ParameterSchema): boolean {
  const isKnown = forms.some(({ parts }) => parts.some((part) => propertyOf(part, name) !== undefined));
  return isKnown && forms.every((form) => isRefused(form, name, root));
}

/** Whether a form refuses a null as a property, and does not require the property. */
function isRefused({ parts }: SchemaForm, name: string, root: ParameterSchema): boolean {
  if (parts.some(({ required }) => Array.isArray(required) && required.includes(name))) return false;
  const properties = parts.map((part) => propertyOf(part, name)).filter((property) => property !== undefined);
  if (properties.length > 0) return properties.some((property) => !allowsNull(property, root));
  return parts.some(({ additionalProperties }) => additionalProperties === false);
}

function propertyOf({ properties }: ParameterSchema, name: string): unknown {
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Whether a schema may allow null. Keywords that are not read here count as such: what the server allows is never left out. */
function allowsNull(schema: unknown, root: ParameterSchema): boolean {
  if (schema === false) return false;
  return formsOf(schema, root)?.some(({ parts }) => parts.every(isNullable)) ?? true;
}

function isNullable(part: ParameterSchema): boolean {
  const { type, const: constant, enum: values } = part;
  if (type !== undefined && type !== "null" && !(Array.isArray(type) && type.includes("null"))) return false;
  if ("const" in part && constant !== null) return false;
  return !Array.isArray(values) || values.includes(null);
}
