import type { JsonSchema, Schema } from "./standard_schema.ts";

/**
 * What is known of the schemas of one library, beyond what Standard Schema and Standard JSON Schema say of them.
 *
 * Passed to `toolDefiner`. An adapter has either member, or both; of several, the first that has one counts.
 */
export interface SchemaAdapter {
  /** The library, as its schemas name it in `~standard.vendor`. */
  readonly vendor: string;
  /**
   * Converts a schema to the JSON Schema 2020-12 of what it takes. Asked only if the schema has no `~standard.jsonSchema`.
   *
   * It throws if the schema has no JSON form; the message completes "… cannot become JSON Schema: ".
   */
  readonly toJsonSchema?: (schema: Schema) => JsonSchema;
  /** Compiles the check of a schema. Never throws. */
  readonly compileCheck?: (schema: Schema) => ExactCheck;
}

/** What a schema surely accepts, and leaves as it is. Never throws. */
export interface ExactCheck {
  /** Whether a value is that. Of what it refuses, the schema itself decides. */
  readonly accepts: (value: unknown) => boolean;
  /** A copy of what was accepted, as the schema itself would give it: objects and arrays of the reader's own. */
  readonly copy: (value: unknown) => unknown;
}

/** Finds what some adapters offer for schemas of a library. */
export function adapterFor<Member extends "toJsonSchema" | "compileCheck">(
  adapters: readonly SchemaAdapter[],
  schema: Schema,
  member: Member,
): SchemaAdapter[Member] | undefined {
  const { vendor } = schema["~standard"];
  return adapters.find((adapter) => adapter.vendor === vendor && adapter[member] !== undefined)?.[member];
}
