/**
 * Schemas of an OpenAPI document as JSON Schema 2020-12 that stands alone: what they refer to comes along, under `$defs`.
 *
 * OpenAPI 3.1 has JSON Schema itself; of 3.0 `nullable` and boolean `exclusiveMinimum` and `exclusiveMaximum` are said anew.
 *
 * @module
 */
import { asObject, isJsonObject, pointerKeys } from "../../internal/json.ts";
import { mapParts } from "../../core/json_schema/subschemas.ts";
import type { JsonSchema } from "../../core/schema/standard_schema.ts";
import type { Members, OpenApiDocument } from "./document.ts";
import { ImportError } from "./import_error.ts";

/** What says nothing once a schema stands alone. */
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

/** Deepest nesting of one schema: deeper, it is a value that holds itself. */
const MAX_DEPTH = 100;

/** Most schemas that one tool's are made of: references may multiply them. */
const MAX_NODES = 50_000;

/** Collects the schemas of one tool. */
export class SchemaCollector {
  readonly #document: OpenApiDocument;
  readonly #where: string;
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, unknown>();
  #nodes = 0;

  /** @param where Names the operation in errors. */
  constructor(document: OpenApiDocument, where: string) {
    this.#document = document;
    this.#where = where;
  }

  /**
   * A schema as it may stand in one that {@link withDefinitions} finishes.
   *
   * @throws {ImportError} If a reference leads out of the document, nowhere, or in circles, or it is too large.
   */
  convert(schema: unknown): JsonSchema {
    if (!isJsonObject(schema)) return schema === false ? { not: {} } : {};
    return this.#convert(schema, 0);
  }

  /** The schema with what it and all others refer to. */
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
    // Follows references to references, which a validator would for ever.
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
    // As a member of an object `__proto__` is no name.
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

/** Whether a pattern can be checked here; if not, the API itself has the last word. */
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
