/**
 * What a valibot schema takes, as JSON Schema 2020-12.
 *
 * Reads valibot's objects by their structure: the library itself is not imported. Values are told as they are sent, so that a
 * pipeline is followed up to the point where it makes something else of them.
 *
 * @module
 */
import type { JsonSchema, Schema } from "./standard_schema.ts";
import { addActions, isJsonConstant, type ValibotAction } from "./valibot_actions.ts";

/** What is read of a schema; which of it is there depends on its type. */
export interface ValibotSchema extends ValibotAction {
  readonly pipe?: readonly ValibotSchema[];
  readonly item: ValibotSchema;
  readonly items: readonly ValibotSchema[];
  readonly rest: ValibotSchema;
  readonly entries: Readonly<Record<string, ValibotSchema>>;
  readonly key: ValibotSchema;
  readonly value: ValibotSchema;
  readonly wrapped: ValibotSchema;
  readonly options: readonly ValibotSchema[];
  readonly literal: unknown;
  readonly default?: unknown;
  readonly getter: (input: unknown) => ValibotSchema;
}

/**
 * Converts a valibot schema to the JSON Schema of what it takes.
 *
 * What JSON Schema cannot say of a value (`v.check`, a regular expression with flags) is left out: callers are told less,
 * never more than what holds. The same goes for checks that follow a transformation, which are not about what was sent.
 *
 * @throws {TypeError} If the schema has no JSON form, such as a `Date`.
 */
export function convertValibot(schema: Schema): JsonSchema {
  const root = schema as Schema & ValibotSchema;
  const converter = new Converter();
  const converted = converter.inline(root);
  return {
    // An object without members would be taken for one that has to be empty.
    ...(root.type === "loose_object" && { additionalProperties: true }),
    ...converted,
    ...(converter.names.size > 0 && { $defs: converter.definitions }),
  };
}

/** Converts one schema with all that is in it. */
class Converter {
  /** What `v.lazy` leads to, by name. */
  readonly definitions: Record<string, JsonSchema> = {};
  /** The names of those schemas. */
  readonly names = new Map<ValibotSchema, string>();
  /** A getter may make a new schema each time. */
  readonly #targets = new Map<ValibotSchema["getter"], ValibotSchema>();

  /** A schema in its place, by name only where it leads back to itself. */
  inline(schema: ValibotSchema): JsonSchema {
    const [first = schema, ...actions] = flatten(schema);
    return addActions(this.#bare(first), actions);
  }

  readonly #convert = (schema: ValibotSchema): JsonSchema => {
    const name = this.names.get(schema);
    return name === undefined ? this.inline(schema) : referTo(name);
  };

  /** A schema by itself, without the rest of its pipeline. */
  #bare(schema: ValibotSchema): JsonSchema {
    // A promise, which the getter of `v.lazyAsync` may give, has no type.
    const { type = "promise", options, wrapped } = schema;
    switch (baseOf(type)) {
      case "any":
      case "unknown":
        return {};
      case "never":
        return { not: {} };
      case "boolean":
      case "null":
      case "number":
      case "string":
        return { type };
      case "literal":
        return { const: assertConstant(schema.literal, type) };
      case "enum":
      case "picklist":
        return enumeration(options, type);
      case "array":
        return { type, items: this.#convert(schema.item) };
      case "tuple":
        return this.#tuple(schema);
      case "object":
        return this.#object(schema);
      case "record":
        return this.#record(schema);
      case "optional":
      case "undefinedable":
        return withDefault(this.#convert(wrapped), schema);
      case "nullable":
      case "nullish":
        return withDefault({ anyOf: [this.#convert(wrapped), { type: "null" }] }, schema);
      case "union":
        return { anyOf: options.map(this.#convert) };
      case "variant":
        return { oneOf: options.map(this.#convert) };
      case "intersect":
        return { allOf: options.map(this.#convert) };
      case "lazy":
        return this.#lazy(schema);
      default:
        throw new TypeError(`a "${type}" has no JSON form`);
    }
  }

  #tuple({ type, items, rest }: ValibotSchema): JsonSchema {
    return {
      type: "array",
      prefixItems: items.map(this.#convert),
      minItems: items.length,
      ...(rest !== undefined && { items: this.#convert(rest) }),
      ...(type === "strict_tuple" && { items: false }),
    };
  }

  #object({ type, entries, rest }: ValibotSchema): JsonSchema {
    const members = Object.entries(entries);
    return {
      type: "object",
      properties: Object.fromEntries(members.map(([name, entry]) => [name, this.#convert(entry)])),
      required: members.filter(([, entry]) => !MAY_BE_ABSENT.has(baseOf(entry.type))).map(([name]) => name),
      ...(rest !== undefined && { additionalProperties: this.#convert(rest) }),
      ...(type === "strict_object" && { additionalProperties: false }),
    };
  }

  #record({ key, value }: ValibotSchema): JsonSchema {
    if (key.type !== "string") throw new TypeError(`a "record" has keys of v.string(), not of a "${key.type}"`);
    return { type: "object", propertyNames: this.#convert(key), additionalProperties: this.#convert(value) };
  }

  #lazy({ getter }: ValibotSchema): JsonSchema {
    const target = this.#targets.get(getter) ?? getter(undefined);
    this.#targets.set(getter, target);
    const known = this.names.get(target);
    if (known !== undefined) return referTo(known);
    const name = String(this.names.size);
    // Named before it is converted: it may lead back to itself.
    this.names.set(target, name);
    this.definitions[name] = this.inline(target);
    return referTo(name);
  }
}

const MAY_BE_ABSENT: ReadonlySet<string> = new Set(["optional", "nullish"]);

/** `object` of `strict_object`, and the like. */
function baseOf(type: string): string {
  return type.replace(/^(loose|strict|exact)_|_with_rest$/, "");
}

function flatten(schema: ValibotSchema): readonly ValibotSchema[] {
  return schema.pipe?.flatMap(flatten) ?? [schema];
}

function referTo(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

function withDefault(jsonSchema: JsonSchema, { default: value }: ValibotSchema): JsonSchema {
  const sent: unknown = typeof value === "function" ? value() : value;
  return sent === undefined ? jsonSchema : { ...jsonSchema, default: sent };
}

function enumeration(options: readonly unknown[], type: string): JsonSchema {
  const used = new Set(options.map((option) => typeof assertConstant(option, type)));
  return { enum: options, type: used.size > 1 ? ["string", "number"] : [...used][0] ?? "string" };
}

function assertConstant(value: unknown, type: string): unknown {
  if (isJsonConstant(value)) return value;
  throw new TypeError(`a value of a "${type}" has no JSON form`);
}
