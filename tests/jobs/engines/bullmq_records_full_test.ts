import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { after, test } from "node:test";
import { Redis } from "ioredis";
import type { Backend, BullmqLease, Delivery, LeaseResult } from "../../../src/jobs/engines/bullmq/backend.ts";
import { PostgresBackend } from "../../../src/jobs/engines/bullmq/postgres.ts";
import { RedisBackend } from "../../../src/jobs/engines/bullmq/redis.ts";
import { ErrorThrottle } from "../../../src/jobs/engines/store_errors.ts";
import { openBullmq, startStore, STORES, warmUp } from "./bullmq_stores.ts";
import { startCountingProxy } from "./counting_proxy.ts";
import { type ServerName, skipReason, type TestServer } from "./programs.ts";
import { errorLogger, newJob, Runs, sleep, until } from "./fixture.ts";
import { eventually } from "../../eventually.ts";

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

function newLease(job: string, delivery: string = crypto.randomUUID()): BullmqLease {
  return { job, delivery, claim: crypto.randomUUID() };
}

function isBusy(taken: LeaseResult): boolean {
  return typeof taken === "object" && taken.busyMs > 0 && taken.busyMs <= LONG_MS;
}

type PostgresClient = Record<"connect" | "end" | "query", (text?: string) => Promise<unknown>>;

async function connectPostgres(url: string): Promise<PostgresClient> {
  const module: { readonly default: unknown } = await import("pg");
  const { Client } = module.default as { Client: new (url: string) => PostgresClient };
  const client = new Client(url);
  await client.connect();
  return client;
}

/** Has the store refuse deliveries until the returned function is called. */
async function refuseDeliveries(store: ServerName, url: string): Promise<() => Promise<unknown>> {
  if (store === "redis") {
    const client = new Redis(url);
    const [meta, saved] = ["{toolwire}:deliveries:meta", "{toolwire}:saved"] as const;
    // Of a wrong type, so that BullMQ's scripts fail.
    await client.multi().rename(meta, saved).set(meta, "").exec();
    return async () => {
      await client.rename(saved, meta);
      await client.quit();
    };
  }
  const client = await connectPostgres(url);
  await client.query("ALTER FUNCTION bullmq.add_job RENAME TO add_no_job");
  return async () => {
    await client.query("ALTER FUNCTION bullmq.add_no_job RENAME TO add_job");
    await client.end();
  };
}

for (const store of STORES) {
  // One server for all tests.
  let starting: Promise<TestServer> | undefined;
  const start = () => (starting ??= startStore(store));
  after(async () => {
    await (await starting)?.stop();
  });

  test(`a lease on ${store} has one holder at a time, and a recovery gets only what its holder left`, {
    skip: skipReason(store),
    timeout: 120_000,
  }, async () => {
    const server = await start();
    const backend = openBackend(store, server.url);
    const { records } = backend;
    const job = newJob();
    const [held, other] = [newLease(job.id), { id: crypto.randomUUID(), job: job.id, recordId: "1" }];
    const recovery: Delivery = { id: held.delivery, job: job.id };
    const take = (delivery: Delivery, leaseMs: number) => {
      return records.acquire(delivery, newLease(job.id, delivery.id), leaseMs);
    };
    strictEqual(await take(other, LONG_MS), "gone", "there is no job yet");
    strictEqual(await records.lease(held, LONG_MS), false, "there is no job yet");
    await records.insert(job, "1");
    strictEqual(await records.recordId(job.id), "1");
    strictEqual(await take({ ...other, recordId: "0" }, LONG_MS), "gone", "it is of another record");
    strictEqual(await take(recovery, LONG_MS), "gone", "the lease is not held yet");

    strictEqual(await records.lease(held, LONG_MS), true);
    strictEqual(await records.lease(newLease(job.id), LONG_MS), false);
    ok(isBusy(await take(other, LONG_MS)));
    ok(isBusy(await take(recovery, LONG_MS)));
    await records.release(held);
    strictEqual(await take(recovery, LONG_MS), "gone", "it was released");

    strictEqual(await records.lease(held, LONG_MS), true);
    await records.renew([held], SHORT_MS);
    await sleep(10 * SHORT_MS);
    strictEqual(await take(recovery, SHORT_MS), "acquired", "the holder has died");
    await sleep(10 * SHORT_MS);
    strictEqual(await take(recovery, SHORT_MS), "acquired", "the worker has died, too");
    await sleep(10 * SHORT_MS);
    strictEqual(await take(other, SHORT_MS), "acquired");
    await sleep(10 * SHORT_MS);
    strictEqual(await take(recovery, LONG_MS), "gone", "another delivery has the job now");

    // A lost lease can neither renew nor release the lease of another process.
    await records.renew([held], LONG_MS);
    const last = newLease(job.id);
    strictEqual(await records.lease(last, LONG_MS), true);
    await records.renew([held], SHORT_MS);
    await records.release(held);
    await sleep(10 * SHORT_MS);
    ok(isBusy(await take({ ...other, id: crypto.randomUUID() }, LONG_MS)));
    deepStrictEqual({ ...await records.get(job.id) }, job);
    await backend.close();
  });

  test(`insert() and lease() on ${store} take one round trip`, {
    skip: skipReason(store),
    timeout: 120_000,
  }, async () => {
    const server = await start();
    const proxy = await startCountingProxy(server.url);
    const engine = openBullmq(store, proxy.url, { name: "trips", timeoutMs: 60_000 });
    const [first, now, later] = [newJob(), newJob(), newJob()];
    // Connects, creates the tables and loads the scripts.
    await engine.insert(first, 60_000);
    await engine.lease(first.id);
    await engine.insert(newJob(), 0);
    const trips: number[] = [];
    for (
      const send of [() => engine.insert(now, 0), () => engine.insert(later, 60_000), () => engine.lease(later.id)]
    ) {
      const before = proxy.count();
      await send();
      trips.push(proxy.count() - before);
    }
    deepStrictEqual(trips, [1, 1, 1]);
    await engine.close();
    proxy.close();
  });

  test(`insert() and lease() on ${store} change nothing if the delivery cannot be scheduled`, {
    skip: skipReason(store),
    timeout: 120_000,
  }, async () => {
    const server = await start();
    const engine = openBullmq(store, server.url, { timeoutMs: 60_000, logger: errorLogger(() => {}) });
    const [first, job, kept] = [newJob(), newJob(), newJob()];
    strictEqual(await engine.insert(first, 0), true);
    await (await engine.lease(first.id))();
    await engine.insert(kept);

    const accept = await refuseDeliveries(store, server.url);
    await rejects(async () => await engine.insert(job, 0), { code: "unavailable" });
    strictEqual(await engine.get(job.id), undefined);
    await rejects(async () => await engine.lease(kept.id), { code: "unavailable" });
    await accept();

    const runs = new Runs();
    const worker = engine.work(runs.run, { concurrency: 2 });
    strictEqual(await engine.insert(job, 0), true);
    await engine.schedule(kept.id, 0);
    await until("both are run", () => runs.count(job.id) === 1 && runs.count(kept.id) === 1);
    await worker.stop();
    await engine.close();
  });
}

test("close() on PostgreSQL ends the connections of inserts under way", {
  skip: skipReason("postgres"),
  timeout: 120_000,
}, async () => {
  const server = await startStore("postgres");
  const observer = await connectPostgres(server.url);
  const engines = Array.from({ length: 4 }, () => {
    return openBullmq("postgres", server.url, { timeoutMs: 5_000, logger: errorLogger(() => {}) });
  });
  await warmUp("postgres", server.url);
  for (const engine of engines) await engine.insert(newJob(), 0);
  await Promise.all(engines.map(async (engine, n) => {
    const inserts = Promise.allSettled(Array.from({ length: 30 }, async () => await engine.insert(newJob(), 0)));
    // Each engine is closed at another point of its inserts.
    for (let turn = 0; turn < n; turn++) await new Promise((resolve) => setImmediate(resolve));
    await engine.close();
    await inserts;
  }));
  const text = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'";
  const count = async () => ((await observer.query(text)) as { rows: [{ count: number }] }).rows[0].count;
  await eventually(async () => await count() === 1, "only the connection of this query is open");
  await observer.end();
  await server.stop();
});

test(
  "insert() and lease() on Redis succeed after SCRIPT FLUSH",
  { skip: skipReason("redis"), timeout: 120_000 },
  async () => {
    const server = await startStore("redis");
    const engine = openBullmq("redis", server.url, { timeoutMs: 60_000 });
    const client = new Redis(server.url);
    const jobs = [newJob(), newJob(), newJob()];
    const runs = new Runs();
    const worker = engine.work(runs.run, { concurrency: 2 });
    for (const job of jobs) {
      // Two kinds of delivery: due at once, and later.
      await client.script("FLUSH");
      strictEqual(await engine.insert(job, 0), true);
      await until("it is run", () => runs.count(job.id) === 1);
      await client.script("FLUSH");
      await (await engine.lease(job.id))();
    }
    await worker.stop();
    strictEqual(runs.begun.length, jobs.length);
    await engine.close();
    await client.quit();
    await server.stop();
  },
);
