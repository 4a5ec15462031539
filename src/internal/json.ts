/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Any member. */
  readonly [key: string]: Json | undefined;
}

/** Whether `value` is an object that is neither `null` nor an array: what JSON calls an object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Whether JSON text nests arrays and objects deeper than `maxDepth`, told before `JSON.parse` sees it.
 *
 * Text shorter than twice the limit cannot (each level needs two characters), and most longer text has fewer openers
 * than the limit, which `indexOf` counts at native speed; only what is left is scanned.
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

/** Index of the quote that ends the string which starts at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c /* \ */ ? 2 : 1;
  return at;
}

/** JSON with the members of each object in the order of their names: equal values, equal text, whichever wire they came by. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/**
 * The names that a JSON pointer goes through, as references have it: of `#/$defs/a~1b` they are `$defs` and `a/b`.
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
    // Not percent-encoded, then.
    return raw;
  }
}

/** Members, without those that are `undefined`. */
export type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** The members that are there: one that is `undefined` is left out. */
export function omitUndefined<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
}

/** What JavaScript calls without being asked (`await`, `JSON.stringify`, string conversion): no tool may have these names. */
export const OBJECT_MEMBERS: ReadonlySet<string> = new Set(["then", "toJSON", "toString", "valueOf"]);

/** Named values, as they are sent. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of what should be an object: none, if it is something else. */
export function asObject(value: unknown): Members {
  return isJsonObject(value) ? value : {};
}

/** The value, if it is of the type of what otherwise stands for it. */
export function typedOr<Value>(value: unknown, other: Value): Value {
  return typeof value === typeof other ? value as Value : other;
}
