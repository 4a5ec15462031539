/** Storage of Durable Objects over SQLite in memory, for tests of shards without workerd. */
import { ok } from "node:assert/strict";
import type { ObjectStorage } from "../../../src/entries/engines/durable_object.ts";
import { Shard } from "../../../src/jobs/engines/durable_object/shard.ts";
import { openDatabase, type SqliteDatabase } from "../../../src/jobs/engines/sqlite/database.ts";
import { ErrorThrottle } from "../../../src/jobs/engines/store_errors.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

/** Largest string of a row in an object, in bytes. */
const MAX_STRING = 2_000_000;

/** Storage of an object: the tables outlive its instances. Refuses what Cloudflare refuses. */
export class FakeStorage implements ObjectStorage {
  alarmAtMs: number | null = null;
  isBroken = false;
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  readonly sql: ObjectStorage["sql"] = {
    exec: (query, ...bindings) => {
      if (this.isBroken) throw new Error("The storage is broken");
      if (/^\s*(BEGIN|PRAGMA)/.test(query)) throw new Error(`Refused: ${query}`);
      for (const value of bindings) {
        if (typeof value === "string") {
          ok(new TextEncoder().encode(value).length <= MAX_STRING, "The string is too large");
        }
      }
      if (bindings.length === 0 && !query.startsWith("SELECT")) {
        this.#database.exec(query);
        return { rowsWritten: 0, toArray: () => [] };
      }
      const statement = this.#database.prepare(query);
      const isRead = /^\s*SELECT|RETURNING/.test(query);
      const rows = isRead ? statement.all(...bindings) : [];
      const rowsWritten = isRead ? 0 : Number(statement.run(...bindings).changes);
      statement.finalize?.();
      return { rowsWritten, toArray: () => rows as Record<string, unknown>[] };
    },
  };

  transactionSync<Result>(work: () => Result): Result {
    return work();
  }

  getAlarm(): Promise<number | null> {
    return Promise.resolve(this.alarmAtMs);
  }

  setAlarm(atMs: number): Promise<void> {
    this.alarmAtMs = atMs;
    return Promise.resolve();
  }
}

/** Storages that close with the test. */
export async function withStorages(count: number, run: (...storages: FakeStorage[]) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  const options = { busyTimeoutMs: 1, synchronous: "NORMAL", schema: "SELECT 1", schemaVersion: 1 } as const;
  const databases = Array.from({ length: count }, (_, at) => openDatabase(`${folder.path}/${at}.db`, options));
  try {
    await run(...databases.map((database) => new FakeStorage(database)));
  } finally {
    for (const database of databases) database.close();
  }
}

/** A new instance of an object. */
export async function openShard(storage: FakeStorage, errors = new ErrorThrottle("It failed")): Promise<Shard> {
  const shard = new Shard(storage, errors);
  await shard.open();
  return shard;
}
