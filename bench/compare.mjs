// Measures Toolwire of this checkout beside Toolwire of another one, before and after a change:
//
//     git worktree add ../base main && (cd ../base && node scripts/install.mjs)
//     node bench/compare.mjs --base ../base --runtime bun --workload add,medium
//
// Processor time of a call, this checkout ÷ the other, in turns: below 1 is faster than before.
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { canDo, contenders, everyWorkload } from "./contenders.mjs";
import { measureTogether, toRatios } from "./measure.mjs";
import { readNames, readOptions, readPositive, scale } from "./options.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

const ours = Object.keys(contenders).filter((name) => name.startsWith("toolwire"));
const { base, runtimes, workloads, names, rounds } = readOptions({
  base: { type: "string" },
  runtime: { type: "string", default: Object.keys(commands).join() },
  workload: { type: "string", default: everyWorkload.join() },
  contender: { type: "string", default: ours.join() },
  rounds: { type: "string", default: "21" },
}, ({ base, runtime, workload, contender, rounds }) => ({
  base: readFolder(base),
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  workloads: readNames("workload", workload, everyWorkload),
  names: readNames("contender", contender, ours),
  rounds: Math.ceil(readPositive("--rounds", rounds) * scale),
}));
const otherBench = `${pathToFileURL(base)}/bench/`;
installPeers();
if (runtimes.includes("node")) {
  buildPackage();
  buildPackage(base);
}

for (const runtime of runtimes) {
  const rows = [];
  for (const workload of workloads) rows.push([workload, ...await measureRow(runtime, workload)]);
  console.log(`\n### ${runtime} ${readVersion(runtime)}: this checkout ÷ ${base}\n`);
  console.log(formatTable(["", ...names], rows));
}

async function measureRow(runtime, workload) {
  const cells = [];
  for (const contender of names) cells.push(await measureCell(runtime, workload, contender));
  return cells;
}

async function measureCell(runtime, workload, contender) {
  if (!canDo(contender, workload, runtime)) return "";
  console.error(`${runtime} ${workload} ${contender} …`);
  const entries = [{ contender, workload, bench: otherBench }, { contender, workload }];
  const [before, after] = await measureTogether(runtime, entries, { rounds, scale });
  const time = (samples) => samples.map(({ cpuNsPerCall }) => cpuNsPerCall);
  return formatSpread(toRatios(time(after), time(before)));
}

function readFolder(base) {
  if (base === undefined) throw new Error("Pass --base, the folder of another checkout with its packages installed");
  return resolve(base);
}
