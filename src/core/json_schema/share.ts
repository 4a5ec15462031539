/** Lists equal parts of a schema once, in its `$defs`. */
import { isJsonObject, type Members } from "../../internal/json.ts";
import { mapSchemas } from "./subschemas.ts";

/** Minimum length of a shared part as JSON text: references and definitions have a length, too. */
const MIN_CHARS = 60;

/** Maximum length of the name of a definition. */
const MAX_NAME = 32;

/** Length of a reference, without the name of the definition: `{"$ref":"#/$defs/"}`. */
const REFERENCE_CHARS = 19;

/** Keywords whose meaning depends on the place of a schema in its document. */
const PLACED = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"];

/** References to definitions at the root stay valid when other parts are moved. */
const MOVABLE_REFERENCE = /^#\/(?:\$defs|definitions)\/[^/]+$/;

/**
 * Replaces parts of a schema that occur more than once by references to its `$defs`, if that is shorter. The result accepts the same
 * values. A schema with `$id`, anchors, or references to other places than `$defs` and `definitions` is returned as it is.
 */
export function shareParts(schema: Members): Members {
  if (!isMovable(schema)) return schema;
  const shared = new SchemaSharer(schema).apply(schema);
  // The first definition also costs the keyword.
  return JSON.stringify(shared).length < JSON.stringify(schema).length ? shared : schema;
}

function isMovable(schema: Members): boolean {
  const { $ref } = schema;
  if (PLACED.some((keyword) => schema[keyword] !== undefined)) return false;
  if ($ref !== undefined && !(typeof $ref === "string" && MOVABLE_REFERENCE.test($ref))) return false;
  let isFree = true;
  mapSchemas(schema, (part) => isFree = isFree && isMovable(part));
  return isFree;
}

/** A part of a schema, found once or more. */
interface SharedPart {
  readonly part: Members;
  /** Name of its first place. */
  readonly place: string;
  count: number;
}

/** Finds parts of a schema that are the same, and makes definitions of them. */
class SchemaSharer {
  /** JSON texts of parts. */
  readonly #texts = new Map<Members, string>();
  readonly #found = new Map<string, SharedPart>();
  /** Names of definitions, by the JSON text of the part. */
  readonly #names = new Map<string, string>();
  readonly #defined: Members;

  constructor(root: Members) {
    const { $defs } = root;
    this.#defined = isJsonObject($defs) ? $defs : {};
    mapSchemas(root, (part, keyword, place) => this.#count(part, nameOf(keyword, place)));
    const taken = new Set(Object.keys(this.#defined));
    for (const [name, part] of Object.entries(this.#defined)) {
      if (isJsonObject(part) && !this.#names.has(this.#textOf(part))) this.#names.set(this.#textOf(part), name);
    }
    for (const [text, { place, count }] of this.#found) {
      if (this.#names.has(text)) continue;
      const name = nameFor(place, taken);
      const cost = count * (REFERENCE_CHARS + name.length) + name.length + 4;
      if ((count - 1) * text.length <= cost) continue;
      taken.add(name);
      this.#names.set(text, name);
    }
  }

  apply(root: Members): Members {
    const { $defs: _, ...rest } = root;
    const defined: [string, unknown][] = Object.entries(this.#defined).map(([name, part]) => [
      name,
      isJsonObject(part) ? this.#define(part, name) : part,
    ]);
    for (const [text, name] of this.#names) {
      const { part } = this.#found.get(text) ?? {};
      if (part !== undefined && !Object.hasOwn(this.#defined, name)) defined.push([name, this.#inside(part)]);
    }
    const shared = this.#inside(rest);
    return defined.length === 0 ? shared : { ...shared, $defs: Object.fromEntries(defined) };
  }

  /** Counts a part. The second of two equal parts is not entered, since a reference replaces it. */
  #count(part: Members, place: string): void {
    const text = this.#textOf(part);
    if (text.length < MIN_CHARS) return;
    const found = this.#found.get(text);
    if (found !== undefined) {
      found.count++;
      return;
    }
    this.#found.set(text, { part, place, count: 1 });
    mapSchemas(part, (inner, keyword, place) => this.#count(inner, nameOf(keyword, place)));
  }

  /** A definition of the schema itself: another definition with the same content becomes a reference to the first. */
  #define(part: Members, name: string): Members {
    const first = this.#referenceTo(part);
    return first === undefined || this.#names.get(this.#textOf(part)) === name ? this.#inside(part) : first;
  }

  #inside(part: Members): Members {
    return mapSchemas(part, (inner) => this.#referenceTo(inner) ?? this.#inside(inner));
  }

  /** The reference to a definition with the content of a part, if it is shorter than the part. */
  #referenceTo(part: Members): Members | undefined {
    const text = this.#textOf(part);
    const name = this.#names.get(text);
    if (name === undefined) return undefined;
    const reference = { $ref: refTo(name) };
    return JSON.stringify(reference).length < text.length ? reference : undefined;
  }

  #textOf(part: Members): string {
    let text = this.#texts.get(part);
    if (text === undefined) this.#texts.set(part, text = JSON.stringify(part));
    return text;
  }
}

function nameFor(place: string, taken: ReadonlySet<string>): string {
  const base = place.replace(/[^A-Za-z0-9_]+/g, "_").slice(0, MAX_NAME) || "part";
  let name = base === "__proto__" ? "proto" : base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  return name;
}

/** Reference to a definition, as RFC 6901 and RFC 3986 escape its name. */
function refTo(name: string): string {
  return `#/$defs/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`;
}

/** Name for a part: that of its property or definition, else its keyword. */
function nameOf(keyword: string, place: string | number | undefined): string {
  return typeof place === "string" ? place : keyword;
}
