/**
 * The Standard Schema interface as a structural type, so that public signatures do not name a validation library.
 *
 * Source: {@link https://standardschema.dev | Standard Schema 1}, with Standard JSON Schema if the library implements
 * it.
 *
 * @module
 */

/**
 * Any Standard Schema, such as those of valibot, zod 4, ArkType and Effect.
 *
 * @typeParam Input Type that callers may send.
 * @typeParam Output Type that handlers receive, after defaults and transforms.
 */
export interface Schema<Input = unknown, Output = Input> {
  /** Member defined by the standard. */
  readonly "~standard": {
    /** Version of the standard. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** Validates a value. */
    readonly validate: (value: unknown) => unknown;
    /** Types only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Why a value does not match a schema, and where. */
export interface SchemaIssue {
  /** Message for people and models. */
  readonly message: string;
  /** Path from the root. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** Expected value, if the library reports it. */
  readonly expected?: unknown;
}

/** Result of a validation: a value, or issues. */
export interface SchemaResult {
  /** The value after defaults and transforms, if there are no issues. */
  readonly value?: unknown;
  /** `undefined` if the value is valid. */
  readonly issues?: readonly SchemaIssue[] | undefined;
}

/** JSON Schema 2020-12, as an object. */
export type JsonSchema = { readonly [keyword: string]: unknown };
