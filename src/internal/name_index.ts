/**
 * The few of many names that may be meant by a word.
 *
 * Callers choose the word, so what is read for it is bounded: an unknown name costs about the same on a server of 100 and of 10,000
 * tools. Imports nothing, so that a server can load it on demand.
 */

/** Maximum length of a word to search for. */
const MAX_SEARCHED = 64;

/** Maximum number of names that are not indexed: all of them may be meant. */
export const MAX_UNINDEXED = 64;

/** Maximum number of entries of the index that are read for a word. */
const MAX_READ = 512;

/** Maximum number of names that are found for a word. */
const MAX_FOUND = 24;

/** Maximum number of letters of a name that are indexed. */
const MAX_INDEXED = 128;

/** Names that are searched often, such as the server's tools: `closestMatch()` compares what it finds. */
export class NameIndex {
  readonly #names: readonly string[];
  /** Made with the first word. */
  #runs: RunIndex | undefined;

  /** @param names Names that may be suggested. */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /**
   * Returns the names that may be meant: the allowed ones of a few, and the most similar ones of more than 64.
   *
   * @param isAllowed Whether a name may be suggested. Default: all.
   */
  find(word: string, isAllowed?: (name: string) => boolean): readonly string[] {
    const names = this.#names;
    if (names.length <= MAX_UNINDEXED) return isAllowed === undefined ? names : names.filter(isAllowed);
    this.#runs ??= new RunIndex(names);
    return this.#runs.find(word.slice(0, MAX_SEARCHED).toLowerCase(), isAllowed);
  }
}

/** Lists of names by the runs of letters that they have. Finds the names that share the most runs with a word, by its rarest ones. */
class RunIndex {
  /** The names in lower case. */
  readonly #lower: readonly string[];
  readonly #names: readonly string[];
  /** What a hash is shifted by, to get the number of a list. */
  readonly #shift: number;
  /** Index of the first entry of each list, and the end of the last list. */
  readonly #starts: Int32Array;
  /** Numbers of names, list after list. */
  readonly #entries: Int32Array;
  /** For each name the number of runs that it shares with the word; 0 between searches. */
  readonly #shared: Uint8Array;
  /** Numbers of the names that share a run with the word. */
  readonly #found: Int32Array = new Int32Array(MAX_READ);
  /** The lists of the word's runs: first those with the fewest entries. */
  readonly #lists: Float64Array = new Float64Array(2 * MAX_SEARCHED + 16);

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#lower = names.map((name) => name.toLowerCase());
    // About eight lists a name: names have twice as many runs, and share many.
    this.#shift = Math.max(15, Math.clz32(names.length) - 3);
    this.#shared = new Uint8Array(names.length);
    const starts = this.#starts = new Int32Array((1 << (32 - this.#shift)) + 1);
    this.#visit((_, list) => starts[list + 1]!++);
    for (let list = 1; list < starts.length; list++) starts[list]! += starts[list - 1]!;
    const ends = starts.slice();
    const entries = this.#entries = new Int32Array(starts[starts.length - 1]!);
    this.#visit((number, list) => entries[ends[list]!++] = number);
  }

  /** Visits the lists of each name, each list once a name. */
  #visit(visit: (number: number, list: number) => void): void {
    const latest = new Int32Array(this.#starts.length).fill(-1);
    for (let number = 0; number < this.#lower.length; number++) {
      for (const run of runsOf(this.#lower[number]!.slice(0, MAX_INDEXED))) {
        const list = this.#listOf(run);
        if (latest[list] === number) continue;
        latest[list] = number;
        visit(number, list);
      }
    }
  }

  /** The list of a run. Runs may share one, since the names that are found are compared. */
  #listOf(run: number): number {
    return Math.imul(run, 0x9e3779b1) >>> this.#shift;
  }

  /** The names that share the most runs with a word in lower case, less the difference in length: the best ones first. */
  find(word: string, isAllowed: ((name: string) => boolean) | undefined): readonly string[] {
    const count = this.#read(this.#sortLists(word));
    const best: string[] = [];
    const keys: number[] = [];
    for (let at = 0; at < count; at++) {
      const number = this.#found[at]!;
      const difference = Math.abs(this.#lower[number]!.length - word.length);
      // The rank and then the order of the names in one number.
      const key = (256 - 2 * this.#shared[number]! + difference) * 2 ** 32 + number;
      this.#shared[number] = 0;
      if (keys.length === MAX_FOUND && key >= keys[MAX_FOUND - 1]!) continue;
      const name = this.#names[number]!;
      if (isAllowed !== undefined && !isAllowed(name)) continue;
      let place = keys.length === MAX_FOUND ? MAX_FOUND - 1 : keys.length;
      for (; place > 0 && keys[place - 1]! > key; place--) {
        keys[place] = keys[place - 1]!;
        best[place] = best[place - 1]!;
      }
      keys[place] = key;
      best[place] = name;
    }
    return best;
  }

  /** Counts for each name the runs that it shares with the word, by the first entries of the lists. Returns how many names were found. */
  #read(lists: Float64Array): number {
    let count = 0;
    let left = MAX_READ;
    for (let at = 0; at < lists.length && left > 0; at++) {
      const list = lists[at]! % LISTS;
      if (at > 0 && lists[at] === lists[at - 1]) continue;
      const start = this.#starts[list]!;
      const end = Math.min(this.#starts[list + 1]!, start + left);
      for (let entry = start; entry < end; entry++) {
        const number = this.#entries[entry]!;
        if (this.#shared[number]!++ === 0) this.#found[count++] = number;
      }
      left -= end - start;
    }
    return count;
  }

  /** The lists of a word's runs in the order of their lengths. */
  #sortLists(word: string): Float64Array {
    const lists = this.#lists;
    let count = 0;
    for (const run of runsOf(word)) {
      const list = this.#listOf(run);
      const length = this.#starts[list + 1]! - this.#starts[list]!;
      if (length > 0) lists[count++] = length * LISTS + list;
    }
    return lists.subarray(0, count).sort();
  }
}

/** More than there are lists: the length of a list and its number are kept in one number. */
const LISTS = 2 ** 20;

/** Lengths of beginnings and ends that count as runs: where names differ in little, few have a long one. */
const ENDS: readonly number[] = [6, 9, 12];

/**
 * The pairs and triples of neighboring letters as numbers, with the start and the end of the name, and its beginning and end of several
 * letters. Different runs may have the same number.
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

/** A number for a part of a name. */
function hashOf(name: string, start: number, end: number): number {
  let hash = start === 0 ? 7 : 11;
  for (let at = start; at < end; at++) hash = Math.imul(hash, 31) + name.charCodeAt(at) | 0;
  return hash;
}
