/** Records that another program has spoiled: each is left out and logged, and all others are served. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Redis } from "ioredis";
import { createServer } from "../../../mod.ts";
import type { PromiseEngine } from "../../../src/core/dispatch/deferral.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import { bullmqEngine } from "../../../src/entries/engines/bullmq.ts";
import type { Job } from "../../../src/core/dispatch/engine.ts";
import { openDatabase } from "../../../src/jobs/engines/sqlite/database.ts";
import { sqliteEngine } from "../../../src/entries/engines/sqlite.ts";
import { SQLITE_SCHEMA, SQLITE_SCHEMA_VERSION } from "../../../src/jobs/engines/sqlite/store.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { startStore } from "./bullmq_stores.ts";
import { errorLogger, insertAll, newJob } from "./fixture.ts";
import { skipReason } from "./programs.ts";

/** Spoils the record of a job. */
type Spoil = (job: Job, body: string) => Promise<unknown>;

/** Bodies that are not the job's. */
const BODIES: readonly string[] = ["", '{"id":', "null", "[]", '{"id":"another"}'];

const errors: unknown[] = [];
const logger = errorLogger((error) => errors.push(error));

async function assertServed(engine: PromiseEngine, spoil: Spoil): Promise<void> {
  const kept = newJob();
  const spoiled = BODIES.map(() => newJob());
  await insertAll(engine, [kept, ...spoiled]);
  for (const [at, job] of spoiled.entries()) await spoil(job, BODIES[at] ?? "");
  const server = createServer({ tools: [], engine, logger, work: false });
  errors.length = 0;
  const listed = await jobsOf(server).list();
  deepStrictEqual(listed.jobs.map(({ id }) => id), [kept.id]);
  for (const { id } of spoiled) strictEqual(await engine.get(id), undefined);
  ok(errors.length >= BODIES.length);
  match(String(errors[0]), /JSON|not a job with this id/);
}

test("jobs.list() on SQLite leaves out spoiled records, and logs them", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  const engine = sqliteEngine(path, { logger });
  const other = openDatabase(path, {
    busyTimeoutMs: 1_000,
    synchronous: "NORMAL",
    schema: SQLITE_SCHEMA,
    schemaVersion: SQLITE_SCHEMA_VERSION,
  });
  await assertServed(engine, async ({ id }, body) => {
    const statement = other.prepare("UPDATE jobs SET body = ? WHERE id = ?");
    await Promise.resolve(statement.run(body, id));
  });
  other.close();
  await engine.close();
});

test(
  "jobs.list() on Redis leaves out spoiled records and heads, and logs them",
  { skip: skipReason("redis") },
  async () => {
    const store = await startStore("redis");
    const engine = bullmqEngine({ redis: store.url, name: "spoiled", logger });
    const redis = new Redis(store.url);
    const set = (field: string): Spoil => ({ id }, value) => redis.hset(`{spoiled}:job:${id}`, field, value);
    await assertServed(engine, set("body"));
    const heads = [newJob(), newJob()];
    await insertAll(engine, heads);
    for (const [at, head] of heads.entries()) await set("head")(head, ["[", '["done"]'][at] ?? "");
    errors.length = 0;
    strictEqual((await engine.list?.({}, 100))?.ids.includes(heads[0]?.id ?? ""), false);
    strictEqual(errors.length, heads.length);
    await redis.quit();
    await engine.close();
    await store.stop();
  },
);

test(
  "jobs.list() on PostgreSQL leaves out spoiled records, and logs them",
  { skip: skipReason("postgres") },
  async () => {
    const store = await startStore("postgres");
    const engine = bullmqEngine({ postgres: store.url, name: "spoiled", logger });
    const module: { readonly default: unknown } = await import("pg");
    const { Client } = module.default as { Client: new (url: string) => PostgresClient };
    const client = new Client(store.url);
    await client.connect();
    await assertServed(engine, ({ id }, body) => {
      return client.query("UPDATE toolwire_jobs.jobs SET body = $1 WHERE id = $2", [body, id]);
    });
    await client.end();
    await engine.close();
    await store.stop();
  },
);

interface PostgresClient {
  connect(): Promise<unknown>;
  query(text: string, values: readonly unknown[]): Promise<unknown>;
  end(): Promise<unknown>;
}
