import { isJsonObject } from "../../internal/json.ts";

/** A JSON Schema as the frameworks have it. */
export type ParameterSchema = Readonly<Record<string, unknown>>;

/** What a model has to say, and how that becomes a tool's arguments. */
export interface Parameters {
  /** JSON Schema of an object. */
  readonly schema: ParameterSchema;
  /** The arguments, from what the model said. */
  toArguments(said: unknown): unknown;
}

/** What a model's interface does not take at the root of a schema. */
const NOT_AT_ROOT = ["anyOf", "oneOf", "allOf", "not", "enum", "const"];

/** The one member that holds arguments which cannot stand at the root. */
const WRAPPED = "input";

/**
 * A tool's input schema as the interfaces of models take it: an object with properties, and no alternatives at its root. Where
 * there are some, they become the one property `input`.
 */
export function toParameters(schema: ParameterSchema = {}): Parameters {
  if (!NOT_AT_ROOT.some((keyword) => Object.hasOwn(schema, keyword))) {
    return { schema: { properties: {}, ...schema, type: "object" }, toArguments: (said) => said };
  }
  // References name the definitions from the root, so these stay there.
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
