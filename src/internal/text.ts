/** Maximum length of a word to compare. Tool names have at most 64 characters, but callers may send a megabyte. */
const MAX_COMPARED = 64;

/** Maximum share of letters in which a similar word differs. */
const MAX_DIFFERENCE = 0.75;

/** Returns the most similar candidate, the first one of equals. `undefined` if none is similar. */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, MAX_COMPARED).toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const cap = Math.ceil(MAX_DIFFERENCE * Math.max(wanted.length, candidate.length));
    const distance = Math.min(
      cap,
      editDistance(wanted, candidate.slice(0, MAX_COMPARED).toLowerCase(), Math.min(cap, bestDistance)),
    );
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein distance, computed row by row. Stops with `enough` or more once it cannot be less. */
function editDistance(from: string, to: string, enough: number): number {
  const row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    let diagonal = row[0] ?? 0;
    let least = row[0] = i;
    for (let j = 1; j <= to.length; j++) {
      const above = row[j] ?? 0;
      const substituted = diagonal + (from[i - 1] === to[j - 1] ? 0 : 1);
      const distance = row[j] = Math.min(substituted, above + 1, (row[j - 1] ?? 0) + 1);
      if (distance < least) least = distance;
      diagonal = above;
    }
    if (least >= enough) return least;
  }
  return row[to.length] ?? 0;
}

/** Maximum length of a caller's value in an error message. */
const MAX_RECEIVED = 64;

/** Formats a path: `filters[0].name`. Empty for the root. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("").replace(/^\./, "");
}

/** Describes a value briefly or as shortened JSON. */
export function describeReceived(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "object";
  const text = typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? typeof value;
  return shorten(text, MAX_RECEIVED);
}

/** Returns the start of a text. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/**
 * Escapes control characters except line breaks, and characters that change the display of others, so that foreign text cannot
 * control a terminal. In JSON the escapes are equivalent.
 */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (char) => [...Array(char.length).keys()].map((at) => escapeUnit(char, at)).join(""));
}

function escapeUnit(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
}

const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
