/**
 * OpenAI's strict mode: the subset of JSON Schema that constrains a model's output, and the conversion of schemas to it.
 *
 * In strict mode every property is required and every object is closed, so an optional property becomes a nullable one, and `null` is
 * removed again before the call. A schema is converted only if nothing is lost: arguments that fit the strict schema
 * fit the original schema after the reverse conversion. An object without `additionalProperties` is closed.
 * Source: OpenAI, "Structured model outputs", supported schemas; `toStrictJsonSchema` of the package `openai` refuses the same.
 */
import { isJsonObject } from "../../internal/json.ts";
import type { ParameterSchema } from "./parameters.ts";

/** A strict schema, and the reverse conversion. */
export interface StrictParameters {
  readonly schema: ParameterSchema;
  /** Converts arguments of the strict schema to arguments of the original schema. */
  toArguments(said: unknown): unknown;
}

/** Limits on properties, enumeration values and nesting levels. */
const MAX_PROPERTIES = 5000;
const MAX_VALUES = 1000;
const MAX_DEPTH = 10;

/** Annotations, which constrain nothing. Only the description is sent to models. */
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

/** Converts the schema of a tool's arguments to strict mode; `undefined` if that would lose something. */
export function toStrict(schema: ParameterSchema): StrictParameters | undefined {
  try {
    return new StrictForm(schema).convertRoot();
  } catch (thrown) {
    // Nested deeper than the stack: not usable as a schema for a model, strict or not.
    if (thrown instanceof Unsayable || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** Ends a conversion of a schema that strict mode cannot express. */
class Unsayable extends Error {}

type Restore = (said: unknown) => unknown;

interface Converted {
  readonly schema: ParameterSchema;
  /** `undefined` if the strict value is the original value. */
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
      // Registered before it is converted: a definition may refer to itself.
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
    // The alternative that the model chose is ambiguous, except for `null`.
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
    // An object schema without keywords allows any members.
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

  /** Makes an optional property nullable. */
  #convertOptional(member: unknown, depth: number): Converted {
    // Otherwise `null` would be ambiguous.
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

  /** Whether the schema may allow `null`. `false` is certain, `true` is not. Each definition is visited once. */
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

/** Keywords that strict mode supports, besides annotations. */
function assertOnly(schema: ParameterSchema, ...keywords: readonly string[]): void {
  const isKnown = (keyword: string) => keywords.includes(keyword) || ANNOTATIONS.includes(keyword);
  if (!Object.keys(schema).every(isKnown)) throw new Unsayable();
}

function withoutAnnotations(schema: ParameterSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.includes(keyword)));
}

/** Strict mode supports some formats, and regular expressions without lookaround. */
function assertText({ format, pattern }: ParameterSchema): void {
  if (format !== undefined && !FORMATS.has(format)) throw new Unsayable();
  if (pattern !== undefined && /\(\?<?[=!]/.test(String(pattern))) throw new Unsayable();
}

function typeOfScalar(value: unknown): string {
  if (value === null) return "null";
  return ["string", "number", "boolean"].includes(typeof value) ? typeof value : unsayable();
}

/** Whether at most one alternative can match: objects with a required discriminating constant. */
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
