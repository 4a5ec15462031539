/**
 * Converts the input of zod's schemas that do not offer it themselves to JSON Schema 2020-12: those of `zod/mini`, of zod 3
 * (`zod/v3` as well) and of zod 4 before 4.2. Their packages have a converter, but their schemas do not lead to it.
 *
 * The result never excludes a valid value: checks without a keyword, and checks after a change of the value, are omitted. A schema without
 * a JSON form is rejected.
 */
import type { SchemaAdapter } from "./adapter.ts";
import type { JsonSchema, Schema } from "./standard_schema.ts";
import {
  type OldDefinition,
  readDefinition,
  type ZodCheck,
  type ZodDefinition,
  type ZodNode,
} from "./zod_definition.ts";

/** Schema adapter for `toolDefiner`: converts schemas of `zod/mini`, of zod 3, and of zod 4 before 4.2. Later ones of zod need none. */
export const zodJsonSchema: SchemaAdapter = {
  vendor: "zod",
  toJsonSchema: (schema) => new ZodConverter().convertRoot(schema as Schema & ZodNode),
};

type Members = Record<string, unknown>;

/** Formats that JSON Schema has, by the name that zod has for them. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ...["email", "uuid", "date", "duration", "ipv4", "ipv6"].map((name) => [name, name] as const),
  ["guid", "uuid"],
  ["url", "uri"],
  ["datetime", "date-time"],
]);

/** Bounds of the formats of numbers that are narrower than what JSON can have. */
const RANGES: ReadonlyMap<string | undefined, readonly [minimum: number, maximum: number]> = new Map([
  ["int32", [-2147483648, 2147483647]],
  ["uint32", [0, 4294967295]],
]);

/** Converts one schema of zod, which may refer to itself, to JSON Schema. */
class ZodConverter {
  /** Schemas that are being converted, with the reference to each that is used. */
  readonly #open = new Map<ZodNode, string | undefined>();
  readonly #definitions: Members = {};
  #count = 0;

  convertRoot(root: ZodNode): JsonSchema {
    this.#open.set(root, "#");
    const converted = this.#convertNew(root);
    return Object.keys(this.#definitions).length > 0 ? { ...converted, $defs: this.#definitions } : converted;
  }

  #convert(node: ZodNode): Members {
    if (!this.#open.has(node)) return this.#convertOpen(node);
    const reference = this.#open.get(node) ?? `#/$defs/schema${this.#count++}`;
    this.#open.set(node, reference);
    return { $ref: reference };
  }

  #convertOpen(node: ZodNode): Members {
    this.#open.set(node, undefined);
    const converted = this.#convertNew(node);
    const reference = this.#open.get(node);
    this.#open.delete(node);
    if (reference === undefined) return converted;
    this.#definitions[reference.slice("#/$defs/".length)] = converted;
    return { $ref: reference };
  }

  #convertNew(node: ZodNode): Members {
    const def = readDefinition(node);
    return { ...this.#convertType(def), ...checksOf(def), ...metadataOf(node) };
  }

  #convertType(def: ZodDefinition): Members {
    switch (def.type) {
      case "string":
      case "boolean":
      case "null":
      case "number":
      case "any":
      case "unknown":
      case "never":
        return SIMPLE[def.type];
      case "template_literal":
        return { type: "string" };
      case "literal":
        return literalsOf(def.values);
      case "enum":
        return literalsOf(enumValues(def.entries));
      case "nullable":
        return { anyOf: [this.#convert(def.innerType), SIMPLE.null] };
      case "default":
      case "prefault":
        return { ...this.#convert(def.innerType), ...defaultOf(def) };
      case "optional":
      case "nonoptional":
      case "catch":
      case "readonly":
        return this.#convert(def.innerType);
      case "lazy":
        return this.#convert(def.getter());
      case "pipe":
        return this.#convert(isTransform(def.in) ? def.out : def.in);
      default:
        return this.#convertComposite(def);
    }
  }

  #convertComposite(def: ZodDefinition): Members {
    const all = (nodes: readonly ZodNode[]) => nodes.map((node) => this.#convert(node));
    switch (def.type) {
      case "array":
        return { type: "array", items: this.#convert(def.element) };
      case "object":
        return this.#convertObject(def);
      case "union":
        return { anyOf: all(def.options) };
      case "intersection":
        return { allOf: all([def.left, def.right]) };
      case "tuple": {
        const minItems = def.items.findLastIndex((item) => !isOptional(item)) + 1;
        const items = def.rest ? this.#convert(def.rest) : false;
        return { type: "array", prefixItems: all(def.items), items, minItems };
      }
      case "record":
        return {
          type: "object",
          propertyNames: this.#convert(def.keyType),
          additionalProperties: this.#convert(def.valueType),
        };
      default:
        throw new TypeError(`a "${def.type}" has no JSON form`);
    }
  }

  #convertObject({ shape, catchall }: ZodDefinition): Members {
    const members = Object.entries(shape);
    const required = members.filter(([, node]) => !isOptional(node)).map(([name]) => name);
    const others = catchall && this.#convert(catchall);
    return {
      type: "object",
      properties: Object.fromEntries(members.map(([name, node]) => [name, this.#convert(node)])),
      required,
      ...(others !== undefined && { additionalProperties: others["not"] === undefined ? others : false }),
    };
  }
}

const SIMPLE = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  null: { type: "null" },
  number: { type: "number" },
  any: {},
  unknown: {},
  never: { not: {} },
};

/** Whether a member may be absent. What only a transformation or `.catch()` allows to be absent is asked for. */
function isOptional(node: ZodNode): boolean {
  if (node._zod === undefined) return isOptionalOld(node);
  const { type, innerType, in: first, out } = node._zod.def;
  if (type === "catch") return isOptional(innerType);
  if (type === "pipe" && isTransform(first)) return isOptional(out);
  return node._zod.optin !== undefined;
}

/** zod 3 finds out by parsing `undefined`, which runs checks, and throws if one of them waits. A check allows no more than what it is of. */
function isOptionalOld(node: ZodNode): boolean {
  const { schema, effect }: Partial<OldDefinition> = node._def ?? {};
  const isChecked = (effect as { readonly type?: unknown } | undefined)?.type === "refinement";
  try {
    if (!isChecked) return node.isOptional?.() === true;
  } catch {
    // A transformation that waits.
  }
  return schema !== undefined && isOptional(schema as ZodNode);
}

function isTransform({ _zod }: ZodNode): boolean {
  return _zod?.def.type === "transform";
}

/** Numbers of an `enum` of TypeScript have a member for their name, too. */
function enumValues(entries: Readonly<Record<string, unknown>>): readonly unknown[] {
  const numbers = Object.values(entries).filter((value) => typeof value === "number");
  return Object.entries(entries).filter(([name]) => !numbers.includes(Number(name))).map(([, value]) => value);
}

function literalsOf(values: readonly unknown[]): Members {
  if (values.some((value) => value !== null && !/^(string|number|boolean)$/.test(typeof value))) {
    throw new TypeError("one of its literals has no JSON form");
  }
  const [type, ...others] = new Set(values.map((value) => value === null ? "null" : typeof value));
  const [only] = values;
  return {
    ...(type !== undefined && others.length === 0 && { type }),
    ...(values.length === 1 ? { const: only } : { enum: values }),
  };
}

/** The default is one of what is sent, unless a transformation follows. */
function defaultOf({ defaultValue, innerType }: ZodDefinition): Members {
  if (changesValue(innerType)) return {};
  const text = JSON.stringify(defaultValue);
  return text === undefined ? {} : { default: JSON.parse(text) };
}

function changesValue(node: ZodNode): boolean {
  const { type, innerType } = node._zod?.def ?? readDefinition(node);
  return type === "pipe" || node._def?.typeName === "ZodEffects" ||
    (innerType !== undefined && changesValue(innerType));
}

/** Keywords for the checks of the sent value: those up to a check that changes it. */
function checksOf({ type, checks }: ZodDefinition): Members {
  const end = checks.findIndex(({ check }) => check === "overwrite");
  const keywords: Members = {};
  for (const one of end < 0 ? checks : checks.slice(0, end)) {
    for (const [keyword, value] of Object.entries(keywordsOf(one, type))) {
      const before = keywords[keyword];
      if (before === undefined || keyword === "type" || isStricter(keyword, value, before)) keywords[keyword] = value;
    }
  }
  return keywords;
}

/** Of several limits the strictest counts; of several patterns the first. */
function isStricter(keyword: string, value: unknown, before: unknown): boolean {
  return /^(min|exclusiveMin)/.test(keyword)
    ? Number(value) > Number(before)
    : /^(max|exclusiveMax)/.test(keyword) && Number(value) < Number(before);
}

function keywordsOf(check: ZodCheck, type: string): Members {
  const size = type === "array" ? "Items" : "Length";
  const { minimum, maximum, length, value, inclusive, format } = check;
  switch (check.check) {
    case "min_length":
      return { [`min${size}`]: minimum };
    case "max_length":
      return { [`max${size}`]: maximum };
    case "length_equals":
      return { [`min${size}`]: length, [`max${size}`]: length };
    case "greater_than":
      return typeof value === "number" ? { [inclusive ? "minimum" : "exclusiveMinimum"]: value } : {};
    case "less_than":
      return typeof value === "number" ? { [inclusive ? "maximum" : "exclusiveMaximum"]: value } : {};
    case "multiple_of":
      return typeof value === "number" && value > 0 ? { multipleOf: value } : {};
    case "number_format": {
      const [minimum, maximum] = RANGES.get(format) ?? [];
      return {
        ...(format?.includes("int") && { type: "integer" }),
        ...(minimum !== undefined && { minimum, maximum }),
      };
    }
    case "string_format":
      return formatOf(check);
    default:
      return {};
  }
}

function formatOf({ format = "", pattern, local, precision }: ZodCheck): Members {
  const named = FORMATS.get(format);
  // Dates and times without an offset or without seconds do not fit the format of JSON Schema.
  const fits = named !== undefined && !local && precision !== -1;
  if (fits) return { format: named };
  // Patterns of JSON Schema have the flag `u`: with other flags one could reject valid values.
  return pattern !== undefined && /^u?$/.test(pattern.flags) ? { pattern: pattern.source } : {};
}

/** Where zod keeps what `.meta()`, `.describe()` and `.register(z.globalRegistry, …)` add, for all copies of zod 4. */
interface Registry {
  get(node: ZodNode): Readonly<Record<string, unknown>> | undefined;
}

function metadataOf(node: ZodNode): Members {
  if (node._zod === undefined) {
    return node._def?.description === undefined ? {} : { description: node._def.description };
  }
  const registry = (globalThis as { readonly __zod_globalRegistry?: Registry }).__zod_globalRegistry;
  const { id: _, ...shown } = registry?.get(node) ?? node.meta?.() ?? {};
  return shown;
}
