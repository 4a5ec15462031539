// Callers on separate connections, in several processes, that wait for the same promise of a server in another (Linux).
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { scale } from "../options.mjs";
import { readCpuMs, readResidentMb } from "../proc.mjs";
import { commands } from "../runtimes.mjs";
import { Asker } from "./asker.mjs";

const callersAProcess = 2_500;
/** Of the descriptors that a process may have, so many are for something else. */
const spareDescriptors = 200;
const restingMs = Math.max(100, Math.min(1, scale) * 2_000);

/** How many connections a server may have here, at most `wanted`. */
export function countConnections(wanted) {
  const { stdout } = spawnSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" });
  const limit = stdout.trim() === "unlimited" ? Number.POSITIVE_INFINITY : Number(stdout);
  return Math.min(wanted, limit - spareDescriptors);
}

/** @returns what `count` callers who wait cost the server, as waiting_worker.mjs has it; its memory is all of the process'. */
export async function measureSockets(runtime, count, calls) {
  const server = start(runtime, "sockets_server.mjs", []);
  const callers = [];
  try {
    const { url } = await server.readLine();
    const { pid } = server.child;
    const asker = new Asker({ fetch: (request) => fetch(new Request(url, request)) });
    const measureAdd = async () => {
      const startMs = readCpuMs(pid);
      for (let call = 0; call < calls; call++) await asker.add(call);
      return (readCpuMs(pid) - startMs) / calls;
    };
    const measureIdle = async () => {
      const startMs = readCpuMs(pid);
      await setTimeout(restingMs);
      return (readCpuMs(pid) - startMs) * 1_000 / restingMs;
    };
    await measureAdd();
    const a = 41;
    const token = await asker.hold(a);
    const aloneMs = await measureAdd();
    const restMs = await measureIdle();
    const emptyMb = readResidentMb(pid);
    for (let left = count; left > 0; left -= callersAProcess) {
      const some = Math.min(left, callersAProcess);
      callers.push({ some, ...start("node", "sockets_callers.mjs", [url, some, token, a]) });
    }
    for (const { readLine } of callers) await readLine();
    await waitUntilIdle(pid);
    const waitingMb = readResidentMb(pid);
    const idleMs = await measureIdle();
    const besideMs = await measureAdd();
    const startMs = readCpuMs(pid);
    server.child.stdin.write("open\n");
    for (const { some, readLine } of callers) {
      const { right } = await readLine();
      if (right !== some) throw new Error(`${right} of ${some} callers got the right answer on ${runtime}`);
    }
    return {
      bytes: (waitingMb - emptyMb) * 1e6 / count,
      idleMs: idleMs - restMs,
      beside: besideMs / aloneMs,
      end: (readCpuMs(pid) - startMs) / aloneMs,
    };
  } finally {
    for (const { child } of [server, ...callers]) child.kill();
  }
}

/** What it took to come so far is collected in the background; but their time does not wait. */
async function waitUntilIdle(pid) {
  for (let tries = 0; tries < 16; tries++) {
    const beforeMs = readCpuMs(pid);
    await setTimeout(500);
    if (readCpuMs(pid) - beforeMs < 5) return;
  }
}

function start(runtime, file, args) {
  const [command, ...rest] = commands[runtime](fileURLToPath(new URL(file, import.meta.url)));
  const child = spawn(command, [...rest, ...args.map(String)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readLine = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error(`bench/long_work/${file} ended on ${runtime}`);
    return JSON.parse(value);
  };
  return { child, readLine };
}
