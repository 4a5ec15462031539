/** All schema adapters, for `defineTool` of the front door, and for prompts, imported and remote tools. */
import type { SchemaAdapter } from "./adapter.ts";
import { compiledChecks } from "./exact_check.ts";
import { plainJsonSchema } from "./plain_json_schema.ts";
import type { JsonSchema, Schema } from "./standard_schema.ts";
import { valibotJsonSchema } from "./valibot_json_schema.ts";
import { zodJsonSchema } from "./zod_json_schema.ts";

/** ArkType before 2.1.28, whose schemas convert themselves by a method. */
const arkTypeJsonSchema: SchemaAdapter = {
  vendor: "arktype",
  toJsonSchema: (schema) => (schema as Schema & { readonly in: { toJsonSchema(): JsonSchema } }).in.toJsonSchema(),
};

/** Conversion to JSON Schema of valibot, zod and ArkType, valibot's compiled checks, and plain JSON Schema. */
export const SCHEMA_ADAPTERS: readonly SchemaAdapter[] = [
  valibotJsonSchema,
  compiledChecks,
  zodJsonSchema,
  arkTypeJsonSchema,
  plainJsonSchema,
];
