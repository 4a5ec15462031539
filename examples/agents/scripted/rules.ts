/**
 * What the hosted services publish of the requests that they take, where tools are concerned.
 *
 * Sources: the reference of OpenAI (Chat Completions, Responses, "Structured model outputs") and of Anthropic (Messages, "Tool
 * use"), as their packages carry it.
 *
 * @module
 */
import { BrokenRule } from "./loopback.ts";

/** Any JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Breaks the rule unless it is kept. */
export function hold(isKept: boolean, rule: string): asserts isKept {
  if (!isKept) throw new BrokenRule(rule);
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The records of an array; anything else breaks the rule. */
export function recordsOf(value: unknown, name: string): readonly JsonRecord[] {
  hold(
    Array.isArray(value) && value.every(isRecord),
    `${name} must be an array of objects`,
  );
  return value;
}

/** Names are allowed, and each there once. */
export function holdNames(names: readonly unknown[], max = 128): void {
  for (const name of names) {
    hold(
      typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name),
      `${JSON.stringify(name)}: not a tool's name`,
    );
  }
  hold(new Set(names).size === names.length, "Tool names must be unique");
  hold(names.length <= max, `At most ${max} tools`);
}

/** A schema of arguments: an object, without alternatives at its root. */
export function holdParameters(schema: unknown): asserts schema is JsonRecord {
  hold(
    isRecord(schema) && schema["type"] === "object",
    "The schema must have type 'object'",
  );
  for (const keyword of ["oneOf", "anyOf", "allOf", "enum", "not"]) {
    hold(
      !(keyword in schema),
      `The schema must not have '${keyword}' at the top level`,
    );
  }
}

/** Each call that the model made has its result, and each result its call. */
export function holdAnswered(
  calls: readonly unknown[],
  results: readonly unknown[],
): void {
  for (const id of calls) {
    hold(results.includes(id), `The call ${id} has no result`);
  }
  for (const id of results) {
    hold(calls.includes(id), `The result ${id} has no call`);
  }
  hold(new Set(results).size === results.length, "A call has two results");
}

const UNSUPPORTED = [
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
];
const UNSUPPORTED_PARTS = [
  "patternProperties",
  "propertyNames",
  "prefixItems",
  "uniqueItems",
  "contains",
  "default",
];

/** A schema in strict mode: objects closed, properties all required, no keyword that is not supported. */
export function holdStrict(schema: unknown): void {
  hold(isRecord(schema), "A strict schema must be an object");
  for (const keyword of [...UNSUPPORTED, ...UNSUPPORTED_PARTS]) {
    hold(!(keyword in schema), `'${keyword}' is not permitted in strict mode`);
  }
  const { type, properties, items, anyOf, $defs } = schema;
  hold(
    "type" in schema || "anyOf" in schema || "$ref" in schema,
    "A strict schema must have a 'type'",
  );
  if (type === "object") {
    hold(isRecord(properties), "object schema missing properties");
    hold(
      schema["additionalProperties"] === false,
      "'additionalProperties' is required to be false",
    );
    const { required } = schema;
    const isWhole = Array.isArray(required) &&
      required.length === Object.keys(properties).length &&
      Object.keys(properties).every((name) => required.includes(name));
    hold(isWhole, "'required' must include every key in properties");
    Object.values(properties).forEach(holdStrict);
  }
  if (type === "array") holdStrict(items);
  if (anyOf !== undefined) recordsOf(anyOf, "anyOf").forEach(holdStrict);
  if (isRecord($defs)) Object.values($defs).forEach(holdStrict);
}
