// One process of the soak: `process.ts serve <port> <URL or path of the store> <lease in ms> <URL for webhooks>`, or `work` instead of
// `serve`. Its keys are in the environment.
import process from "node:process";
import { bullmqEngine } from "../../src/entries/engines/bullmq.ts";
import type { Engine } from "../../src/entries/engines.ts";
import { sqliteEngine } from "../../src/entries/engines/sqlite.ts";
import { keysFromEnv, serve } from "../../src/entries/serve.ts";
import { createSoakServer } from "./tools.ts";

const [what, port, store = "", lease, webhookUrl = ""] = process.argv.slice(2);
const GRACE_MS = 1_000;
const CONCURRENCY = 20;

function openEngine(): Engine {
  const leaseMs = Number(lease);
  if (!store.includes("://")) return sqliteEngine(store, { leaseMs });
  return bullmqEngine(store.startsWith("redis") ? { redis: store, leaseMs } : { postgres: store, leaseMs });
}

const server = createSoakServer({ keys: keysFromEnv(), engine: openEngine(), webhookUrl });
if (what === "serve") await serve(server, { port: Number(port), graceMs: GRACE_MS, signals: ["SIGTERM"] });
else {
  server.work({ concurrency: CONCURRENCY });
  process.once("SIGTERM", () => void server.close(GRACE_MS));
}
console.log("ready");
