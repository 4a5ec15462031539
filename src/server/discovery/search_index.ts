/**
 * Ranked search over tools: BM25 over weighted fields.
 *
 * The term frequencies of all fields are weighted, normalised by the length of their field and added before they are
 * saturated once, so that a word in the name counts more than one in a description, and a long description does not win by its length.
 *
 * @module
 */
import { splitCamelCase, wordsOf } from "./words.ts";

/** Text of one tool, by field. */
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

/** A tool that a query found. */
export interface SearchHit {
  /** Position of the tool in the list that was indexed. */
  readonly index: number;
  /** Relevance, comparable within one query. */
  readonly score: number;
  /** Words of the query that the tool has. */
  readonly matched: readonly string[];
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

/** An index of tools. It does not change; a changed list needs a new one. */
export class SearchIndex {
  /** Weighted frequencies of each stem, by position of the tool. */
  readonly #frequencies = new Map<string, Map<number, number>>();
  /** Positions of tools, by name. */
  readonly #names = new Map<string, number>();
  readonly #size: number;

  constructor(tools: readonly SearchableTool[]) {
    this.#size = tools.length;
    for (const field of FIELDS) this.#addField(tools.map((tool) => wordsOf(tool[field])), WEIGHTS[field]);
    // Where an own name is the whole name of another tool, the whole name counts.
    tools.forEach(({ ownName }, index) => this.#names.set(nameKey(ownName), index));
    tools.forEach(({ name }, index) => this.#names.set(nameKey(name), index));
  }

  /**
   * Searches for tools. Tools whose exact name is in the query come first.
   *
   * @param isFindable Whether a tool, by its position, may be found.
   * @returns All tools that have a word of the query, best first; tools of equal relevance in the order of the list.
   */
  search(query: string, isFindable: (index: number) => boolean): readonly SearchHit[] {
    const words = new Map(wordsOf(query).map(({ stem, word }) => [stem, word]));
    const found = new Map<number, { score: number; idf: number; matched: string[] }>();
    let queryIdf = 0;
    for (const [stem, word] of words) {
      const frequencies = this.#frequencies.get(stem) ?? new Map<number, number>();
      const idf = Math.log(1 + (this.#size - frequencies.size + 0.5) / (frequencies.size + 0.5));
      queryIdf += idf;
      for (const [index, frequency] of frequencies) {
        if (!isFindable(index)) continue;
        const entry = found.get(index) ?? { score: 0, idf: 0, matched: [] };
        entry.score += idf * frequency * (K1 + 1) / (frequency + K1);
        entry.idf += idf;
        entry.matched.push(word);
        found.set(index, entry);
      }
    }
    const named = this.#namedIn(query);
    const hits = [...found].map(([index, { score, idf, matched }]): SearchHit => ({
      index,
      // A tool that has all words of the query counts twice as much as one with a negligible share of them.
      score: (named.has(index) ? Number.MAX_SAFE_INTEGER : 0) + score * (0.5 + 0.5 * idf / queryIdf),
      matched,
    }));
    return hits.sort((one, other) => other.score - one.score || one.index - other.index);
  }

  /** Tools whose exact name is the query, or a part of the query that can only be a name. */
  #namedIn(query: string): ReadonlySet<number | undefined> {
    const parts = query.split(/[\s,;"'`()]+/).filter((part) => /[_./-]|\p{Ll}\p{Lu}/u.test(part));
    return new Set([query, ...parts].map((name) => this.#names.get(nameKey(name))));
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

/** Form in which exact names are compared: letter case and separators do not matter. */
function nameKey(name: string): string {
  return splitCamelCase(name.trim()).toLowerCase().replace(/[\s_./-]+/g, "_");
}
