/**
 * What Toolwire needs of a schema: the Standard Schema interface, described by its structure alone, so that no validation
 * library shows in a public signature.
 *
 * Source: {@link https://standardschema.dev | Standard Schema 1}, with Standard JSON Schema where the library has it.
 *
 * @module
 */

/**
 * Any Standard Schema: of valibot, zod 4, ArkType, Effect and others.
 *
 * @typeParam Input What callers may send.
 * @typeParam Output What handlers get, after defaults and transforms.
 */
export interface Schema<Input = unknown, Output = Input> {
  /** The standard's one member. */
  readonly "~standard": {
    /** Version of the standard. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => unknown;
    /** Types only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  /** For people and models. */
  readonly message: string;
  /** Where, from the root. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** What was expected there, if the library says so. */
  readonly expected?: unknown;
}

/** What a check gives: a value, or issues. */
export interface SchemaResult {
  /** The value after defaults and transforms, if there are no issues. */
  readonly value?: unknown;
  /** `undefined` if the value fits. */
  readonly issues?: readonly SchemaIssue[] | undefined;
}

/** JSON Schema 2020-12, as an object. */
export type JsonSchema = { readonly [keyword: string]: unknown };
