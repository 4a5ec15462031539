/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Any member. */
  readonly [key: string]: Json | undefined;
}

/** Whether `value` is an object in terms of JSON: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Whether JSON text nests arrays and objects deeper than `maxDepth`, determined without parsing it.
 *
 * Text shorter than twice the limit cannot, because each level needs two characters. Most longer text has fewer opening
 * brackets than the limit, which `indexOf` counts at native speed. Only the rest is scanned.
 */
export function nestsDeeperThan(text: string, maxDepth: number): boolean {
  if (text.length < 2 * maxDepth) return false;
  if (countUpTo(text, "{", maxDepth) + countUpTo(text, "[", maxDepth) <= maxDepth) return false;
  return scanDepth(text, maxDepth);
}

function countUpTo(text: string, opener: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(opener); at !== -1 && count <= limit; at = text.indexOf(opener, at + 1)) count++;
  return count;
}

function scanDepth(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22 /* " */) at = endOfString(text, at);
    else if (char === 0x7b /* { */ || char === 0x5b /* [ */) {
      if (++depth > maxDepth) return true;
    } else if (char === 0x7d /* } */ || char === 0x5d /* ] */) depth--;
  }
  return false;
}

/** Index of the quote that ends the string starting at `start`, or the end of the text. `indexOf` is faster than a loop. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === 0x5c /* \ */) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}

/** Reads the upper levels of a JSON object that is too deep to be parsed; `{}` if the text is invalid. What is below `depth` is `null`. */
export function readOutline(text: string, depth: number): Members {
  try {
    return asObject(JSON.parse(outlineJson(text, depth)));
  } catch {
    return {};
  }
}

/** Replaces arrays and objects that are nested deeper than `depth` by `null`. */
function outlineJson(text: string, depth: number): string {
  let outline = "";
  let level = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22 /* " */) at = endOfString(text, at);
    else if (char === 0x7b /* { */ || char === 0x5b /* [ */) {
      if (level++ === depth) outline += `${text.slice(from, at)}null`;
    } else if (char === 0x7d /* } */ || char === 0x5d /* ] */) {
      if (--level === depth) from = at + 1;
    }
  }
  return outline + text.slice(from);
}

/** Returns JSON whose members are sorted by name at each level, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/**
 * Names in the path of a JSON pointer in a reference: `$defs` and `a/b` for `#/$defs/a~1b`.
 *
 * Source: {@link https://www.rfc-editor.org/rfc/rfc6901 | RFC 6901}.
 */
export function pointerKeys(pointer: string): string[] {
  return pointer.split("/").slice(1).map((raw) => decodeUri(raw).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decodeUri(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    // It is not percent-encoded.
    return raw;
  }
}

/** Return type of {@link omitUndefined}: the same members without `undefined`; those that may be `undefined` are optional. */
export type Present<Members> =
  & { [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined> }
  & { [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name] };

/** Options that may each be left out, or be `undefined`, which is the same. */
export type Optional<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined };

/** All members of options, with their defaults: none is left out, and none is `undefined`. */
export type Complete<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** Returns a copy of an object without the members that are `undefined`. */
export function omitUndefined<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
}

/**
 * Members that JavaScript reads implicitly (`await`, `JSON.stringify`, string conversion). They are not valid tool
 * names.
 */
export const OBJECT_MEMBERS: ReadonlySet<string> = new Set(["then", "toJSON", "toString", "valueOf"]);

/** Members of an object of which nothing more is known, such as decoded JSON. */
export type Members = Readonly<Record<string, unknown>>;

/** Returns an object as it is, and `{}` for any other value: also for arrays and `null`. */
export function asObject(value: unknown): Members {
  return isJsonObject(value) ? value : {};
}

/** Returns `value` if `typeof` gives the same for it as for `other`, else `other`. */
export function typedOr<Value>(value: unknown, other: Value): Value {
  return typeof value === typeof other ? value as Value : other;
}
