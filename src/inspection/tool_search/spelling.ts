/**
 * Corrects a mistyped word of a query by the words of an index.
 *
 * One edit leaves the first or the last half of a word as it is. Words are looked up by their halves, so that a correction compares a
 * few words, at any number of indexed ones.
 *
 * @module
 */

/** Length of the words that are corrected. Of shorter ones too many others are one edit away. */
const MIN_LENGTH = 5;
const MAX_LENGTH = 24;
/** Length of the shortest word that replaces another one. */
const MIN_FOUND = 4;
/** Maximum number of words with the same half that are compared with a mistyped word. */
const MAX_COMPARED = 256;

const LATIN = /^[a-z]+$/;

/** Whether a word is corrected: a word of Latin letters that is neither short nor very long. */
export function isCorrectable(word: string): boolean {
  return word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && LATIN.test(word);
}

/** The words that may replace a mistyped one. */
export class Spelling {
  readonly #stems: ReadonlyMap<string, string>;
  readonly #byHalf = new Map<string, string[]>();

  /** @param stems Stems by word. Each stem is a word, too. */
  constructor(stems: ReadonlyMap<string, string>) {
    this.#stems = stems;
    for (const word of stems.keys()) {
      if (word.length < MIN_FOUND || word.length > MAX_LENGTH + 1 || !LATIN.test(word)) continue;
      for (const half of halvesOf(word, word.length)) {
        const words = this.#byHalf.get(half);
        if (words === undefined) this.#byHalf.set(half, [word]);
        else words.push(word);
      }
    }
  }

  /**
   * Returns the indexed words that are one edit away from a word, by their stems: a letter left out, two swapped, one replaced or one added.
   * Words with the same first letter are given if there are any, since the first letter of a word is the one that is mistyped least.
   */
  near(word: string): ReadonlyMap<string, string> {
    const near = new Map<string, string>();
    for (const length of [word.length, word.length + 1, word.length - 1]) {
      for (const half of halvesOf(word, length)) {
        for (const other of this.#byHalf.get(half)?.slice(0, MAX_COMPARED) ?? []) {
          const stem = this.#stems.get(other) ?? other;
          if (!near.has(stem) && isOneEdit(word, other)) near.set(stem, other);
        }
      }
    }
    const same = [...near].filter(([, other]) => other[0] === word[0]);
    return same.length === 0 ? near : new Map(same);
  }
}

/** Keys of the halves that a word of this length shares with those one edit away from it. */
function halvesOf(word: string, length: number): readonly string[] {
  // Two letters that are swapped are at most in one of two halves of this length.
  const half = (length - 1) >> 1;
  return [`${length}<${word.slice(0, half)}`, `${length}>${word.slice(-half)}`];
}

function isOneEdit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  return short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2);
}
