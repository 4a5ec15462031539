/**
 * Words of names, descriptions and queries, in the form in which the search compares them.
 *
 * @module
 */

/** A word of a text. */
interface Word {
  /** Stem, by which words are compared. */
  readonly stem: string;
  /** The word itself, in lower case. */
  readonly word: string;
  /** Whether it has no meaning for a search. */
  readonly isStopWord: boolean;
}

/** Cache of {@link wordsOf}: the words of each run of letters and digits. Texts of tools repeat most of their words. */
export type KnownWords = Map<string, readonly Word[]>;

/** Words without meaning for a search. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a about all an and any are as at be been but by can could do does for from had has have how i if in into is it its me my of " +
    "on or our please should so some that the their them then there these this those to us want was we were what when where " +
    "which who will with would you your").split(" "),
);

const MIN_STEM = 3;
/** Runs of scripts that have no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+/gu;

/**
 * Splits text into words: at every character that is neither letter nor digit, and inside of `camelCase`. Chinese, Japanese and
 * Thai text is split into pairs of characters. Stop words are left out, unless the text has no other words.
 *
 * @param known Words that were split before; this adds to them.
 * @param max Maximum number of words that are not stop words. Default: all.
 */
export function wordsOf(text: string, known: KnownWords = new Map(), max: number = Infinity): readonly Word[] {
  // The pattern for ASCII is several times faster.
  const runs = /[^\0-\x7f]/.test(text)
    ? text.normalize("NFKC").match(/[\p{L}\p{M}\p{N}]+/gu)
    : text.match(/[A-Za-z0-9]+/g);
  const words: Word[] = [];
  const stopWords: Word[] = [];
  for (const run of runs ?? []) {
    if (words.length >= max) break;
    for (const word of splitKnown(run, known)) (word.isStopWord ? stopWords : words).push(word);
  }
  return words.length > 0 ? words : stopWords;
}

function splitKnown(run: string, known: KnownWords): readonly Word[] {
  let words = known.get(run);
  if (words === undefined) known.set(run, words = splitRun(run));
  return words;
}

function splitRun(run: string): readonly Word[] {
  // Most runs are lower-case words, for which the patterns of other scripts would take most of the time.
  if (/^[A-Z]?[a-z]+$/.test(run)) return [toWord(run.toLowerCase())];
  const words = splitCamelCase(run).toLowerCase().replace(UNSPACED, (unspaced) => ` ${pairsOf(unspaced).join(" ")} `);
  return words.split(" ").filter(Boolean).map(toWord);
}

function toWord(word: string): Word {
  return { stem: stemOf(word), word, isStopWord: STOP_WORDS.has(word) };
}

function pairsOf(text: string): readonly string[] {
  const characters = [...text];
  return characters.length === 1 ? characters : characters.slice(1).map((one, index) => `${characters[index]}${one}`);
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
  const base = withoutEnding(singular);
  const stem = base.length >= MIN_STEM ? withoutDouble(base, singular) : singular;
  return stem.length > MIN_STEM && stem.endsWith("e") ? stem.slice(0, -1) : stem;
}

/** Removes `-ing` or `-ed` if a vowel comes before it. No pattern: one that backtracks takes seconds for a word of 100,000 letters. */
function withoutEnding(word: string): string {
  const base = word.endsWith("ing") ? word.slice(0, -3) : word.endsWith("ed") ? word.slice(0, -2) : word;
  return /[aeiouy]/.test(base) ? base : word;
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
