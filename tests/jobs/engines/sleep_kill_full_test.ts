/** A job sleeps while every process is killed: it wakes once, in a process that was started afterwards. */
import { match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { overlap } from "../../overlap.ts";
import { command, type Found, type Program, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { startStore } from "./bullmq_stores.ts";
import { findServer, type ServerName } from "./programs.ts";
import { sleep } from "./fixture.ts";

const SLEEP_MS = 10_000;
/** Programs start slowly on a busy machine. */
const PATIENCE_MS = 60_000;
const [runtime] = runtimes;
const bun: Found = runtime?.program ?? { missing: "there is no runtime" };

function start(...args: readonly string[]): Promise<Program> {
  const path = "path" in bun ? bun.path : "";
  return startProgram(command(runtime!, path, "tests/jobs/engines/sleep_program.ts", ...args), { url: false });
}

/** A place for jobs. */
async function place(store: ServerName | "sqlite"): Promise<{ readonly address: string; close(): Promise<void> }> {
  if (store === "sqlite") {
    const folder = await temporaryFolder();
    return { address: join(folder.path, "jobs.db"), close: async () => await folder[Symbol.asyncDispose]() };
  }
  const server = await startStore(store);
  return { address: server.url, close: () => server.stop() };
}

async function sleepsOverKill(store: ServerName | "sqlite"): Promise<void> {
  const { address, close } = await place(store);
  try {
    const startMs = Date.now();
    const first = await start(store, address, `${SLEEP_MS}`, "begin");
    const [, token = ""] = await first.printed(/asleep (\S+) /, PATIENCE_MS);
    ok(Date.now() - startMs < SLEEP_MS, "the machine is too slow for this sleep");
    process.kill(first.pid, "SIGKILL");
    strictEqual(await first.exited, null);
    await sleep(500);
    const others = await Promise.all([1, 2].map(() => start(store, address, `${SLEEP_MS}`, "end", token)));
    try {
      const results = await Promise.all(others.map((other) => other.printed(/result rested at (\d+)/, PATIENCE_MS)));
      for (const [, atMs] of results) {
        ok(Number(atMs) - startMs >= SLEEP_MS, `It woke after ${Number(atMs) - startMs} ms`);
      }
      for (const other of others) strictEqual(await other.exited, 0, other.output());
      const printed = [first, ...others].map((program) => program.output()).join("\n");
      strictEqual(printed.match(/step before/g)?.length, 1, printed);
      strictEqual(printed.match(/step after/g)?.length, 1, printed);
    } finally {
      await Promise.all(others.map((other) => other[Symbol.asyncDispose]()));
    }
  } finally {
    await close();
  }
}

testWith("a job in memory that sleeps ends with its process, and its promise says that it is lost", [bun], async () => {
  const first = await start("memory", "", `${SLEEP_MS}`, "begin");
  const [, token = ""] = await first.printed(/asleep (\S+) /, PATIENCE_MS);
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  await using other = await start("memory", "", `${SLEEP_MS}`, "end", token);
  const [, error = ""] = await other.printed(/error (.+) at \d+/, PATIENCE_MS);
  match(error, /keeps jobs in one process only, until it ends/);
  strictEqual(await other.exited, 0, other.output());
}, 4 * PATIENCE_MS);

const stores = ["sqlite", "redis", "postgres"] as const;
const bodies = overlap(stores.map((store) => () => sleepsOverKill(store)), stores.length);
for (const [index, store] of stores.entries()) {
  const server: Found = store === "sqlite" ? { path: store } : findServer(store);
  testWith(`a job on ${store} sleeps ten seconds while every process is killed, and wakes once`, [bun, server], () => {
    return bodies[index]!();
  }, 4 * PATIENCE_MS);
}
