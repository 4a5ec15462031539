/**
 * Explores the model of the protocol. Larger bounds, all without a violation, have these states and transitions: one job, two replicas,
 * two kills, one lapse, two values: 578,371 and 2,138,825; one kill, two lapses, one value: 202,099 and 642,252; two jobs, two replicas,
 * one kill, one value: 127,288 and 416,324.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../runtime/runtime.ts";
import { type Bounds, explore, firstWorld, transitions } from "./protocol_model.ts";

const skip = runtime !== "bun" && "the model has no part for a runtime: once, under bun, is enough";
const BOUNDS: readonly (readonly [Bounds, number])[] = [
  [{ jobs: 1, replicas: 2, kills: 0, lapses: 1, words: ["a"] }, 8_746],
  [{ jobs: 1, replicas: 2, kills: 1, lapses: 0, words: ["a", "b"] }, 4_050],
  [{ jobs: 2, replicas: 2, kills: 1, lapses: 0, words: [] }, 4_200],
];

for (const [bounds, count] of BOUNDS) {
  test(`no job, step or value is lost within ${JSON.stringify(bounds)}`, { skip }, () => {
    const { states, fault } = explore(bounds);
    deepStrictEqual(fault, undefined);
    strictEqual(states, count, "number of states");
  });
}

test("the model finds the job that was lost by a superseded run", { skip }, () => {
  const { fault } = explore({ jobs: 1, replicas: 2, kills: 0, lapses: 1, words: [], isRepaired: false });
  strictEqual(fault?.what, "a job has no delivery, lease or alarm, and never ends");
  const trace = fault.trace.map(({ kind, replica }) => `${kind} ${replica}`);
  deepStrictEqual(trace.slice(0, 5), ["take 0", "lapse 0", "take 1", "claim 1", "claim 0"]);
});

test("the model allows the ends that it has to: a value, another one, a timeout, and a step that was repeated", {
  skip,
}, () => {
  const ends = new Set<string>();
  let worlds = [firstWorld({ jobs: 1, replicas: 1, kills: 1, lapses: 0, words: ["a", "b"] })];
  for (let depth = 0; depth < 24 && worlds.length > 0; depth++) {
    const next = new Map<string, typeof worlds[number]>();
    for (const world of worlds) for (const [, after] of transitions(world)) next.set(JSON.stringify(after), after);
    worlds = [...next.values()];
    for (const { jobs: [job] } of worlds) if (job?.outcome) ends.add(job.outcome);
  }
  for (const end of ["1 a", "1 b", "1 timeout", "2 a"]) ok(ends.has(end), `${end} of ${[...ends]}`);
});
