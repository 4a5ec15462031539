/** A SQLite file that another process has locked: the engine waits with timers, and the event loop continues. */
import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { openDatabase } from "../../../src/jobs/engines/sqlite/database.ts";
import { SQLITE_SCHEMA_VERSION } from "../../../src/jobs/engines/sqlite/store.ts";
import { sqliteEngine, type SqliteEngineOptions } from "../../../src/entries/engines/sqlite.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { changed, errorLogger, newJob, Runs, sleep, until } from "./fixture.ts";

/** Opens an engine, and its file as another process would. */
async function openLocked(options: SqliteEngineOptions = {}) {
  const folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  const engine = sqliteEngine(path, options);
  const other = openDatabase(path, {
    busyTimeoutMs: 1,
    synchronous: "NORMAL",
    schema: "SELECT 1",
    schemaVersion: SQLITE_SCHEMA_VERSION,
  });
  return {
    engine,
    lock: () => other.exec("BEGIN IMMEDIATE"),
    unlock: () => other.exec("COMMIT"),
    async [Symbol.asyncDispose]() {
      await engine.close();
      other.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Largest time between two turns of the event loop, and the whole time, over a number of timers of 5 ms. */
async function measureTurns(turns: number): Promise<{ readonly largestMs: number; readonly wholeMs: number }> {
  const startedMs = performance.now();
  let largestMs = 0;
  for (let turn = 0, atMs = startedMs; turn < turns; turn++) {
    await sleep(5);
    const nowMs = performance.now();
    largestMs = Math.max(largestMs, nowMs - atMs);
    atMs = nowMs;
  }
  return { largestMs, wholeMs: performance.now() - startedMs };
}

test("sqlite() continues after a lock of another process, and the event loop does not stop meanwhile", async () => {
  await using opened = await openLocked();
  const { engine, lock, unlock } = opened;
  const [first, second, third] = [newJob(), newJob(), newJob()] as const;
  for (const job of [first, third]) strictEqual(await engine.insert(job), true);
  lock();
  const writes = [
    engine.insert(second),
    engine.replace(changed(first, {}), 1),
    engine.schedule(first.id, 60_000),
    engine.lease(first.id),
    engine.remove(third.id),
  ];
  strictEqual((await engine.get(first.id))?.version, 1, "reads do not wait");
  const { largestMs, wholeMs } = await measureTurns(40);
  // The lock is held by this event loop: if it waited, no write could succeed.
  unlock();
  const [isInserted, isReplaced] = await Promise.all(writes);
  strictEqual(isInserted, true);
  strictEqual(isReplaced, true);
  strictEqual((await engine.get(first.id))?.version, 2);
  strictEqual(await engine.get(third.id), undefined);
  ok(largestMs < wholeMs / 2, `the event loop stopped for ${largestMs} of ${wholeMs} ms`);
});

test("sqlite() fails many writes within one time limit, and waits for the next lock again", async () => {
  const busyTimeoutMs = 150;
  await using opened = await openLocked({ busyTimeoutMs });
  const { engine, lock, unlock } = opened;
  const startedMs = performance.now();
  lock();
  const failures: unknown[] = [];
  const [first, ...others] = Array.from(
    { length: 20 },
    async () => await Promise.resolve(engine.insert(newJob())).catch((error) => failures.push(error)),
  );
  await first;
  const waitedMs = performance.now() - startedMs;
  ok(waitedMs >= busyTimeoutMs - 5, `waited ${waitedMs} ms`);
  await sleep(0);
  strictEqual(failures.length, 1 + others.length, "the others fail with the first one");
  for (const failure of failures) match(String(failure), /has had it locked for 150 ms; end its/);
  unlock();
  lock();
  const next = engine.insert(newJob());
  setTimeout(unlock, 20);
  strictEqual(await next, true);
});

test("sqlite() performs waiting writes in their order", async () => {
  await using opened = await openLocked();
  const { engine, lock, unlock } = opened;
  const job = newJob();
  lock();
  const inserted = engine.insert(job);
  const replaced = Array.from({ length: 2_000 }, (_, at) => engine.replace({ ...job, version: at + 2 }, at + 1));
  unlock();
  strictEqual(await inserted, true);
  strictEqual((await Promise.all(replaced)).every(Boolean), true);
  strictEqual((await engine.get(job.id))?.version, 2_001);
});

test("sqlite() delivers after a short lock, without a warning", async () => {
  const errors: unknown[] = [];
  await using opened = await openLocked({ pollMs: 5, logger: errorLogger((error) => errors.push(error)) });
  const { engine, lock, unlock } = opened;
  const job = newJob();
  await engine.insert(job, 0);
  const runs = new Runs();
  lock();
  const worker = engine.work(runs.run, { concurrency: 1 });
  await sleep(50);
  strictEqual(runs.count(job.id), 0);
  unlock();
  await until("the job runs", () => runs.count(job.id) === 1);
  await worker.stop();
  strictEqual(errors.length, 0);
});

test("sqlite() waits for the lock when it is closed, and refuses what comes later", async () => {
  await using opened = await openLocked();
  const { engine, lock, unlock } = opened;
  const job = newJob();
  lock();
  const inserted = engine.insert(job);
  const closed = engine.close();
  unlock();
  strictEqual(await inserted, true);
  await closed;
  await rejects(async () => await engine.insert(newJob()));
});

test("a call that needs a locked SQLite file is answered when the lock ends, or with unavailable", async () => {
  await using opened = await openLocked({ busyTimeoutMs: 1_000, logger: errorLogger(() => {}) });
  const { engine, lock, unlock } = opened;
  const tool = defineTool("add").describe("Add").promise({ budgetMs: 20_000 }).handle(() => 3);
  const server = createServer({ tools: [tool], engine, logger: false });
  const client = createClient<typeof server>(memoryTransport(server), { retry: { attempts: 0 } });
  lock();
  const answered = client.add({}, { idempotencyKey: "one" });
  await sleep(0);
  unlock();
  strictEqual(await answered, 3);
  lock();
  await rejects(client.add({}, { idempotencyKey: "two" }), { code: "unavailable" });
  unlock();
  await server.close(0);
});
