/**
 * The subsets of JSON Schema that vendors of models take, as tables.
 *
 * Sources: OpenAI, "Structured model outputs", and `toStrictJsonSchema` of the package `openai`; Anthropic, "Strict tool use", and
 * `transformJSONSchema` of `@anthropic-ai/sdk`; Google, `FunctionDeclaration.parametersJsonSchema` of `@google/genai`.
 */

/** A JSON Schema of a tool's arguments, or a part of one, as an object of keywords. */
export type ParameterSchema = Readonly<Record<string, unknown>>;

/** Limits of one schema. */
interface SchemaLimits {
  readonly properties: number;
  readonly levels: number;
  /** Values of all enumerations. */
  readonly values: number;
  /** Characters of the names of properties and of the values of enumerations. */
  readonly characters: number;
}

/** Which JSON Schema a vendor of models accepts: keywords, forms and limits. */
export interface Dialect {
  /** Name for explanations. */
  readonly name: string;
  /** Whether objects have to be closed, and every part of a schema has to be constrained. */
  readonly isStrict: boolean;
  /** Whether an optional property becomes a required one that may be `null`. */
  readonly isOptionalNullable: boolean;
  /** Whether a definition may contain itself. */
  readonly isRecursive: boolean;
  /** Whether an array may have a schema for each position. */
  readonly hasTuples: boolean;
  /** Whether an array needs `items`. */
  readonly needsItems: boolean;
  /** Whether a constant has to be an enumeration of one value. */
  readonly isConstantEnum: boolean;
  /** Assertions on strings, numbers, arrays and objects. `format` and `pattern` have rules besides. */
  readonly assertions: ReadonlySet<string>;
  /** Annotations that are sent. Others move into the description, or are removed if they are of no use for a model. */
  readonly annotations: ReadonlySet<string>;
  readonly formats: ReadonlySet<unknown>;
  /** Regular expressions that the vendor refuses. */
  readonly refusedPattern: RegExp | undefined;
  /** Values of `minItems`. */
  readonly maxMinItems: number;
  readonly limits: SchemaLimits;
}

const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const LENGTHS = ["minLength", "maxLength", "pattern", "format"];
const UNLIMITED: SchemaLimits = { properties: Infinity, levels: 64, values: Infinity, characters: Infinity };

/** What OpenAI accepts in strict mode: every property is required, and every object closed. Optional properties become nullable. */
export const OPENAI_STRICT: Dialect = {
  name: "OpenAI's strict mode",
  isStrict: true,
  isOptionalNullable: true,
  isRecursive: true,
  hasTuples: false,
  needsItems: true,
  isConstantEnum: false,
  assertions: new Set([
    ...LENGTHS,
    ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
    ...["minItems", "maxItems"],
  ]),
  annotations: new Set(["description"]),
  formats: new Set(FORMATS),
  refusedPattern: /\(\?<?[=!]/,
  maxMinItems: Infinity,
  limits: { properties: 5000, levels: 10, values: 1000, characters: 120_000 },
};

/** What Anthropic accepts in strict mode: every object is closed; no recursion, and no bounds except a `minItems` of 0 or 1. */
export const ANTHROPIC_STRICT: Dialect = {
  name: "Anthropic's strict mode",
  isStrict: true,
  isOptionalNullable: false,
  isRecursive: false,
  hasTuples: false,
  needsItems: false,
  isConstantEnum: false,
  // The vendor's package moves all patterns into the description, so that none is sent here.
  assertions: new Set(["format", "minItems"]),
  annotations: new Set(["description", "title"]),
  formats: new Set([...FORMATS, "uri"]),
  refusedPattern: undefined,
  maxMinItems: 1,
  limits: UNLIMITED,
};

/** What Gemini uses of `parametersJsonSchema`: nothing has to be closed, but much is ignored. It has no strict mode. */
export const GEMINI: Dialect = {
  name: "Gemini",
  isStrict: false,
  isOptionalNullable: false,
  isRecursive: true,
  hasTuples: true,
  needsItems: false,
  isConstantEnum: true,
  assertions: new Set([...LENGTHS, "minimum", "maximum", "minItems", "maxItems"]),
  annotations: new Set(["description", "title", "default", "examples"]),
  formats: new Set(["date-time", "date", "time"]),
  refusedPattern: undefined,
  maxMinItems: Infinity,
  limits: UNLIMITED,
};
