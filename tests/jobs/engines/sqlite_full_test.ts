import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Engine } from "../../../src/core/dispatch/engine.ts";
import { sqliteEngine, type SqliteEngineOptions } from "../../../src/entries/engines/sqlite.ts";
import { openDatabase, type SqliteDatabase } from "../../../src/jobs/engines/sqlite/database.ts";
import { openStore, SQLITE_SCHEMA_VERSION, type SqliteStore } from "../../../src/jobs/engines/sqlite/store.ts";
import { SqliteSubscriptions } from "../../../src/jobs/engines/sqlite/subscriptions.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { errorLogger, newJob, type OpenedEngine, Runs, sleep, testEngine, until } from "./fixture.ts";

const LEASE_MS = 1_500;

testEngine("sqlite", () => openSqlite({ leaseMs: LEASE_MS, pollMs: 20 }), { leaseMs: LEASE_MS });

interface OpenedSqlite extends OpenedEngine {
  readonly path: string;
  reopen(): Promise<Engine>;
}

async function openSqlite(options: SqliteEngineOptions = {}): Promise<OpenedSqlite> {
  const folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  const engines = [sqliteEngine(path, options)];
  return {
    path,
    engine: engines[0]!,
    reopen() {
      const engine = sqliteEngine(path, options);
      engines.push(engine);
      return Promise.resolve(engine);
    },
    async close() {
      for (const engine of engines) await engine.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const CONNECTION = { busyTimeoutMs: 5_000, synchronous: "NORMAL" } as const;

/** Opens the file as another program would. */
function openRaw(path: string): SqliteDatabase {
  return openDatabase(path, {
    ...CONNECTION,
    busyTimeoutMs: 1,
    schema: "SELECT 1",
    schemaVersion: SQLITE_SCHEMA_VERSION,
  });
}

function read(database: SqliteDatabase, sql: string): unknown[] {
  const statement = database.prepare(sql);
  const rows = statement.all().map((row) => ({ ...row as object }));
  statement.finalize?.();
  return rows;
}

test("sqlite() says what to do about a folder that is not there", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "missing", "jobs.db");
  throws(() => sqliteEngine(path), /its folder must exist.*mkdir/);
  mkdirSync(join(folder.path, "missing"));
  await sqliteEngine(path).close();
});

for (const path of ["", ":memory:", "file:jobs.db?mode=memory"]) {
  test(`sqlite() refuses ${JSON.stringify(path)}`, () => {
    throws(() => sqliteEngine(path), { name: "TypeError", message: /memoryEngine\(\)/ });
  });
}

for (const [name, value] of Object.entries({ leaseMs: 0, pollMs: Number.NaN, busyTimeoutMs: -1 })) {
  test(`sqlite() refuses ${name}: ${value}`, () => {
    throws(() => sqliteEngine("jobs.db", { [name]: value }), { name: "RangeError", message: new RegExp(name) });
  });
}

test("sqlite() leaves the file of another program alone", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "theirs.db");
  const theirs = openRaw(path);
  theirs.exec("PRAGMA application_id = 7; CREATE TABLE theirs (id)");
  throws(() => sqliteEngine(path), /belongs to another program/);
  deepStrictEqual(read(theirs, "SELECT name FROM sqlite_schema"), [{ name: "theirs" }]);
  theirs.close();
  const text = join(folder.path, "notes.txt");
  writeFileSync(text, "Not a database, but long enough to be taken for one. ".repeat(20));
  throws(() => sqliteEngine(text), /not a database/);
});

test("sqlite() leaves the file of a newer version alone", async () => {
  const opened = await openSqlite();
  const raw = openRaw(opened.path);
  raw.exec("PRAGMA user_version = 4");
  throws(() => sqliteEngine(opened.path), /a newer version of Toolwire wrote it \(schema 4, supported is 3\)/);
  raw.exec("PRAGMA user_version = 1");
  raw.close();
  throws(() => sqliteEngine(opened.path), /an older version of Toolwire wrote it \(schema 1, supported is 3\); delete/);
  await opened.close();
});

test("sqlite() brings the file of schema 2 to the current one, and its jobs go on", async () => {
  const opened = await openSqlite();
  const job = newJob({ state: "running", epoch: 1, memo: { answers: {}, steps: { paid: 1 } } });
  await opened.engine.insert(job);
  await opened.engine.close();
  const raw = openRaw(opened.path);
  // What schema 2 had not.
  raw.exec(
    "DROP TRIGGER ledger_deleted; DROP TABLE ledger; ALTER TABLE jobs DROP COLUMN epoch; PRAGMA user_version = 2",
  );
  raw.close();
  const engine = sqliteEngine(opened.path);
  deepStrictEqual(await engine.get(job.id), job);
  const next = { ...job, epoch: 2, version: 2 };
  strictEqual(await engine.replace(next, 1), true);
  const entry = { name: "step ship", value: 2, startedMs: 1, endedMs: 2, epoch: 2 };
  strictEqual(await engine.appendLedger(job.id, 2, 0, [entry]), true);
  deepStrictEqual(await engine.readLedger(job.id, 0, 100), [entry]);
  await engine.close();
  await opened.close();
});

test("sqlite() writes ahead, and waits for the disk if it is to outlive the machine", async () => {
  await using folder = await temporaryFolder();
  const levels = { process: 1, machine: 2 } as const;
  for (const outlives of ["process", "machine"] as const) {
    const path = join(folder.path, `${outlives}.db`);
    const engine = sqliteEngine(path, { outlives });
    strictEqual(engine.insert(newJob()), true);
    const raw = openDatabase(path, {
      ...CONNECTION,
      synchronous: outlives === "process" ? "NORMAL" : "FULL",
      schema: "SELECT 1",
      schemaVersion: SQLITE_SCHEMA_VERSION,
    });
    deepStrictEqual(read(raw, "PRAGMA journal_mode"), [{ journal_mode: "wal" }]);
    deepStrictEqual(read(raw, "PRAGMA synchronous"), [{ synchronous: levels[outlives] }]);
    raw.close();
    await engine.close();
  }
});

test("sqlite() deletes expired jobs, and what was to be delivered of them", async () => {
  const { path, engine, reopen, close } = await openSqlite();
  const job = newJob({ expiresAtMs: Date.now() + 50 });
  await engine.insert(job);
  await engine.schedule(job.id, 60_000);
  await engine.schedule(job.id, 0);
  await sleep(100);
  // Each process purges at its first insert, and then at intervals.
  await (await reopen()).insert(newJob());
  const raw = openRaw(path);
  deepStrictEqual(read(raw, "SELECT (SELECT count(*) FROM jobs) AS jobs, (SELECT count(*) FROM deliveries) AS due"), [
    { jobs: 1, due: 0 },
  ]);
  raw.close();
  await close();
});

test("sqlite() throws what the database throws, logs it in the background, and continues", async () => {
  const errors: unknown[] = [];
  const options = { busyTimeoutMs: 1, pollMs: 5, leaseMs: 600, logger: errorLogger((error) => errors.push(error)) };
  const { path, engine, close } = await openSqlite(options);
  const jobs = [newJob(), newJob()] as const;
  for (const job of jobs) await engine.insert(job);
  const letGo = await engine.lease(jobs[0].id);
  const runs = new Runs();
  const raw = openRaw(path);
  raw.exec("BEGIN IMMEDIATE");
  await rejects(async () => await engine.insert(newJob()), /locked/);
  const worker = engine.work(runs.run, { concurrency: 1 });
  await until("a renewal fails", () => errors.length > 0);
  await sleep(50);
  strictEqual(errors.length, 1, "one of a row");
  raw.exec("COMMIT");
  raw.close();
  await engine.schedule(jobs[1].id, 0);
  await until("it works again", () => runs.count(jobs[1].id) === 1);
  await letGo();
  await worker.stop();
  await close();
});

test("sqlite() keeps no timer where there is nothing to do", async () => {
  const { engine, close } = await openSqlite();
  const job = newJob();
  await engine.insert(job);
  await engine.schedule(job.id, 0);
  engine.subscribe(job.id, () => {})();
  await (await engine.lease(job.id))();
  await engine.work(() => Promise.resolve(), { concurrency: 1 }).stop();
  // Deno fails a test that leaves a timer running. The last one ends with the next poll.
  await sleep(300);
  await close();
  await engine.close();
  ok(true, "closing again does nothing");
});

test("SqliteStore: who lost a lease can neither renew nor end that of another", async () => {
  await using folder = await temporaryFolder();
  const [one, other] = [0, 1].map(() => openStore(join(folder.path, "jobs.db"), CONNECTION)) as [
    SqliteStore,
    SqliteStore,
  ];
  const job = newJob();
  one.insert(job);
  const lost = one.lease(job.id, 1);
  await sleep(20);
  const [taken] = other.exchange([], 1, 60_000);
  ok(lost !== undefined && taken !== undefined);
  strictEqual(taken.delivery, lost.delivery);
  strictEqual(one.renew(lost, 60_000), false);
  deepStrictEqual(one.exchange([lost], 1, 60_000), [], "it is still taken");
  strictEqual(other.renew(taken, 60_000), true);
  deepStrictEqual(other.exchange([taken], 1, 60_000), [], "it is done");
  deepStrictEqual(one.exchange([], 1, 60_000), []);
  one.close();
  other.close();
});

test("SqliteStore: of a held job nothing is due, so that a search for work does not pass over all that are held", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  const store = openStore(path, CONNECTION);
  const job = newJob();
  store.insert(job);
  store.schedule(job.id, 0);
  const lease = store.lease(job.id, 60_000);
  ok(lease !== undefined);
  const raw = openRaw(path);
  const countDue = () => read(raw, `SELECT count(*) AS due FROM deliveries WHERE due_at_ms <= ${Date.now()}`);
  deepStrictEqual(countDue(), [{ due: 0 }]);
  store.exchange([lease], 0, 60_000);
  deepStrictEqual(countDue(), [{ due: 1 }], "it comes once the job is let go");
  ok(store.lease(job.id, 1) !== undefined);
  await sleep(20);
  const [again] = store.exchange([], 1, 60_000);
  strictEqual(again?.job, job.id, "it comes where the holder has died");
  raw.close();
  store.close();
});

test("SqliteStore: takes and gives back many as one change", async () => {
  await using folder = await temporaryFolder();
  const store = openStore(join(folder.path, "jobs.db"), CONNECTION);
  const jobs = Array.from({ length: 5 }, () => newJob());
  for (const job of jobs) {
    store.insert(job);
    store.schedule(job.id, 0);
  }
  const first = store.exchange([], 3, 60_000);
  const second = store.exchange(first, 3, 60_000);
  deepStrictEqual([...first, ...second].map(({ job }) => job), jobs.map(({ id }) => id));
  deepStrictEqual(store.exchange(second, 3, 60_000), []);
  strictEqual(store.nextDueMs(), Number.POSITIVE_INFINITY, "nothing is left");
  store.close();
});

test("sqlite() delivers again what could not be run", async () => {
  const errors: unknown[] = [];
  const { engine, close } = await openSqlite({
    leaseMs: 200,
    pollMs: 10,
    logger: errorLogger((error) => errors.push(error)),
  });
  const job = newJob();
  await engine.insert(job);
  await engine.schedule(job.id, 0);
  const runs = new Runs(() => runs.begun.length < 2 ? Promise.reject(new Error("lost the file")) : undefined);
  const worker = engine.work(runs.run, { concurrency: 1 });
  await until("it is run again", () => runs.begun.length === 2);
  deepStrictEqual(errors.map(String), ["Error: lost the file"]);
  await worker.stop();
  await close();
});

test("sqlite() does not take its own runs for dead after its event loop stood still", async () => {
  const { engine, close } = await openSqlite({ leaseMs: 200, pollMs: 10 });
  const [run, held] = [newJob(), newJob()];
  await engine.insert(run);
  await engine.insert(held);
  const gate = Promise.withResolvers<void>();
  const runs = new Runs(() => gate.promise);
  const worker = engine.work(runs.run, { concurrency: 5 });
  await engine.lease(held.id);
  await engine.schedule(run.id, 0);
  await until("it is run", () => runs.active === 1);
  const untilMs = Date.now() + 500;
  while (Date.now() < untilMs);
  await sleep(50);
  deepStrictEqual(runs.begun, [run.id]);
  gate.resolve();
  await worker.stop();
  await close();
});

test("SqliteStore: tells in one question which of many jobs others have changed", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  const [one, other] = [openStore(path, CONNECTION), openStore(path, CONNECTION)];
  const [same, changed, removed, missing, late] = [newJob(), newJob(), newJob(), newJob(), newJob()];
  for (const job of [same, changed, removed]) one.insert(job);
  other.replace({ ...changed, version: 2 }, 1);
  other.remove(removed.id);
  other.insert(late);
  const known = [[same.id, 1], [changed.id, 1], [removed.id, 1], [missing.id, null], [late.id, null]] as const;
  const expected = [[changed.id, 2], [removed.id, undefined], [late.id, 1]] as const;
  deepStrictEqual(new Map(one.changed(new Map(known))), new Map(expected));
  one.close();
  other.close();
});

test("SqliteSubscriptions: reads the versions of all watched jobs at once, and only after a write", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  const [one, other] = [openStore(path, CONNECTION), openStore(path, CONNECTION)];
  let questions = 0;
  const ask = one.changed.bind(one);
  one.changed = (known) => {
    questions++;
    return ask(known);
  };
  const subscriptions = new SqliteSubscriptions(one);
  const told: string[] = [];
  const jobs = Array.from({ length: 100 }, () => newJob());
  for (const job of jobs) {
    one.insert(job);
    subscriptions.add(job.id, () => void told.push(job.id));
  }
  subscriptions.poll();
  subscriptions.poll();
  questions = 0;
  const [job] = jobs.slice(50);
  other.replace({ ...job!, version: 2 }, 1);
  await until("it is told", () => {
    subscriptions.poll();
    return told.length > 0;
  });
  deepStrictEqual({ told, questions }, { told: [job!.id], questions: 1 });
  one.close();
  other.close();
});

for (
  const [what, { lookMs, tellMs, deafMs }] of [
    ["ten times as long as one took", { lookMs: 20, tellMs: 0, deafMs: 200 }],
    ["a second at most, however slow one was", { lookMs: 60_000, tellMs: 0, deafMs: 1_000 }],
    ["no longer for what is done by those who are told", { lookMs: 0, tellMs: 60_000, deafMs: 0 }],
  ] as const
) {
  test(`SqliteSubscriptions: between looks it rests ${what}`, async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "jobs.db");
    const [one, other] = [openStore(path, CONNECTION), openStore(path, CONNECTION)];
    const { now } = performance;
    let nowMs = 0;
    performance.now = () => nowMs;
    try {
      const ask = one.changed.bind(one);
      one.changed = (known) => {
        nowMs += lookMs;
        return ask(known);
      };
      const job = newJob();
      one.insert(job);
      const subscriptions = new SqliteSubscriptions(one);
      let told = 0;
      subscriptions.add(job.id, () => {
        told++;
        nowMs += tellMs;
      });
      other.replace({ ...job, version: 2 }, 1);
      subscriptions.poll();
      strictEqual(told, 1);
      other.replace({ ...job, version: 3 }, 2);
      if (deafMs > 0) {
        nowMs += deafMs - 1;
        subscriptions.poll();
        strictEqual(told, 1);
        nowMs += 1;
      }
      subscriptions.poll();
      strictEqual(told, 2);
    } finally {
      performance.now = now;
    }
    one.close();
    other.close();
  });
}

test("SqliteSubscriptions: a look that fails is made up for by the next", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  const [one, other] = [openStore(path, CONNECTION), openStore(path, CONNECTION)];
  const job = newJob();
  one.insert(job);
  const subscriptions = new SqliteSubscriptions(one);
  let told = 0;
  subscriptions.add(job.id, () => void told++);
  other.replace({ ...job, version: 2 }, 1);
  const ask = one.changed.bind(one);
  one.changed = () => {
    throw new Error("database is locked");
  };
  throws(() => subscriptions.poll(), /locked/);
  one.changed = ask;
  subscriptions.poll();
  strictEqual(told, 1);
  one.close();
  other.close();
});

test("SqliteSubscriptions: a job whose version cannot be read because of a lock is read by the next poll", async () => {
  await using folder = await temporaryFolder();
  const store = openStore(join(folder.path, "jobs.db"), CONNECTION);
  const job = newJob();
  store.insert(job);
  const subscriptions = new SqliteSubscriptions(store);
  // The state of the file is known before the subscription that fails.
  subscriptions.add(newJob().id, () => {});
  subscriptions.poll();
  const read = store.version.bind(store);
  store.version = () => {
    throw new Error("database is locked");
  };
  let reported = 0;
  subscriptions.add(job.id, () => void reported++);
  store.version = read;
  await until("the next poll", () => {
    subscriptions.poll();
    return reported === 1;
  });
  store.close();
});
