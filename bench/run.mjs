// Measures Toolwire beside its peers, in process, and prints ratios: `npm run bench -- --runtime bun --workload add`.
// See README.md for what is measured and how to read it.
import { writeFileSync } from "node:fs";
import { canDo, contenders, everyWorkload } from "./contenders.mjs";
import { measureTogether, toRatios } from "./measure.mjs";
import { readNames, readOptions, readPositive, readTarget, scale } from "./options.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

const options = readOptions({
  runtime: { type: "string", default: Object.keys(commands).join() },
  workload: { type: "string", default: everyWorkload.join() },
  contender: { type: "string", default: Object.keys(contenders).join() },
  rounds: { type: "string", default: "21" },
  calls: { type: "string" },
  json: { type: "string" },
}, ({ runtime, workload, contender, rounds, calls, json }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  workloads: readNames("workload", workload, everyWorkload),
  contenders: readNames("contender", `floor,${contender}`, Object.keys(contenders)),
  rounds: Math.ceil(readPositive("--rounds", rounds) * scale),
  calls: calls === undefined ? undefined : readPositive("--calls", calls),
  scale,
  json: json === undefined ? undefined : readTarget("--json", json),
}));
installPeers();
if (options.runtimes.includes("node") && options.contenders.some((name) => name.startsWith("toolwire"))) buildPackage();

const report = {};
for (const runtime of options.runtimes) {
  report[runtime] = await measureRuntime(runtime);
  printRuntime(runtime, report[runtime]);
}
if (options.json) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`);

/** @returns nanoseconds per call of each round: `{ workload: { contender: number[] } }`. */
async function measureRuntime(runtime) {
  const measured = {};
  for (const workload of options.workloads) {
    console.error(`${runtime} ${workload} …`);
    measured[workload] = await measureWorkload(runtime, workload);
  }
  return measured;
}

async function measureWorkload(runtime, workload) {
  const names = options.contenders.filter((name) => canDo(name, workload, runtime));
  const rounds = await measureTogether(runtime, names.map((contender) => ({ contender, workload })), options);
  return Object.fromEntries(names.map((name, index) => [name, rounds[index].map(({ nsPerCall }) => nsPerCall)]));
}

function printRuntime(runtime, measured) {
  console.log(`\n### ${runtime} ${readVersion(runtime)}\n`);
  console.log("Time of a call ÷ the floor's: median (quartiles) of the rounds.\n");
  printRatios(measured, "floor");
  if (!options.contenders.includes("toolwire")) return;
  console.log("\nTime of a call ÷ Toolwire's.\n");
  printRatios(measured, "toolwire");
}

function printRatios(measured, base) {
  const names = options.contenders.filter((name) => name !== base);
  const isBefore = (name) => options.contenders.indexOf(base) < options.contenders.indexOf(name);
  const cell = (samples, name) =>
    name in samples ? formatSpread(toRatios(samples[name], samples[base], isBefore(name))) : "";
  const rows = names.map((name) => [name, ...options.workloads.map((workload) => cell(measured[workload], name))]);
  console.log(formatTable([`÷ ${base}`, ...options.workloads], rows));
}
