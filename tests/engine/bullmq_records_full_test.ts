import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import type { Backend, BullmqLease, Delivery, LeaseResult } from "../../src/engine/bullmq/backend.ts";
import { PostgresBackend } from "../../src/engine/bullmq/postgres.ts";
import { RedisBackend } from "../../src/engine/bullmq/redis.ts";
import { ErrorThrottle } from "../../src/engine/store_errors.ts";
import { startStore, STORES } from "./bullmq_stores.ts";
import { type ServerName, skipReason } from "./programs.ts";
import { newJob, sleep } from "./fixture.ts";

const LONG_MS = 60_000;
const SHORT_MS = 20;

function openBackend(store: ServerName, url: string): Backend {
  const options = {
    name: "records",
    leaseMs: 10_000,
    timeoutMs: 60_000,
    errors: new ErrorThrottle("The store failed"),
  };
  return store === "redis" ? new RedisBackend(url, options) : new PostgresBackend(url, options);
}

function newLease({ id, job }: Delivery): BullmqLease {
  return { job, delivery: id, claim: crypto.randomUUID() };
}

function isBusy(taken: LeaseResult): boolean {
  return typeof taken === "object" && taken.busyMs > 0 && taken.busyMs <= LONG_MS;
}

for (const store of STORES) {
  test(`take() on ${store} gives a job to one at a time, and a holder's recovery only what the holder left`, {
    skip: skipReason(store),
    timeout: 120_000,
  }, async () => {
    const server = await startStore(store);
    const backend = openBackend(store, server.url);
    const { records } = backend;
    const job = newJob();
    const deliver = (isRecovery: boolean): Delivery => {
      return { id: crypto.randomUUID(), job: job.id, recordId: "1", isRecovery };
    };
    const take = (delivery: Delivery, leaseMs: number) => records.acquire(delivery, newLease(delivery), leaseMs);
    const [recovery, other] = [deliver(true), deliver(false)];
    strictEqual(await take(other, LONG_MS), "gone", "there is no job yet");
    await records.insert(job, "1");
    strictEqual(await records.recordId(job.id), "1");
    strictEqual(await take({ ...other, recordId: "0" }, LONG_MS), "gone", "it was for another one");
    strictEqual(await take(recovery, LONG_MS), "gone", "nobody holds it yet");

    const held = newLease(recovery);
    strictEqual(await records.acquire({ ...recovery, isRecovery: false }, held, LONG_MS), "acquired");
    ok(isBusy(await take(other, LONG_MS)));
    ok(isBusy(await take(recovery, LONG_MS)));
    await records.release(held);
    strictEqual(await take(recovery, LONG_MS), "gone", "it was let go");

    strictEqual(await records.acquire({ ...recovery, isRecovery: false }, held, LONG_MS), "acquired");
    await records.renew([held], SHORT_MS);
    await sleep(10 * SHORT_MS);
    strictEqual(await take(recovery, SHORT_MS), "acquired", "the holder has died");
    await sleep(10 * SHORT_MS);
    strictEqual(await take(recovery, SHORT_MS), "acquired", "whoever took it has died, too");
    await sleep(10 * SHORT_MS);
    const last = newLease(other);
    strictEqual(await records.acquire(other, last, SHORT_MS), "acquired");
    await sleep(10 * SHORT_MS);
    strictEqual(await take(recovery, LONG_MS), "gone", "another delivery sees to it now");

    // A lost lease can neither renew nor release the lease of another process.
    await records.renew([held], LONG_MS);
    strictEqual(await take(other, LONG_MS), "acquired");
    await records.renew([held, last], SHORT_MS);
    await records.release(last);
    await sleep(10 * SHORT_MS);
    ok(isBusy(await take(deliver(false), LONG_MS)));
    deepStrictEqual({ ...await records.get(job.id) }, job);
    await backend.close();
    await server.stop();
  });
}
