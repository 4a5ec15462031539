/**
 * Schemas of an OpenAPI document as self-contained JSON Schema 2020-12: referenced schemas are copied to `$defs`.
 *
 * OpenAPI 3.1 uses JSON Schema; of 3.0 `nullable` and boolean `exclusiveMinimum` and `exclusiveMaximum` are converted.
 */
import { asObject, isJsonObject, type Members, pointerKeys } from "../../internal/json.ts";
import { mapParts } from "../../core/json_schema/subschemas.ts";
import type { JsonSchema } from "../../core/schema/standard_schema.ts";
import { ImportError, type OpenApiDocument } from "./document.ts";

/** Keywords without a meaning outside of the document. */
const DROPPED: ReadonlySet<string> = new Set([
  "$id",
  "$schema",
  "$anchor",
  "$comment",
  "discriminator",
  "xml",
  "externalDocs",
  "example",
  "nullable",
]);

/** Maximum nesting of one schema: a deeper value is cyclic. */
const MAX_DEPTH = 100;

/** Maximum number of schemas of one tool: references may multiply them. */
const MAX_NODES = 50_000;

/** Converts the schemas of one operation to JSON Schema, and collects the definitions that they refer to. */
export class SchemaCollector {
  readonly #document: OpenApiDocument;
  readonly #where: string;
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, unknown>();
  #nodes = 0;

  /** @param where Name of the operation in errors. */
  constructor(document: OpenApiDocument, where: string) {
    this.#document = document;
    this.#where = where;
  }

  /**
   * Converts a schema for use in one that {@link withDefinitions} completes.
   *
   * @throws {ImportError} If a reference is external, dangling or circular, or the schema is too large.
   */
  convert(schema: unknown): JsonSchema {
    if (!isJsonObject(schema)) return schema === false ? { not: {} } : {};
    return this.#convert(schema, 0);
  }

  /** Returns the schema with `$defs` of all definitions that the converted schemas refer to. */
  withDefinitions(schema: JsonSchema): JsonSchema {
    return this.#definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(this.#definitions) };
  }

  #convert(schema: Members, depth: number): JsonSchema {
    if (depth > MAX_DEPTH) throw new ImportError(this.#where, "a schema nests too deep");
    if (++this.#nodes > MAX_NODES) throw new ImportError(this.#where, "its schemas are too large");
    if (schema["$dynamicRef"] !== undefined) {
      throw new ImportError(this.#where, "$dynamicRef is not supported; use $ref");
    }
    const source = this.#document.isVersion30 ? fromVersion30(schema) : schema;
    const kept = Object.fromEntries(Object.entries(source).filter(([keyword, value]) => isUsable(keyword, value)));
    if (kept["$ref"] !== undefined) kept["$ref"] = this.#reference(kept["$ref"], depth);
    return mapParts(kept, (part) => this.#convert(part, depth + 1));
  }

  #reference(reference: unknown, depth: number): string {
    const target = this.#document.resolve(reference, this.#where);
    // Follows chains of references, on which a validator would loop.
    this.#document.object(typeof target === "boolean" ? {} : target, this.#where);
    const pointer = String(reference);
    const known = this.#names.get(pointer);
    if (known !== undefined) return `#/$defs/${known}`;
    const name = this.#nameFor(pointer);
    this.#names.set(pointer, name);
    this.#definitions.set(name, undefined);
    this.#definitions.set(name, isJsonObject(target) ? this.#convert(target, depth + 1) : target);
    return `#/$defs/${name}`;
  }

  #nameFor(pointer: string): string {
    const stem = (pointerKeys(pointer).at(-1) ?? "").replace(/[^A-Za-z0-9_.-]+/g, "_") || "root";
    // `__proto__` cannot be a member name of a plain object.
    const base = stem === "__proto__" ? "proto" : stem;
    let name = base;
    for (let count = 2; this.#definitions.has(name); count++) name = `${base}_${count}`;
    return name;
  }
}

function isUsable(keyword: string, value: unknown): boolean {
  if (DROPPED.has(keyword) || keyword.startsWith("x-")) return false;
  if (keyword === "pattern") return isPattern(value);
  return keyword !== "patternProperties" || Object.keys(asObject(value)).every(isPattern);
}

/** Whether a pattern can be checked here; if not, only the API checks it. */
function isPattern(pattern: unknown): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern, "u") !== undefined;
  } catch {
    return false;
  }
}

function fromVersion30(schema: Members): Members {
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema;
  const bounded = {
    ...rest,
    ...bound("Minimum", exclusiveMinimum, minimum),
    ...bound("Maximum", exclusiveMaximum, maximum),
  };
  return schema["nullable"] === true && schema["type"] !== undefined ? withNull(bounded) : bounded;
}

function bound(side: "Minimum" | "Maximum", isExclusive: unknown, value: unknown): Members {
  if (value === undefined) return {};
  return { [isExclusive === true ? `exclusive${side}` : side.toLowerCase()]: value };
}

function withNull(schema: Members): Members {
  const { type, enum: values } = schema;
  const isClosed = Array.isArray(values) && !values.includes(null);
  return { ...schema, type: [type, "null"], ...(isClosed && { enum: [...values, null] }) };
}
