/** Traces of the protocol model for replays: together they have each kind of transition that the model has within its bounds. */
import { Random } from "../../../src/testing/faults.ts";
import { type Action, type Bounds, explore, firstWorld, kindOf, transitions, type World } from "./protocol_model.ts";

/** A transition of a trace, with the worlds before and after it. */
export interface TraceStep {
  readonly action: Action;
  readonly before: World;
  readonly after: World;
}

/**
 * Chooses traces that have each kind of transition within the bounds. Each begins with a shortest trace to a kind that the others do not
 * have, and continues at random until all work has ended.
 *
 * @param seed Seed of the random ends.
 */
export function chooseTraces(bounds: Bounds, seed: number): TraceStep[][] {
  const random = new Random(seed);
  const kinds = new Set<string>();
  const traces: TraceStep[][] = [];
  const longestFirst = [...explore(bounds).traces].sort((one, other) => other.length - one.length);
  for (const shortest of longestFirst) {
    const begin = follow(firstWorld(bounds), shortest);
    const last = begin.at(-1)!;
    if (kinds.has(kindOf(last.before, last.action))) continue;
    const trace = [...begin, ...toEnd(last.after, random)];
    for (const { before, action } of trace) kinds.add(kindOf(before, action));
    traces.push(trace);
  }
  return traces;
}

function follow(start: World, actions: readonly Action[]): TraceStep[] {
  let before = start;
  return actions.map((action) => {
    const text = JSON.stringify(action);
    const [, after] = transitions(before).find(([one]) => JSON.stringify(one) === text)!;
    const step = { action, before, after };
    before = after;
    return step;
  });
}

/** A random trace to a world without work. */
function toEnd(start: World, random: Random): TraceStep[] {
  const steps: TraceStep[] = [];
  let before = start;
  for (let found = transitions(before); !isOver(before); found = transitions(before)) {
    const [action, after] = found[random.below(found.length)]!;
    steps.push({ action, before, after });
    before = after;
  }
  return steps;
}

function isOver({ jobs, runs }: World): boolean {
  const isEnded = jobs.every(({ state, words, isResolving, isDue, hasTimer }) => {
    return state === "done" && words.length === 0 && !isResolving && !isDue && !hasTimer;
  });
  return isEnded && runs.every((run) => run === null);
}
