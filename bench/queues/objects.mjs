// Toolwire's jobs in Durable Objects, in workerd: another process, which is called over HTTP. The other queues are called in process.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundleWorker } from "../../scripts/package/bundle_worker.mjs";
import { findBin } from "../../scripts/runtimes.mjs";
import { Asker } from "../long_work/asker.mjs";

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-08-04",
      durableObjectNamespaces = [(className = "Jobs", uniqueKey = "jobs", enableSql = true)],
      durableObjectStorage = (localDisk = "disk"),
      bindings = [
        (name = "JOBS", durableObjectNamespace = "Jobs"),
        (name = "KEYS", text = "k1:a-secret-of-the-benchmarks-and-of-nothing-else"),
      ],
    )),
    (name = "disk", disk = (path = "disk", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** @returns a queue as that of `openOurs()`. Times are of the two processes' clocks on one machine, in whole milliseconds. */
export async function openObjects() {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-objects-"));
  const { port, stop } = await startWorkerd(folder);
  const asker = new Asker({
    fetch: async (request) =>
      await fetch(
        `http://127.0.0.1:${port}/mcp-lite/v1/calltools`,
        await toInit(request),
      ),
  });
  const call = async (tool, args) => {
    const { _meta } = await asker.ask(tool, args, { promise: true });
    return (await asker.ask("redeem", {
      promise: _meta.promise_token,
      wait_ms: 25_000,
    })).content;
  };
  const begins = new Map();
  return {
    whenBegun: (a) => new Promise((resolve) => begins.set(a, resolve)),
    async add(a) {
      const { sum, begunAtMs } = await call("add", { a, b: 1 });
      begins.get(a)?.(begunAtMs - performance.timeOrigin);
      begins.delete(a);
      return sum;
    },
    nap: async (a, ms) => (await call("nap", { a, ms })).lateMs,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function toInit(request) {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: await request.arrayBuffer(),
  };
}

async function startWorkerd(folder) {
  await bundleWorker(fileURLToPath(new URL("objects_worker.mjs", import.meta.url)), join(folder, "worker.js"));
  writeFileSync(join(folder, "workerd.capnp"), CONFIG);
  mkdirSync(join(folder, "disk"));
  const child = spawn(findBin("workerd"), [
    "serve",
    "workerd.capnp",
    "--control-fd=1",
  ], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = /"port":(\d+)/.exec(line) ?? [];
    if (port === undefined) continue;
    child.stdout.resume();
    return {
      port,
      stop: async () => {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error("workerd ended before it listened");
}
