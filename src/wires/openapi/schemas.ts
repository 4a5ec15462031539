import { isJsonObject } from "../../internal/json.ts";
import { DATA, SCHEMA_MAPS } from "../../internal/schema_keywords.ts";
import type { JsonSchema } from "../../schema/schema.ts";

/** A schema as it has to be where `pointer` leads: its references are to its own root. */
export function rebaseSchema(schema: JsonSchema, pointer: string): JsonSchema {
  const rebase = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(rebase);
    return isJsonObject(node) ? rebaseMembers(node) : node;
  };
  const rebaseMembers = (node: JsonSchema): JsonSchema =>
    mapMembers(node, (value, keyword) => {
      if (DATA.has(keyword)) return value;
      if (keyword === "$ref" && typeof value === "string") return value.replace(/^#/, () => pointer);
      return SCHEMA_MAPS.has(keyword) && isJsonObject(value) ? mapMembers(value, rebase) : rebase(value);
    });
  return rebaseMembers(schema);
}

function mapMembers(members: JsonSchema, change: (value: unknown, name: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value, name)]));
}
