/** Schemas in the form that the AI SDK and Mastra take. */
import type { ParameterSchema } from "./dialects.ts";

/** A JSON Schema as Standard Schema and Standard JSON Schema, version 1. It accepts every value: the server validates arguments. */
export interface AiSchema {
  /** Members of the two standards. */
  readonly "~standard": {
    /** Version of the standard. */
    readonly version: 1;
    /** Vendor of the schema. */
    readonly vendor: "toolwire";
    /** Accepts everything: the server validates. */
    readonly validate: (value: unknown) => { readonly value: unknown };
    /** Conversion to JSON Schema. */
    readonly jsonSchema: {
      /** Schema of the input. */
      readonly input: () => Record<string, unknown>;
      /** Schema of the output: the same. */
      readonly output: () => Record<string, unknown>;
    };
  };
}

/**
 * Wraps a JSON Schema for the AI SDK, Mastra and Cloudflare's code mode. The AI SDK closes all objects of a standard schema, records
 * included, so that nothing could be sent to them. With the SDK's own symbol it takes the schema unchanged.
 */
export function toAiSchema(schema: ParameterSchema): AiSchema {
  const copy = () => structuredClone(schema) as Record<string, unknown>;
  const standard: AiSchema = {
    "~standard": {
      version: 1,
      vendor: "toolwire",
      validate: (value) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
  };
  const own = { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: copy(), validate: undefined };
  return Object.assign(own, standard);
}
