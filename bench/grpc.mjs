// Measures gRPC over real sockets, beside its peers and beside JSON over HTTP: servers by h2load, then callers by themselves.
// `node bench/grpc.mjs [--runtime bun,deno,node] [--workload add,medium,stream] [--rounds 9]`. Needs `h2load` (Debian: nghttp2-client).
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { load } from "./h2load.mjs";
import { createInputs } from "./inputs.mjs";
import { readCount, readNames, readOptions } from "./options.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

const grpcHeaders = ["-H", "content-type: application/grpc", "-H", "te: trailers"];
const jsonHeaders = ["-H", "content-type: application/json"];

/** Server program, and what it is asked how. The first is what the others are compared with. */
const contenders = {
  "@grpc/grpc-js": { program: "grpc_js", ask: grpc },
  toolwire: { program: "toolwire", ask: grpc },
  "@connectrpc/connect-node": { program: "connect_node", ask: grpc },
  "toolwire, JSON over HTTP/1.1": { program: "toolwire", ask: json },
};

const workloads = {
  add: { tool: "add", method: "CallTool", calls: 3000 },
  medium: { tool: "place_order", method: "CallTool", calls: 1500 },
  stream: { tool: "count", method: "CallToolStream", calls: 150 },
};

/** How many requests are in flight: of gRPC on one connection, of HTTP/1.1 on as many. */
const flights = [1, 64];

const { runtimes, chosen, rounds } = readOptions({
  runtime: { type: "string", default: Object.keys(commands).join() },
  workload: { type: "string", default: Object.keys(workloads).join() },
  rounds: { type: "string", default: "9" },
}, ({ runtime, workload, rounds }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  chosen: readNames("workload", workload, Object.keys(workloads)),
  rounds: readCount("--rounds", rounds),
}));
installPeers();
buildPackage();
// They need what was just installed.
const { check } = await import("./grpc/check.mjs");
const { mcplite, toStruct } = await import("./grpc/grpc_js.mjs");
for (const runtime of runtimes) await measureRuntime(runtime);

async function measureRuntime(runtime) {
  const servers = {};
  try {
    for (const { program } of Object.values(contenders)) servers[program] ??= await start(runtime, program);
    console.log(`\n### ${runtime} ${readVersion(runtime)}\n`);
    const rows = [];
    for (const workload of chosen) {
      for (const inFlight of flights) {
        rows.push(toRow(workload, inFlight, await measureServers(runtime, servers, workload, inFlight)));
      }
    }
    console.log(formatTable(["servers, ÷ @grpc/grpc-js", ...Object.keys(contenders).slice(1)], rows));
    const measured = [];
    for (const workload of chosen.filter((name) => name !== "stream")) {
      for (const inFlight of flights) {
        measured.push([workload, inFlight, measureCallers(runtime, servers.toolwire.urls, workload, inFlight)]);
      }
    }
    if (measured.length === 0) return;
    const head = ["callers, ÷ @grpc/grpc-js", ...Object.keys(measured[0][2]).slice(1)];
    console.log(`\n${formatTable(head, measured.map((row) => toRow(...row)))}`);
  } finally {
    for (const { child } of Object.values(servers)) child.kill();
  }
}

/** Of ratios by name; the first is what they are compared with. */
function toRow(workload, inFlight, ratios) {
  const cells = Object.values(ratios).slice(1).map((all) => all.length === 0 ? "no rounds" : formatSpread(all));
  return [`${workload}, ${inFlight} in flight`, ...cells];
}

async function start(runtime, program) {
  const [command, ...args] = commands[runtime](fileURLToPath(new URL(`grpc/${program}.mjs`, import.meta.url)));
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const line = once(createInterface({ input: child.stdout }), "line").then(([text]) => JSON.parse(text));
  const ended = once(child, "exit").then(() => {
    throw new Error(`bench/grpc/${program}.mjs ended on ${runtime}`);
  });
  ended.catch(() => {});
  try {
    const urls = await Promise.race([line, ended]);
    return { child, urls, bytes: await check(urls) };
  } catch (cause) {
    child.kill();
    throw new Error(`bench/grpc/${program}.mjs does not answer as it should on ${runtime}`, { cause });
  }
}

/** Contenders take turns; each round is divided by the first one's of the same round, and left out where that has no rate. */
async function measureServers(runtime, servers, workload, inFlight) {
  const ratios = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  console.error(`${runtime} ${workload}, ${inFlight} in flight …`);
  for (let round = -1; round < rounds; round++) {
    const rates = {};
    for (const [name, { program, ask }] of Object.entries(contenders)) {
      rates[name] = await askLive(runtime, servers, program, (server) => ask(server, workload, inFlight));
    }
    const [base] = Object.values(rates);
    // The first round warms up.
    if (round < 0 || base === undefined) continue;
    for (const [name, rate] of Object.entries(rates)) if (rate !== undefined) ratios[name].push(rate / base);
  }
  return ratios;
}

/**
 * Asks a server, or its successor: on Deno the end of a connection may end the process that sends GOAWAY to it. One that
 * dies of every round has no rate.
 */
async function askLive(runtime, servers, program, ask) {
  for (let attempt = 0; attempt < 3; attempt++) {
    const rate = ask(servers[program]);
    if (rate !== undefined) return rate;
    await setTimeout(100);
    const { exitCode, signalCode } = servers[program].child;
    if (exitCode === null && signalCode === null) throw new Error(`${program} did not answer on ${runtime}`);
    console.error(`${program} died on ${runtime} (${signalCode ?? exitCode}) and is started again`);
    servers[program] = await start(runtime, program);
  }
  return undefined;
}

/** Callers take turns in a separate process. */
function measureCallers(runtime, { grpc: grpcUrl, http }, workload, inFlight) {
  const { tool, calls } = workloads[workload];
  const [command, ...args] = commands[runtime](fileURLToPath(new URL("grpc/callers.mjs", import.meta.url)));
  console.error(`${runtime} callers, ${workload}, ${inFlight} in flight …`);
  const { status, stdout, stderr } = spawnSync(
    command,
    [...args, grpcUrl, http, tool, inFlight, rounds, calls / 3].map(String),
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`bench/grpc/callers.mjs failed on ${runtime}: ${stderr}`);
  const rates = JSON.parse(stdout);
  const [base] = Object.values(rates);
  return Object.fromEntries(
    Object.entries(rates).map(([name, all]) => [name, all.map((rate, round) => rate / base[round])]),
  );
}

function grpc({ urls, bytes }, workload, inFlight) {
  const { tool, method, calls } = workloads[workload];
  const [args] = createInputs(tool, 1);
  const message = mcplite.MCPLite.service[method].requestSerialize({ name: tool, arguments: toStruct(args) });
  const head = new Uint8Array(5);
  new DataView(head.buffer).setUint32(1, message.length);
  const target = ["-c", 1, "-m", inFlight, ...grpcHeaders, `${urls.grpc}/mcplite.MCPLite/${method}`];
  return load(Buffer.concat([head, message]), calls, target, bytes.grpc[tool]);
}

function json({ urls, bytes }, workload, inFlight) {
  const { tool, method, calls } = workloads[workload];
  const [args] = createInputs(tool, 1);
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
  const accept = method === "CallTool" ? [] : ["-H", "accept: text/event-stream"];
  const target = ["--h1", "-c", inFlight, ...jsonHeaders, ...accept, `${urls.http}/mcp-lite/v1/rpc`];
  return load(JSON.stringify(body), calls, target, bytes.http[tool]);
}
