/** A transaction that SQLite has ended by itself, as on a full disk: the first error is reported, and the store can be used again. */
import { deepStrictEqual, throws } from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { openDatabase, type SqliteDatabase } from "../../../src/jobs/engines/sqlite/database.ts";
import { SqliteStore } from "../../../src/jobs/engines/sqlite/store.ts";
import { runtime } from "../../runtime/runtime.ts";
import { messagesOf } from "../../server/second_failures/messages.ts";

/** A database that fails at some of the statements. */
function createFailing(failing: Readonly<Record<string, string>>) {
  const executed: string[] = [];
  const database: SqliteDatabase = {
    exec(sql) {
      executed.push(sql);
      const problem = failing[sql];
      if (problem !== undefined) throw new Error(problem);
    },
    prepare: () => ({ all: () => [], run: () => ({ changes: 0 }) }),
    close() {},
  };
  return { store: new SqliteStore(database), executed };
}

const FULL = "database or disk is full";

test("an error of the work rolls the transaction back", () => {
  const { store, executed } = createFailing({});
  throws(() =>
    store.transaction(() => {
      throw new Error(FULL);
    }), { message: FULL });
  deepStrictEqual(executed, ["BEGIN IMMEDIATE", "ROLLBACK"]);
});

test("an error of the commit is reported, not that of the rollback, which has no transaction left", () => {
  const { store, executed } = createFailing({ COMMIT: FULL, ROLLBACK: "cannot rollback - no transaction is active" });
  throws(() => store.transaction(() => {}), { message: FULL });
  deepStrictEqual(executed, ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"]);
});

test("an error of the work is reported, not that of the rollback", () => {
  const { store } = createFailing({ ROLLBACK: "cannot rollback - no transaction is active" });
  throws(() =>
    store.transaction(() => {
      throw new Error(FULL);
    }), { message: FULL });
});

test("an error of opening is reported, with that of closing beside it", { skip: runtime === "workerd" }, () => {
  const fail = (message: string) => (): never => {
    throw new Error(message);
  };
  class Failing {
    readonly exec = fail(FULL);
    readonly close = fail("disk I/O error");
  }
  const { getBuiltinModule } = process;
  try {
    Object.assign(process, { getBuiltinModule: () => ({ Database: Failing, DatabaseSync: Failing }) });
    const options = { busyTimeoutMs: 1, synchronous: "NORMAL", schema: "", schemaVersion: 1 } as const;
    throws(() => openDatabase("jobs.db", options), (thrown) => {
      deepStrictEqual(messagesOf(thrown), [FULL, "disk I/O error"]);
      return true;
    });
  } finally {
    Object.assign(process, { getBuiltinModule });
  }
});
