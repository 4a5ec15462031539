/**
 * Ranked search over tools: BM25 over weighted fields.
 *
 * The term frequencies of all fields are weighted, normalised by the length of their field and added before they are
 * saturated once, so that a word in the name counts more than one in a description, and a long description does not win by its length.
 *
 * @module
 */
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

/** Tools that match a query, by position, and the words that match none. */
export interface SearchResult {
  /** Positions of the found tools in the list that was indexed, best first. */
  readonly found: readonly number[];
  /** Words of the query that no found tool has. */
  readonly unmatched: readonly string[];
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

/** Maximum number of words of a query that are searched for. */
const MAX_WORDS = 64;

interface Hit {
  readonly index: number;
  /** 2 if its name is in the query, 1 if its name on its own server is, otherwise 0. */
  readonly named: number;
  score: number;
  /** Sum of the inverse document frequencies of the words that it has. */
  idf: number;
}

/** An index of a list of tools for ranked search, by names, descriptions and parameters. A changed list needs a new index. */
export class SearchIndex {
  /** Weighted frequencies of each stem, by position of the tool. */
  readonly #frequencies = new Map<string, Map<number, number>>();
  /** Positions of the tools of a name, and of those that have it on their own servers. */
  readonly #names = new Map<string, number[]>();
  readonly #ownNames = new Map<string, number[]>();
  readonly #size: number;

  constructor(tools: readonly SearchableTool[]) {
    this.#size = tools.length;
    const known: KnownWords = new Map();
    for (const field of FIELDS) this.#addField(tools.map((tool) => wordsOf(tool[field], known)), WEIGHTS[field]);
    tools.forEach(({ name, ownName }, index) => {
      append(this.#names, nameKey(name), index);
      append(this.#ownNames, nameKey(ownName), index);
    });
  }

  /**
   * Searches for tools that have a word of the query. Tools whose exact name is in the query come first; tools of equal relevance
   * are in the order of the list.
   *
   * @param isFindable Whether a tool, by its position, may be found. Other tools do not affect the result.
   */
  search(query: string, isFindable: (index: number) => boolean): SearchResult {
    const words = new Map(wordsOf(query).slice(0, MAX_WORDS).map(({ stem, word }) => [stem, word]));
    const hits = this.#namedIn(query, isFindable);
    const unmatched: string[] = [];
    let queryIdf = 0;
    for (const [stem, word] of words) {
      const frequencies = [...this.#frequencies.get(stem) ?? []].filter(([index]) => isFindable(index));
      if (frequencies.length === 0) unmatched.push(word);
      const idf = Math.log(1 + (this.#size - frequencies.length + 0.5) / (frequencies.length + 0.5));
      queryIdf += idf;
      for (const [index, frequency] of frequencies) {
        const hit = hits.get(index) ?? { index, named: 0, score: 0, idf: 0 };
        hit.score += idf * frequency * (K1 + 1) / (frequency + K1);
        hit.idf += idf;
        hits.set(index, hit);
      }
    }
    // A tool that has all words of the query counts twice as much as one with a negligible share of them.
    for (const hit of hits.values()) hit.score *= 0.5 + 0.5 * hit.idf / (queryIdf || 1);
    return { found: [...hits.values()].sort(compareHits).map(({ index }) => index), unmatched };
  }

  /** Tools whose exact name is the query, or a part of the query that can only be a name. */
  #namedIn(query: string, isFindable: (index: number) => boolean): Map<number, Hit> {
    const parts = query.split(/[\s,;"'`()]+/).filter((part) => /[_./-]|\p{Ll}\p{Lu}/u.test(part)).slice(0, MAX_WORDS);
    const keys = [...new Set([query, ...parts].map(nameKey))];
    const hits = new Map<number, Hit>();
    for (const [named, names] of [this.#ownNames, this.#names].entries()) {
      for (const index of keys.flatMap((key) => names.get(key) ?? []).filter(isFindable)) {
        hits.set(index, { index, named: named + 1, score: 0, idf: 0 });
      }
    }
    return hits;
  }

  #addField(texts: readonly ReturnType<typeof wordsOf>[], weight: number): void {
    const total = texts.reduce((sum, words) => sum + words.length, 0);
    const average = total / Math.max(1, texts.length) || 1;
    texts.forEach((words, index) => {
      const frequency = weight / (1 - B + B * words.length / average);
      for (const { stem } of words) this.#add(stem, index, frequency);
    });
  }

  #add(stem: string, index: number, frequency: number): void {
    let frequencies = this.#frequencies.get(stem);
    if (frequencies === undefined) this.#frequencies.set(stem, frequencies = new Map());
    frequencies.set(index, (frequencies.get(index) ?? 0) + frequency);
  }
}

function compareHits(one: Hit, other: Hit): number {
  return other.named - one.named || other.score - one.score || one.index - other.index;
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
