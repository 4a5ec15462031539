/**
 * OpenAI's strict mode: the part of JSON Schema that a model can be held to, and how to say a schema in it.
 *
 * There every property is required and every object closed, so what may be left out becomes what may be `null`, and `null` is
 * left out again before the call. That, and all else, is done only where nothing is lost: the arguments that a strict schema
 * allows are, sent back, those that the schema allows. An object that does not say whether it has other properties is closed.
 * Source: OpenAI, "Structured model outputs", supported schemas; `toStrictJsonSchema` of the package `openai` refuses the same.
 *
 * @module
 */
import { isJsonObject } from "../../internal/json.ts";
import type { ParameterSchema } from "./parameters.ts";

/** A schema in its strict form, and the way back. */
export interface StrictParameters {
  /** The strict form. */
  readonly schema: ParameterSchema;
  /** What the schema itself calls what was said in its strict form. */
  toArguments(said: unknown): unknown;
}

/** At most so many properties, values of enumerations, and levels of objects and arrays in each other. */
const MAX_PROPERTIES = 5000;
const MAX_VALUES = 1000;
const MAX_DEPTH = 10;

/** Annotations, which constrain nothing: only the description is for models. */
const ANNOTATIONS = [
  "$schema",
  "description",
  "title",
  "default",
  "examples",
  "$comment",
  "deprecated",
  "readOnly",
  "writeOnly",
];
const CONSTRAINTS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["minItems", "maxItems", "items"],
  object: ["properties", "required", "additionalProperties"],
  boolean: [],
  null: [],
};
const FORMATS: ReadonlySet<unknown> = new Set(
  ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
);
const DEFINITION = /^#\/\$defs\/([\w.-]+)$/;

/** Says the schema of a tool's arguments in strict mode; `undefined` if that cannot be done without loss. */
export function toStrict(schema: ParameterSchema): StrictParameters | undefined {
  try {
    return new StrictForm(schema).convertRoot();
  } catch (thrown) {
    // Nested deeper than the stack: that is no schema for a model, strict or not.
    if (thrown instanceof Unsayable || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** Ends a conversion: what there is cannot be said. */
class Unsayable extends Error {}

type Restore = (said: unknown) => unknown;

interface Converted {
  readonly schema: ParameterSchema;
  /** `undefined` where the strict form is the value itself. */
  readonly restore: Restore | undefined;
}

class StrictForm {
  readonly #root: ParameterSchema;
  readonly #definitions: ParameterSchema;
  readonly #converted = new Map<string, Converted | undefined>();
  #properties = 0;
  #values = 0;

  constructor(root: ParameterSchema) {
    const { $defs = {} } = root;
    this.#root = root;
    this.#definitions = isJsonObject($defs) ? $defs : {};
  }

  convertRoot(): StrictParameters {
    const { $defs: _, ...root } = this.#root;
    const { schema, restore } = this.#convert(root, 0);
    const definitions = [...this.#converted].map(([name, converted]) => [name, converted?.schema]);
    const $defs = Object.fromEntries(definitions);
    return {
      schema: definitions.length === 0 ? schema : { ...schema, $defs },
      toArguments: restore ?? ((said) => said),
    };
  }

  #convert(schema: unknown, depth: number): Converted {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) throw new Unsayable();
    const { description } = schema;
    const converted = this.#convertBare(schema, depth);
    return typeof description === "string" && !Object.hasOwn(converted.schema, "$ref")
      ? { ...converted, schema: { ...converted.schema, description } }
      : converted;
  }

  #convertBare(schema: ParameterSchema, depth: number): Converted {
    const { $ref, anyOf, oneOf, type } = schema;
    if ($ref !== undefined) {
      assertOnly(schema, "$ref");
      return this.#convertReference($ref);
    }
    if (anyOf !== undefined || oneOf !== undefined) {
      assertOnly(schema, anyOf === undefined ? "oneOf" : "anyOf");
      return this.#convertUnion(anyOf ?? exclusive(oneOf), depth);
    }
    if (Object.hasOwn(schema, "const") || schema["enum"] !== undefined) return this.#convertValues(schema);
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    const constraints = types.map((one) => CONSTRAINTS[String(one)] ?? unsayable()).flat();
    assertOnly(schema, "type", ...constraints);
    assertText(schema);
    const parts = [
      types.includes("object") ? this.#convertObject(schema, depth) : KEPT,
      types.includes("array") ? this.#convertArray(schema, depth) : KEPT,
    ];
    return {
      schema: Object.assign(withoutAnnotations(schema), ...parts.map((part) => part.schema)),
      restore: parts.some(({ restore }) => restore !== undefined)
        ? (said) => parts.reduce((value, { restore }) => restore === undefined ? value : restore(value), said)
        : undefined,
    };
  }

  #convertReference(reference: unknown): Converted {
    const [, name] = DEFINITION.exec(String(reference)) ?? [];
    if (name === undefined || !Object.hasOwn(this.#definitions, name)) throw new Unsayable();
    if (!this.#converted.has(name)) {
      // Known before it is done: a definition may name itself.
      this.#converted.set(name, undefined);
      this.#converted.set(name, this.#convert(this.#definitions[name], 0));
    }
    const restore: Restore = (said) => this.#converted.get(name)?.restore?.(said) ?? said;
    return { schema: { $ref: reference }, restore };
  }

  #convertUnion(branches: unknown, depth: number): Converted {
    if (!Array.isArray(branches) || branches.length === 0) throw new Unsayable();
    const converted = branches.map((branch) => this.#convert(branch, depth));
    const [restore] = converted.flatMap((branch) => branch.restore ?? []);
    // Which of several alternatives was meant cannot be told for sure; `null` is told.
    const others = converted.filter(({ schema }) => schema["type"] !== "null");
    if (restore !== undefined && others.length > 1) throw new Unsayable();
    return { schema: { anyOf: converted.map(({ schema }) => schema) }, restore };
  }

  #convertValues(schema: ParameterSchema): Converted {
    const keyword = Object.hasOwn(schema, "const") ? "const" : "enum";
    assertOnly(schema, keyword, "type");
    const values: unknown = keyword === "const" ? [schema["const"]] : schema["enum"];
    if (!Array.isArray(values) || values.length === 0) throw new Unsayable();
    this.#values += values.length;
    if (this.#values > MAX_VALUES) throw new Unsayable();
    const types = [...new Set(values.map(typeOfScalar))];
    const { type = types.length === 1 ? types[0] : types } = schema;
    return { schema: { type, [keyword]: schema[keyword] }, restore: undefined };
  }

  #convertArray({ items }: ParameterSchema, depth: number): Converted {
    const { schema, restore } = this.#convert(items, depth + 1);
    return {
      schema: { items: schema },
      restore: restore && ((said) => Array.isArray(said) ? said.map(restore) : said),
    };
  }

  #convertObject(schema: ParameterSchema, depth: number): Converted {
    const { properties = {}, required = [], additionalProperties } = schema;
    if (!isJsonObject(properties) || !Array.isArray(required)) throw new Unsayable();
    // An object of which nothing is said may hold anything.
    const isClosed = additionalProperties === false ||
      additionalProperties === undefined && Object.keys(properties).length > 0;
    if (!isClosed) throw new Unsayable();
    const names = Object.keys(properties);
    this.#properties += names.length;
    if (this.#properties > MAX_PROPERTIES || !required.every((name) => names.includes(name))) throw new Unsayable();
    const members = new Map(names.map((name) => {
      const member = properties[name];
      const converted = required.includes(name)
        ? this.#convert(member, depth + 1)
        : this.#convertOptional(member, depth + 1);
      return [name, converted];
    }));
    return {
      schema: {
        properties: Object.fromEntries([...members].map(([name, member]) => [name, member.schema])),
        required: names,
        additionalProperties: false,
      },
      restore: [...members.values()].some(({ restore }) => restore !== undefined)
        ? (said) => isJsonObject(said) ? restoreMembers(said, members) : said
        : undefined,
    };
  }

  /** What may be left out as what may be `null`. */
  #convertOptional(member: unknown, depth: number): Converted {
    // Else `null` could be meant as such.
    if (!isJsonObject(member) || this.#allowsNull(member, 0)) throw new Unsayable();
    const { schema, restore } = this.#convert(member, depth);
    const { description: _, ...bare } = schema;
    const { description } = member;
    const branches = Array.isArray(bare["anyOf"]) ? bare["anyOf"] : [bare];
    const standsFor = member["default"] === undefined ? "left out" : JSON.stringify(member["default"]);
    return {
      schema: {
        anyOf: [...branches, { type: "null" }],
        description: description === undefined ? `null: ${standsFor}` : `${description} (null: ${standsFor})`,
      },
      restore: (said) => said === null ? undefined : restore === undefined ? said : restore(said),
    };
  }

  /** Whether the schema may allow `null`; for sure only if not. Looks at each definition once, whoever refers to it how often. */
  #allowsNull(schema: unknown, descent: number, seen: Set<unknown> = new Set()): boolean {
    if (!isJsonObject(schema) || descent > MAX_DEPTH) return true;
    if (seen.has(schema)) return false;
    seen.add(schema);
    const { $ref, type } = schema;
    if (Object.hasOwn(schema, "const")) return schema["const"] === null;
    if (Array.isArray(schema["enum"])) return schema["enum"].includes(null);
    if (type !== undefined) return Array.isArray(type) ? type.includes("null") : type === "null";
    if (typeof $ref === "string") {
      return this.#allowsNull(this.#definitions[DEFINITION.exec($ref)?.[1] ?? ""], descent + 1, seen);
    }
    const branches = schema["anyOf"] ?? schema["oneOf"];
    return !Array.isArray(branches) || branches.some((branch) => this.#allowsNull(branch, descent + 1, seen));
  }
}

const KEPT: Converted = { schema: {}, restore: undefined };

function unsayable(): never {
  throw new Unsayable();
}

/** Other keywords than these, and annotations, cannot be said. */
function assertOnly(schema: ParameterSchema, ...keywords: readonly string[]): void {
  const isKnown = (keyword: string) => keywords.includes(keyword) || ANNOTATIONS.includes(keyword);
  if (!Object.keys(schema).every(isKnown)) throw new Unsayable();
}

function withoutAnnotations(schema: ParameterSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.includes(keyword)));
}

/** Of formats some are known; of regular expressions all but those that look around. */
function assertText({ format, pattern }: ParameterSchema): void {
  if (format !== undefined && !FORMATS.has(format)) throw new Unsayable();
  if (pattern !== undefined && /\(\?<?[=!]/.test(String(pattern))) throw new Unsayable();
}

function typeOfScalar(value: unknown): string {
  if (value === null) return "null";
  return ["string", "number", "boolean"].includes(typeof value) ? typeof value : unsayable();
}

/** Alternatives of which one at most fits: objects that say which they are by a required constant. Else there is no saying it. */
function exclusive(branches: unknown): unknown {
  if (!Array.isArray(branches) || !branches.every(isJsonObject)) return unsayable();
  const constants = (branch: ParameterSchema, name: string) => {
    const { properties, required } = branch;
    const member = isJsonObject(properties) && Array.isArray(required) && required.includes(name) && properties[name];
    return isJsonObject(member) && Object.hasOwn(member, "const") ? [member["const"]] : [];
  };
  const [first = {}] = branches;
  const names = isJsonObject(first["properties"]) ? Object.keys(first["properties"]) : [];
  const tells = (name: string) =>
    new Set(branches.flatMap((branch) => constants(branch, name))).size === branches.length;
  return names.some(tells) ? branches : unsayable();
}

function restoreMembers(said: ParameterSchema, members: ReadonlyMap<string, Converted>): unknown {
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => {
      const restore = members.get(name)?.restore;
      const restored = restore === undefined ? value : restore(value);
      return restored === undefined ? [] : [[name, restored]];
    }),
  );
}
