// What the console costs a server, as processor time of the server's process for each call over HTTP/1.1: not mounted, mounted and
// watched by no page, watched by a page. `node bench/console.mjs [--runtime bun] [--rate 5000] [--rounds 30] [--seconds 1]`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readCount, readNames, readOptions, readPositive, scale } from "./options.mjs";
import { readCpuMs, readResidentMb } from "./proc.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, readVersion } from "./runtimes.mjs";

/** The servers of one run. The second of the first kind shows what chance does. */
const KINDS = {
  "not mounted": "none",
  "not mounted, again": "none",
  mounted: "mounted",
  watched: "mounted",
};
const CONNECTIONS = 32;
const TICK_MS = 10;

const { runtimes, rate, rounds, seconds } = readOptions({
  runtime: { type: "string", default: "bun,deno,node" },
  rate: { type: "string", default: "5000" },
  rounds: { type: "string", default: "30" },
  seconds: { type: "string", default: "1" },
}, ({ runtime, rate, rounds, seconds }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  rate: readCount("--rate", rate),
  rounds: Math.ceil(readPositive("--rounds", rounds) * scale),
  seconds: readPositive("--seconds", seconds) * Math.max(scale, 0.1),
}));
if (runtimes.includes("node")) buildPackage();

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "add", arguments: { a: 1, b: 2 } },
});
const headers = {
  "content-type": "application/json",
  "content-length": Buffer.byteLength(body),
};

function call(url) {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/mcp-lite/v1/calltools`, {
      method: "POST",
      agent,
      headers,
    }, (response) => {
      response.on(
        "end",
        () => response.statusCode === 200 ? resolve() : reject(new Error(response.statusCode)),
      );
      response.resume();
    });
    sent.on("error", reject).end(body);
  });
}

/** Calls at the rate, and returns calls and seconds. A machine that is too slow reaches fewer. */
async function load(url, seconds) {
  const begin = performance.now();
  let calls = 0;
  let waiting = [];
  for (
    let elapsedMs = 0;
    elapsedMs < seconds * 1_000;
    elapsedMs = performance.now() - begin
  ) {
    const due = Math.min(
      Math.ceil(elapsedMs / 1_000 * rate),
      calls + rate * TICK_MS / 250,
    ) - calls;
    calls += due;
    waiting.push(...Array.from({ length: due }, () => call(url)));
    if (waiting.length > 4 * CONNECTIONS) {
      await Promise.all(waiting);
      waiting = [];
    } else await setTimeout(TICK_MS);
  }
  await Promise.all(waiting);
  return { calls, tookMs: performance.now() - begin };
}

/** Reads the feed as the page does, until the server ends. Returns a function that counts its bytes. */
async function watch(url) {
  const response = await fetch(`${url}/console/api/feed`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-toolwire-console": "1",
      "x-toolwire-console-key": "bench",
    },
    body: "{}",
  });
  if (!response.ok) throw new Error(await response.text());
  let bytes = 0;
  void (async () => {
    for await (const chunk of response.body) bytes += chunk.length;
  })().catch(() => {});
  return () => bytes;
}

async function start(runtime, [kind, mode]) {
  const script = fileURLToPath(new URL("console/server.mjs", import.meta.url));
  const [command, ...args] = commands[runtime](script);
  const child = spawn(command, [...args, mode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(createInterface(child.stdout), "line");
  await load(url, 2 * Math.max(scale, 0.1));
  const bytes = kind === "watched" ? await watch(url) : () => 0;
  return { kind, url, child, bytes, costs: [], rates: [], residentMb: [] };
}

/** One round of one server. */
async function measure(server) {
  const { url, child: { pid } } = server;
  const before = readCpuMs(pid);
  const { calls, tookMs } = await load(url, seconds);
  server.costs.push((readCpuMs(pid) - before) / calls);
  server.rates.push(calls / tookMs * 1_000);
  server.residentMb.push(readResidentMb(pid));
}

function print(runtime, servers) {
  const [{ costs: base }] = servers;
  console.log(
    `\n${runtime} ${readVersion(runtime)}, ${rounds} rounds of ${seconds} s\n`,
  );
  console.log(formatTable(
    [
      "console",
      "processor time ÷ not mounted",
      "calls a second",
      "memory at first, at last (MB)",
      "feed (MB)",
    ],
    servers.map(({ kind, costs, rates, residentMb, bytes }) => [
      kind,
      formatSpread(costs.map((cost, round) => cost / base[round])),
      formatSpread(rates),
      `${residentMb[0].toFixed(0)}, ${residentMb.at(-1).toFixed(0)}`,
      (bytes() / 1e6).toFixed(1),
    ]),
  ));
}

for (const runtime of runtimes) {
  const servers = await Promise.all(
    Object.entries(KINDS).map((kind) => start(runtime, kind)),
  );
  try {
    for (let round = 0; round < rounds; round++) {
      // Each round begins with another server.
      for (let at = 0; at < servers.length; at++) {
        await measure(servers[(round + at) % servers.length]);
      }
    }
    print(runtime, servers);
  } finally {
    for (const { child } of servers) child.kill("SIGKILL");
  }
}
agent.destroy();
process.exit(0);
