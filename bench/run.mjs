// Measures Toolwire beside its peers, in process, and prints ratios: `npm run bench -- --runtime bun --workload add`.
// See README.md for what is measured and how to read it.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";
import { workloads } from "./tools.mjs";

const everyWorkload = Object.keys(workloads);
const without = (...names) => everyWorkload.filter((name) => !names.includes(name));

/**
 * File in `contenders/` and workloads, and those that a runtime can not do. The floor comes first: it opens each round, and all
 * are compared with it.
 */
const contenders = {
  floor: { file: "floor", workloads: everyWorkload },
  toolwire: { file: "toolwire", workloads: everyWorkload },
  "toolwire-async": { file: "toolwire_async", workloads: ["add"] },
  "toolwire-promise": { file: "toolwire_promise", workloads: ["add"] },
  "toolwire-mcp": { file: "toolwire_mcp", workloads: everyWorkload },
  "toolwire-mcp-2025": { file: "toolwire_mcp_2025", workloads: everyWorkload },
  "mcp-lite": { file: "mcp_lite", workloads: everyWorkload },
  "@modelcontextprotocol/server": { file: "mcp_server", workloads: everyWorkload },
  "@modelcontextprotocol/sdk": { file: "mcp_sdk", workloads: everyWorkload },
  "@hono/mcp": { file: "hono_mcp", workloads: everyWorkload },
  tmcp: { file: "tmcp", workloads: everyWorkload },
  fastmcp: { file: "fastmcp", workloads: without("sse") },
  tRPC: { file: "trpc", workloads: without("list") },
  oRPC: { file: "orpc", workloads: without("list") },
  "hono RPC": { file: "hono_rpc", workloads: without("list") },
  // Its streams are of strings, which only Bun takes as the body of a Response.
  elysia: { file: "elysia", workloads: without("list"), missing: { deno: ["sse"], node: ["sse"] } },
};

const options = readOptions();
installPeers();
if (options.runtimes.includes("node") && options.contenders.some((name) => name.startsWith("toolwire"))) buildPackage();

const report = {};
for (const runtime of options.runtimes) {
  report[runtime] = await measureRuntime(runtime);
  printRuntime(runtime, report[runtime]);
}
if (options.json) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`);

function readOptions() {
  const { values } = parseArgs({
    options: {
      runtime: { type: "string", default: Object.keys(commands).join() },
      workload: { type: "string", default: everyWorkload.join() },
      contender: { type: "string", default: Object.keys(contenders).join() },
      rounds: { type: "string", default: "21" },
      calls: { type: "string" },
      json: { type: "string" },
    },
  });
  const scale = readPositive("BENCH_SCALE", process.env.BENCH_SCALE ?? "1");
  return {
    runtimes: readNames("runtime", values.runtime, Object.keys(commands)),
    workloads: readNames("workload", values.workload, everyWorkload),
    contenders: readNames("contender", `floor,${values.contender}`, Object.keys(contenders)),
    rounds: Math.ceil(readPositive("--rounds", values.rounds) * scale),
    calls: values.calls === undefined ? undefined : readPositive("--calls", values.calls),
    scale,
    json: values.json,
  };
}

function readPositive(option, text) {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${option} must be a positive number, not ${text}`);
  return value;
}

/** The named ones in the order of `known`; throws on a name that is not among them. */
function readNames(option, list, known) {
  const names = list.split(",");
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new Error(`Unknown --${option} ${stranger}: known are ${known.join(", ")}`);
  return known.filter((name) => names.includes(name));
}

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
  const names = options.contenders.filter((name) => canDo(contenders[name], workload, runtime));
  const workers = [];
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  try {
    for (const name of names) workers.push(await startWorker(runtime, name, workload));
    for (const worker of workers) await worker.warmUp();
    for (let round = 0; round < options.rounds; round++) {
      for (const [index, worker] of workers.entries()) samples[names[index]].push(await worker.timeRound());
    }
    // The floor closes the last round too, so that every round has it on both sides.
    samples.floor.push(await workers[0].timeRound());
    return samples;
  } finally {
    for (const worker of workers) worker.stop();
  }
}

function canDo({ workloads, missing }, workload, runtime) {
  return workloads.includes(workload) && !missing?.[runtime]?.includes(workload);
}

async function startWorker(runtime, name, workload) {
  const script = fileURLToPath(new URL("worker.mjs", import.meta.url));
  const [command, ...args] = commands[runtime](script);
  const child = spawn(command, [...args, contenders[name].file, workload], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readLine = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error(`${name} failed at ${workload} on ${runtime}`);
    return JSON.parse(value);
  };
  const roundCalls = (options.calls ?? workloads[workload].calls) * options.scale;
  const time = async (calls, maxMs) => {
    child.stdin.write(`${JSON.stringify({ calls: Math.ceil(calls), maxMs })}\n`);
    return (await readLine()).nsPerCall;
  };
  await readLine();
  return {
    warmUp: () => time(roundCalls * 5, 2500 * options.scale),
    // A slow contender stops at the time limit with fewer calls, and its mean is as good.
    timeRound: () => time(roundCalls, 150),
    stop: () => child.kill(),
  };
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
  const cell = (samples, name) => name in samples ? formatSpread(toRatios(samples[name], samples[base])) : "";
  const rows = names.map((name) => [name, ...options.workloads.map((workload) => cell(measured[workload], name))]);
  console.log(formatTable([`÷ ${base}`, ...options.workloads], rows));
}

/** Each round against the base's rounds on either side of it, so that a slow spell of the machine hits both. */
function toRatios(samples, base) {
  return samples.slice(0, options.rounds).map((ns, round) =>
    ns / ((base[round] + (base[round + 1] ?? base[round])) / 2)
  );
}
