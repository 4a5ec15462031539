/** Schema adapters of the front door. The small core must not import this file. */
import type { SchemaAdapter } from "./adapter.ts";
import { compiledChecks } from "./exact_check.ts";
import { valibotJsonSchema } from "./valibot_json_schema.ts";

/** All schema adapters. */
export const SCHEMA_ADAPTERS: readonly SchemaAdapter[] = [valibotJsonSchema, compiledChecks];
