/** The best of many hits of a search, and the best of their groups. */

/** A tool that was found. */
export interface Hit {
  readonly index: number;
  /** 2 if its name is in the query, 1 if its name on its own server is, otherwise 0. */
  readonly named: number;
  readonly score: number;
}

/** Keeps the best of many hits, in order: a sorted list of all would take longer than the search. */
export class BestHits {
  readonly #limit: number;
  readonly #hits: Hit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(named: number, score: number, index: number): void {
    const hits = this.#hits;
    const last = hits[hits.length - 1];
    if (hits.length === this.#limit && (last === undefined || !comesFirst(named, score, index, last))) return;
    let place = hits.length;
    while (place > 0 && comesFirst(named, score, index, hits[place - 1] as Hit)) place--;
    hits.splice(place, 0, { named, score, index });
    if (hits.length > this.#limit) hits.pop();
  }

  /** The hit that another one has to exceed. `undefined` while there is room. */
  last(): Hit | undefined {
    return this.#hits.length < this.#limit ? undefined : this.#hits[this.#hits.length - 1];
  }

  indexes(): readonly number[] {
    return this.#hits.map(({ index }) => index);
  }
}

/** Whether a hit is better than another one; of equal ones that which is first in the list. */
export function comesFirst(named: number, score: number, index: number, other: Hit): boolean {
  if (named !== other.named) return named > other.named;
  return score === other.score ? index < other.index : score > other.score;
}
