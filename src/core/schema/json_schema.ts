import { isJsonObject, pointerKeys } from "../../internal/json.ts";
import { narrowEffect } from "./effect_json_schema.ts";
import { mapParts } from "../json_schema/subschemas.ts";
import { adapterFor, type SchemaAdapter } from "./adapter.ts";
import { ARKTYPE_OPTIONS, refuseWithoutJson, remedyFor } from "./json_form.ts";
import { explainNoJsonSchema } from "./no_schema.ts";
import type { JsonSchema, Schema } from "./standard_schema.ts";

/** Options of {@link toJsonSchema}. */
export interface JsonSchemaOptions {
  /** Name of the schema in error messages: `Input schema of tool "search"`. */
  readonly where: string;
  /** Whether the root must be an object, as for tool arguments. Default: any JSON value. */
  readonly isObject?: boolean;
  /** Adapters of libraries without Standard JSON Schema. */
  readonly adapters: readonly SchemaAdapter[];
  /** Validates the schema: {@link SchemaCheck}. */
  readonly check: SchemaCheck | undefined;
}

/**
 * Validates a converted schema, as `assertReferences()` does. The core omits it for schemas of tools, because libraries write
 * schemas that are complete, and `jsonSchema()` checks its own.
 */
export type SchemaCheck = (schema: JsonSchema, where: string) => void;

const TARGET = "draft-2020-12";

/** Member of libraries that implement Standard JSON Schema. */
interface JsonSchemaConverter {
  readonly input: (options: { target: string; libraryOptions?: Readonly<Record<string, unknown>> }) => unknown;
}

/**
 * Converts the input of a schema to JSON Schema 2020-12, with defaults, descriptions and examples.
 *
 * @throws {TypeError} If the schema has no JSON form, its check fails, or the root is not an object although it must be. The
 * message contains a remedy.
 */
export function toJsonSchema(schema: Schema, options: JsonSchemaOptions): JsonSchema {
  const converted = convert(schema, options);
  options.check?.(converted, options.where);
  return options.isObject ? asObjectSchema(converted, options.where) : converted;
}

function convert(schema: Schema, { where, adapters }: JsonSchemaOptions): JsonSchema {
  const standard: Schema["~standard"] & { readonly jsonSchema?: JsonSchemaConverter } = schema["~standard"];
  let converted: unknown;
  try {
    const options = standard.vendor === "arktype" ? { libraryOptions: ARKTYPE_OPTIONS } : {};
    if (standard.jsonSchema !== undefined) converted = standard.jsonSchema.input({ target: TARGET, ...options });
    else converted = adapterFor(adapters, schema, "toJsonSchema")?.(schema);
    if (standard.vendor === "effect") converted = narrowEffect(converted, schema);
    refuseWithoutJson(schema, converted);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`${where} cannot become JSON Schema: ${reason}; ${remedyFor(schema, reason)}`, { cause });
  }
  if (!isJsonObject(converted)) {
    throw new TypeError(
      `${where} cannot become JSON Schema: ${standard.vendor} does not offer it here; ${
        explainNoJsonSchema(standard.vendor)
      }`,
    );
  }
  const { $schema: _, ...rest } = converted;
  return standard.vendor === "json-schema" ? withoutEmptyRequired(rest) : withoutSafeBounds(rest);
}

/**
 * Removes the bounds ±9007199254740991, which zod and Effect write for each whole number: they say nothing about the argument, and cost a
 * model tokens.
 */
function withoutSafeBounds(schema: JsonSchema): JsonSchema {
  const { minimum, maximum, ...rest } = schema;
  return withoutEmptyRequired(mapParts({
    ...rest,
    ...(minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  }, withoutSafeBounds));
}

function withoutEmptyRequired(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema["required"]) || schema["required"].length > 0) return schema;
  const { required: _, ...rest } = schema;
  return rest;
}

/** Adds `"type": "object"` to the root, as MCP requires. */
function asObjectSchema(schema: JsonSchema, where: string): JsonSchema {
  if (schema["type"] === "object") {
    const properties = schema["properties"];
    const isEmpty = isJsonObject(properties) && Object.keys(properties).length === 0;
    return isEmpty && schema["additionalProperties"] === undefined
      ? { ...schema, additionalProperties: false }
      : schema;
  }
  if (describesObject(schema, schema, 0)) return { type: "object", ...schema };
  throw new TypeError(
    `${where} must be an object, as arguments have names: wrap it in v.object({ value: … }) or z.object({ value: … })`,
  );
}

/** Maximum depth of references and alternatives to follow. */
const MAX_DESCENT = 32;

function describesObject(schema: unknown, root: JsonSchema, descent: number): boolean {
  if (!isJsonObject(schema) || descent > MAX_DESCENT) return false;
  if (schema["type"] === "object") return true;
  if (typeof schema["$ref"] === "string") {
    return describesObject(resolveReference(schema["$ref"], root), root, descent + 1);
  }
  const all = schema["allOf"];
  if (Array.isArray(all)) return all.some((part) => describesObject(part, root, descent + 1));
  const any = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(any) && any.length > 0 && any.every((part) => describesObject(part, root, descent + 1));
}

/** Returns the part of `root` that a local reference (`#`, `#/$defs/Node`) leads to. `undefined` for others, and if there is no such part. */
export function resolveReference(reference: string, root: JsonSchema): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let node: unknown = root;
  for (const key of pointerKeys(reference)) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}
