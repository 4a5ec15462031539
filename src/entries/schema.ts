/**
 * The validation library valibot, re-exported, so that a script needs one dependency. It is needed if valibot is not installed, and for
 * `toolDefiner` of `./core`, which takes the adapters; `defineTool` of the front door takes schemas of valibot, zod, arktype and others
 * without this import.
 *
 * @example A schema for a tool's input
 * ```ts
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const Input = v.object({ query: v.string(), limit: v.optional(v.number(), 10) });
 * console.log(v.parse(Input, { query: "jazz" })); // → { query: "jazz", limit: 10 }
 * ```
 *
 * @module
 */
export * from "valibot";
export type { ExactCheck, SchemaAdapter } from "../core/schema/adapter.ts";
export type { JsonSchema, Schema } from "../core/schema/standard_schema.ts";
export { compiledChecks } from "../core/schema/exact_check.ts";
export {
  type UnknownArguments,
  unknownArguments,
  type UnknownArgumentsMode,
} from "../core/schema/unknown_arguments.ts";
export { valibotJsonSchema } from "../core/schema/valibot_json_schema.ts";
export { zodJsonSchema } from "../core/schema/zod_json_schema.ts";
