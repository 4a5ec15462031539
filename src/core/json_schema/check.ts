/** Validates JSON values against external JSON Schemas, without code generation, which some runtimes forbid. */
import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { keywordAt, parsePointer, valueAt } from "./pointer.ts";
import { limitReferences, TOO_MANY_REFERENCES } from "./reference_limit.ts";
import { boundSchema, containsUniqueItems, hasUniqueItems, isTooLong } from "./bounded.ts";

/** A validation error: its place and the expected value, but not the value that was found. */
export interface Problem {
  /** Path from the root. */
  readonly path: readonly (string | number)[];
  /** Expected value. */
  readonly expected: string;
  /** Whether the value is missing. */
  readonly isMissing: boolean;
}

/** Returns the validation errors of a JSON value; an empty array for a valid one. */
export type Check = (value: unknown) => readonly Problem[];

/** A validation error with a message for callers, which does not quote the value. */
interface Issue extends Pick<Problem, "path" | "expected"> {
  readonly message: string;
}

/** A check in the form of Standard Schema: returns the value, or issues. */
export type Validate = (value: unknown) => { readonly value: unknown } | { readonly issues: readonly Issue[] };

/** Maximum number of reported errors. */
const MAX_PROBLEMS = 20;

/** Keywords whose errors only repeat those of subschemas. */
const CONTAINERS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "dependentSchemas",
  "allOf",
  "if",
  "then",
  "else",
  "$ref",
]);

/**
 * Compiles a schema to a check that reports at most 20 errors. The check throws if the schema cannot be used: a reference cannot be
 * resolved or is circular, or a pattern is invalid.
 */
export function compileCheck(schema: Readonly<Record<string, unknown>>): Check {
  const findings = containsUniqueItems(schema) ? compileUnique(schema) : compile(boundSchema(schema, false));
  return (value) => {
    const found = findingsOf(findings, value);
    if ("expected" in found) return [found];
    const reported = found.filter(({ keyword }) => !CONTAINERS.has(keyword));
    return (reported.length > 0 ? reported : found).slice(0, MAX_PROBLEMS).map((one) => toProblem(one, schema));
  };
}

const ILL_NAMED: Problem = { path: [], expected: "names that are well-formed text", isMissing: false };

const NESTED: Problem = {
  path: [],
  expected: "a value with less nesting in the recursive alternatives of the schema",
  isMissing: false,
};

/** A problem if the name of a member contains a lone surrogate, which the library's pointers cannot encode, or the work grows too large. */
function findingsOf(findings: Findings, value: unknown): readonly OutputUnit[] | Problem {
  try {
    return findings(value);
  } catch (thrown) {
    if (thrown instanceof URIError) return ILL_NAMED;
    if (thrown === TOO_MANY_REFERENCES) return NESTED;
    throw thrown;
  }
}

/** Like {@link compileCheck}, but compiles the schema at the first check: many schemas are never used. */
export function compileLazily(schema: Readonly<Record<string, unknown>>): Check {
  let check: Check | undefined;
  return (value) => (check ??= compileCheck(schema))(value);
}

/** Converts a check to the function `validate` of Standard Schema. It returns the value unchanged, or issues with messages. */
export function toValidate(check: Check): Validate {
  return (value) => {
    const problems = check(value);
    return problems.length === 0 ? { value } : { issues: problems.map(toIssue) };
  };
}

function toIssue({ path, expected, isMissing }: Problem): Issue {
  return { message: isMissing ? `"${path.at(-1)}" is required` : `Expected ${expected}`, path, expected };
}

/** A check that returns what is wrong, and where. */
type Findings = (value: unknown) => readonly OutputUnit[];

function compile(schema: Readonly<Record<string, unknown>>): Findings {
  const validator = new Validator(schema, "2020-12", false);
  const limit = limitReferences(validator);
  return (value) => {
    limit?.(value);
    try {
      const { valid, errors } = validator.validate(value);
      return valid ? [] : errors;
    } finally {
      // The value is not kept.
      limit?.(undefined);
    }
  };
}

/** Compiles a schema with `uniqueItems`. Arrays too long for the library are compared here. */
function compileUnique(schema: Readonly<Record<string, unknown>>): Findings {
  const strict = compile(boundSchema(schema, false));
  const lenient = compile(boundSchema(schema, true));
  return (value) => {
    const found = strict(value);
    const long = found.filter(isTooLong);
    if (long.length === 0) return found;
    const repeating = long.filter(({ instanceLocation }) =>
      !hasUniqueItems(valueAt(value, instanceLocation) as readonly unknown[])
    );
    if (repeating.length === 0) return lenient(value);
    return [...repeating.map((one) => ({ ...one, keyword: "uniqueItems" })), ...found.filter((one) => !isTooLong(one))];
  };
}

function toProblem({ keyword, keywordLocation, error, instanceLocation }: OutputUnit, schema: unknown): Problem {
  const path = parsePointer(instanceLocation);
  const missing = keyword === "required"
    ? /^Instance does not have required property "(.*)"\.$/s.exec(error)?.[1]
    : undefined;
  if (missing !== undefined) return { path: [...path, missing], expected: "a value", isMissing: true };
  const expected = LIMITS.get(keyword)?.(keywordAt(schema, keywordLocation)) ?? expectedBy(keyword, error);
  return { path, expected, isMissing: false };
}

/** Descriptions of keywords with a limit. `undefined` for others. */
const LIMITS: ReadonlyMap<string, (limit: unknown) => string | undefined> = new Map(Object.entries({
  maximum: words((limit) => `at most ${limit}`),
  minimum: words((limit) => `at least ${limit}`),
  exclusiveMaximum: words((limit) => `less than ${limit}`),
  exclusiveMinimum: words((limit) => `more than ${limit}`),
  multipleOf: words((limit) => `a multiple of ${limit}`),
  maxLength: words((limit) => `at most ${limit} characters`),
  minLength: words((limit) => `at least ${limit} characters`),
  maxItems: words((limit) => `at most ${limit} items`),
  minItems: words((limit) => `at least ${limit} items`),
  maxProperties: words((limit) => `at most ${limit} members`),
  minProperties: words((limit) => `at least ${limit} members`),
  pattern: (pattern) => typeof pattern === "string" ? `text that matches ${JSON.stringify(pattern)}` : undefined,
  uniqueItems: () => "items that differ",
  not: () => "something else",
}));

function words(word: (limit: number) => string): (limit: unknown) => string | undefined {
  return (limit) => typeof limit === "number" ? word(limit) : undefined;
}

/** Description of the expected value. Messages that may quote the value are not used. */
function expectedBy(keyword: string, error: string): string {
  switch (keyword) {
    case "type":
      return /Expected "(.*)"\.$/s.exec(error)?.[1]?.replaceAll('", "', " or ") ?? keyword;
    case "enum":
    case "const":
      return error.replace(/^Instance does not match (any of )?/, (_, any) => (any === undefined ? "" : "one of "))
        .slice(0, -1);
    case "false":
      return "nothing of this name";
    case "format":
      return /format "(.*)"\.$/s.exec(error)?.[1] ?? keyword;
    case "anyOf":
    case "oneOf":
      return "one of the alternatives";
    default:
      return `what "${keyword}" says`;
  }
}
