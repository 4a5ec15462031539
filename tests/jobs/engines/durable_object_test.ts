/** Shards over SQLite in memory: alarms, limits of rows, lists over several objects, errors of options. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import type { JobPage } from "../../../src/core/dispatch/engine.ts";
import { DurableObjectEngine } from "../../../src/jobs/engines/durable_object/engine.ts";
import { durableObjects } from "../../../src/entries/engines/durable_object.ts";
import { answerCall, RemoteShard } from "../../../src/jobs/engines/durable_object/remote_shard.ts";
import { ErrorThrottle } from "../../../src/jobs/engines/store_errors.ts";
import { every } from "../../../src/entries/schedules.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { runtime } from "../../runtime/runtime.ts";
import { openShard, withStorages } from "./durable_object_storage.ts";
import { changed, errorLogger, newJob, Runs, sleep, until } from "./fixture.ts";

const skip = runtime !== "bun" && "the objects have no part for a runtime: once, under bun, is enough";

test("a run that ends with its instance is delivered by the next one, which an alarm starts", { skip }, async () => {
  await withStorages(1, async (storage) => {
    const shard = await openShard(storage);
    const job = newJob();
    const hanging = new Runs(() => new Promise(() => {}));
    shard.work(hanging.run, { concurrency: 2 });
    shard.insert(job, 0);
    await until("the job runs", () => hanging.count(job.id) === 1);
    const { alarmAtMs } = storage;
    ok(alarmAtMs !== null && alarmAtMs <= Date.now() + 10_000, "an alarm is set while the job runs");
    // The alarm of the same instance keeps the run.
    await shard.alarm(0);
    await sleep(5);
    strictEqual(hanging.count(job.id), 1);
    ok(storage.alarmAtMs! > Date.now() && storage.alarmAtMs! <= Date.now() + 10_000, "the next alarm is set");

    const next = await openShard(storage);
    const runs = new Runs();
    next.work(runs.run, { concurrency: 2 });
    await next.alarm(0);
    await until("the job runs again", () => runs.count(job.id) === 1);
    await until("the delivery is done", () => storage.alarmAtMs! > Date.now());
    await next.alarm(0);
    await sleep(5);
    strictEqual(runs.begun.length, 1);
  });
});

test("an object with a later delivery has its alarm, and one with jobs that expire, too", { skip }, async () => {
  await withStorages(1, async (storage) => {
    const shard = await openShard(storage);
    strictEqual(storage.alarmAtMs, null, "an empty object sleeps");
    const expiresAtMs = Date.now() + 3_600_000;
    const job = newJob({ expiresAtMs });
    shard.insert(job, null);
    strictEqual(storage.alarmAtMs, expiresAtMs + 60_000);
    shard.schedule(job.id, 100_000);
    ok(Math.abs(storage.alarmAtMs! - Date.now() - 100_000) < 5_000);
    // An alarm that came early, or was lost with its instance, is set again.
    storage.alarmAtMs = null;
    await openShard(storage);
    ok(Math.abs(storage.alarmAtMs! - Date.now() - 100_000) < 5_000);
    storage.sql.exec("DELETE FROM deliveries WHERE 1 = ?", 1);
    storage.alarmAtMs = null;
    await openShard(storage);
    strictEqual(storage.alarmAtMs, expiresAtMs + 60_000);
    shard.replace(changed(job, { expiresAtMs: Date.now() - 1 }), 1);
    await shard.alarm(0);
    await until("the job is deleted", () => shard.get(job.id) === null);
    storage.alarmAtMs = null;
    await openShard(storage);
    strictEqual(storage.alarmAtMs, null);
  });
});

test("an alarm that fails is repeated, and set again before Cloudflare drops it", { skip }, async () => {
  await withStorages(1, async (storage) => {
    const shard = await openShard(storage);
    storage.isBroken = true;
    await rejects(shard.alarm(0), /broken/);
    await rejects(shard.alarm(4), /broken/);
    storage.alarmAtMs = null;
    await shard.alarm(5);
    ok(storage.alarmAtMs! > Date.now());
  });
});

test("a run that rejects is delivered again, and logged once", { skip }, async () => {
  await withStorages(1, async (storage) => {
    const logged: unknown[] = [];
    const shard = await openShard(storage, new ErrorThrottle("It failed", errorLogger((error) => logged.push(error))));
    const job = newJob();
    const failure = new Error("The engine failed");
    const runs = new Runs(() => runs.begun.length === 1 ? Promise.reject(failure) : undefined);
    shard.work(runs.run, { concurrency: 1 });
    shard.insert(job, 0);
    await until("the run has failed", () => logged.length === 1);
    deepStrictEqual(logged, [failure]);
    await until("the alarm is set", () => storage.alarmAtMs! <= Date.now() + 1_000);
    // In place of waiting for the time.
    storage.sql.exec("UPDATE deliveries SET due_at_ms = ?", 0);
    await shard.alarm(0);
    await until("it runs again", () => runs.count(job.id) === 2);
  });
});

test("a job is in parts if it is larger than a row, and its parts end with it", { skip }, async () => {
  await withStorages(1, async (storage) => {
    const shard = await openShard(storage);
    const parts = () => Number(storage.sql.exec("SELECT count(*) AS n FROM parts WHERE 1 = ?", 1).toArray()[0]!["n"]);
    // In one of them, the boundaries are within pairs of surrogates.
    for (const start of ["", "x"]) {
      const text = newJob({ args: `${start}${"😀".repeat(600_000)}` });
      strictEqual(shard.insert(text, null), true);
      ok(shard.get(text.id)?.args === text.args, "the text is unchanged");
      shard.remove(text.id);
    }
    const large = newJob({ args: "é".repeat(2_400_000) });
    strictEqual(shard.insert(large, null), true);
    deepStrictEqual({ ...shard.get(large.id) }, large);
    const stored = parts();
    ok(stored >= 5);
    strictEqual(shard.insert(large, null), false);
    strictEqual(shard.replace(changed(large, {}), 7), false, "an older version");
    strictEqual(parts(), stored, "no parts of changes that failed");
    strictEqual(shard.replace(changed(large, { attempt: 1 }), 1), true);
    strictEqual(parts(), stored);
    deepStrictEqual({ ...shard.get(large.id) }, changed(large, { attempt: 1 }));
    strictEqual(shard.replace(changed({ ...large, version: 2 }, { args: null }), 2), true);
    strictEqual(parts(), 0);
    shard.insert(newJob({ ...large, id: "other" }), null);
    shard.remove("other");
    strictEqual(parts(), 0);
  });
});

test("jobs of several objects are one list, and calls of unknown methods are refused", { skip }, async () => {
  await withStorages(3, async (...storages) => {
    const shards = await Promise.all(storages.map((storage) => openShard(storage)));
    const calls: string[] = [];
    const shardAt = (index: number, signal: AbortSignal) =>
      new RemoteShard(async (url, { body }) => {
        calls.push(url);
        return await answerCall(shards[index]!, new Request(url, { method: "POST", body }));
      }, signal);
    const engine = new DurableObjectEngine({ shards: 3, leaseMs: 1_000, shardAt });
    const jobs = Array.from({ length: 30 }, (_, n) => newJob({ createdAtMs: 1_700_000_000_000 + n }));
    for (const job of jobs) strictEqual(await engine.insert(job), true);
    ok(shards.every((shard) => shard.heads({}, null).length > 0), "each object has some");
    const ids: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 8 && (page === 0 || cursor !== undefined); page++) {
      const listed: JobPage = await engine.list({}, 7, cursor);
      ids.push(...listed.ids);
      ({ cursor } = listed);
    }
    deepStrictEqual(ids, jobs.map(({ id }) => id).reverse());
    await rejects(engine.list({}, 7, "x"), { code: "invalid_request" });
    for (
      const url of ["https://shard/v1/constructor", "https://shard/v1/alarm", "https://shard/v2/get", "https://other/"]
    ) {
      strictEqual((await answerCall(shards[0]!, new Request(url, { method: "POST", body: "[]" }))).status, 404);
    }
    throws(() => engine.work(() => Promise.resolve(), { concurrency: 1 }), /Cannot work in a Worker/);
  });
});

test("a schema of another version is refused", { skip }, async () => {
  await withStorages(1, async (storage) => {
    await openShard(storage);
    storage.sql.exec("UPDATE toolwire SET schema_version = ?", 99);
    await rejects(openShard(storage), /schema 99/);
  });
});

test("a call of a promising tool is stored at once, and answered within its budget", { skip }, async () => {
  await withStorages(1, async (storage) => {
    const objects: { fetch(request: Request): Promise<Response> }[] = [];
    const namespace = () => ({
      idFromName: (name: string) => name,
      get: () => ({ fetch: (url: string, init: RequestInit) => objects[0]!.fetch(new Request(url, init)) }),
    });
    let runs = 0;
    const report = defineTool("report").describe("Report").promise({ budgetMs: 60_000 }).handle(() => `run ${++runs}`);
    const jobs = durableObjects({
      namespace,
      shards: 1,
      server: (engine) => createServer({ tools: [report], keys: "k1:a secret of at least thirty-two bytes", engine }),
    });
    const state = { id: "toolwire/1/0", storage, blockConcurrencyWhile: <T>(work: () => Promise<T>) => work() };
    objects.push(new jobs.Shard(state, {}));
    const client = testClient(jobs.server({}));
    strictEqual(await client.report(), "run 1");
    strictEqual(Number(storage.sql.exec("SELECT count(*) AS n FROM jobs WHERE 1 = ?", 1).toArray()[0]!["n"]), 1);
    const [one, other] = await Promise.all([1, 2].map(() => client.report({}, { idempotencyKey: "k" })));
    strictEqual(one, other);
    const work = await client.report.start();
    strictEqual(await work.result(), "run 3");
  });
});

test("runs in an object have its env, and the Cron Trigger of the Worker starts schedules", { skip }, async () => {
  await withStorages(1, async (storage) => {
    interface Env {
      readonly place: string;
    }
    const objects: { fetch(request: Request): Promise<Response> }[] = [];
    const state = { id: "toolwire/1/0", storage, blockConcurrencyWhile: <T>(work: () => Promise<T>) => work() };
    const namespace = () => ({
      idFromName: (name: string) => name,
      get: () => ({
        fetch: (url: string, init: RequestInit) => {
          if (objects.length === 0) objects.push(new jobs.Shard(state, { place: "object" }));
          return objects[0]!.fetch(new Request(url, init));
        },
      }),
    });
    const where = defineTool("where").describe("Name the place").promise({ budgetMs: 60_000 })
      .handle((_, ctx) => (ctx.env as Env).place);
    const jobs = durableObjects({
      namespace,
      shards: 1,
      server: (engine, _env: Env) =>
        createServer({
          tools: [where],
          schedules: [every("1h", where)],
          keys: "k1:a secret of at least thirty-two bytes",
          engine,
        }),
    });
    const worker = { place: "worker" };
    throws(() => jobs.server(worker).work(), { message: /export default \{ fetch, scheduled: jobs.scheduled \}/ });
    const count = () => Number(storage.sql.exec("SELECT count(*) AS n FROM jobs WHERE 1 = ?", 1).toArray()[0]!["n"]);
    const { scheduled } = jobs;
    await scheduled({ cron: "*/30 * * * *" }, worker, {});
    await until("the next call of the schedule is stored", () => count() === 1);
    strictEqual(await testClient(jobs.server(worker)).where(), "object");
  });
});

test(
  "a Worker sees the latest progress of a job, and not each state between two requests to its object",
  { skip },
  async () => {
    await withStorages(1, async (storage) => {
      const objects: { fetch(request: Request): Promise<Response> }[] = [];
      const namespace = () => ({
        idFromName: (name: string) => name,
        get: () => ({ fetch: (url: string, init: RequestInit) => objects[0]!.fetch(new Request(url, init)) }),
      });
      const gate = Promise.withResolvers<void>();
      const count = defineTool("count").describe("Count").promise({ budgetMs: 60_000 }).handle(async (_, ctx) => {
        for (let done = 1; done <= 50; done++) ctx.progress(done, 50);
        await gate.promise;
        return "counted";
      });
      const jobs = durableObjects({
        namespace,
        shards: 1,
        server: (engine) => createServer({ tools: [count], keys: "k1:a secret of at least thirty-two bytes", engine }),
      });
      const state = { id: "toolwire/1/0", storage, blockConcurrencyWhile: <T>(work: () => Promise<T>) => work() };
      objects.push(new jobs.Shard(state, {}));
      const seen: number[] = [];
      const onProgress = ({ done }: { readonly done: number }) => {
        seen.push(done);
        if (done === 50) gate.resolve();
      };
      // The handler waits for the caller to have seen its last state: that one is never skipped.
      strictEqual(await testClient(jobs.server({})).count({}, { onProgress }), "counted");
      strictEqual(seen.at(-1), 50);
      deepStrictEqual(seen, [...new Set(seen)].sort((one, other) => one - other), "it never goes back");
      ok(seen.length < 50, `not each of 50 states: ${seen.length}`);
    });
  },
);

test("durableObjects() refuses missing and invalid options", () => {
  const namespace = () => undefined as never;
  const server = () => ({ work: () => ({ stop: () => Promise.resolve() }) });
  throws(() => durableObjects({ server } as never), { name: "TypeError", message: /namespace/ });
  throws(() => durableObjects({ namespace, server, shards: 0 }), { name: "RangeError", message: /shards/ });
  throws(() => durableObjects({ namespace, server, shard: 2 } as never), { name: "TypeError", message: /shard/ });
  throws(() => durableObjects({ namespace, server }).server({}), /the binding is undefined/);
  const keyless = durableObjects({
    namespace: () => ({ idFromName: String, get: () => ({ fetch: () => Promise.reject() }) }),
    server: (engine) => createServer({ tools: [defineTool("a").describe("A").promise().handle(() => 1)], engine }),
  });
  throws(() => keyless.server({}), { name: "TypeError", message: /need the same keys.*keys: env/ });
});
