/**
 * Ranked search over tools: BM25 over weighted fields.
 *
 * The term frequencies of all fields are weighted, normalised by the length of their field and added before they are
 * saturated once, so that a word in the name counts more than one in a description, and a long description does not win by its length.
 *
 * @module
 */
import { BestHits, comesFirst, type Hit } from "./best_hits.ts";
import { addBestOfCommon, type CommonTerm } from "./common_words.ts";
import { Postings } from "./postings.ts";
import { isCorrectable, Spelling } from "./spelling.ts";
import { ToolSet } from "./tool_set.ts";
import { type KnownWords, splitCamelCase, wordsOf } from "./words.ts";

/** The text of one tool that {@link SearchIndex} searches, by field. */
export interface SearchableTool {
  /** Name that callers use. */
  readonly name: string;
  /** Name on its own server, without the prefix of a group. */
  readonly ownName: string;
  /** Group of tools that it belongs to; empty for none. */
  readonly group: string;
  /** Title and description. */
  readonly description: string;
  /** Names of parameters. */
  readonly parameters: string;
  /** Descriptions of parameters. */
  readonly parameterDescriptions: string;
}

/** The best tools for a query, by position, and what is known of all that match. */
export interface SearchResult {
  /** Positions of the best tools in the list that was indexed, best first. */
  readonly found: readonly number[];
  /** Number of all tools that have a word of the query. */
  readonly total: number;
  /** Numbers of these by group, in the order of the groups' best tools. Tools without a group are left out. */
  readonly groups: ReadonlyMap<string, number>;
  /** Words of the query that no found tool has. */
  readonly unmatched: readonly string[];
  /** Words of the query that no found tool has, with the nearest words, which were searched for in their place. */
  readonly corrected: ReadonlyMap<string, string>;
}

/** Weights of the fields. */
const WEIGHTS: Readonly<Record<keyof Omit<SearchableTool, "name">, number>> = {
  group: 1,
  ownName: 3,
  description: 1,
  parameters: 0.5,
  parameterDescriptions: 0.25,
};
const FIELDS = Object.keys(WEIGHTS) as readonly (keyof typeof WEIGHTS)[];

/** Saturation of term frequencies, and strength of the normalisation by length. */
const K1 = 1.2;
const B = 0.75;

/** Maximum length of a name that a query has. */
const MAX_NAME = 256;

/** Maximum number of words of a query that are searched for; and of those that many tools have, of which the rarest are ranked. */
const MAX_WORDS = 24;
const MAX_COMMON = 8;

/** Number of tools with a word, and share of all tools, up to which a search reads all of them. */
const MAX_READ_ALL = 256;
const MAX_SHARE = 1 / 16;

/**
 * Maximum number of entries of postings that a search reads. The rarest words of a query come first; beyond it the commonest ones,
 * which rank least, are left out. A query of ten words that all of 20,000 tools have is below it.
 */
const MAX_ENTRIES = 200_000;

/** Largest limit of a search that reads only the best tools of common words. */
const MAX_BEST = 256;

/** Maximum number of words of a query that are corrected, and of the entries of postings that are read to select a correction. */
const MAX_CORRECTED = 8;
const MAX_READ = 50_000;
/** Weight of a corrected word. */
const CORRECTED_WEIGHT = 0.6;

/** Maximum number of groups in a result. */
const MAX_GROUPS = 8;

/** A word of a query, with the tools that have it. */
interface Term {
  readonly postings: Postings;
  /** Number of tools that may be found and have it. */
  readonly count: number;
  readonly idf: number;
}

/** An index of a list of tools for ranked search, by names, descriptions and parameters. A changed list needs a new index. */
export class SearchIndex {
  readonly #postings: ReadonlyMap<string, Postings>;
  /** Made for the first word that no tool has. */
  #spelling: Spelling | undefined = undefined;
  readonly #known: KnownWords = new Map();
  /** Positions of the tools of a name, and of those that have it on their own servers. */
  readonly #names = new Map<string, number[]>();
  readonly #ownNames = new Map<string, number[]>();
  readonly #groups: readonly string[];
  /** Positions of the tools of each group. */
  readonly #members = new Map<string, number[]>();
  readonly #size: number;
  // Of the search that runs: one array of numbers for all searches, since there may be thousands of tools. All are 0 between searches.
  readonly #scores: Float64Array;
  /** Sums of the inverse document frequencies of the words that a tool has. */
  readonly #idfs: Float64Array;
  /** Positions of the tools that have a word. */
  readonly #touched: Uint32Array;
  /** The tools that have a word of the query. Written by searches for common words. */
  readonly #union: ToolSet;

  constructor(tools: readonly SearchableTool[]) {
    this.#size = tools.length;
    this.#groups = tools.map(({ group }) => group);
    this.#scores = new Float64Array(tools.length);
    this.#idfs = new Float64Array(tools.length);
    this.#touched = new Uint32Array(tools.length);
    this.#union = new ToolSet(tools.length);
    const frequencies = new Map<string, Map<number, number>>();
    for (const field of FIELDS) {
      addField(frequencies, tools.map((tool) => wordsOf(tool[field], this.#known)), WEIGHTS[field]);
    }
    this.#postings = new Map([...frequencies].map(([stem, entries]) => [stem, toPostings(entries)]));
    tools.forEach(({ name, ownName, group }, index) => {
      if (group !== "") append(this.#members, group, index);
      append(this.#names, nameKey(name), index);
      append(this.#ownNames, nameKey(ownName), index);
    });
  }

  /**
   * Searches for tools that have a word of the query. Tools whose exact name is in the query come first; tools of equal relevance
   * are in the order of the list.
   *
   * @param limit Maximum number of tools in the result.
   * @param findable The tools that may be found. Others do not affect the result. Default: all.
   */
  search(query: string, limit: number, findable?: ToolSet): SearchResult {
    const words = new Map(
      wordsOf(query, new Map(), MAX_WORDS).slice(0, MAX_WORDS).map(({ stem, word }) => [stem, word]),
    );
    const named = this.#namedIn(query, findable);
    const unmatched: string[] = [];
    const terms: Term[] = [];
    const corrected = new Map<string, string>();
    let mistyped = 0;
    for (const [stem, word] of words) {
      const term = this.#termOf(stem, findable);
      const isMissing = term.count === 0;
      const near = isMissing && mistyped++ < MAX_CORRECTED ? this.#nearest(word, stem, findable) : undefined;
      if (near !== undefined) corrected.set(word, near.word);
      else if (isMissing) unmatched.push(word);
      // A word that occurs in the query in the right spelling, too, is one term.
      if (near === undefined || !words.has(near.stem)) terms.push(near === undefined ? term : doubted(near.term));
    }
    terms.sort((one, other) => one.count - other.count);
    const isCommon = ({ postings }: Term) => limit <= MAX_BEST && this.#isCommon(postings);
    const common = terms.filter(isCommon).map(({ postings, idf }) => ({ postings: postings.common(this.#size), idf }));
    const scored = this.#score(terms.filter((term) => !isCommon(term)), named, findable);
    return { ...this.#select(scored, named, limit, common, findable), unmatched, corrected };
  }

  /** The findable tools that have a stem, and its inverse document frequency among them. */
  #termOf(stem: string, findable: ToolSet | undefined): Term {
    const postings = this.#postings.get(stem) ?? NO_POSTINGS;
    const count = this.#countOf(postings, findable);
    return { postings, count, idf: Math.log(1 + (this.#size - count + 0.5) / (count + 0.5)) };
  }

  #countOf(postings: Postings, findable: ToolSet | undefined): number {
    if (findable === undefined) return postings.indexes.length;
    if (this.#isCommon(postings)) return postings.common(this.#size).tools.count(findable);
    let count = 0;
    for (const index of postings.indexes) if (findable.has(index)) count++;
    return count;
  }

  /** Whether a search does not read all tools that have a word. */
  #isCommon({ indexes }: Postings): boolean {
    return indexes.length > Math.max(MAX_READ_ALL, this.#size * MAX_SHARE);
  }

  /** The indexed word that is one edit away from a word and that most findable tools have. */
  #nearest(
    word: string,
    stem: string,
    findable: ToolSet | undefined,
  ): { readonly word: string; readonly stem: string; readonly term: Term } | undefined {
    if (!isCorrectable(word)) return undefined;
    this.#spelling ??= new Spelling(stemsOf(this.#known));
    // Of "isues" the stem is one edit from "issue".
    const byWord = this.#spelling.near(word);
    const near = byWord.size > 0 || stem === word ? byWord : this.#spelling.near(stem);
    let best: { readonly word: string; readonly stem: string; readonly term: Term } | undefined;
    let read = 0;
    for (const [other, corrected] of near) {
      read += this.#postings.get(other)?.indexes.length ?? 0;
      if (read > MAX_READ && best !== undefined) break;
      const term = this.#termOf(other, findable);
      if (term.count > (best?.term.count ?? 0)) best = { word: corrected, stem: other, term };
    }
    return best;
  }

  /** Adds the scores of the tools that have the terms. */
  #score(terms: readonly Term[], named: ReadonlyMap<number, number>, findable: ToolSet | undefined): Scored {
    const scores = this.#scores;
    const idfs = this.#idfs;
    let touched = 0;
    let queryIdf = 0;
    let entries = 0;
    for (const { postings, idf } of terms) {
      const { indexes, impacts } = findable === undefined ? postings : postings.within(findable);
      entries += indexes.length;
      if (entries > MAX_ENTRIES && touched > 0) break;
      queryIdf += idf;
      for (let at = 0; at < indexes.length; at++) {
        const index = indexes[at] as number;
        if (idfs[index] === 0) this.#touched[touched++] = index;
        scores[index] = (scores[index] as number) + idf * (impacts[at] as number);
        idfs[index] = (idfs[index] as number) + idf;
      }
    }
    for (const index of named.keys()) if (idfs[index] === 0) this.#touched[touched++] = index;
    return { touched, queryIdf };
  }

  /** Selects the best of the tools that were scored, and of those that have a common word, and clears the scores. */
  #select(
    { touched, queryIdf: readIdf }: Scored,
    named: ReadonlyMap<number, number>,
    limit: number,
    allCommon: readonly CommonTerm[],
    findable: ToolSet | undefined,
  ): Pick<SearchResult, "found" | "total" | "groups"> {
    const common = allCommon.slice(0, MAX_COMMON);
    const queryIdf = common.reduce((sum, { idf }) => sum + idf, readIdf) || 1;
    const best = new BestHits(limit);
    const groups = new Map<string, Group>();
    const add = (index: number) => {
      let score = this.#scores[index] as number;
      let idfs = this.#idfs[index] as number;
      for (const { postings: { impactOf }, idf } of common) {
        const impact = impactOf[index] as number;
        score += idf * impact;
        if (impact > 0) idfs += idf;
      }
      // A tool that has all words of the query counts twice as much as one with a negligible share of them.
      score *= 0.5 + 0.5 * idfs / queryIdf;
      const rank = named.size === 0 ? 0 : named.get(index) ?? 0;
      best.add(rank, score, index);
      const group = this.#groups[index] as string;
      if (group !== "") countInGroup(groups, group, rank, score, index);
    };
    for (let at = 0; at < touched; at++) add(this.#touched[at] as number);
    const read = this.#touched.subarray(0, touched);
    if (common.length > 0) {
      const wanted = Math.min(MAX_GROUPS, this.#members.size);
      const isAdded = (index: number) => this.#idfs[index] !== 0 || named.has(index);
      addBestOfCommon(common, queryIdf, {
        findable,
        isAdded,
        add,
        last: () => best.last(),
        isFull: () => groups.size >= wanted,
      });
    }
    for (const index of read) this.#scores[index] = this.#idfs[index] = 0;
    const first = new BestHits(MAX_GROUPS);
    for (const { best: { named, score, index } } of groups.values()) first.add(named, score, index);
    const names = first.indexes().map((index) => this.#groups[index] as string);
    return { found: best.indexes(), ...this.#count(read, allCommon, groups, names, findable) };
  }

  /** Counts the tools that have a word of the query: all, and those of the groups. */
  #count(
    read: Uint32Array,
    common: readonly CommonTerm[],
    groups: ReadonlyMap<string, Group>,
    names: readonly string[],
    findable: ToolSet | undefined,
  ): Pick<SearchResult, "total" | "groups"> {
    if (common.length === 0) {
      return { total: read.length, groups: new Map(names.map((name) => [name, groups.get(name)?.count ?? 0])) };
    }
    const union = this.#union;
    union.clear();
    for (const { postings: { tools } } of common) union.addAll(tools);
    if (findable !== undefined) union.keep(findable);
    for (const index of read) union.add(index);
    const countIn = (name: string) => (this.#members.get(name) ?? []).filter((index) => union.has(index)).length;
    return { total: union.count(), groups: new Map(names.map((name) => [name, countIn(name)])) };
  }

  /**
   * Tools whose exact name is the query, or a part of the query that can only be a name: 2 if it is the name, 1 if it is the one on the
   * tool's own server.
   */
  #namedIn(query: string, findable: ToolSet | undefined): ReadonlyMap<number, number> {
    const parts = query.split(/[\s,;"'`()]+/, 2 * MAX_WORDS).filter((part) => /[_./-]|\p{Ll}\p{Lu}/u.test(part));
    const keys = [...new Set([query, ...parts].filter(({ length }) => length <= MAX_NAME).map(nameKey))];
    const hits = new Map<number, number>();
    for (const [named, names] of [this.#ownNames, this.#names].entries()) {
      for (const index of keys.flatMap((key) => names.get(key) ?? [])) {
        if (findable?.has(index) ?? true) hits.set(index, named + 1);
      }
    }
    return hits;
  }
}

/** A correction may be wrong: words that tools have count more. */
function doubted(term: Term): Term {
  return { ...term, idf: term.idf * CORRECTED_WEIGHT };
}

function stemsOf(known: KnownWords): ReadonlyMap<string, string> {
  const stems = new Map<string, string>();
  for (const words of known.values()) {
    for (const { stem, word } of words) {
      stems.set(stem, stem);
      stems.set(word, stem);
    }
  }
  return stems;
}

const NO_POSTINGS = new Postings(new Uint32Array(), new Float64Array());

/** Number of tools that have a word of those that were read in whole, and the sum of the inverse document frequencies. */
interface Scored {
  readonly touched: number;
  readonly queryIdf: number;
}

/** Adds the weighted frequencies of one field: by stem, then by position of the tool. */
function addField(
  frequencies: Map<string, Map<number, number>>,
  texts: readonly ReturnType<typeof wordsOf>[],
  weight: number,
): void {
  const total = texts.reduce((sum, words) => sum + words.length, 0);
  const average = total / Math.max(1, texts.length) || 1;
  texts.forEach((words, index) => {
    const frequency = weight / (1 - B + B * words.length / average);
    for (const { stem } of words) {
      let entries = frequencies.get(stem);
      if (entries === undefined) frequencies.set(stem, entries = new Map());
      entries.set(index, (entries.get(index) ?? 0) + frequency);
    }
  });
}

function toPostings(entries: ReadonlyMap<number, number>): Postings {
  const impacts = Float64Array.from(entries.values(), (frequency) => frequency * (K1 + 1) / (frequency + K1));
  return new Postings(Uint32Array.from(entries.keys()), impacts);
}

/** The best tool of a group, and the number of its tools that match. */
interface Group {
  best: Hit;
  count: number;
}

function countInGroup(groups: Map<string, Group>, name: string, named: number, score: number, index: number): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, { best: { named, score, index }, count: 1 });
  else {
    group.count++;
    if (comesFirst(named, score, index, group.best)) group.best = { named, score, index };
  }
}

function append(lists: Map<string, number[]>, key: string, index: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [index]);
  else list.push(index);
}

/** Form in which exact names are compared: letter case and separators do not matter. */
function nameKey(name: string): string {
  return splitCamelCase(name.trim()).toLowerCase().replace(/[\s_./-]+/g, "_");
}
