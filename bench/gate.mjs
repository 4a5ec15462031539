// Holds Toolwire to promises.mjs, beside the floor and the peers: `npm run bench:gate -- --runtime bun --against floor`.
//
// By the processor's time and not by the clock: what other processes take does not count. A promise is kept if the median of the
// rounds' ratios keeps it. Past it, the verdict is OVER if three quarters of the rounds are past it too; else the rounds differ
// too much to say, as fewer than three do, and they are measured again, twice as many. Only OVER fails.
//
// The noise is how far half of the other's rounds differ from the mean of their neighbours: two measurements of one program. `behind` is a
// kept promise whose median misses the law by more than the noise.
import process from "node:process";
import { contenders, everyWorkload } from "./contenders.mjs";
import { measureTogether, toRatios } from "./measure.mjs";
import { readNames, readOptions, readPositive, scale } from "./options.mjs";
import { promises } from "./promises.mjs";
import { formatTable, quartiles } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

/** Fewer rounds break no promise. */
const fewestRounds = 3;
const runtimeOrder = Object.keys(commands);
const contenderOrder = Object.keys(contenders);
const { runtimes, chosenWorkloads, opponents, rounds } = readOptions({
  runtime: { type: "string", default: runtimeOrder.join() },
  workload: { type: "string", default: everyWorkload.join() },
  against: { type: "string", default: contenderOrder.join() },
  rounds: { type: "string", default: "15" },
}, ({ runtime, workload, against, rounds }) => ({
  runtimes: readNames("runtime", runtime, runtimeOrder),
  chosenWorkloads: readNames("workload", workload, everyWorkload),
  opponents: readNames("against", against, contenderOrder),
  rounds: Math.ceil(readPositive("--rounds", rounds) * scale),
}));
installPeers();
if (runtimes.includes("node")) buildPackage();

const verdicts = [];
for (const runtime of runtimes) {
  console.log(`\n### ${runtime} ${readVersion(runtime)}\n`);
  const rows = [];
  for (const workload of chosenWorkloads) rows.push(...await judgeWorkload(runtime, workload));
  verdicts.push(...rows.map(([verdict]) => verdict));
  console.log(formatTable(["", "promise", "measured (quartiles)", "noise", "limit", "law"], rows));
}
const count = (verdict) => verdicts.filter((one) => one === verdict).length;
const sums = [[count("ok"), "kept"], [count("behind"), "kept, but behind the law by more than the noise"]];
sums.push([count("unsure"), "too noisy to say"], [count("OVER"), "broken"]);
console.log(`\n${sums.map(([number, what]) => `${number} ${what}`).join(", ")}`);
process.exitCode = count("OVER") > 0 ? 1 : 0;

async function judgeWorkload(runtime, workload) {
  const place = runtimeOrder.indexOf(runtime);
  const pairs = promises.filter((promise) => promise.workload === workload && opponents.includes(promise.against));
  console.error(`${runtime} ${workload} …`);
  const judged = await judge(runtime, pairs, place, rounds);
  const unsure = judged.filter(({ verdict }) => verdict === "unsure").map(({ promise }) => promise);
  if (unsure.length > 0) console.error(`${runtime} ${workload}, ${unsure.length} again …`);
  const again = await judge(runtime, unsure, place, rounds * 2);
  return judged.map((one) => toRow(again.find(({ promise }) => promise === one.promise) ?? one));
}

/** Measures what the promises name, together, and compares. */
async function judge(runtime, pairs, place, rounds) {
  if (pairs.length === 0) return [];
  const entries = listEntries(pairs);
  const samples = await measureTogether(runtime, entries, { rounds, scale });
  const find = (contender, workload) =>
    entries.findIndex((entry) => entry.contender === contender && entry.workload === workload);
  return pairs.map((promise) => {
    const mine = find(promise.of, promise.workload);
    const base = find(promise.against, promise.againstWorkload ?? promise.workload);
    const cpu = (index) => samples[index].map(({ cpuNsPerCall }) => cpuNsPerCall);
    const ratios = toRatios(cpu(mine), cpu(base), base < mine);
    const isAtMost = promise.kind === "atMost";
    const spread = quartiles(isAtMost ? ratios : ratios.map((ratio) => 1 / ratio));
    const limit = (promise.held ?? promise.law)[place];
    const law = promise.law?.[place];
    const noise = noiseOf(cpu(base));
    const verdict = decide(spread, limit, isAtMost, rounds);
    return {
      promise,
      spread,
      noise,
      limit,
      law,
      verdict: verdict === "ok" ? besideLaw(spread, law, isAtMost, noise) : verdict,
    };
  });
}

/** What runs beside each other: each contender once, in the order of the table. */
function listEntries(pairs) {
  const wanted = pairs.flatMap(({ of, against, workload, againstWorkload = workload }) => [
    { contender: of, workload },
    { contender: against, workload: againstWorkload },
  ]);
  const unique = new Map(wanted.map((entry) => [`${entry.contender} ${entry.workload}`, entry]));
  return [...unique.values()].sort((left, right) =>
    contenderOrder.indexOf(left.contender) - contenderOrder.indexOf(right.contender)
  );
}

function decide([low, median, high], limit, isAtMost, rounds) {
  const isKept = (value) => isAtMost ? value <= limit : value >= limit;
  if (isKept(median)) return "ok";
  return rounds < fewestRounds || isKept(isAtMost ? low : high) ? "unsure" : "OVER";
}

function besideLaw([, median], law, isAtMost, noise) {
  if (law === undefined) return "ok";
  return isAtMost ? median <= law + noise ? "ok" : "behind" : median >= law - noise ? "ok" : "behind";
}

/** Half of the distance between the quartiles of each round ÷ the mean of its neighbours. */
function noiseOf(samples) {
  const inner = samples.slice(1, -1).map((value, at) => 2 * value / (samples[at] + samples[at + 2]));
  if (inner.length === 0) return Infinity;
  const [low, , high] = quartiles(inner);
  return (high - low) / 2;
}

function toRow({ promise, spread, noise, limit, law, verdict }) {
  const { of, workload, against, againstWorkload, kind } = promise;
  const other = againstWorkload ? `${against} ${againstWorkload}` : against;
  const sign = kind === "atMost" ? "≤" : "≥";
  const what = kind === "atMost" ? `${of} ${workload} ÷ ${other}` : `${of} ${workload}, times faster than ${other}`;
  const [low, median, high] = spread.map((value) => value.toFixed(2));
  const noisy = `± ${noise.toFixed(2)}`;
  return [
    verdict,
    what,
    `${median} (${low}–${high})`,
    noisy,
    `${sign} ${limit}`,
    law === undefined ? "" : `${sign} ${law}`,
  ];
}
