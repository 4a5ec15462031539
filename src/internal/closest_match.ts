/** The most similar of a few names, for suggestions. Of many names, `NameIndex` finds the few to compare. */

/** Maximum length of a word to compare. Tool names have at most 64 characters, but callers may send a megabyte. */
const MAX_COMPARED = 64;

/** Minimum length of a name that counts as a part of another. */
const MIN_PART = 3;

/**
 * Returns the most similar candidate that is close, the first one of equals. `undefined` if none is close: a suggestion
 * of another action could be followed.
 *
 * A candidate is close if the edit distance is at most a third of its length, if one name is a part of the other, or if one
 * is the other with a character more: `idd` for `id`.
 */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  const best = new BestMatch(word);
  for (const candidate of candidates) best.compare(candidate, candidate.toLowerCase());
  return best.name;
}

/** The best candidate for a word so far. */
class BestMatch {
  readonly word: string;
  name: string | undefined;
  distance = Infinity;
  #distances: Distances | undefined;

  constructor(word: string) {
    this.word = normalize(word);
  }

  /** Takes a candidate that is close, and closer than the best one. @param other The candidate in lower case. */
  compare(candidate: string, other: string): void {
    const { word, distance: best } = this;
    const difference = Math.abs(word.length - other.length);
    if (difference >= best) return;
    const isPart = (other.length >= MIN_PART && word.includes(other)) ||
      (word.length >= MIN_PART && other.includes(word)) || isLonger(word, other) || isLonger(other, word);
    const enough = Math.min(best, Math.floor(other.length / 3) + 1);
    // The distance to a part is the number of the other letters.
    const distance = isPart ? difference : difference >= enough ? enough : this.#distanceTo(other, enough);
    if (isPart || distance < enough) {
      this.name = candidate;
      this.distance = distance;
    }
  }

  #distanceTo(other: string, enough: number): number {
    return (this.#distances ??= new Distances(this.word)).to(other, enough);
  }
}

/** Whether `long` is `short`, of at least two characters, with one more at its end. */
function isLonger(long: string, short: string): boolean {
  return short.length >= MIN_PART - 1 && long.length === short.length + 1 && long.startsWith(short);
}

function normalize(word: string): string {
  return word.slice(0, MAX_COMPARED).toLowerCase();
}

/**
 * Levenshtein distances of a word to names. A step computes 32 rows of a column at once, as bits of the differences between neighbors
 * (Myers 1999; Hyyrö 2003 for more than 32 letters).
 */
class Distances {
  readonly #length: number;
  /** Bits of the places at which the word has a letter: of 32 places in one number. */
  readonly #places: ReadonlyMap<number, number>[] = [];

  constructor(word: string) {
    this.#length = word.length;
    for (let start = 0; start < word.length; start += 32) {
      const places = new Map<number, number>();
      const end = Math.min(word.length, start + 32);
      for (let at = start; at < end; at++) {
        const letter = word.charCodeAt(at);
        places.set(letter, (places.get(letter) ?? 0) | 1 << at - start);
      }
      this.#places.push(places);
    }
  }

  /** The distance to a name if it is less than `enough`, otherwise `enough` or more. */
  to(name: string, enough: number): number {
    const { length } = name;
    const more: number[] = this.#places.map(() => -1);
    const less: number[] = this.#places.map(() => 0);
    let distance = this.#length;
    for (let at = 0; at < length; at++) {
      distance += this.#step(name.charCodeAt(at), more, less);
      if (distance - (length - 1 - at) >= enough) return enough;
    }
    return distance;
  }

  /** Computes the next column. Returns the difference of its last cell to that of the column before. */
  #step(letter: number, more: number[], less: number[]): number {
    let carry = 1;
    for (let block = 0; block < more.length; block++) {
      const up = more[block]!;
      const down = less[block]!;
      const places = this.#places[block]!.get(letter) ?? 0;
      const vertical = places | down;
      const equal = carry < 0 ? places | 1 : places;
      const horizontal = (((equal & up) + up) ^ up) | equal;
      const rises = down | ~(horizontal | up);
      const falls = up & horizontal;
      const last = block === more.length - 1 ? 1 << (this.#length - 1 & 31) : 1 << 31;
      const shiftedRises = rises << 1 | (carry > 0 ? 1 : 0);
      const shiftedFalls = falls << 1 | (carry < 0 ? 1 : 0);
      more[block] = shiftedFalls | ~(vertical | shiftedRises);
      less[block] = shiftedRises & vertical;
      carry = (rises & last) !== 0 ? 1 : (falls & last) !== 0 ? -1 : 0;
    }
    return carry;
  }
}
