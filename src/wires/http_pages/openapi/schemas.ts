import { mapParts } from "../../../core/json_schema/subschemas.ts";
import type { JsonSchema } from "../../../core/schema/standard_schema.ts";

/** A schema as it has to be where `pointer` leads: its references are to its own root. */
export function rebaseSchema(schema: JsonSchema, pointer: string): JsonSchema {
  const { $ref } = schema;
  const moved = typeof $ref === "string" ? { ...schema, $ref: $ref.replace(/^#/, () => pointer) } : schema;
  return mapParts(moved, (part) => rebaseSchema(part, pointer));
}
