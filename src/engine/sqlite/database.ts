/**
 * A SQLite file, opened with what the runtime has: `bun:sqlite` on Bun, `node:sqlite` on Node and Deno.
 *
 * Knows the file and its schema's version, and nothing of jobs.
 *
 * @module
 */

/** A value of a row. */
export type SqliteValue = string | number | null;

/** A row, by column. */
export type SqliteRow = Readonly<Record<string, unknown>>;

/** A statement, compiled once: what both runtimes' statements have in common. */
export interface SqliteStatement {
  /** Runs it to its end, and gives the rows. */
  all(...values: SqliteValue[]): readonly unknown[];
  /** Runs it, and tells how many rows it changed. */
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
  /** Lets go of the file; only Bun has it. */
  finalize?(): void;
}

/** A connection: what both runtimes' connections have in common. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Ends the connection. */
  close(): void;
}

/** How to open a file. */
export interface OpenOptions {
  /** How long a statement waits for another process' write, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** `NORMAL` or `FULL`, as SQLite's `synchronous` has them. */
  readonly synchronous: "NORMAL" | "FULL";
  /** Creates the tables of a new file. */
  readonly schema: string;
  /** Which version of them that is. */
  readonly schemaVersion: number;
}

interface Builtins {
  getBuiltinModule?(id: "bun:sqlite"): { readonly Database: new (path: string) => SqliteDatabase } | undefined;
  getBuiltinModule?(id: "node:sqlite"): { readonly DatabaseSync: new (path: string) => SqliteDatabase } | undefined;
}

/** Marks the file as ours ("Tool", in its header), so that nobody else's is changed by mistake. */
const APPLICATION_ID = 0x546f_6f6c;

/**
 * Opens a file, which is created if need be.
 *
 * @throws {Error} If the runtime has no SQLite, the folder is not there, or the file is somebody else's or of a newer version.
 */
export function openDatabase(path: string, options: OpenOptions): SqliteDatabase {
  const database = connect(path);
  try {
    // First, so that all that follows waits for other processes.
    database.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
    assertOurs(database, path, options.schemaVersion);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous}`);
    createTables(database, options);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
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
      `Cannot open the database ${path}: its folder has to exist, and this process has to be allowed to write there; create it before (mkdir -p), or name another`,
      { cause: error },
    );
  }
}

function findSqlite(): (new (path: string) => SqliteDatabase) | undefined {
  // Asked for rather than imported: neither module is known to all runtimes, bundlers and type checkers.
  const { Bun, process } = globalThis as { readonly Bun?: unknown; readonly process?: Builtins };
  return Bun === undefined
    ? process?.getBuiltinModule?.("node:sqlite")?.DatabaseSync
    : process?.getBuiltinModule?.("bun:sqlite")?.Database;
}

function assertOurs(database: SqliteDatabase, path: string, schemaVersion: number): void {
  const isEmpty = readNumber(database, "SELECT count(*) FROM sqlite_schema") === 0;
  if (!isEmpty && readNumber(database, "PRAGMA application_id") !== APPLICATION_ID) {
    throw new Error(`Cannot use the database ${path}: it belongs to another program; name a file of its own`);
  }
  const version = readNumber(database, "PRAGMA user_version");
  if (version > schemaVersion) {
    throw new Error(
      `Cannot use the database ${path}: a newer version wrote it (schema ${version}, this one knows ${schemaVersion}); update this process, or name another file`,
    );
  }
}

function createTables(database: SqliteDatabase, { schema, schemaVersion }: OpenOptions): void {
  // Several processes may find the file empty at once: the first one creates, the others wait, and find it done.
  database.exec("BEGIN IMMEDIATE");
  try {
    if (readNumber(database, "PRAGMA user_version") === 0) {
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; ${schema}; PRAGMA user_version = ${schemaVersion}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** The only value of the only row. */
function readNumber(database: SqliteDatabase, sql: string): number {
  const statement = database.prepare(sql);
  const [row] = statement.all() as readonly SqliteRow[];
  statement.finalize?.();
  return Number(Object.values(row ?? {})[0]);
}
