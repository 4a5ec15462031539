// The fuzzing as a program; `fuzz.mjs` starts it. It ends with 1 if anything was off.
import process from "node:process";
import { parseArgs } from "node:util";
import { fuzz } from "./run.ts";
import { findFaults, formatFaults, formatRow, HEADING } from "./report.ts";
import { TARGETS } from "./targets.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    cases: { type: "string", default: "20000" },
    case: { type: "string" },
    seconds: { type: "string" },
    target: { type: "string", default: TARGETS.map(({ name }) => name).join() },
  },
});

const [seed, cases, seconds] = [values.seed, values.cases, values.seconds ?? "Infinity"].map(Number);
const only = values.case === undefined ? undefined : Number(values.case);
if ([seed, cases, seconds, only ?? 0].some((value) => Number.isNaN(value))) throw new TypeError("Not a number");
const names = values.target.split(",");
const stranger = names.find((name) => TARGETS.every((target) => target.name !== name));
if (stranger !== undefined) {
  throw new TypeError(`There is no target ${stranger}: there are ${TARGETS.map(({ name }) => name).join(", ")}`);
}

// An unhandled rejection is a fault, whichever case caused it.
const stray: string[] = [];
process.on("unhandledRejection", (reason) => stray.push(reason instanceof Error ? `${reason.stack}` : String(reason)));

console.log(`fuzz: seed ${seed}\n\n${HEADING}`);
let faults = 0;
let number = 0;
for (const target of TARGETS.filter(({ name }) => names.includes(name))) {
  number++;
  if (target.skip !== undefined) {
    console.log(`not run: ${target.name}: ${target.skip}`);
    continue;
  }
  const untilMs = performance.now() + Number(seconds) * 1000 / names.length;
  const report = await fuzz(target, { seed: Number(seed), cases: Number(cases), untilMs, only });
  console.log(formatRow(report));
  const found = [...findFaults(report), ...stray.splice(0).map((text) => `${target.name}: nobody caught ${text}`)];
  faults += found.length;
  if (found.length > 0 || only !== undefined) console.log(formatFaults(report, found, Number(seed)));
}
console.log(faults === 0 ? `\n${number} targets, nothing is off` : `\n${faults} things are off (seed ${seed})`);
process.exit(faults === 0 ? 0 : 1);
