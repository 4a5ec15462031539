/** Replays traces of the protocol model against BullMQ on real servers, and against a Durable Object over storage in memory. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { DurableObjectEngine } from "../../../src/jobs/engines/durable_object/engine.ts";
import { runtime } from "../../runtime/runtime.ts";
import { openOn, startStore, STORES, warmUp } from "./bullmq_stores.ts";
import { openShard, withStorages } from "./durable_object_storage.ts";
import { skipReason } from "./programs.ts";
import { replayAll, ReplayEngine } from "./protocol_replay.ts";
import { chooseTraces } from "./protocol_traces.ts";

const SEED = 22;
const BOUNDS = { jobs: 1, replicas: 2, kills: 0, lapses: 1, words: ["a"] } as const;

const onceUnderBun = runtime !== "bun" && "the protocol has no part for a runtime: once, under bun, is enough";
const within = `within ${JSON.stringify(BOUNDS)}, seed ${SEED}`;

for (const store of STORES) {
  const skip = onceUnderBun || skipReason(store);
  test(`BullMQ on ${store} follows the model ${within}`, { skip, timeout: 300_000 }, async () => {
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

test(
  `the engine of Durable Objects follows the model ${within}`,
  { skip: onceUnderBun, timeout: 300_000 },
  async () => {
    await withStorages(1, async (storage) => {
      const shard = await openShard(storage);
      const engine = new DurableObjectEngine({ shards: 1, leaseMs: 60_000, shardAt: () => shard, own: shard });
      const shared = new ReplayEngine(engine, false);
      await replayAll(chooseTraces(BOUNDS, SEED), () => shared);
      await engine.close();
    });
  },
);
