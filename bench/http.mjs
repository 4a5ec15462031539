// Measures servers over real sockets, each in a separate process: by h2load over HTTP/1.1, then with readers that do not read.
// `node bench/http.mjs [--runtime bun] [--workload add,sse100] [--part load] [--rounds 7]`. Clients are measured by clients.mjs.
import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { load } from "./h2load.mjs";
import { check, createRequests } from "./http/check.mjs";
import { startSlowReaders } from "./http/slow_readers.mjs";
import { startServer } from "./http/start.mjs";
import { flood, workloads } from "./http/tools.mjs";
import { readNames, readOptions, readPositive, readTarget, scale } from "./options.mjs";
import { readCpuMs, readResidentMb } from "./proc.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

/**
 * File in `contenders/`, and its way onto a port (http/server.mjs). The floor comes first; all are compared with it. `only` and
 * `missing` are what a runtime can not do.
 */
const contenders = {
  floor: { file: "floor", way: "fetch" },
  "floor-real-request": { file: "floor", way: "realRequest", only: ["node"] },
  toolwire: { file: "toolwire", way: "toolwire" },
  "toolwire-sync": { file: "toolwire_sync", way: "toolwire" },
  // A slow MCP caller gets only the latest progress.
  "toolwire-mcp-2025": { file: "toolwire_mcp_2025", way: "toolwire", missing: [workloads.sse10000] },
  "mcp-lite": { file: "mcp_lite", way: "fetch" },
  "hono RPC": { file: "hono_rpc", way: "fetch" },
  // On Node it needs a separate adapter, and its streams are of strings, which Deno does not send.
  elysia: { file: "elysia", way: "elysia", only: ["bun", "deno"], streamsOn: ["bun"] },
  tRPC: { file: "trpc", way: "fetch" },
  oRPC: { file: "orpc", way: "fetch" },
  "@modelcontextprotocol/server": { file: "mcp_server", way: "fetch" },
};

const slowReaders = 8;
/** A round's aim, so that a slow server is not waited for, and a fast one is asked enough. */
const roundSeconds = 0.4;

/** The rounds of `load`, by runtime, column and contender: `{ rate, cpuMs }`. */
const report = {};
const parts = {
  load(runtime, servers) {
    const rows = measureLoads(runtime, servers);
    printLoads(rows);
    report[runtime] = Object.fromEntries(rows);
  },
  readers: printSlowReaders,
};

const { runtimes, chosenWorkloads, chosenContenders, chosenParts, rounds, json } = readOptions({
  runtime: { type: "string", default: Object.keys(commands).join() },
  workload: { type: "string", default: Object.keys(workloads).join() },
  contender: { type: "string", default: Object.keys(contenders).join() },
  part: { type: "string", default: Object.keys(parts).join() },
  rounds: { type: "string", default: "7" },
  json: { type: "string" },
}, ({ runtime, workload, contender, part, rounds, json }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  chosenWorkloads: readNames("workload", workload, Object.keys(workloads)),
  chosenContenders: readNames("contender", `floor,${contender}`, Object.keys(contenders)),
  chosenParts: readNames("part", part, Object.keys(parts)),
  rounds: Math.ceil(readPositive("--rounds", rounds) * scale),
  json: json === undefined ? undefined : readTarget("--json", json),
}));
installPeers();
buildPackage();
for (const runtime of runtimes) await measureRuntime(runtime);
if (json) writeFileSync(json, JSON.stringify(report));

async function measureRuntime(runtime) {
  const names = chosenContenders.filter((name) => contenders[name].only?.includes(runtime) ?? true);
  const servers = {};
  try {
    for (const name of names) servers[name] = await start(runtime, name);
    console.log(`\n### HTTP, ${runtime} ${readVersion(runtime)}\n`);
    for (const part of chosenParts) await parts[part](runtime, servers);
  } finally {
    for (const { child } of Object.values(servers)) child.kill();
  }
}

/** Starts a server and checks its answers to everything. */
async function start(runtime, name) {
  const { file, way, streamsOn } = contenders[name];
  const contender = await import(`./contenders/${file}.mjs`);
  const isAble = ({ tool }) => tool.stream === undefined || (streamsOn?.includes(runtime) ?? true);
  const canDo = (workload) => isAble(workload) && !contenders[name].missing?.includes(workload);
  const { child, url } = await startServer(runtime, file, way);
  try {
    const bytes = new Map();
    // `add` is also what is asked beside the readers.
    for (const workload of new Set(["add", ...chosenWorkloads].map((name) => workloads[name]).filter(canDo))) {
      bytes.set(workload, await check(contender, url, workload));
    }
    return { child, url, contender, canDo, bytes };
  } catch (cause) {
    child.kill();
    throw new Error(`${name} does not answer as it should on ${runtime}`, { cause });
  }
}

/** @returns rows of a title and, by contender, the rounds: `{ rate, cpuMs }`. */
function measureLoads(runtime, servers) {
  return chosenWorkloads.flatMap((name) => {
    const workload = workloads[name];
    return workload.flights.map((connections) => {
      console.error(`${runtime} ${name}, ${connections} connections …`);
      const able = Object.entries(servers).filter(([, { canDo }]) => canDo(workload));
      return [`${name}, ${connections}`, takeTurns(able, workload, connections)];
    });
  });
}

function takeTurns(able, workload, connections) {
  const samples = Object.fromEntries(able.map(([name]) => [name, []]));
  const calls = Object.fromEntries(able.map(([name]) => [name, Math.max(connections, workload.calls * scale / 4)]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, server] of able) {
      const sample = askServer(server, workload, connections, calls[name]);
      // The first round warms up, and sets the number of calls of a round.
      if (round >= 0) samples[name].push(sample);
      else calls[name] = Math.max(connections, Math.min(sample.rate * roundSeconds, workload.calls) * scale);
    }
  }
  return samples;
}

/** Calls a second, and a call's milliseconds of the server's processor time. */
function askServer({ contender, url, child, bytes }, workload, connections, calls) {
  const [{ url: target, headers, body }] = createRequests(contender, url, workload);
  const lines = body === undefined ? headers : { "content-type": "application/json", ...headers };
  const count = Math.ceil(calls);
  const cpuMs = readCpuMs(child.pid);
  const heads = Object.entries(lines).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const rate = load(body, count, ["--h1", "-c", connections, ...heads, target], bytes.get(workload));
  if (rate === undefined) throw new Error(`${target} did not answer every call`);
  return { rate, cpuMs: (readCpuMs(child.pid) - cpuMs) / count };
}

/** Some continue a stream without a reader, which would disturb the next round. */
async function waitUntilIdle(pid) {
  for (let tries = 0; tries < 100; tries++) {
    const beforeMs = readCpuMs(pid);
    await setTimeout(50);
    if (readCpuMs(pid) - beforeMs < 5) return;
  }
}

function printLoads(rows) {
  const names = chosenContenders.filter((name) => name !== "floor" && rows.some(([, samples]) => name in samples));
  const print = (title, toRatio) => {
    const cell = (samples, name) => name in samples ? formatSpread(samples[name].map(toRatio(samples.floor))) : "";
    console.log(`\n${title}\n`);
    const table = names.map((name) => [name, ...rows.map(([, samples]) => cell(samples, name))]);
    console.log(formatTable(["÷ floor", ...rows.map(([title]) => title)], table));
  };
  print(
    "Time of a call ÷ the floor's, by workload and connections.",
    (floor) => ({ rate }, round) => floor[round].rate / rate,
  );
  print(
    "The server's processor time for a call ÷ the floor's.",
    (floor) => ({ cpuMs }, round) => cpuMs / floor[round].cpuMs,
  );
}

/** What readers that do not read cost those who do, and the server. */
async function printSlowReaders(_, servers) {
  const able = Object.entries(servers).filter(([, { canDo }]) => canDo(flood));
  const rows = [];
  for (const [name, server] of able) {
    console.error(`${name}, beside slow readers …`);
    const ask = () => askServer(server, workloads.add, 16, workloads.add.calls * scale).rate;
    ask();
    const [stream] = createRequests(server.contender, server.url, flood);
    const idleMb = readResidentMb(server.child.pid);
    let mostMb = idleMb;
    const ratios = [];
    for (let round = 0; round < rounds; round++) {
      const aloneRate = ask();
      const stop = await startSlowReaders(slowReaders, stream);
      ratios.push(aloneRate / ask());
      mostMb = Math.max(mostMb, readResidentMb(server.child.pid));
      stop();
      await waitUntilIdle(server.child.pid);
    }
    rows.push([name, formatSpread(ratios), (mostMb - idleMb).toFixed(0)]);
  }
  console.log(
    `\n\`add\` on 16 connections beside ${slowReaders} callers who have each asked for a stream of 20 MB and do not read it.\n`,
  );
  console.log(formatTable(["server", "time of a call ÷ without them", "MB more memory"], rows));
}
