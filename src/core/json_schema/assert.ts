/**
 * Validates JSON Schemas when they are defined. The validation library would report errors at the first call or ignore
 * them.
 */
import { valueAt } from "./pointer.ts";
import { isJsonObject } from "../../internal/json.ts";
import { hasOwnBase, MAPS, SCHEMA_KEYWORDS, SCHEMA_LISTS } from "./subschemas.ts";

/** Rule for the value of a keyword. */
interface Kind {
  readonly expected: string;
  fits(value: unknown): boolean;
}

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const TYPE: Kind = {
  expected: `one of ${[...TYPES].join(", ")}, or a list of them`,
  fits: (value) => isList(value) ? value.length > 0 && value.every((one) => TYPES.has(one)) : TYPES.has(value),
};
const NUMBER: Kind = { expected: "a number", fits: isNumber };
const COUNT: Kind = {
  expected: "a whole number of at least 0",
  fits: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const STEP: Kind = { expected: "a number above 0", fits: (value) => isNumber(value) && Number(value) > 0 };
const TRUTH: Kind = { expected: "true or false", fits: (value) => typeof value === "boolean" };
const TEXT: Kind = { expected: "a text", fits: isText };
const LIST: Kind = { expected: "a list", fits: isList };
const NAMES: Kind = { expected: "a list of names", fits: (value) => isList(value) && value.every(isText) };
const LISTS: Kind = {
  expected: "an object of lists of names",
  fits: (value) => isJsonObject(value) && Object.values(value).every(NAMES.fits),
};

/** Keywords without subschemas. Source: JSON Schema Validation, draft 2020-12, section 6. */
const KINDS: ReadonlyMap<string, Kind> = new Map(Object.entries({
  type: TYPE,
  enum: LIST,
  multipleOf: STEP,
  maximum: NUMBER,
  exclusiveMaximum: NUMBER,
  minimum: NUMBER,
  exclusiveMinimum: NUMBER,
  maxLength: COUNT,
  minLength: COUNT,
  pattern: TEXT,
  format: TEXT,
  maxItems: COUNT,
  minItems: COUNT,
  uniqueItems: TRUTH,
  maxContains: COUNT,
  minContains: COUNT,
  maxProperties: COUNT,
  minProperties: COUNT,
  required: NAMES,
  dependentRequired: LISTS,
  $ref: TEXT,
}));

/**
 * Validates the keywords, patterns and local references of a JSON Schema, and of all its subschemas. Unknown keywords are ignored.
 *
 * @throws {TypeError} If the value of a keyword or a pattern is invalid, or a reference cannot be resolved or is circular.
 */
export function assertSchema(root: Readonly<Record<string, unknown>>): void {
  new Reader(root).schema(root, "#");
}

/** Compiles a schema to a check, and resolves its references. */
class Reader {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  schema(node: unknown, at: string): void {
    if (typeof node === "boolean") return;
    if (!isJsonObject(node)) throw wrong(`the value at ${at}`, node, "a schema: an object, true or false");
    const reader = node !== this.#root && hasOwnBase(node) ? new Reader(node) : this;
    for (const [keyword, value] of membersOf(node)) reader.#keyword(keyword, value, at);
  }

  #keyword(keyword: string, value: unknown, at: string): void {
    const where = `${at}/${keyword}`;
    const kind = KINDS.get(keyword);
    if (kind !== undefined && !kind.fits(value)) throw wrong(`"${keyword}" at ${at}`, value, kind.expected);
    if (keyword === "pattern") assertPattern(value as string, `"pattern" at ${at}`);
    else if (keyword === "$ref") this.#reference(value as string, at);
    else if (SCHEMA_KEYWORDS.has(keyword) || (keyword === "items" && !isList(value))) this.schema(value, where);
    else if (SCHEMA_LISTS.has(keyword) || keyword === "items") this.#list(value, where);
    else if (MAPS.has(keyword)) this.#map(keyword, value, at);
  }

  #list(value: unknown, at: string): void {
    if (!isList(value) || value.length === 0) throw wrong(`the value at ${at}`, value, "a list of schemas");
    value.forEach((part, index) => this.schema(part, `${at}/${index}`));
  }

  #map(keyword: string, value: unknown, at: string): void {
    if (!isJsonObject(value)) throw wrong(`"${keyword}" at ${at}`, value, "an object of schemas");
    for (const [name, part] of membersOf(value)) {
      if (keyword === "patternProperties") assertPattern(name, `a name in "patternProperties" at ${at}`);
      this.schema(part, `${at}/${keyword}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  }

  /** Checks pointer references. References by name are resolved by the library. */
  #reference(reference: string, at: string): void {
    const passed = new Set<unknown>();
    for (let next: unknown = reference; typeof next === "string" && /^#(\/|$)/.test(next);) {
      const target = valueAt(this.#root, next);
      const name = `"$ref" at ${at}: ${JSON.stringify(next)}`;
      if (target === undefined) throw cannot(`${name} cannot be resolved: define it, for instance under $defs`);
      if (passed.has(target)) throw cannot(`${name} is circular: end it at a schema`);
      passed.add(target);
      // References inside of a schema with its own `$id` are checked there.
      next = isJsonObject(target) && !hasOwnBase(target) ? target["$ref"] : undefined;
    }
  }
}

/** Members that are `undefined` are treated as missing, as in JSON. */
function membersOf(node: Readonly<Record<string, unknown>>): (readonly [name: string, value: unknown])[] {
  return Object.entries(node).filter(([, value]) => value !== undefined);
}

function assertPattern(pattern: string, what: string): void {
  try {
    new RegExp(pattern, "u");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw cannot(`${what} is not a regular expression with the flag u: ${reason}`, cause);
  }
}

function wrong(what: string, value: unknown, expected: string): TypeError {
  return cannot(`${what} is ${JSON.stringify(value)?.slice(0, 64) ?? typeof value}, but must be ${expected}`);
}

function cannot(problem: string, cause?: unknown): TypeError {
  return new TypeError(`Cannot use this JSON Schema: ${problem}`, cause === undefined ? undefined : { cause });
}
