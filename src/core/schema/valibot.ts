/**
 * The validation library valibot, re-exported, so that a script needs one dependency.
 *
 * With this import, `defineTool` of the front door takes schemas of valibot, those of the package `valibot` as well. Any other Standard
 * Schema with a JSON Schema, such as those of zod, needs no import.
 *
 * @example A schema for a tool's input
 * ```ts
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const Input = v.object({ query: v.string(), limit: v.optional(v.number(), 10) });
 * deepStrictEqual(v.parse(Input, { query: "jazz" }), { query: "jazz", limit: 10 });
 * ```
 *
 * @module
 */
import { importedAdapters } from "./adapter.ts";
import { SCHEMA_ADAPTERS } from "./exact_check.ts";

importedAdapters.push(...SCHEMA_ADAPTERS);

export * from "valibot";
export type { ExactCheck, SchemaAdapter } from "./adapter.ts";
export type { JsonSchema, Schema } from "./standard_schema.ts";
export { compiledChecks } from "./exact_check.ts";
export { type UnknownArguments, unknownArguments, type UnknownArgumentsMode } from "./unknown_arguments.ts";
export { valibotJsonSchema } from "./valibot_json_schema.ts";
