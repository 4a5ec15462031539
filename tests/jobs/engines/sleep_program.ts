// A process with a server whose tool sleeps: `sleep_program.ts <store> <path or url> <sleep in ms> <task> [token]`. It prints its actions.
import process from "node:process";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, memoryEngine } from "../../../mod.ts";
import type { Engine } from "../../../src/core/dispatch/engine.ts";
import { sqliteEngine } from "../../../src/entries/engines/sqlite.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { openBullmq } from "./bullmq_stores.ts";
import { sleep } from "./fixture.ts";

const [store = "", place = "", sleepMs = "", task = "", token = ""] = process.argv.slice(2);
const LEASE_MS = 1_500;

function openEngine(): Engine {
  if (store === "memory") return memoryEngine();
  if (store === "sqlite") return sqliteEngine(place, { leaseMs: LEASE_MS, pollMs: 20 });
  return openBullmq(store === "redis" ? store : "postgres", place, { leaseMs: LEASE_MS, timeoutMs: 60_000 });
}

const nap = defineTool("nap").describe("Sleep").promise({ budgetMs: 20_000 }).output(v.string()).handle(
  async (_, ctx) => {
    await ctx.step("before", () => console.log("step before"));
    await ctx.sleep("nap", Number(sleepMs));
    await ctx.step("after", () => console.log("step after"));
    return "rested";
  },
);
const server = createServer({
  tools: [nap],
  keys: "k1:a secret that all of these processes know",
  engine: openEngine(),
});
const client = testClient(server);

if (task === "begin") {
  const outcome = await client.nap.outcome();
  const promise = outcome.kind === "promise" ? outcome.token : "";
  for (let isAsleep = false; !isAsleep; await sleep(10)) {
    const status = await client.$.redeem(promise).status();
    isAsleep = status.kind === "promise" && status.progress?.message?.startsWith("Sleeping") === true;
  }
  console.log(`asleep ${promise} `);
  // Its worker lives until the process is killed.
} else {
  server.work({ concurrency: 2 });
  console.log("works");
  const outcome = await client.$.redeem(token).result().then(
    (result) => `result ${result}`,
    (error) => `error ${error}`,
  );
  console.log(`${outcome} at ${Date.now()}`);
  await server.close();
}
