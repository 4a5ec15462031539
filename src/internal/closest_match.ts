/**
 * The most similar name, for suggestions.
 *
 * Callers choose the word, so the cost is bounded: a small set is searched whole, a large one by an index of runs of letters.
 */

/** Maximum length of a word to compare. Tool names have at most 64 characters, but callers may send a megabyte. */
const MAX_COMPARED = 64;

/** Minimum length of a name that counts as a part of another. */
const MIN_PART = 3;

/** Maximum number of names that are searched without an index. */
const MAX_UNINDEXED = 64;

/** Maximum number of entries of the index that are read for a word. */
const MAX_READ = 1_536;

/** Maximum number of names that are compared with a word, of those that the index found. */
const MAX_FOUND = 32;

/**
 * Returns the most similar candidate that is close, the first one of equals. `undefined` if none is close: a suggestion
 * of another action could be followed.
 *
 * A candidate is close if the edit distance is at most a third of its length, if one name is a part of the other, or if one
 * is the other with a character more: `idd` for `id`.
 */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  const best = new Best(word);
  for (const candidate of candidates) best.compare(candidate, candidate.toLowerCase());
  return best.name;
}

/** The best candidate so far. */
class Best {
  readonly word: string;
  name: string | undefined;
  distance = Infinity;

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
    const distance = isPart ? difference : difference >= enough ? enough : editDistance(word, other, enough);
    if (isPart || distance < enough) [this.name, this.distance] = [candidate, distance];
  }
}

/** Whether `long` is `short`, of at least two characters, with one more at its end. */
function isLonger(long: string, short: string): boolean {
  return short.length >= MIN_PART - 1 && long.length === short.length + 1 && long.startsWith(short);
}

function normalize(word: string): string {
  return word.slice(0, MAX_COMPARED).toLowerCase();
}

/** One row of the matrix. Lengths that differ by more than a third are not compared, so no name has more than 97 characters here. */
const row = new Uint8Array(128);

/** Levenshtein distance if it is less than `enough`, otherwise `enough` or more. Computes the cells around the diagonal only. */
function editDistance(from: string, to: string, enough: number): number {
  const band = enough - 1;
  for (let j = 0; j <= to.length; j++) row[j] = Math.min(j, enough);
  for (let i = 1; i <= from.length; i++) {
    const start = Math.max(1, i - band);
    const end = Math.min(to.length, i + band);
    let diagonal = row[start - 1] ?? 0;
    let left = row[start - 1] = start === 1 ? Math.min(i, enough) : enough;
    let least = left;
    const letter = from.charCodeAt(i - 1);
    for (let j = start; j <= end; j++) {
      const above = j === i + band ? enough : row[j] ?? 0;
      const substituted = diagonal + (letter === to.charCodeAt(j - 1) ? 0 : 1);
      left = row[j] = Math.min(substituted, above + 1, left + 1, enough);
      if (left < least) least = left;
      diagonal = above;
    }
    if (least >= enough) return enough;
  }
  return row[to.length] ?? 0;
}

/**
 * Names that are searched often: the server's tools.
 *
 * Up to 64 names are compared with the word as {@link closestMatch} does. Of more names, those are compared that share the most pairs
 * and triples of letters with the word, by its rarest ones. So an unknown name costs about the same on a server of 100 and of 10,000 tools.
 */
export class NameIndex {
  readonly #names: readonly string[];
  /** The names in lower case, by their numbers; read with the first word. */
  #lower: readonly string[] = [];
  /** Numbers of the names that have a run of letters. */
  #byRun: Map<number, number[]> | undefined;
  /** For each name the number of runs that it shares with the word; 0 between searches. */
  #shared: Uint8Array = new Uint8Array(0);

  /** @param names Names that may be suggested. */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /**
   * Returns the most similar name that is close, the first one of equals.
   *
   * @param isAllowed Whether a name may be suggested. Default: all.
   */
  closest(word: string, isAllowed?: (name: string) => boolean): string | undefined {
    if (this.#names.length <= MAX_UNINDEXED) {
      return closestMatch(word, isAllowed === undefined ? this.#names : this.#names.filter(isAllowed));
    }
    const best = new Best(word);
    let compared = 0;
    let inBest = -1;
    for (const number of this.#find(best.word)) {
      const name = this.#names[number] ?? "";
      if (isAllowed !== undefined && !isAllowed(name)) continue;
      const before = best.distance;
      best.compare(name, this.#lower[number] ?? "");
      if (best.distance < before) inBest = number;
      if (++compared === MAX_FOUND) break;
    }
    return this.#names[inBest];
  }

  /** Numbers of the names that share the word's rarest runs of letters: those with the most first, then in order. */
  #find(word: string): number[] {
    const byRun = this.#byRun ??= this.#index();
    const lists = [...new Set(runsOf(word))].flatMap((run) => {
      const list = byRun.get(run);
      return list === undefined ? [] : [list];
    }).sort((one, other) => one.length - other.length);
    const found: number[] = [];
    const shared = this.#shared;
    let left = MAX_READ;
    for (const list of lists) {
      const read = Math.min(left, list.length);
      for (let at = 0; at < read; at++) {
        const number = list[at] ?? 0;
        if ((shared[number] ?? 0) === 0) found.push(number);
        shared[number] = (shared[number] ?? 0) + 1;
      }
      left -= read;
      if (left === 0) break;
    }
    return this.#rank(found, word.length);
  }

  /** Orders what was found by shared runs less the difference in length, and clears the counts. */
  #rank(found: readonly number[], length: number): number[] {
    const ranks: number[][] = [];
    const most = 2 * MAX_COMPARED;
    for (const number of found) {
      const difference = Math.abs((this.#lower[number]?.length ?? 0) - length);
      const rank = Math.max(0, most - 2 * (this.#shared[number] ?? 0) + Math.min(difference, most));
      (ranks[rank] ??= []).push(number);
      this.#shared[number] = 0;
    }
    const ranked: number[] = [];
    for (const numbers of ranks) {
      if (numbers === undefined) continue;
      ranked.push(...numbers.sort((one, other) => one - other));
    }
    return ranked;
  }

  #index(): Map<number, number[]> {
    this.#lower = this.#names.map((name) => name.toLowerCase());
    this.#shared = new Uint8Array(this.#names.length);
    const byRun = new Map<number, number[]>();
    for (const [number, name] of this.#lower.entries()) {
      for (const run of runsOf(name)) {
        const list = byRun.get(run);
        if (list === undefined) byRun.set(run, [number]);
        else if (list[list.length - 1] !== number) list.push(number);
      }
    }
    return byRun;
  }
}

/** Lengths of beginnings and ends that count as runs: where names differ in little, few have a long one. */
const ENDS: readonly number[] = [6, 9, 12];

/**
 * The pairs and triples of neighboring letters as numbers, with the start and the end of the name, and its beginning and end of several
 * letters. Different runs may have the same number, since names that are found are compared.
 */
function runsOf(name: string): number[] {
  const runs: number[] = [];
  let first = 0;
  let second = 10;
  for (let at = 0; at <= name.length; at++) {
    const third = at === name.length ? 10 : name.charCodeAt(at) & 0xff;
    runs.push(second << 8 | third);
    if (at > 0) runs.push(first << 16 | second << 8 | third);
    first = second;
    second = third;
  }
  for (const length of ENDS) {
    if (length >= name.length) break;
    runs.push(hashOf(name, 0, length), hashOf(name, name.length - length, name.length));
  }
  return runs;
}

/** A number above those of triples. */
function hashOf(name: string, start: number, end: number): number {
  let hash = start === 0 ? 7 : 11;
  for (let at = start; at < end; at++) hash = Math.imul(hash, 31) + name.charCodeAt(at) | 0;
  return (1 << 25) + (hash >>> 0);
}
