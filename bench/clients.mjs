// Measures clients over sockets: processor time and allocations of a call ÷ those of a bare `fetch` and `JSON.parse` with the same
// question to the same server. `npm run bench:client -- [--runtime bun] [--workload add,sse100] [--client toolwire] [--rounds 11]`.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { libraries } from "./clients/libraries.mjs";
import { startServer } from "./http/start.mjs";
import { workloads } from "./http/tools.mjs";
import { readCount, readNames, readOptions, readTarget, scale } from "./options.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

const WORKER = fileURLToPath(new URL("clients/worker.mjs", import.meta.url));
/** Calls of a round, and how many are in flight. */
const columns = [
  { workload: "add", inFlight: 1, calls: 400 },
  { workload: "add", inFlight: 64, calls: 800 },
  { workload: "medium", inFlight: 1, calls: 300 },
  { workload: "sse100", inFlight: 1, calls: 60 },
];
const known = [...new Set(columns.map(({ workload }) => workload))];

const { runtimes, chosen, clients, rounds, json } = readOptions({
  runtime: { type: "string", default: Object.keys(commands).join() },
  workload: { type: "string", default: known.join() },
  client: { type: "string", default: Object.keys(libraries).join(";") },
  rounds: { type: "string", default: "11" },
  json: { type: "string" },
}, ({ runtime, workload, client, rounds, json }) => {
  const names = readNames("workload", workload, known);
  return {
    runtimes: readNames("runtime", runtime, Object.keys(commands)),
    chosen: columns.filter(({ workload }) => names.includes(workload)),
    // Names have commas.
    clients: client.split(";").filter((name) => name in libraries || unknown(name)),
    rounds: readCount("--rounds", rounds),
    json: json === undefined ? undefined : readTarget("--json", json),
  };
});

function unknown(name) {
  throw new Error(
    `Unknown --client ${name}: known are ${Object.keys(libraries).join("; ")}`,
  );
}

installPeers();
buildPackage();
/** By runtime, column and client: the rounds' ratios. */
const report = {};
for (const runtime of runtimes) await measureRuntime(runtime);
if (json) writeFileSync(json, JSON.stringify(report));

async function measureRuntime(runtime) {
  // Clients of one protocol have one server.
  const servers = new Map();
  try {
    for (const { file, way } of clients.map((name) => libraries[name])) {
      if (!servers.has(file)) {
        servers.set(file, await startServer(runtime, file, way));
      }
    }
    const urlOf = (name) => servers.get(libraries[name].file).url;
    const measured = chosen.map((column) => measure(runtime, column, urlOf));
    print(runtime, measured);
    report[runtime] = Object.fromEntries(measured.map((ratios, at) => [titleOf(chosen[at]), ratios]));
  } finally {
    for (const { child } of servers.values()) child.kill();
  }
}

function measure(runtime, { workload, inFlight, calls }, urlOf) {
  console.error(`${runtime} ${workload}, ${inFlight} in flight …`);
  const isStream = workloads[workload].tool.stream !== undefined;
  const able = clients.filter((name) => !isStream || libraries[name].streams);
  const urls = Object.fromEntries(able.map((name) => [name, urlOf(name)]));
  const [command, ...args] = commands[runtime](WORKER);
  const counts = [inFlight, Math.ceil(rounds * scale), Math.ceil(calls * scale)]
    .map(String);
  const { status, stdout } = spawnSync(command, [
    ...args,
    JSON.stringify(urls),
    workload,
    ...counts,
  ], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) {
    throw new Error(
      `bench/clients/worker.mjs failed on ${runtime} at ${workload}`,
    );
  }
  return JSON.parse(stdout);
}

function titleOf({ workload, inFlight }) {
  return `${workload}, ${inFlight}`;
}

function print(runtime, measured) {
  console.log(`\n### Clients, ${runtime} ${readVersion(runtime)}`);
  const titles = chosen.map(titleOf);
  const printTable = (title, member) => {
    const cell = (ratios, name) => ratios[name]?.[member].length > 0 ? formatSpread(ratios[name][member]) : "";
    const table = clients.map((
      name,
    ) => [name, ...measured.map((ratios) => cell(ratios, name))]);
    console.log(`\n${title}\n\n${formatTable(["÷ bare", ...titles], table)}`);
  };
  printTable(
    "Processor time of a call ÷ that of a bare `fetch` and `JSON.parse`, by workload and calls in flight.",
    "time",
  );
  if (runtime !== "bun") {
    printTable("Bytes allocated by a call ÷ those of the bare one.", "bytes");
  }
}
