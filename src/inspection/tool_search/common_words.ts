/** Finds the best tools for common words without reading all tools that have them. */
import type { Hit } from "./best_hits.ts";
import type { CommonPostings } from "./postings.ts";
import type { ToolSet } from "./tool_set.ts";

/** A common word of a query. */
export interface CommonTerm {
  readonly postings: CommonPostings;
  readonly idf: number;
}

/** Maximum number of impacts that are looked up for the best hits, and maximum number of tools that are read for the best of each group. */
const MAX_LOOKUPS = 6_144;
const MAX_READ_FOR_GROUPS = 128;

/** The hits of a search. */
interface Hits {
  /** The tools that may be found. `undefined`: all. */
  readonly findable: ToolSet | undefined;
  /** Whether a tool was added before. */
  readonly isAdded: (index: number) => boolean;
  /** Adds a tool. */
  readonly add: (index: number) => void;
  /** The hit that another one has to exceed; `undefined` while there is room. */
  readonly last: () => Hit | undefined;
  /** Whether the best groups are found. */
  readonly isFull: () => boolean;
}

/**
 * Adds the tools that have common words, those with the greatest impacts first, until the others cannot be among the best: a tool that was
 * not read has no greater impact in any list than the last one read. Beyond {@link MAX_LOOKUPS}, which four common words can reach, the best so far remain.
 *
 * @param queryIdf Sum of the inverse document frequencies of all words.
 */
export function addBestOfCommon(
  terms: readonly CommonTerm[],
  queryIdf: number,
  { findable, isAdded, add, last, isFull }: Hits,
): void {
  const added = new Set<number>();
  const cursors = terms.map(() => 0);
  const maxRounds = Math.ceil(MAX_LOOKUPS / terms.length ** 2);
  for (let round = 0; round < maxRounds; round++) {
    let bound = 0;
    let idfs = 0;
    let lastIndex = -1;
    for (const [list, { postings: { byImpact, impactOf }, idf }] of terms.entries()) {
      const at = nextFindable(byImpact, cursors[list] as number, findable);
      cursors[list] = at + 1;
      if (at >= byImpact.length) continue;
      const index = byImpact[at] as number;
      if (!added.has(index) && !isAdded(index)) {
        added.add(index);
        add(index);
      }
      bound += idf * (impactOf[index] as number);
      idfs += idf;
      lastIndex = Math.max(lastIndex, index);
    }
    if (lastIndex < 0) return;
    const isDone = cannotExceed(bound * (0.5 + 0.5 * idfs / queryIdf), lastIndex, last());
    if (isDone && (isFull() || round * terms.length > MAX_READ_FOR_GROUPS)) return;
  }
}

/** The place of the next tool that may be found; the length of the list if there is no other. Tools that may not be found are not counted. */
function nextFindable(byImpact: Uint32Array, start: number, findable: ToolSet | undefined): number {
  let at = start;
  if (findable !== undefined) { while (at < byImpact.length && !findable.has(byImpact[at] as number)) at++; }
  return at;
}

/** Whether no tool that was not read can come before a hit. One of the same score comes later in the list than all that were read. */
function cannotExceed(bound: number, lastIndex: number, hit: Hit | undefined): boolean {
  if (hit === undefined) return false;
  return hit.named > 0 || bound < hit.score || (bound === hit.score && hit.index <= lastIndex);
}
