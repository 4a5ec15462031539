/**
 * The adapters that the front door has on. Whatever the small core is made of does not import this file.
 *
 * @module
 */
import type { SchemaAdapter } from "./adapter.ts";
import { compiledChecks } from "./exact_check.ts";
import { valibotJsonSchema } from "./valibot_json_schema.ts";

/** All that there are. */
export const SCHEMA_ADAPTERS: readonly SchemaAdapter[] = [valibotJsonSchema, compiledChecks];
