/** Types of enumerated values, for frameworks that send schemas to OpenAI as strict ones, where each schema has a type. */
import { isJsonObject } from "../../internal/json.ts";
import type { ParameterSchema } from "./dialects.ts";

/** Keywords with a schema, with several, and with schemas by name. */
const ONE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "$defs", "definitions"];

/** Adds the `type` of their values to enumerations and constants that have none. */
export function withValueTypes(schema: ParameterSchema): ParameterSchema {
  const members = Object.entries(schema).map((
    [keyword, value],
  ): [string, unknown] => [keyword, convert(keyword, value)]);
  const type = schema["type"] === undefined ? typeOfValues(schema) : undefined;
  return Object.fromEntries(type === undefined ? members : [["type", type], ...members]);
}

function convert(keyword: string, value: unknown): unknown {
  if (ONE.includes(keyword)) return convertSchema(value);
  if (LISTS.includes(keyword) && Array.isArray(value)) return value.map(convertSchema);
  if (!MAPS.includes(keyword) || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, convertSchema(one)]));
}

function convertSchema(schema: unknown): unknown {
  return isJsonObject(schema) ? withValueTypes(schema) : schema;
}

function typeOfValues(schema: ParameterSchema): string | string[] | undefined {
  const { enum: values = "const" in schema ? [schema["const"]] : undefined } = schema;
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const types = [...new Set(values.map((value) => value === null ? "null" : typeof value))];
  if (types.includes("object")) return undefined;
  return types.length === 1 ? types[0] : types;
}
