/**
 * Corrects a mistyped word of a query by the words of an index.
 *
 * Looks up every text that is one edit away, a few hundred, so that a correction costs the same for any number of indexed words and
 * takes no memory per word but its place in a map.
 *
 * @module
 */

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Length of the words that are corrected. Of shorter ones too many others are one edit away. */
const MIN_LENGTH = 5;
const MAX_LENGTH = 24;
/** Length of the shortest word that replaces another one. */
const MIN_FOUND = 4;

/** Texts one edit away from a word: a letter left out, two swapped, one replaced or one added. */
function* editsOf(word: string): Generator<string> {
  for (let at = 0; at <= word.length; at++) {
    const head = word.slice(0, at);
    const tail = word.slice(at);
    if (tail !== "") yield head + tail.slice(1);
    if (tail.length > 1) yield head + tail[1] + tail[0] + tail.slice(2);
    for (const letter of LETTERS) {
      if (tail !== "") yield head + letter + tail.slice(1);
      yield head + letter + tail;
    }
  }
}

/** Whether a word is corrected: a word of Latin letters that is neither short nor very long. */
export function isCorrectable(word: string): boolean {
  return word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && /^[a-z]+$/.test(word);
}

/**
 * Returns the indexed words that are one edit away from a word, by their stems. Words with the same first letter are given if there are
 * any, since the first letter of a word is the one that is mistyped least.
 *
 * @param stems Stems by word. Each stem is a word, too.
 */
export function nearWords(word: string, stems: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const near = new Map<string, string>();
  for (const edit of editsOf(word)) {
    const stem = stems.get(edit);
    if (stem !== undefined && edit.length >= MIN_FOUND && !near.has(stem)) near.set(stem, edit);
  }
  const same = [...near].filter(([, other]) => other[0] === word[0]);
  return same.length === 0 ? near : new Map(same);
}
