import type { MaybePromise } from "../../internal/async.ts";
import { estimateJsonSize } from "../../internal/json_size.ts";
import { adapterFor, type ExactCheck } from "./adapter.ts";
import { explainNoSchema, explainNoValidator } from "./no_schema.ts";
import { type JsonSchemaOptions, toJsonSchema } from "./json_schema.ts";
import type { AnySchema } from "./plain_schema.ts";
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
 * @throws {TypeError} If it is not a schema, or has no JSON Schema.
 */
export function compileSchema(given: AnySchema, options: JsonSchemaOptions): CompiledSchema {
  const schema = readSchema(given, options);
  const validate = toValidator(schema, options.where);
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
 * @throws {TypeError} If it is not a schema.
 */
export function compileValidator(
  given: AnySchema,
  options: Pick<JsonSchemaOptions, "where" | "adapters">,
): (value: unknown) => MaybePromise<SchemaResult> {
  return toValidator(readSchema(given, options), options.where);
}

/** Returns a Standard Schema as it is, and the schema that an adapter returns for any other value. @throws {TypeError} If there is no such adapter. */
function readSchema(given: AnySchema, { where, adapters }: Pick<JsonSchemaOptions, "where" | "adapters">): Schema {
  if (given?.["~standard"] !== undefined) return given;
  const isReference = given instanceof Object;
  for (const adapter of isReference ? adapters : []) {
    const schema = made(() => adapter.toSchema?.(given), where);
    if (schema !== undefined) return schema;
  }
  throw new TypeError(`${where} ${explainNoSchema(given)}`);
}

function made<Result>(make: () => Result, where: string): Result {
  try {
    return make();
  } catch (cause) {
    throw new TypeError(`${where} cannot be used: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function toValidator(schema: Schema, where: string): (value: unknown) => MaybePromise<SchemaResult> {
  const standard = schema["~standard"];
  if (standard.version !== 1 || typeof standard.validate !== "function") {
    throw new TypeError(`${where} ${explainNoValidator(standard)}`);
  }
  const validate = (value: unknown) => standard.validate(value) as MaybePromise<SchemaResult>;
  // A valibot schema that is not wrapped.
  if (!("~run" in schema)) return validate;
  return (value) =>
    estimateJsonSize(value, MAX_REPORTED_CHARS, Infinity) >= 0 ? validate(value) : findFirstIssue(schema, value);
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
