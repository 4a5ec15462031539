import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { after, describe, test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { bullmqEngine, type BullmqEngineOptions } from "../../../src/entries/engines/bullmq.ts";
import { openBullmq, openOn, startStore, STORES, warmUp } from "./bullmq_stores.ts";
import type { Job } from "../../../src/core/dispatch/engine.ts";
import { type ServerName, skipReason, type TestServer } from "./programs.ts";
import { newJob, Runs, testEngine, until } from "./fixture.ts";

const LEASE_MS = 1_500;
/** Servers start slowly on a busy machine. */
const PATIENT = { timeout: 120_000 };

/** Whether BullMQ reports that a lock was renewed late, which happens on a busy machine with a short lease. */
function isLate(error: unknown): boolean {
  return /could not renew lock|(Missing (lock|key)|Lock mismatch) for job/.test(String(error));
}

async function start(store: ServerName): Promise<TestServer> {
  const server = await startStore(store);
  await warmUp(store, server.url);
  return server;
}

for (const store of STORES) {
  describe(`bullmq() on ${store}`, { skip: skipReason(store) }, () => {
    // One server for all engines; each has its own queue.
    let starting: Promise<TestServer> | undefined;
    const server = () => (starting ??= start(store));
    after(async () => {
      await (await starting)?.stop();
    });

    testEngine(store, async () => {
      const { url } = await server();
      const opened = openOn(store, url, { leaseMs: LEASE_MS });
      return {
        ...opened,
        async close() {
          await opened.close();
          deepStrictEqual(opened.errors.filter((error) => !isLate(error)), []);
        },
      };
    }, { leaseMs: LEASE_MS });

    test("bullmq() keeps queues of different names apart", PATIENT, async () => {
      const { url } = await server();
      const [one, other] = [openBullmq(store, url, { name: "one" }), openBullmq(store, url, { name: "other" })];
      const job = newJob();
      strictEqual(await one.insert(job), true);
      strictEqual(await other.get(job.id), undefined);
      strictEqual(await other.insert({ ...job, tool: "other" }), true, "the id is free there");
      let reported = 0;
      const unsubscribe = other.subscribe(job.id, () => reported++);
      await until("it listens", () => reported > 0);
      const before = reported;
      const [runs, others] = [new Runs(), new Runs()];
      const workers = [one.work(runs.run, { concurrency: 1 }), other.work(others.run, { concurrency: 1 })];
      await one.replace({ ...job, version: 2 }, 1);
      await one.schedule(job.id, 0);
      await until("it is run", () => runs.count(job.id) === 1);
      await one.remove(job.id);
      strictEqual((await other.get(job.id))?.tool, "other");
      strictEqual(reported, before);
      deepStrictEqual(others.begun, []);
      unsubscribe();
      await Promise.all(workers.map((worker) => worker.stop()));
      await Promise.all([one.close(), other.close()]);
    });

    test("bullmq() can be begun by many at once, over an empty store", PATIENT, async () => {
      const fresh = await startStore(store);
      const engines = Array.from({ length: 8 }, () => openBullmq(store, fresh.url, { timeoutMs: 60_000 }));
      const jobs = engines.map(() => newJob());
      strictEqual((await Promise.all(engines.map((engine, n) => engine.insert(jobs[n]!)))).every(Boolean), true);
      const runs = new Runs();
      const worker = engines[0]!.work(runs.run, { concurrency: 4 });
      await Promise.all(engines.map((engine, n) => engine.schedule(jobs[n]!.id, 0)));
      await until("all are run", () => jobs.every(({ id }) => runs.count(id) === 1));
      await worker.stop();
      await Promise.all(engines.map((engine) => engine.close()));
      await fresh.stop();
    });

    test(
      "insert() delivers the job to a worker when it is due, and delivers no job that was refused",
      PATIENT,
      async () => {
        const { url } = await server();
        // The last delay is longer than the time limit of a reply.
        const opened = openOn(store, url, { timeoutMs: 4_000 });
        const { engine } = opened;
        const jobs = [newJob(), newJob(), newJob(), newJob()] as const;
        const [first, late, now, soon] = jobs;
        const ranMs = new Map<string, number>();
        const dueMs = new Map<string, number>();
        const runs = new Runs((id) => void ranMs.set(id, performance.now()));
        const worker = engine.work(runs.run, { concurrency: 4 });
        const insert = async (job: Job, dueInMs: number): Promise<void> => {
          dueMs.set(job.id, performance.now() + dueInMs);
          strictEqual(await engine.insert(job, dueInMs), true);
          strictEqual(await engine.insert(job, 0), false);
        };
        const ran = (job: Job) => until("it is run", () => runs.count(job.id) > 0);
        // The worker waits for deliveries afterwards.
        await insert(first, 0);
        await ran(first);
        await insert(late, 5_000);
        await insert(now, 0);
        await ran(now);
        await insert(soon, 500);
        await ran(soon);
        await ran(late);
        deepStrictEqual([...ranMs.keys()], [first.id, now.id, soon.id, late.id]);
        // By another clock, a timer may be a little early.
        for (const { id } of jobs) ok(ranMs.get(id)! > dueMs.get(id)! - 20);
        await worker.stop();
        strictEqual(runs.begun.length, jobs.length);
        await opened.close();
        deepStrictEqual(opened.errors.map(String), []);
      },
    );

    test("a worker ignores what is delivered of refused inserts, without an error", PATIENT, async () => {
      const { url } = await server();
      const opened = openOn(store, url, {});
      const { engine } = opened;
      const [refused, last] = [newJob(), newJob()];
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 4 });
      strictEqual(await engine.insert(refused, 0), true);
      await until("it is run", () => runs.count(refused.id) > 0);
      for (let round = 0; round < 40; round++) {
        const results = await Promise.all(Array.from({ length: 5 }, () => engine.insert(refused, 0)));
        deepStrictEqual(results, results.map(() => false));
      }
      strictEqual(await engine.insert(last, 0), true);
      await until("the deliveries before it are over", () => runs.count(last.id) > 0);
      await worker.stop();
      strictEqual(runs.begun.length, 2);
      await opened.close();
      deepStrictEqual(opened.errors.map(String), []);
    });

    test("bullmq() has one server redeem what another promised, and cancel what another runs", PATIENT, async () => {
      const { url } = await server();
      const name = `test-${crypto.randomUUID()}`;
      const gate = Promise.withResolvers<string>();
      const [begun, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const tool = defineTool("wait").describe("Wait")
        .input(v.object({ isEndless: v.boolean() })).output(v.string())
        .promise({ budgetMs: 60_000 })
        .handle(({ isEndless }, ctx) => {
          if (!isEndless) return gate.promise;
          ctx.signal.addEventListener("abort", () => aborted.resolve());
          begun.resolve();
          return aborted.promise.then(() => "ended");
        });
      const servers = [0, 1].map(() => {
        return createServer({ tools: [tool], keys: [`k:${"s".repeat(32)}`], engine: openBullmq(store, url, { name }) });
      });
      try {
        const [one, other] = servers.map((each) => createClient<typeof each>(memoryTransport(each)));
        const first = await one!.wait.start({ isEndless: false });
        const result = other!.$.redeem<string>(first.token).result();
        gate.resolve("done");
        strictEqual(await result, "done");
        const second = await one!.wait.start({ isEndless: true });
        await begun.promise;
        strictEqual(await other!.$.redeem(second.token).cancel(), true);
        await aborted.promise;
      } finally {
        await Promise.all(servers.map((each) => each.close()));
      }
    });

    test(
      "close() before anything was asked for connects to nothing, and calls after it are refused",
      PATIENT,
      async () => {
        const engine = openBullmq(store, "redis://127.0.0.1:1", {});
        await engine.close();
        await engine.close();
        await rejects(async () => await engine.insert(newJob()), { code: "unavailable" });
        engine.subscribe(newJob().id, () => {})();
      },
    );
  });
}

for (
  const [what, options] of Object.entries<object>({
    "no store": {},
    "two stores": { redis: "redis://127.0.0.1", postgres: "postgres://127.0.0.1/" },
    "a name with a colon": { redis: "redis://127.0.0.1", name: "a:b" },
    "an empty name": { redis: "redis://127.0.0.1", name: "" },
  })
) {
  test(`bullmq() refuses ${what}`, () => {
    throws(() => bullmqEngine(options as BullmqEngineOptions), { name: "TypeError" });
  });
}

for (const option of ["leaseMs", "timeoutMs"]) {
  test(`bullmq() refuses ${option}: 0`, () => {
    throws(() => bullmqEngine({ redis: "redis://127.0.0.1", [option]: 0 }), {
      name: "RangeError",
      message: new RegExp(option),
    });
  });
}
