import { ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import type { Engine } from "../../../src/core/dispatch/engine.ts";
import type { ToolError } from "../../../src/core/errors/tool_error.ts";
import { type OpenedBullmq, openOn, startStore, STORES, warmUp } from "./bullmq_stores.ts";
import { skipReason, type TestServer } from "./programs.ts";
import { newJob, Runs, sleep, until } from "./fixture.ts";

const OPTIONS = { leaseMs: 1_500, timeoutMs: 2_000 };
const PATIENCE_MS = 30_000;

/** Resolves once a request to the engine succeeds again. */
async function untilDone<Value>(ask: () => Value | Promise<Value>): Promise<Value> {
  for (const dueMs = Date.now() + PATIENCE_MS; Date.now() < dueMs; await sleep(50)) {
    try {
      return await ask();
    } catch (error) {
      strictEqual((error as ToolError).code, "unavailable");
    }
  }
  throw new Error("It did not come back");
}

async function isRefused(engine: Engine): Promise<void> {
  const startMs = performance.now();
  await rejects(async () => await engine.insert(newJob()), (error: ToolError) => {
    strictEqual(error.code, "unavailable");
    ok(error.cause instanceof Error);
    return true;
  });
  const tookMs = performance.now() - startMs;
  ok(tookMs < 10 * OPTIONS.timeoutMs, `It took ${tookMs} ms`);
}

/** Runs a test on each store. */
function check(title: string, run: (server: TestServer, opened: OpenedBullmq) => Promise<void>): void {
  for (const store of STORES) {
    test(`bullmq() on ${store} ${title}`, { skip: skipReason(store), timeout: 4 * PATIENCE_MS }, async () => {
      const server = await startStore(store);
      await warmUp(store, server.url);
      const opened = openOn(store, server.url, OPTIONS);
      try {
        await run(server, opened);
      } finally {
        await opened.close();
        await server.stop();
      }
    });
  }
}

check("refuses calls while its store is down, and goes on when it is back", async (server, { engine, errors }) => {
  const [before, later] = [newJob(), newJob()];
  // The first connection may take longer than the time limit.
  await untilDone(() => engine.insert(before));
  await untilDone(() => engine.insert(later));
  let reported = 0;
  const unsubscribe = engine.subscribe(before.id, () => reported++);
  await until("it listens", () => reported > 0);
  const runs = new Runs();
  const worker = engine.work(runs.run, { concurrency: 2 });
  await engine.schedule(before.id, 0);
  await until("it is run", () => runs.count(before.id) === 1);
  const letGo = await untilDone(() => engine.lease(later.id));

  await server.crash();
  await isRefused(engine);
  await isRefused(engine);
  ok(errors.length > 0, "somebody is told");
  await letGo();
  const toldBefore = reported;
  await server.restart();

  strictEqual((await untilDone(() => engine.get(before.id)))?.version, 1);
  strictEqual(await untilDone(() => engine.replace({ ...before, version: 2 }, 1)), true);
  await until("it listens again", () => reported > toldBefore, PATIENCE_MS);
  await untilDone(() => engine.schedule(before.id, 0));
  await until("the worker works again", () => runs.count(before.id) >= 2, PATIENCE_MS);
  // The release failed: for the store, the process that holds the lease has died.
  await until("the held one is run", () => runs.count(later.id) >= 1, PATIENCE_MS);
  unsubscribe();
  await worker.stop();
});

check("begins as soon as its store is there", async (server, { engine }) => {
  await server.crash();
  const job = newJob();
  const runs = new Runs();
  const worker = engine.work(runs.run, { concurrency: 1 });
  let reported = 0;
  const unsubscribe = engine.subscribe(job.id, () => reported++);
  await isRefused(engine);
  await server.restart();
  strictEqual(await untilDone(() => engine.insert(job)), true);
  await untilDone(() => engine.schedule(job.id, 0));
  await until("it is run", () => runs.count(job.id) > 0, PATIENCE_MS);
  await until("it listens", () => reported > 0, PATIENCE_MS);
  unsubscribe();
  await worker.stop();
});

check("has a job run again that its store has failed", async (server, { engine }) => {
  const job = newJob();
  await engine.insert(job);
  const runs = new Runs(async () => {
    if (runs.begun.length > 1) return;
    await server.crash();
    try {
      await engine.get(job.id);
    } finally {
      await server.restart();
    }
  });
  const worker = engine.work(runs.run, { concurrency: 1 });
  await engine.schedule(job.id, 0);
  await until("it is run again", () => runs.count(job.id) === 2, PATIENCE_MS);
  await worker.stop();
});

check("stops and closes while its store is down", async (server, { engine }) => {
  const job = newJob();
  await engine.insert(job);
  const runs = new Runs(() => sleep(200));
  const worker = engine.work(runs.run, { concurrency: 1 });
  await engine.schedule(job.id, 0);
  engine.subscribe(job.id, () => {});
  await until("it is run", () => runs.active === 1);
  await server.crash();
  await worker.stop();
  strictEqual(runs.active, 0);
  const another = engine.work(runs.run, { concurrency: 1 });
  await another.stop();
  await engine.close();
});
