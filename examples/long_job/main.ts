/** Kills the server in the middle of the job, and redeems its promise at the next process: `bun examples/long_job/main.ts`. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient } from "jsr:@toolwire/toolwire";
import { readRows } from "../database/airports.ts";
import { scoreFrom, toNetwork } from "./hubs.ts";
import type { createHubs } from "./server.ts";

const folder = await mkdtemp(join(tmpdir(), "jobs-"));
const env = { ...process.env, TOOLWIRE_KEYS: "k1:a secret of at least thirty-two bytes" };
const steps: string[] = [];

/** Starts a process of the server. `onLine` receives what it prints after its address. */
async function start(onLine?: (line: string) => void) {
  const runtime = "Deno" in globalThis ? ["run", "-A", "--quiet", "--no-check"] : process.execArgv;
  const args = [...runtime, fileURLToPath(new URL("server.ts", import.meta.url)), join(folder, "jobs.db")];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      if (!line.startsWith("step")) return resolve(line);
      steps.push(line);
      onLine?.(line);
    });
  });
  const client = createClient<ReturnType<typeof createHubs>>(`${url}/mcp-lite/v1`);
  const kill = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { client, kill };
}

const thirdStep = Promise.withResolvers<void>();
const first = await start(() => steps.length === 3 && thirdStep.resolve());
const { token } = await first.client.rank_hubs.start({ top: 3 });
await thirdStep.promise;
await first.kill();
console.log(`killed after ${steps.length} steps; the caller has ${token.slice(0, 30)}…`);

const second = await start();
const hubs = await second.client.$.redeem<{ airport: string; score: number }[]>(token).result();
await second.kill();
console.log(`redeemed elsewhere: ${hubs.map(({ airport, score }) => `${airport} ${score}`).join(", ")}`);

// The same as without a crash, and the only step that may have run twice is the one that was killed.
const network = toNetwork(await readRows("flights-airport.csv"));
const scores = scoreFrom(network, [...network.keys()]);
deepStrictEqual(hubs.map(({ score }) => score), [...scores.values()].sort((a, b) => b - a).slice(0, 3).map(Math.round));
const expected = Math.ceil(network.size / 30);
strictEqual(new Set(steps).size, expected);
ok(steps.length <= expected + 1, `${steps.length} steps were run instead of ${expected}`);
await rm(folder, { recursive: true });
console.log("All results are as expected.");
