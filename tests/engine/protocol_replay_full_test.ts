/** Replays traces of the protocol model against BullMQ, on real servers. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../runtime/runtime.ts";
import { openOn, startStore, STORES, warmUp } from "./bullmq_stores.ts";
import { skipReason } from "./programs.ts";
import { replayAll, ReplayEngine } from "./protocol_replay.ts";
import { chooseTraces } from "./protocol_traces.ts";

const SEED = 22;
const BOUNDS = { jobs: 1, replicas: 2, kills: 0, lapses: 1, words: ["a"] } as const;

for (const store of STORES) {
  const skip = runtime === "bun"
    ? skipReason(store)
    : "the protocol has no part for a runtime: once, under bun, is enough";
  const name = `BullMQ on ${store} follows the model within ${JSON.stringify(BOUNDS)}, seed ${SEED}`;
  test(name, { skip, timeout: 300_000 }, async () => {
    const server = await startStore(store);
    await warmUp(store, server.url);
    const { engine, errors, close } = openOn(store, server.url, { timeoutMs: 60_000 });
    const shared = new ReplayEngine(engine, false);
    await replayAll(chooseTraces(BOUNDS, SEED), () => shared);
    await close();
    await server.stop();
    deepStrictEqual(errors, []);
  });
}
