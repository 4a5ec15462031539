import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { Redis } from "ioredis";
import { openBullmq, startStore } from "./bullmq_stores.ts";
import { skipReason } from "./programs.ts";
import { insertAll, newJob, until } from "./fixture.ts";

test("bullmqEngine() on Redis drops the positions of removed and expired jobs", {
  skip: skipReason("redis"),
  timeout: 60_000,
}, async () => {
  const server = await startStore("redis");
  const engine = openBullmq("redis", server.url, { name: "lists" });
  const redis = new Redis(server.url);
  const expiresAtMs = Date.now() + 100;
  const expiring = Array.from({ length: 25 }, () => newJob({ expiresAtMs }));
  const [removed, kept] = [newJob(), newJob()];
  await insertAll(engine, [...expiring, removed]);
  await engine.remove(removed.id);
  await until("they have expired", () => Date.now() > expiresAtMs + 10);
  // Each insertion drops up to ten.
  await insertAll(engine, [newJob({ expiresAtMs: Date.now() + 60_000 }), newJob(), kept]);
  const keys = await redis.keys("*");
  const counts = await Promise.all(["positions", "expiries"].map((set) => redis.zcard(`{lists}:${set}`)));
  deepStrictEqual(counts, [3, 3], `keys: ${keys}`);
  ok((await engine.list?.({}, 10))?.ids.includes(kept.id));
  await redis.quit();
  await engine.close();
  await server.stop();
});
