// One process of the soak: `process.ts serve <port> <redis url> <lease in ms>`, or `work` instead of `serve`. Its keys are in
// the environment.
import process from "node:process";
import { bullmqEngine } from "../../src/engine/bullmq/mod.ts";
import { keysFromEnv, serve } from "../../src/runtime/serve.ts";
import { createSoakServer } from "./tools.ts";

const [what, port, redis = "", leaseMs] = process.argv.slice(2);
const GRACE_MS = 1_000;
const CONCURRENCY = 20;

const server = createSoakServer({ keys: keysFromEnv(), engine: bullmqEngine({ redis, leaseMs: Number(leaseMs) }) });
if (what === "serve") await serve(server, { port: Number(port), graceMs: GRACE_MS, signals: ["SIGTERM"] });
else {
  server.work({ concurrency: CONCURRENCY });
  process.once("SIGTERM", () => void server.close(GRACE_MS));
}
console.log("ready");
