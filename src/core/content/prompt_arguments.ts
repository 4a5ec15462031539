/** Arguments of prompts. They are strings on every wire, which the schema may transform. */
import { SCHEMA_ADAPTERS } from "../schema/all_adapters.ts";
import { isJsonObject } from "../../internal/json.ts";
import { type CompiledSchema, compileSchema } from "../schema/compile.ts";
import { assertReferences } from "../schema/references.ts";
import type { JsonSchema, Schema, SchemaIssue, SchemaResult } from "../schema/standard_schema.ts";
import type { PromptArgumentListing } from "./prompt.ts";

/** Arguments of a prompt: the entries for its listing, and the schema with which the texts that a caller sends are validated. */
export interface PromptInput {
  /** Arguments in listed form. */
  readonly arguments: readonly PromptArgumentListing[];
  readonly input: CompiledSchema;
}

/** Input of a prompt without arguments. Arguments that a caller sends are ignored, but those that are not strings are rejected. */
export const NO_ARGUMENTS: PromptInput = {
  arguments: [],
  input: {
    jsonSchema: { type: "object", additionalProperties: false },
    validate: (args) => withTextOnly(args, () => ({ value: {} })),
  },
};

/**
 * Compiles the schema of a prompt's arguments, which callers send as strings.
 *
 * @throws {TypeError} If it has no JSON Schema, its root is not an object, or a member does not accept strings.
 */
export function compilePromptInput(schema: Schema, label: string): PromptInput {
  const where = `Input schema of ${label}`;
  const { jsonSchema, validate } = compileSchema(schema, {
    where,
    isObject: true,
    adapters: SCHEMA_ADAPTERS,
    check: assertReferences,
  });
  const { properties } = jsonSchema;
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  for (const [name, member] of members) {
    if (acceptsText(member)) continue;
    throw new TypeError(
      `${where} does not accept a string for "${name}", but arguments of prompts are strings: accept a string and convert ` +
        `it, for instance with ${
          schema["~standard"].vendor === "zod" ? "z.coerce.number()" : "v.pipe(v.string(), v.toNumber())"
        }`,
    );
  }
  const required: readonly unknown[] = Array.isArray(jsonSchema["required"]) ? jsonSchema["required"] : [];
  return {
    arguments: members.map(([name, member]) => listArgument(name, member as JsonSchema, required.includes(name))),
    input: { jsonSchema, validate: (args) => withTextOnly(args, validate) },
  };
}

function withTextOnly(args: unknown, validate: CompiledSchema["validate"]): ReturnType<CompiledSchema["validate"]> {
  const issues = Object.entries(args as Readonly<Record<string, unknown>>).filter(([, value]) =>
    typeof value !== "string"
  ).map(([name]): SchemaIssue => ({
    message: "Arguments of prompts are text",
    path: [name],
    expected: "string",
  }));
  return issues.length > 0 ? { issues } satisfies SchemaResult : validate(args);
}

function listArgument(name: string, { title, description }: JsonSchema, isRequired: boolean): PromptArgumentListing {
  return {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    required: isRequired,
  };
}

/** Whether a JSON Schema accepts some string, as far as its keywords show. */
function acceptsText(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema !== false;
  const { type, enum: values, anyOf, oneOf } = schema;
  if (type !== undefined) return [type].flat().includes("string");
  if ("const" in schema) return typeof schema["const"] === "string";
  const options = Array.isArray(values) ? values.map((value) => typeof value === "string") : undefined;
  const alternatives = anyOf ?? oneOf;
  const fits = options ?? (Array.isArray(alternatives) ? alternatives.map(acceptsText) : [true]);
  return fits.some(Boolean);
}
