import type { JsonSchema, Schema } from "./standard_schema.ts";

/**
 * Support for the schemas of one library beyond Standard Schema and Standard JSON Schema.
 *
 * Passed to `toolDefiner`. An adapter has one or more of the functions. Of several adapters, the first that has a function is
 * used.
 */
export interface SchemaAdapter {
  /** Name of the library in `~standard.vendor` of its schemas. */
  readonly vendor: string;
  /**
   * Converts the input of a schema to JSON Schema 2020-12. Called only if the schema has no `~standard.jsonSchema`.
   *
   * Throws if the schema has no JSON form. The message completes "… cannot become JSON Schema: ".
   */
  readonly toJsonSchema?: ((schema: Schema) => JsonSchema) | undefined;
  /**
   * Makes a schema of a value that is not a Standard Schema, such as plain JSON Schema; `undefined` for what is not of this library.
   *
   * Throws if it is of this library and cannot be used. The message completes "… cannot be used: ".
   */
  readonly toSchema?: ((given: object) => Schema | undefined) | undefined;
  /** Compiles a check of a schema. Never throws. */
  readonly compileCheck?: ((schema: Schema) => ExactCheck) | undefined;
}

/** A check of values that a schema accepts and does not change. Never throws. */
export interface ExactCheck {
  /** Whether a value passes. The schema itself decides about all other values. */
  readonly accepts: (value: unknown) => boolean;
  /** Copies a value that passes, as the schema would: into new objects and arrays. */
  readonly copy: (value: unknown) => unknown;
}

/** Returns the function `member` of the first adapter that has it for the schema's library; `undefined` if no adapter does. */
export function adapterFor<Member extends "toJsonSchema" | "compileCheck">(
  adapters: readonly SchemaAdapter[],
  schema: Schema,
  member: Member,
): SchemaAdapter[Member] | undefined {
  const { vendor } = schema["~standard"];
  return adapters.find((adapter) => adapter.vendor === vendor && adapter[member] !== undefined)?.[member];
}
