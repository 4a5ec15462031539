/** Sentences for what is passed in place of a schema: they have the line to write. Each completes "Input schema of tool "a" …". */
import { isJsonObject, type Members } from "../../internal/json.ts";
import type { Schema } from "./standard_schema.ts";

/** How a library writes an object with properties, by `~standard.vendor`. */
const OBJECTS: ReadonlyMap<unknown, string> = new Map([["zod", "z.object"], ["valibot", "v.object"], [
  "arktype",
  "type",
]]);

/** Maximum number of properties to name. */
const MAX_NAMED = 8;

/** Explains why a value without `~standard` is not a schema, and what to write. */
export function explainNoSchema(given: unknown): string {
  if (given === undefined || given === null) {
    return `is ${given}: pass a schema, such as z.object({ … }); is its import circular, or its name misspelled?`;
  }
  if (given instanceof Object && isEffectSchema(given)) {
    return `is a schema of Effect, which only Effect converts: write ${
      "~effect/Schema/Schema" in given
        ? "Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Input))"
        : 'jsonSchema<typeof Input.Encoded>(JSONSchema.make(Input)), of "toolwire/json-schema", or use Effect 4'
    }, with your schema for Input`;
  }
  if (isPlainSchema(given)) return 'is plain JSON Schema: write jsonSchema({ … }), of "toolwire/json-schema"';
  const entries = isJsonObject(given) ? Object.entries(given) : [];
  const [vendor] = entries.map(([, value]) => (value as Partial<Schema> | undefined)?.["~standard"]?.vendor);
  if (vendor !== undefined) {
    const names = entries.slice(0, MAX_NAMED).map(([name]) => `${name}: …`).join(", ");
    return `is an object of schemas, not a schema: write ${OBJECTS.get(vendor) ?? "an object schema"}({ ${names} })`;
  }
  if (isJsonObject(given) && entries.length === 0) {
    return "is an empty object: leave the step out for any arguments, or write z.object({}) or v.object({}) for none";
  }
  return "is not a schema: wrap properties in v.object({ … }) or z.object({ … }), JSON Schema in jsonSchema({ … })";
}

function isEffectSchema(members: object): boolean {
  return "ast" in members && ("fields" in members || "annotations" in members || "annotate" in members);
}

/** Explains why a schema with `~standard` cannot validate, and what to write. */
export function explainNoValidator({ vendor }: Schema["~standard"]): string {
  return vendor === "effect"
    ? "cannot validate: write Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Input)), with your schema for Input"
    : `cannot validate: ${vendor} gives no ~standard.validate of version 1; ` +
      'pass its JSON Schema, as in jsonSchema({ … }), of "toolwire/json-schema"';
}

/** Explains why a schema of a library has no JSON Schema here, and what to write. */
export function explainNoJsonSchema(vendor: string): string {
  switch (vendor) {
    case "valibot":
      return 'use the front door, "toolwire"; with "toolwire/core", toolDefiner(valibotJsonSchema), of "toolwire/schema"';
    case "zod":
      return 'use the front door, "toolwire"; with "toolwire/core", zod >= 4.2, or toolDefiner(zodJsonSchema), of "toolwire/schema"';
    case "effect":
      return "write Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Input)), with your schema for Input; " +
        'with Effect 3, jsonSchema(JSONSchema.make(Input)), of "toolwire/json-schema"';
    default:
      return 'pass its JSON Schema, as in jsonSchema({ … }), of "toolwire/json-schema", or use a library with Standard JSON Schema';
  }
}

/** Keywords that show that an object is JSON Schema, with the form of their values. */
const KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  [
    "type",
    (value) => typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string")),
  ],
  ["$ref", (value) => typeof value === "string"],
  ...["enum", "anyOf", "oneOf", "allOf"].map((keyword) => [keyword, Array.isArray] as const),
  ["const", (value) => !(value instanceof Object)],
  [
    "properties",
    (value) =>
      isJsonObject(value) && Object.values(value).every((part) => isJsonObject(part) && !("~standard" in part)),
  ],
]);

/** Whether a value looks like plain JSON Schema and not like an object of schemas by name. */
export function isPlainSchema(given: unknown): given is Members {
  return isJsonObject(given) &&
    Array.from(KEYWORDS).some(([keyword, fits]) => Object.hasOwn(given, keyword) && fits(given[keyword]));
}
