/**
 * Opens a SQLite file with the module of the runtime: `bun:sqlite` on Bun, `node:sqlite` on Node and Deno.
 *
 * Checks the owner of the file and the version of its schema. Has no knowledge of jobs.
 *
 * @module
 */

import { undoing } from "../../../internal/clean_up.ts";

export type SqliteValue = string | number | null;

/** A row of a result: values by name of the column. */
export type SqliteRow = Readonly<Record<string, unknown>>;

/** A prepared statement of `bun:sqlite` or `node:sqlite`: the members that both have. */
export interface SqliteStatement {
  /** Returns all rows. */
  all(...values: SqliteValue[]): readonly unknown[];
  /** Returns the number of changed rows. */
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
  /** Releases the statement, so that the file can be closed. Only on Bun. */
  finalize?(): void;
}

/** A connection of `bun:sqlite` or `node:sqlite`: the members that both have. The SQLite of a Durable Object is adapted to it. */
export interface SqliteDatabase {
  /** Runs statements without parameters. */
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  /** Runs statements in one transaction. Default: `BEGIN IMMEDIATE` and `COMMIT`. Not `transaction`: `bun:sqlite` has another one. */
  runTransaction?(work: () => void): void;
  close(): void;
}

/** Options of {@link openDatabase}. */
export interface OpenOptions {
  /** Time limit for the write lock of another process while the file is opened, in milliseconds. Later statements do not wait. */
  readonly busyTimeoutMs: number;
  /** Value of the pragma `synchronous`. */
  readonly synchronous: "NORMAL" | "FULL";
  /** Statements that create the tables of a new file. */
  readonly schema: string;
  /** Statements that bring the tables of an earlier version to the next one, by the earlier version. Default: none. */
  readonly upgrades?: Readonly<Record<number, string>>;
  readonly schemaVersion: number;
}

/** Loads the SQLite of the runtime: that of Bun, or that of Node and Deno. */
interface SqliteModules {
  getBuiltinModule?(id: "bun:sqlite"): { readonly Database: new (path: string) => SqliteDatabase } | undefined;
  getBuiltinModule?(id: "node:sqlite"): { readonly DatabaseSync: new (path: string) => SqliteDatabase } | undefined;
}

/** Application id in the header of the file, "Tool" in ASCII. A file of another program is never changed. */
const APPLICATION_ID = 0x546f_6f6c;

/**
 * Opens a file, which is created if it is missing.
 *
 * @throws {Error} If the runtime has no SQLite, the folder is missing, or the file is of another program or another schema version.
 */
export function openDatabase(path: string, options: OpenOptions): SqliteDatabase {
  const database = connect(path);
  return undoing(() => {
    // First, so that the statements below wait for other processes, which may open the file at the same time.
    database.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
    assertOwnFile(database, path, options);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous}`);
    createTables(database, options);
    // From here on waits would block the event loop while calls are served.
    database.exec("PRAGMA busy_timeout = 0");
    return database;
  }, () => database.close());
}

function connect(path: string): SqliteDatabase {
  const Database = findSqlite();
  if (Database === undefined) {
    throw new Error(
      "Cannot use SQLite: this runtime has neither bun:sqlite nor node:sqlite; use Bun, Deno, or Node 22.13 or newer",
    );
  }
  try {
    return new Database(path);
  } catch (error) {
    if (!String(error).includes("unable to open")) throw error;
    throw new Error(
      `Cannot open the database ${path}: its folder must exist and be writable for this process; create it first (mkdir -p), or name another one`,
      { cause: error },
    );
  }
}

function findSqlite(): (new (path: string) => SqliteDatabase) | undefined {
  // Not imported, since neither module is known to all runtimes, bundlers and type checkers.
  const { Bun, process } = globalThis as { readonly Bun?: unknown; readonly process?: SqliteModules };
  return Bun === undefined
    ? process?.getBuiltinModule?.("node:sqlite")?.DatabaseSync
    : process?.getBuiltinModule?.("bun:sqlite")?.Database;
}

function assertOwnFile(database: SqliteDatabase, path: string, { schemaVersion, upgrades = {} }: OpenOptions): void {
  const isEmpty = readNumber(database, "SELECT count(*) FROM sqlite_schema") === 0;
  if (!isEmpty && readNumber(database, "PRAGMA application_id") !== APPLICATION_ID) {
    throw new Error(`Cannot use the database ${path}: it belongs to another program; name a separate file`);
  }
  const version = readNumber(database, "PRAGMA user_version");
  if (version > schemaVersion || (version > 0 && version < schemaVersion && upgrades[version] === undefined)) {
    const [age, remedy] = version > schemaVersion ? ["a newer", "update this process"] : ["an older", "delete it"];
    throw new Error(
      `Cannot use the database ${path}: ${age} version of Toolwire wrote it (schema ${version}, supported is ${schemaVersion}); ${remedy}, or name another file`,
    );
  }
}

function createTables(database: SqliteDatabase, { schema, schemaVersion, upgrades = {} }: OpenOptions): void {
  // Several processes may open an empty file at once: the first one creates the tables, and the others wait for it.
  database.exec("BEGIN IMMEDIATE");
  try {
    let version = readNumber(database, "PRAGMA user_version");
    if (version === 0) {
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; ${schema}; PRAGMA user_version = ${schemaVersion}`);
    } else {
      for (; version < schemaVersion; version++) database.exec(upgrades[version] ?? "");
      database.exec(`PRAGMA user_version = ${schemaVersion}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Rolls a transaction back after an error, which is the one to report: a full disk, for one, has ended the transaction already. */
export function rollBack(database: Pick<SqliteDatabase, "exec">): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There is no transaction left.
  }
}

/** Returns the only value of the only row. */
function readNumber(database: SqliteDatabase, sql: string): number {
  const statement = database.prepare(sql);
  const [row] = statement.all() as readonly SqliteRow[];
  statement.finalize?.();
  return Number(Object.values(row ?? {})[0]);
}
