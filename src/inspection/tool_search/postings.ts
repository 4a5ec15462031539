/** Which tools have a word, and how much it adds to their scores. */
import { ToolSet } from "./tool_set.ts";

/** The tools that have a stem, by position, and what the stem adds to their scores, without its inverse document frequency. */
export class Postings {
  readonly indexes: Uint32Array;
  readonly impacts: Float64Array;
  #common: CommonPostings | undefined = undefined;

  constructor(indexes: Uint32Array, impacts: Float64Array) {
    this.indexes = indexes;
    this.impacts = impacts;
  }

  /** The form in which a search need not read all of them. Made at the first search that needs it. @param size Number of all tools. */
  common(size: number): CommonPostings {
    return this.#common ??= new CommonPostings(this, size);
  }

  /** The postings of the tools in a set, without those of others. */
  within(findable: ToolSet): Postings {
    const kept = new Uint32Array(this.indexes.length);
    const keptImpacts = new Float64Array(this.indexes.length);
    let count = 0;
    for (let at = 0; at < this.indexes.length; at++) {
      const index = this.indexes[at] as number;
      if (!findable.has(index)) continue;
      kept[count] = index;
      keptImpacts[count++] = this.impacts[at] as number;
    }
    return new Postings(kept.subarray(0, count), keptImpacts.subarray(0, count));
  }
}

/** Postings of a word that many tools have. */
export class CommonPostings {
  /** What the stem adds to the score of each tool; 0 for a tool that does not have it. */
  readonly impactOf: Float64Array;
  /** Positions of the tools that have it, those with the greatest impact first, of equal ones in the order of the list. */
  readonly byImpact: Uint32Array;
  /** The tools that have it. */
  readonly tools: ToolSet;

  constructor({ indexes, impacts }: Postings, size: number) {
    const impactOf = new Float64Array(size);
    indexes.forEach((index, at) => impactOf[index] = impacts[at] as number);
    this.impactOf = impactOf;
    this.byImpact = Uint32Array.from(indexes)
      .sort((one, other) => (impactOf[other] as number) - (impactOf[one] as number) || one - other);
    this.tools = new ToolSet(size);
    for (const index of indexes) this.tools.add(index);
  }
}
