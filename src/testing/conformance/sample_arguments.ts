/** Arguments for tools of other servers, made of their JSON Schemas: some that conform, and some that do not. */
import { compileForeignCheck } from "../../core/json_schema/foreign.ts";
import { valueAt } from "../../core/json_schema/pointer.ts";
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";

/** Levels of nesting below which a reference is no longer followed. */
const MAX_DEPTH = 12;

/** Longest text and list that are made. */
const MAX_LENGTH = 1_000;

/** Returns arguments that conform to a schema, the required ones only; `undefined` if none can be made. */
export function sampleArguments(schema: Members): Members | undefined {
  const sample = sampleOf(schema, schema, 0);
  return isJsonObject(sample) && conforms(schema, sample) ? sample : undefined;
}

/** Returns arguments that do not conform to a schema; `undefined` if it accepts every object that was tried. */
export function wrongArguments(schema: Members): Members | undefined {
  const sample = asObject(sampleOf(schema, schema, 0));
  const required = Object.keys(sample).map((name) => {
    const { [name]: _, ...rest } = sample;
    return rest;
  });
  const others = [...Object.keys(asObject(schema["properties"])), "conformance_unknown_argument"];
  const wrong = others.flatMap((name) => WRONG_VALUES.map((value) => ({ ...sample, [name]: value })));
  return [...required, ...wrong].find((args) => !conforms(schema, args));
}

const WRONG_VALUES: readonly unknown[] = [null, -1.5, "", true, [], {}];

/** Whether a value conforms. A schema that cannot be compiled accepts everything. */
export function conforms(schema: Members, value: unknown): boolean {
  try {
    return compileForeignCheck(schema)(value).length === 0;
  } catch {
    return true;
  }
}

function sampleOf(given: unknown, root: Members, depth: number): unknown {
  const schema = resolve(given, root);
  const { default: standard, examples, enum: values, anyOf, oneOf, allOf } = schema;
  if (depth > MAX_DEPTH) return null;
  if ("const" in schema) return schema["const"];
  if (standard !== undefined) return standard;
  for (const list of [examples, values]) if (Array.isArray(list) && list.length > 0) return list[0];
  if (Array.isArray(allOf)) {
    const { allOf: _, ...rest } = schema;
    return sampleOf(allOf.map((part) => resolve(part, root)).reduce(merge, rest), root, depth + 1);
  }
  for (const list of [anyOf, oneOf]) {
    if (!Array.isArray(list) || list.length === 0) continue;
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    return sampleOf(merge(rest, resolve(list[0], root)), root, depth + 1);
  }
  return typedSample(schema, root, depth);
}

function resolve(schema: unknown, root: Members): Members {
  let at = asObject(schema);
  for (let steps = 0; typeof at["$ref"] === "string" && steps < MAX_DEPTH; steps++) {
    const { $ref: reference, ...rest } = at;
    at = merge(asObject(String(reference).startsWith("#") ? valueAt(root, String(reference)) : {}), rest);
  }
  return at;
}

function merge(one: Members, other: Members): Members {
  const properties = { ...asObject(one["properties"]), ...asObject(other["properties"]) };
  const required = [one, other].flatMap((schema) => (Array.isArray(schema["required"]) ? schema["required"] : []));
  return { ...one, ...other, ...(required.length > 0 && { required }), properties };
}

function typedSample(schema: Members, root: Members, depth: number): unknown {
  const { type, required, properties, items, prefixItems, minItems } = schema;
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return sampleText(schema);
    case "integer":
    case "number":
      return sampleNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array": {
      const fixed: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
      const length = Math.min(Number(minItems ?? 0), MAX_LENGTH);
      return Array.from({ length }, (_, index) => sampleOf(fixed[index] ?? items, root, depth + 1));
    }
    default: {
      const names = Array.isArray(required) ? required.map(String) : [];
      return Object.fromEntries(names.map((name) => [name, sampleOf(asObject(properties)[name], root, depth + 1)]));
    }
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  time: "03:04:05Z",
  duration: "P1D",
  email: "ada@example.com",
  hostname: "example.com",
  ipv4: "127.0.0.1",
  ipv6: "::1",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  uri: "https://example.com/",
};

/** Texts that many patterns accept. */
const PATTERNED = ["a", "A", "0", "abc", "ABC", "123", "a-1", "a_1", "1.0.0", "#ffffff", "EUR", "2026-01-02", "12345"];

function sampleText({ format, pattern, minLength = 0, maxLength = MAX_LENGTH }: Members): string {
  if (typeof format === "string" && FORMATS[format] !== undefined) return FORMATS[format];
  if (typeof pattern === "string") {
    const fitting = PATTERNED.find((text) => conforms({ pattern, minLength, maxLength }, text));
    if (fitting !== undefined) return fitting;
  }
  return "sample text".slice(0, Number(maxLength)).padEnd(Math.min(Number(minLength), MAX_LENGTH), "x");
}

function sampleNumber({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: Members): number {
  const step = typeof multipleOf === "number" ? multipleOf : 1;
  const least = Number(minimum ?? (exclusiveMinimum === undefined ? -Infinity : Number(exclusiveMinimum) + step));
  const most = Number(maximum ?? (exclusiveMaximum === undefined ? Infinity : Number(exclusiveMaximum) - step));
  const near = Math.min(Math.max(1, least), most);
  const whole = type === "integer" || multipleOf !== undefined ? Math.ceil(near / step) * step : near;
  return whole > most ? Math.floor(most / step) * step : whole;
}
