import type { MaybePromise } from "../../internal/async.ts";
import { estimateJsonSize } from "../../internal/json_size.ts";
import { adapterFor, type ExactCheck } from "./adapter.ts";
import { type JsonSchemaOptions, toJsonSchema } from "./json_schema.ts";
import type { JsonSchema, Schema, SchemaResult } from "./standard_schema.ts";

/** A schema prepared for use: converted to JSON Schema once, its validator read once. */
export interface CompiledSchema {
  /** Validates a value. May throw exceptions of the library. */
  readonly validate: (value: unknown) => MaybePromise<SchemaResult>;
  /** Fast check of values that the schema accepts unchanged. Compiled on first use, by an adapter. */
  readonly exact?: ExactCheck | undefined;
  /** JSON Schema 2020-12, without `$schema`. */
  readonly jsonSchema: JsonSchema;
}

/**
 * Makes the validator, the JSON Schema and, at its first use, the fast check of a schema.
 *
 * @throws {TypeError} If it is not a Standard Schema, or has no JSON Schema.
 */
export function compileSchema(schema: Schema, options: JsonSchemaOptions): CompiledSchema {
  const validate = compileValidator(schema, options.where);
  const jsonSchema = toJsonSchema(schema, options);
  const compileCheck = adapterFor(options.adapters, schema, "compileCheck");
  let check: ExactCheck | undefined;
  return {
    validate,
    get exact() {
      return (check ??= compileCheck?.(schema));
    },
    jsonSchema,
  };
}

/**
 * Reads the validator of a schema once, because some libraries create the `~standard` object on each access. A schema of valibot
 * reports only the first issue of a value above 4,096 characters of JSON.
 *
 * @throws {TypeError} If it is not a Standard Schema.
 */
export function compileValidator(schema: Schema, where: string): (value: unknown) => MaybePromise<SchemaResult> {
  const standard = schema?.["~standard"];
  if (standard?.version !== 1 || typeof standard.validate !== "function") {
    throw new TypeError(
      `${where} is not a Standard Schema: wrap properties in v.object({ … }) or z.object({ … }), JSON Schema in jsonSchema({ … })`,
    );
  }
  const validate = (value: unknown) => standard.validate(value) as MaybePromise<SchemaResult>;
  // A valibot schema that is not wrapped.
  if (!("~run" in schema)) return validate;
  return (value) =>
    estimateJsonSize(value, MAX_REPORTED_CHARS, Infinity) < 0 ? findFirstIssue(schema, value) : validate(value);
}

/** Size in characters of JSON above which only the first issue is reported. */
const MAX_REPORTED_CHARS = 4_096;

/** Method with which valibot's functions run a schema. */
interface Runnable {
  "~run"(dataset: { readonly value: unknown }, config: { readonly abortEarly: true }): MaybePromise<SchemaResult>;
}

/** Stops at the first issue. A large hostile body could otherwise result in gigabytes of issues. */
function findFirstIssue(schema: Schema, value: unknown): MaybePromise<SchemaResult> {
  return (schema as Schema & Runnable)["~run"]({ value }, { abortEarly: true });
}
