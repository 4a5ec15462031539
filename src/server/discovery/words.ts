/**
 * Words of names, descriptions and queries, in the form in which the search compares them.
 *
 * @module
 */

/** Words without meaning for a search. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a about all an and any are as at be been but by can could do does for from had has have how i if in into is it its me my of " +
    "on or our please should so some that the their them then there these this those to us want was we were what when where " +
    "which who will with would you your").split(" "),
);

const MIN_STEM = 3;

/**
 * Splits text into lower-case words: at every character that is neither letter nor digit, and inside of `camelCase`. Stop
 * words are left out, unless the text has no other words.
 *
 * @returns The stems of the words, each with the word itself.
 */
export function wordsOf(text: string): readonly { readonly stem: string; readonly word: string }[] {
  const words = splitCamelCase(text.normalize("NFKC")).toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const meaningful = words.filter((word) => !STOP_WORDS.has(word));
  return (meaningful.length > 0 ? meaningful : words).map((word) => ({ stem: stemOf(word), word }));
}

/** Separates the words of `camelCase` and `HTTPServer` by spaces. */
export function splitCamelCase(text: string): string {
  return text.replace(/([\p{Ll}\p{N}])(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, (match) => {
    return match.length === 1 ? `${match} ` : `${match[0]} ${match.slice(1)}`;
  });
}

/** Reduces an English word to its stem: without plural, `-ing`, `-ed` and a final `e`. Other words stay as they are. */
function stemOf(word: string): string {
  if (word.length <= MIN_STEM || !/^[a-z]+$/.test(word)) return word;
  const singular = singularOf(word);
  const [, base = singular] = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(singular) ?? [];
  const stem = base.length >= MIN_STEM ? withoutDouble(base, singular) : singular;
  return stem.length > MIN_STEM && stem.endsWith("e") ? stem.slice(0, -1) : stem;
}

function singularOf(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:ches|shes|sses|xes|zes)$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** Removes a doubled consonant that the ending caused: `running` becomes `run`, but `calling` becomes `call`. */
function withoutDouble(base: string, word: string): string {
  return base !== word && /([bdgmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}
