import { isJsonObject } from "../../internal/json.ts";

/** A JSON Schema in the form that the frameworks take. */
export type ParameterSchema = Readonly<Record<string, unknown>>;

/** The parameters that a model fills in, and their conversion to a tool's arguments. */
export interface Parameters {
  /** JSON Schema of an object. */
  readonly schema: ParameterSchema;
  /** Converts the model's parameters to arguments. */
  toArguments(said: unknown): unknown;
}

/** Keywords that model APIs refuse at the root of a schema. */
const NOT_AT_ROOT = ["anyOf", "oneOf", "allOf", "not", "enum", "const"];

/** The property that holds arguments which cannot be at the root. */
const WRAPPED = "input";

/**
 * A tool's input schema in the form that model APIs take: an object with properties, without alternatives at its root. If
 * it has alternatives, they become the single property `input`.
 */
export function toParameters(schema: ParameterSchema = {}): Parameters {
  if (!NOT_AT_ROOT.some((keyword) => Object.hasOwn(schema, keyword))) {
    return { schema: { properties: {}, ...schema, type: "object" }, toArguments: (said) => said };
  }
  // References point at definitions from the root, so the definitions stay there.
  const { $defs, definitions, ...input } = schema;
  const wrapped = {
    type: "object",
    properties: { [WRAPPED]: input },
    required: [WRAPPED],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
  return { schema: wrapped, toArguments: (said) => isJsonObject(said) ? said[WRAPPED] : said };
}
