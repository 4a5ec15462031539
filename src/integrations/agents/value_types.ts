/** Types of enumerated values, for frameworks that send schemas to OpenAI as strict ones, where each schema has a type. */
import { mapSchemas } from "../../core/json_schema/subschemas.ts";
import type { ParameterSchema } from "./dialects.ts";

/** Adds the `type` of their values to enumerations and constants that have none. */
export function withValueTypes(schema: ParameterSchema): ParameterSchema {
  const mapped = mapSchemas(schema, withValueTypes);
  const type = schema["type"] === undefined ? typeOfValues(schema) : undefined;
  return type === undefined ? mapped : { type, ...mapped };
}

function typeOfValues(schema: ParameterSchema): string | string[] | undefined {
  const { enum: values = "const" in schema ? [schema["const"]] : undefined } = schema;
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const types = [...new Set(values.map((value) => value === null ? "null" : typeof value))];
  if (types.includes("object")) return undefined;
  return types.length === 1 ? types[0] : types;
}
