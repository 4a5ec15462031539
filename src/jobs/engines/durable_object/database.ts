/** The tables of an object, as the store of SQLite uses them. */
import type { SqliteDatabase, SqliteStatement, SqliteValue } from "../sqlite/database.ts";
import { SQLITE_SCHEMA, SQLITE_SCHEMA_VERSION, SQLITE_UPGRADES } from "../sqlite/store.ts";
import { PARTS_SCHEMA } from "./bodies.ts";
import type { ObjectStorage } from "./platform.ts";

/** `PRAGMA user_version` is refused in an object. */
const VERSION_TABLE = "CREATE TABLE IF NOT EXISTS toolwire (schema_version INTEGER NOT NULL) STRICT";

/**
 * Opens the database of a Durable Object; creates the tables if it is new.
 *
 * @throws {Error} If another version of the schema wrote the tables.
 */
export function openObjectDatabase(storage: ObjectStorage): SqliteDatabase {
  const { sql } = storage;
  sql.exec(VERSION_TABLE);
  const [row] = sql.exec("SELECT schema_version AS version FROM toolwire").toArray();
  if (row === undefined) {
    storage.transactionSync(() => {
      sql.exec(SQLITE_SCHEMA);
      sql.exec(PARTS_SCHEMA);
      sql.exec("INSERT INTO toolwire (schema_version) VALUES (?)", SQLITE_SCHEMA_VERSION);
    });
  } else if (SQLITE_UPGRADES[Number(row["version"])] !== undefined) {
    storage.transactionSync(() => {
      for (let version = Number(row["version"]); version < SQLITE_SCHEMA_VERSION; version++) {
        sql.exec(SQLITE_UPGRADES[version] ?? "");
      }
      sql.exec("UPDATE toolwire SET schema_version = ?", SQLITE_SCHEMA_VERSION);
    });
  } else if (row["version"] !== SQLITE_SCHEMA_VERSION) {
    throw new Error(
      `Cannot use the Durable Object: schema ${
        row["version"]
      } wrote its tables, supported is ${SQLITE_SCHEMA_VERSION}; ` +
        "deploy the version of Toolwire that wrote them, or give the option `name` another value",
    );
  }
  return {
    exec: (query) => sql.exec(query),
    prepare: (query) => statement(query, sql),
    runTransaction: (work) => storage.transactionSync(work),
    close() {},
  };
}

function statement(query: string, sql: ObjectStorage["sql"]): SqliteStatement {
  return {
    all: (...values: SqliteValue[]) => sql.exec(query, ...values).toArray(),
    run(...values: SqliteValue[]) {
      const cursor = sql.exec(query, ...values);
      cursor.toArray();
      return { changes: cursor.rowsWritten };
    },
  };
}
