/** Types of plain JSON Schema, and of the values that it describes. */
import type { Schema } from "./standard_schema.ts";

/** What `.input()` takes: a Standard Schema, or plain JSON Schema as it is. */
export type AnySchema<Output = unknown> = Schema<unknown, Output> | PlainSchema;

/** Plain JSON Schema, by one of the keywords that show that it is. Schemas of TypeBox are plain JSON Schema. */
export type PlainSchema =
  & { readonly "~standard"?: never | undefined }
  & (
    | { readonly type: string | readonly string[] }
    | { readonly $ref: string }
    | { readonly const: string | number | boolean | null }
    | { readonly enum: readonly unknown[] }
    | { readonly anyOf: readonly unknown[] }
    | { readonly oneOf: readonly unknown[] }
    | { readonly allOf: readonly unknown[] }
    | { readonly properties: Readonly<Record<string, { readonly "~standard"?: never | undefined }>> }
  );

/**
 * Type of the values of a plain JSON Schema: by TypeBox's `static`, else by its keywords where they are literals; `unknown` where they say
 * nothing about the type.
 *
 * @typeParam Given Type of the schema.
 */
export type PlainValue<Given> = Given extends { readonly params: readonly unknown[]; readonly static: unknown }
  ? (Given & { params: [] })["static"]
  : Given extends { readonly const: infer Value } ? Value
  : Given extends { readonly enum: readonly (infer Value)[] } ? Value
  : Given extends { readonly anyOf: readonly (infer Option)[] } ? PlainValue<Option>
  : Given extends { readonly oneOf: readonly (infer Option)[] } ? PlainValue<Option>
  : Given extends { readonly allOf: readonly (infer Part)[] } ? AllOf<Part>
  : Given extends { readonly type: infer Type } ? ValueOfType<Type extends readonly (infer One)[] ? One : Type, Given>
  : unknown;

/** Type of the arguments of a tool with a plain JSON Schema: any names where the schema says nothing about the type. */
export type PlainArguments<Given> = unknown extends PlainValue<Given> ? Record<string, unknown> : PlainValue<Given>;

/** Intersection of the types of several schemas. */
export type AllOf<Part> = (Part extends unknown ? (value: PlainValue<Part>) => void : never) extends
  (value: infer Value) => void ? Value : unknown;

/** Type of the values of a `type`. A name that is not a literal says nothing. */
export type ValueOfType<Type, Given> = string extends Type ? unknown
  : Type extends "string" ? string
  : Type extends "number" | "integer" ? number
  : Type extends "boolean" ? boolean
  : Type extends "null" ? null
  : Type extends "array" ? ItemsOf<Given>
  : Type extends "object" ? MembersOf<Given>
  : unknown;

/** Type of the items of an array. */
export type ItemsOf<Given> = Given extends { readonly prefixItems: readonly unknown[] } ? unknown[]
  : Given extends { readonly items: infer Items }
    ? Items extends readonly unknown[] ? { -readonly [Index in keyof Items]: PlainValue<Items[Index]> }
    : PlainValue<Items>[]
  : unknown[];

/** Type of the members of an object. */
export type MembersOf<Given> = Given extends { readonly properties: infer Properties } ?
    & {
      -readonly [Name in keyof Properties as Name extends RequiredOf<Given> ? Name : never]: PlainValue<
        Properties[Name]
      >;
    }
    & {
      -readonly [Name in keyof Properties as Name extends RequiredOf<Given> ? never : Name]?: PlainValue<
        Properties[Name]
      >;
    }
    // Editors then show the members, not this name.
    & unknown
  : Given extends { readonly additionalProperties: infer Others extends object } ? Record<string, PlainValue<Others>>
  : Record<string, unknown>;

/** Names of the required members. A list of any names, such as one that is not a literal, says nothing. */
export type RequiredOf<Given> = Given extends { readonly required: readonly (infer Name)[] }
  ? string extends Name ? never : Name
  : never;
