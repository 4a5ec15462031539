// The soak of one process, small enough for every day: `npm run soak` is the long one.
import { deepStrictEqual } from "node:assert/strict";
import { runtimes, testWith } from "../serve/programs.ts";
import { findGrowth, formatGrowth, KINDS, measureGrowth } from "./growth.ts";

/** Plain calls; of other kinds there are fewer. */
const CALLS = 10_000;

for (const runtime of runtimes.filter(({ name }) => name !== "node22")) {
  testWith(`a server does not grow by its calls, on ${runtime.name}`, [runtime.program], async () => {
    // The rest is the same code everywhere.
    for (const kind of runtime.name === "bun" ? Object.keys(KINDS) : ["calls", "streams"]) {
      const report = await measureGrowth(runtime, kind, CALLS);
      deepStrictEqual(findGrowth(report, ["heap"]), [], formatGrowth(report));
    }
  }, 300_000);
}
