// Measures gRPC beside its peers, and beside JSON over HTTP, over real sockets by h2load:
// `node bench/grpc.mjs [--runtime bun,deno,node] [--workload add,medium,stream] [--rounds 9]`. Needs `h2load` (Debian: nghttp2-client).
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createInputs } from "./inputs.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, installPeers, readVersion } from "./runtimes.mjs";

const grpcHeaders = [
  "-H",
  "content-type: application/grpc",
  "-H",
  "te: trailers",
];
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

const { values } = parseArgs({
  options: {
    runtime: { type: "string", default: Object.keys(commands).join() },
    workload: { type: "string", default: Object.keys(workloads).join() },
    rounds: { type: "string", default: "9" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-"));
installPeers();
buildPackage();
// They need what was just installed.
const { check } = await import("./grpc/check.mjs");
const { mcplite, toStruct } = await import("./grpc/grpc_js.mjs");
try {
  for (const runtime of values.runtime.split(",")) {
    await measureRuntime(runtime);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureRuntime(runtime) {
  const servers = {};
  try {
    for (const { program } of Object.values(contenders)) {
      servers[program] ??= await start(runtime, program);
    }
    const rows = [];
    for (const workload of values.workload.split(",")) {
      for (const inFlight of flights) {
        rows.push(await measure(runtime, servers, workload, inFlight));
      }
    }
    const head = [
      "calls a second ÷ @grpc/grpc-js",
      ...Object.keys(contenders).slice(1),
    ];
    console.log(
      `\n${runtime} ${readVersion(runtime)}\n\n${formatTable(head, rows)}`,
    );
  } finally {
    for (const { child } of Object.values(servers)) child.kill();
  }
}

async function start(runtime, program) {
  const [command, ...args] = commands[runtime](
    fileURLToPath(new URL(`grpc/${program}.mjs`, import.meta.url)),
  );
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const line = once(createInterface({ input: child.stdout }), "line").then((
    [text],
  ) => JSON.parse(text));
  const ended = once(child, "exit").then(() => {
    throw new Error(`bench/grpc/${program}.mjs ended on ${runtime}`);
  });
  ended.catch(() => {});
  const urls = await Promise.race([line, ended]);
  await check(urls);
  return { child, urls };
}

/** Contenders take turns; each round is divided by the first one's of the same round. */
async function measure(runtime, servers, workload, inFlight) {
  const ratios = {};
  console.error(`${runtime} ${workload}, ${inFlight} in flight …`);
  for (let round = -1; round < Number(values.rounds); round++) {
    let base;
    for (const [name, { program, ask }] of Object.entries(contenders)) {
      const rate = await askLive(
        runtime,
        servers,
        program,
        ({ urls }) => ask(urls, workload, inFlight),
      );
      base ??= rate;
      // The first round warms up.
      if (round >= 0) (ratios[name] ??= []).push(rate / base);
    }
  }
  const [, ...others] = Object.keys(contenders);
  return [
    `${workload}, ${inFlight} in flight`,
    ...others.map((name) => formatSpread(ratios[name])),
  ];
}

/** Asks a server, or its successor: on Deno the end of a connection may end the process of whoever says GOAWAY to it. */
async function askLive(runtime, servers, program, ask) {
  for (let attempt = 0; attempt < 5; attempt++) {
    const rate = ask(servers[program]);
    if (rate !== undefined) return rate;
    await setTimeout(100);
    if (
      servers[program].child.exitCode === null &&
      servers[program].child.signalCode === null
    ) break;
    console.error(
      `${program} died on ${runtime} (${servers[program].child.signalCode}) and is started again`,
    );
    servers[program] = await start(runtime, program);
    ask(servers[program]);
  }
  throw new Error(`${program} did not answer on ${runtime}`);
}

function grpc({ grpc: url }, workload, inFlight) {
  const { tool, method, calls } = workloads[workload];
  const [args] = createInputs(tool, 1);
  const message = mcplite.MCPLite.service[method].requestSerialize({ name: tool, arguments: toStruct(args) });
  const head = new Uint8Array(5);
  new DataView(head.buffer).setUint32(1, message.length);
  const target = ["-c", 1, "-m", inFlight, ...grpcHeaders, `${url}/mcplite.MCPLite/${method}`];
  return load(Buffer.concat([head, message]), calls, target);
}

function json({ http: url }, workload, inFlight) {
  const { tool, method, calls } = workloads[workload];
  const [args] = createInputs(tool, 1);
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
  const accept = method === "CallTool" ? [] : ["-H", "accept: text/event-stream"];
  const target = ["--h1", "-c", inFlight, ...jsonHeaders, ...accept, `${url}/mcp-lite/v1/rpc`];
  return load(JSON.stringify(body), calls, target);
}

/** Calls a second; `undefined` if not all were answered. */
function load(body, calls, target) {
  const file = join(folder, "body");
  writeFileSync(file, body);
  const args = ["-n", calls, "-d", file, ...target].map(String);
  const { status, stdout, error } = spawnSync("h2load", args, { encoding: "utf8" });
  if (error) throw new Error("Needs h2load (Debian: apt-get install nghttp2-client)", { cause: error });
  const succeeded = Number(/(\d+) succeeded/.exec(stdout)?.[1]);
  if (status !== 0 || succeeded !== calls) return undefined;
  return Number(/finished in .*?, ([\d.]+) req\/s/.exec(stdout)[1]);
}
