// Measures promises at scale: what they cost a caller, thousands who wait at once, and the engines. Every answer is checked.
// `node bench/long_work.mjs [--runtime bun] [--part calls,waiting,sockets,engines] [--rounds 15]`. Ends with 1 if something grows
// worse than linear.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { fitExponent } from "./growth/fit.mjs";
import { startRedis } from "../scripts/stores/redis.mjs";
import { countConnections, measureSockets } from "./long_work/sockets.mjs";
import { readNames, readOptions, readPositive, scale } from "./options.mjs";
import { formatSpread, formatTable, quartiles } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

const parts = { calls: reportCalls, waiting: reportWaiting, sockets: reportSockets, engines: reportEngines };
/** How many wait: the exponents are those of the last three. */
const most = Math.max(100, 10_000 * scale);
const sizes = [1, most / 100, most / 10, most].filter((size, index, all) => all.indexOf(size) === index);
const waits = [["memory", "one"], ["memory", "own"], ["sqlite", "one"], ["sqlite", "own"]];
const shapes = { one: "all for one promise", own: "each for its own" };
/** What may grow with those who wait, and with which power of them; an exponent may lie so much above it. */
const powers = { bytes: 0, begin: 1, end: 1 };
const leeway = 0.2;
const waitingHead = [
  "who waits, where",
  "kB a call",
  "ms of the processor a second",
  "`add` beside them ÷ alone",
  "all answered, in calls of `add`",
];

const { runtimes, chosenParts, rounds, starts } = readOptions({
  runtime: { type: "string", default: Object.keys(commands).join() },
  part: { type: "string", default: Object.keys(parts).join() },
  rounds: { type: "string", default: "15" },
  starts: { type: "string", default: "3" },
}, ({ runtime, part, rounds, starts }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  chosenParts: readNames("part", part, Object.keys(parts)),
  rounds: scaled(readPositive("--rounds", rounds)),
  starts: scaled(readPositive("--starts", starts)),
}));
installPeers();
buildPackage();

let worse = 0;
for (const runtime of runtimes) {
  console.log(`\n### Promises, ${runtime} ${readVersion(runtime)}`);
  for (const part of chosenParts) {
    console.error(`${runtime} ${part} …`);
    await parts[part](runtime);
  }
}
if (worse > 0) console.log(`\n${worse} grow worse than linear`);
process.exitCode = worse > 0 ? 1 : 0;

function reportCalls(runtime) {
  const costs = runWorker(runtime, "calls_worker.mjs", [scaled(4_000), rounds]);
  print("Processor time of a call ÷ that of the same call answered plainly.", Object.keys(costs), [
    Object.values(costs).map(formatSpread),
  ]);
}

function reportWaiting(runtime) {
  const rows = waits.map(([engine, shape]) => {
    const points = sizes.map((size) => measureWaiting(runtime, engine, shape, size));
    const exponents = Object.entries(powers).map(([what, power]) =>
      toExponent(points.map((point) => point[what]), power)
    );
    return [...toWaitingRow(`${shapes[shape]}, ${engine}`, points.at(-1)), exponents.join(" / ")];
  });
  const title =
    `${most} callers who wait, in process; and how memory a call, beginning and answering grow with them (exponents).`;
  print(title, [...waitingHead, "grow"], rows);
}

function measureWaiting(runtime, engine, shape, size) {
  const points = Array.from({ length: starts }, () => runWorker(runtime, "waiting_worker.mjs", [engine, shape, size]));
  return Object.fromEntries(
    Object.keys(points[0]).map((what) => [what, quartiles(points.map((point) => point[what]))[1]]),
  );
}

/** Of what `costs` are at the sizes; the small sizes are left out, since fixed costs dominate there. */
function toExponent(costs, power) {
  // A heap that has shrunk says that the memory is not to be seen beside the rest.
  const exponent = fitExponent(sizes.slice(-3), costs.slice(-3).map((cost) => Math.max(cost, 1)));
  const isWorse = scale >= 1 && exponent > power + leeway;
  if (isWorse) worse++;
  return exponent.toFixed(2) + (isWorse ? " (worse)" : "");
}

async function reportSockets(runtime) {
  if (process.platform !== "linux") {
    return console.log("\nnot run: sockets need Linux, where a process is looked at by /proc");
  }
  const connections = countConnections(most);
  const costs = await measureSockets(runtime, connections, scaled(1_000));
  const title = `${connections} callers who wait, each on a connection of its own; memory is all of the server's.`;
  print(title, waitingHead, [toWaitingRow("all for one promise, memory", costs)]);
}

function toWaitingRow(name, { bytes, idleMs, beside, end }) {
  return [name, (bytes / 1_000).toFixed(1), Math.max(0, idleMs).toFixed(1), beside.toFixed(2), end.toFixed(0)];
}

async function reportEngines(runtime) {
  const redis = await startRedis();
  if (redis === undefined) console.log("\nnot run: bullmq, for which redis-server is not installed");
  try {
    const engines = ["memory", "sqlite", ...(redis === undefined ? [] : ["bullmq"])];
    const costs = runWorker(runtime, "throughput_worker.mjs", [engines, scaled(2_000), rounds, redis?.url ?? ""]);
    printEngines(costs);
  } finally {
    redis?.stop();
  }
}

function printEngines({ memory, ...others }) {
  const against = (what, costs) => formatSpread(costs[what].map((cost, round) => cost / memory[what][round]));
  const rows = Object.entries(others).map(([name, costs]) => {
    const asked = average(costs.store);
    const ms = asked.reduce((sum, { ms }) => sum + ms, 0);
    const share = ms / (costs.ms.reduce((sum, ms) => sum + ms, 0) / costs.ms.length);
    return [
      name,
      against("ms", costs),
      against("cpuMs", costs),
      `${(100 * share).toFixed(0)} %`,
      asked.filter(({ count }) => count >= 0.05).map(toWords).join(", "),
    ];
  });
  const head = [
    "engine",
    "time ÷ memory",
    "our processor time ÷ memory",
    "of the time, in the store",
    "asked for a job",
  ];
  print("A job from its call to its redeemed answer, 64 in flight.", head, rows);
}

/** @returns what a store is asked for a job, the most often asked first. */
function average(looks) {
  return Object.keys(looks.at(-1)).map((what) => {
    const sum = (key) => looks.reduce((sum, look) => sum + (look[what]?.[key] ?? 0), 0) / looks.length;
    return { what, count: sum("count"), ms: sum("ms") };
  }).sort((left, right) => right.count - left.count);
}

function toWords({ what, count }) {
  return `${count.toFixed(1)} ${what}`;
}

function runWorker(runtime, file, args) {
  const [command, ...rest] = commands[runtime](fileURLToPath(new URL(`long_work/${file}`, import.meta.url)));
  const exposed = runtime === "node" ? ["--expose-gc", ...rest] : rest;
  const env = { ...process.env, DENO_V8_FLAGS: "--expose-gc" };
  const { status, stdout, stderr } = spawnSync(command, [...exposed, ...args.map(String)], { encoding: "utf8", env });
  if (status !== 0) throw new Error(`bench/long_work/${file} ${args.join(" ")} failed on ${runtime}: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

function scaled(count) {
  return Math.ceil(count * scale);
}

function print(title, head, rows) {
  console.log(`\n${title}\n\n${formatTable(head, rows)}`);
}
