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

/** What the text is as JSON; `undefined` if it is none. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
