// The soak of one process as a program; `soak.mjs` starts it. It ends with 1 if anything was off.
import process from "node:process";
import { parseArgs } from "node:util";
import { runtimes } from "../serve/programs.ts";
import { findGrowth, formatGrowth, HEADING, KINDS, measureGrowth } from "./growth.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1000000" },
    runtime: { type: "string", default: "bun" },
    kind: { type: "string", default: Object.keys(KINDS).join() },
  },
});

const chosen = values.runtime.split(",").map((name) => {
  const runtime = runtimes.find((one) => one.name === name);
  if (runtime === undefined) throw new TypeError(`There is no runtime ${name}`);
  return runtime;
});

console.log(HEADING);
const faults: string[] = [];
for (const runtime of chosen) {
  for (const kind of values.kind.split(",")) {
    const report = await measureGrowth(runtime, kind, Number(values.calls));
    console.log(formatGrowth(report));
    faults.push(...findGrowth(report));
  }
}
console.log(faults.length === 0 ? "\nnothing has grown" : `\n${faults.join("\n")}`);
process.exit(faults.length === 0 ? 0 : 1);
