import type { MaybePromise } from "../../internal/async.ts";
import { estimateJsonSize } from "../../internal/json_size.ts";
import { adapterFor, type ExactCheck } from "./adapter.ts";
import { type JsonSchemaOptions, toJsonSchema } from "./json_schema.ts";
import type { JsonSchema, Schema, SchemaResult } from "./standard_schema.ts";

/** A schema made ready for use: converted once, its validator read once. */
export interface CompiledSchema {
  /** Checks a value. May throw what the library throws. */
  readonly validate: (value: unknown) => MaybePromise<SchemaResult>;
  /** Tells what surely fits and stays as it is: there is nothing to validate, then. Made at its first use, by an adapter. */
  readonly exact?: ExactCheck | undefined;
  /** The same as JSON Schema 2020-12, without `$schema`. */
  readonly jsonSchema: JsonSchema;
}

/**
 * Compiles a schema.
 *
 * @param schema Any Standard Schema.
 * @param options What the schema is for; it words the errors.
 * @throws {TypeError} If it is no Standard Schema, or cannot become JSON Schema.
 */
export function compileSchema(schema: Schema, options: JsonSchemaOptions): CompiledSchema {
  const validate = compileValidator(schema, options.where);
  const jsonSchema = toJsonSchema(schema, options);
  const compileCheck = adapterFor(options.adapters, schema, "compileCheck");
  if (compileCheck === undefined) return { validate, jsonSchema };
  let check: ExactCheck | undefined;
  return {
    validate,
    get exact() {
      return (check ??= compileCheck(schema));
    },
    jsonSchema,
  };
}

/**
 * Reads a schema's validator, once: some libraries build the standard's object anew at each look.
 *
 * @throws {TypeError} If it is no Standard Schema.
 */
export function compileValidator(schema: Schema, where: string): (value: unknown) => MaybePromise<SchemaResult> {
  const standard = schema?.["~standard"];
  if (standard?.version !== 1 || typeof standard.validate !== "function") {
    throw new TypeError(
      `${where} is not a Standard Schema: pass one of valibot, zod 4, ArkType or Effect, or jsonSchema(…)`,
    );
  }
  const validate = (value: unknown) => standard.validate(value) as MaybePromise<SchemaResult>;
  // A schema of valibot, unless somebody has wrapped it.
  if (!("~run" in schema)) return validate;
  return (value) =>
    estimateJsonSize(value, MAX_TOLD_CHARS, Number.POSITIVE_INFINITY) < 0 ? findFirst(schema, value) : validate(value);
}

/** Of a larger value, in characters of JSON, the first issue is told, and not all. */
const MAX_TOLD_CHARS = 4_096;

/** How valibot's own functions run a schema. */
interface Runnable {
  "~run"(dataset: { readonly value: unknown }, config: { readonly abortEarly: true }): MaybePromise<SchemaResult>;
}

/** An issue of each member that is missing would be gigabytes, where a hostile body is large. */
function findFirst(schema: Schema, value: unknown): MaybePromise<SchemaResult> {
  return (schema as Schema & Runnable)["~run"]({ value }, { abortEarly: true });
}
