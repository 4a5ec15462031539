import { closestMatch } from "./closest_match.ts";

/** Maximum number of names in an error. */
export const MAX_LISTED = 50;

/**
 * The details of an error for an unknown name: the name, the existing ones, and a close one or advice.
 *
 * @param kind `tool` or `prompt`.
 * @param names Existing names; the first 50 are listed.
 * @param closest Returns the close name; searches `names` by default.
 */
export function describeUnknown(
  kind: string,
  requested: string,
  names: readonly string[],
  closest: (requested: string) => string | undefined = (word) => closestMatch(word, names),
): Record<string, unknown> {
  const similar = closest(requested);
  return {
    [`requested_${kind}`]: cutText(requested, 256),
    [`available_${kind}s`]: names.slice(0, MAX_LISTED),
    suggestion: similar ? `Did you mean '${similar}'?` : `No similar ${kind}: list the ${kind}s`,
  };
}

/** Maximum length of a caller's value in an error message. */
const MAX_RECEIVED = 64;

/** Formats a path: `filters[0].name`. Empty for the root. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("").replace(/^\./, "");
}

/** Describes a caller's value for an error message: an array by its length, an object without members, others as shortened JSON. */
export function describeReceived(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "object";
  const text = typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? typeof value;
  return shorten(text, MAX_RECEIVED);
}

/** Returns at most the first `length` characters of a text, with an ellipsis if more follow. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${cutText(text, length)}…`;
}

/** Returns at most the first `length` UTF-16 code units of a text. A character of two units is not split. */
export function cutText(text: string, length: number): string {
  const isSplit = length < text.length && (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isSplit ? length - 1 : length);
}

/**
 * Escapes control characters except line breaks, and characters that change the display of others, so that foreign text cannot
 * control a terminal. In JSON the escapes are equivalent.
 */
export function escapeControls(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (char, at: number) =>
      isJoiner(text, at) || isVariation(char, text, at)
        ? char
        : [...Array(char.length).keys()].map((unit) => escapeUnit(char, unit)).join(""),
  );
}

/** Escapes line breaks too, so that foreign text cannot look like another line of a log. */
export function escapeLine(text: string): string {
  return escapeControls(text).replaceAll("\n", "\\n");
}

/** Scripts whose letters have other forms beside a joiner. Between other letters it is invisible, and hides words from searches. */
const JOINED =
  "\\p{Script=Arab}\\p{Script=Syrc}\\p{Script=Nkoo}\\p{Script=Mong}\\p{Script=Deva}\\p{Script=Beng}\\p{Script=Guru}" +
  "\\p{Script=Gujr}\\p{Script=Orya}\\p{Script=Taml}\\p{Script=Telu}\\p{Script=Knda}\\p{Script=Mlym}\\p{Script=Sinh}" +
  "\\p{Script=Khmr}\\p{Script=Mymr}\\p{Script=Tibt}";
const ENDS_JOINED: RegExp = /* @__PURE__ */ new RegExp(`[${JOINED}]\\p{M}*$`, "u");
const ENDS_EMOJI = /\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f]*$/u;
const STARTS_EMOJI = /^\p{Extended_Pictographic}/u;

/** Whether a character is a (non-)joiner where writing needs it: in Persian or Indic words, and a joiner between emoji. */
function isJoiner(text: string, at: number): boolean {
  const char = text[at];
  if (char !== "\u200c" && char !== "\u200d") return false;
  const before = text.slice(Math.max(0, at - MAX_CLUSTER), at);
  if (ENDS_JOINED.test(before)) return true;
  return char === "\u200d" && ENDS_EMOJI.test(before) && STARTS_EMOJI.test(text.slice(at + 1, at + 3));
}

/** Characters that choose the form of the one before them, and what they follow. After anything else they are invisible, and carry hidden text. */
const VARIATIONS: readonly (readonly [selector: RegExp, base: RegExp])[] = [
  [/[\ufe0e\ufe0f]/, /\p{Emoji}$/u],
  [/[\ufe00-\ufe0d]/, /[\p{Script=Han}\p{Script=Mymr}\p{Script=Phag}\p{Sm}]$/u],
  [/[\u{e0100}-\u{e01ef}]/u, /\p{Script=Han}$/u],
  [/[\u180b-\u180d\u180f]/, /\p{Script=Mong}$/u],
  // A syllable of old Hangul without a vowel.
  [/\u1160/, /[\u1100-\u115e]$/],
];

/** Whether a character chooses the form of the one before it. */
function isVariation(char: string, text: string, at: number): boolean {
  const base = VARIATIONS.find(([selector]) => selector.test(char))?.[1];
  return base !== undefined && base.test(text.slice(Math.max(0, at - 2), at));
}

/** Maximum length of a letter with its marks, in UTF-16 code units. */
const MAX_CLUSTER = 8;

function escapeUnit(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
}

const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const LINK = /\[([^[\]]*)\]\([^()\s]*\)/g;

/** The end of a sentence or of a paragraph. */
const SENTENCE_END = /[.!?](?=\s)|\n\s*\n/g;

/**
 * Cuts a text after a sentence. A text that is too long first loses the targets of its Markdown links. If it is still too long, it ends
 * after the last sentence that fits, or else after a word, with "…".
 *
 * @param maxChars Maximum length of the result, in UTF-16 code units.
 */
export function cutAtSentence(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const plain = text.replace(LINK, "$1").trim();
  if (plain.length <= maxChars) return plain;
  const head = plain.slice(0, maxChars);
  const [last] = [...plain.slice(0, maxChars + 1).matchAll(SENTENCE_END)].filter(({ index }) => index + 3 <= maxChars)
    .slice(-1);
  if (last !== undefined) return `${head.slice(0, last.index + 1).trimEnd()} …`;
  const word = /^[\s\S]*\s/.exec(head.slice(0, -1))?.[0].trimEnd() || head.slice(0, -1);
  return `${cutText(plain, word.length)}…`;
}
