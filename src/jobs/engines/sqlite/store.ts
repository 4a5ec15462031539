/**
 * Jobs and deliveries as rows, with one statement for each operation.
 *
 * A delivery asks a worker to run a job from its due time on. To acquire it, a process moves the due time forward by the duration of the
 * lease, and repeats this while it lives. When the process dies, the delivery becomes due again.
 */
import { CleanUp } from "../../../internal/clean_up.ts";
import type { Job, JobFilter, JobPage, LedgerEntry } from "../../../core/dispatch/engine.ts";
import { headColumns, headOfRow, HEADS, type JobHead, pageOf, rangeOf } from "../job_list.ts";
import { decodeJob, type SkippedRecords } from "../job_record.ts";
import { ErrorThrottle } from "../store_errors.ts";
import {
  openDatabase,
  type OpenOptions,
  rollBack,
  type SqliteDatabase,
  type SqliteRow,
  type SqliteStatement,
  type SqliteValue,
} from "./database.ts";

/** A delivery that this process has acquired. */
export interface SqliteLease {
  /** Id of the row. */
  readonly delivery: number;
  /** Incremented when a process acquires the delivery. A lease with an older claim is lost. */
  readonly claim: number;
  readonly job: string;
  /** Original due time of a delivery that was scheduled before the lease. It is restored when the lease is released. */
  readonly wasDueAtMs?: number;
}

/** Version of {@link SQLITE_SCHEMA}, stored in the database. A database of another version is refused. */
export const SQLITE_SCHEMA_VERSION = 3;

/** The ledgers of jobs, one row for each entry. Rows of a job are deleted with it. */
const LEDGER = `
  CREATE TABLE ledger (job TEXT NOT NULL, at INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (job, at)) STRICT, WITHOUT ROWID;
  CREATE TRIGGER ledger_deleted AFTER DELETE ON jobs BEGIN
    DELETE FROM ledger WHERE job = old.id;
  END;
`;

/** Statements that bring tables of an earlier version to the next one, by the earlier version. */
export const SQLITE_UPGRADES: Readonly<Record<number, string>> = {
  2: `ALTER TABLE jobs ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0; ${LEDGER}`,
};

/**
 * Statements that create the tables.
 *
 * `claim` is 0 until a process acquires the delivery. From then on, `due_at_ms` is the end of the lease.
 *
 * Ids of deliveries are never reused (AUTOINCREMENT). Otherwise a late release could end the lease of another process.
 */
export const SQLITE_SCHEMA: string = `
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    tool TEXT NOT NULL,
    principal TEXT NOT NULL,
    body TEXT NOT NULL,
    epoch INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX jobs_by_expiry ON jobs (expires_at_ms);
  CREATE INDEX jobs_by_creation ON jobs (created_at_ms, id);
  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job TEXT NOT NULL,
    due_at_ms INTEGER NOT NULL,
    claim INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_by_due ON deliveries (due_at_ms);
  CREATE INDEX deliveries_by_job ON deliveries (job);
  CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs BEGIN
    DELETE FROM deliveries WHERE job = old.id;
  END;
  ${LEDGER}
`;

/** The oldest due delivery of a job that is neither leased nor expired. The parameters are three times the current time. */
const FIND_DUE = `
  SELECT id FROM deliveries AS due
  WHERE due_at_ms <= ?
    AND NOT EXISTS (
      SELECT 1 FROM deliveries AS leased WHERE leased.job = due.job AND leased.claim > 0 AND leased.due_at_ms > ?
    )
    AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = due.job AND expires_at_ms > ?)
  ORDER BY due_at_ms, id
  LIMIT 1`;

const STATEMENTS = {
  insert: `INSERT INTO jobs (id, version, expires_at_ms, created_at_ms, state, tool, principal, body, epoch)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  get: "SELECT body FROM jobs WHERE id = ? AND expires_at_ms > ?",
  version: "SELECT version FROM jobs WHERE id = ?",
  // One query for all jobs takes a seventh of the time of one for each. The version is null if there is no such job.
  changed: `SELECT known.key AS id, jobs.version AS version FROM json_each(?) AS known
    LEFT JOIN jobs ON jobs.id = known.key WHERE jobs.version IS NOT known.value`,
  // Usually the expiry is unchanged. The index is then not updated.
  replaceBody:
    "UPDATE jobs SET version = ?, state = ?, body = ?, epoch = ? WHERE id = ? AND version = ? AND expires_at_ms = ?",
  replace: `UPDATE jobs SET version = ?, state = ?, expires_at_ms = ?, body = ?, epoch = ?
    WHERE id = ? AND version = ? AND expires_at_ms > ?`,
  list: `SELECT id, created_at_ms, state, tool, principal FROM jobs
    WHERE (created_at_ms, id) < (?, ?) AND created_at_ms >= ? AND expires_at_ms > ?
    ORDER BY created_at_ms DESC, id DESC LIMIT ${HEADS}`,
  isOfEpoch: "SELECT 1 FROM jobs WHERE id = ? AND epoch = ? AND expires_at_ms > ?",
  cutLedger: "DELETE FROM ledger WHERE job = ? AND at >= ?",
  appendLedger: "INSERT INTO ledger (job, at, entry) SELECT ?, ? + key, value FROM json_each(?)",
  readLedger: `SELECT entry FROM ledger WHERE job = (SELECT id FROM jobs WHERE id = ? AND expires_at_ms > ?) AND at >= ?
    ORDER BY at LIMIT ?`,
  remove: "DELETE FROM jobs WHERE id = ?",
  removeExpired: "DELETE FROM jobs WHERE id = ? AND expires_at_ms <= ?",
  // Limited, so that other writes do not wait long.
  purge: "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE expires_at_ms <= ? LIMIT 500)",
  addDelivery: `INSERT INTO deliveries (job, due_at_ms, claim)
    SELECT id, ?, ? FROM jobs WHERE id = ? AND expires_at_ms > ? RETURNING id`,
  findUnclaimed: "SELECT id, due_at_ms FROM deliveries WHERE job = ? AND claim = 0 ORDER BY due_at_ms LIMIT 1",
  claimDelivery: "UPDATE deliveries SET due_at_ms = ?, claim = 1 WHERE id = ? AND claim = 0",
  unclaimDelivery: "UPDATE deliveries SET due_at_ms = ?, claim = 0 WHERE id = ? AND claim = ?",
  findDue: FIND_DUE,
  claim: `UPDATE deliveries SET due_at_ms = ?, claim = claim + 1 WHERE id = (${FIND_DUE}) RETURNING id, claim, job`,
  renew: "UPDATE deliveries SET due_at_ms = ? WHERE id = ? AND claim = ?",
  release: "DELETE FROM deliveries WHERE id = ? AND claim = ?",
  nextDue: "SELECT min(due_at_ms) AS due FROM deliveries WHERE due_at_ms > ?",
  nextExpiry: "SELECT min(expires_at_ms) AS expiry FROM jobs",
  dataVersion: "PRAGMA data_version",
};

/** Converts the JSON of a job to the column `body` and back, for databases that limit the size of a row. */
export interface JobBodies {
  /** Returns the value of the column. */
  write(text: string): string;
  read(body: string): string;
  /** Deletes what belongs to a value that was not stored. */
  drop(body: string): void;
}

const WHOLE: JobBodies = { write: (text) => text, read: (body) => body, drop() {} };

/** What a store is made of beside its database. */
interface StoreOptions {
  readonly errors?: SkippedRecords | undefined;
  readonly bodies?: JobBodies | undefined;
}

/** Opens a SQLite file with the tables of jobs, which are created if it is new; see {@link openDatabase}. */
export function openStore(
  path: string,
  options: Pick<OpenOptions, "busyTimeoutMs" | "synchronous">,
  errors?: SkippedRecords,
): SqliteStore {
  const database = openDatabase(path, {
    ...options,
    schema: SQLITE_SCHEMA,
    upgrades: SQLITE_UPGRADES,
    schemaVersion: SQLITE_SCHEMA_VERSION,
  });
  return new SqliteStore(database, { errors });
}

/**
 * The tables of one file, as one connection sees them. While another connection has the file locked, a method throws at once, without a
 * change, and can be called again.
 */
export class SqliteStore {
  readonly #database: SqliteDatabase;
  readonly #errors: SkippedRecords;
  readonly #bodies: JobBodies;
  readonly #statements = new Map<string, SqliteStatement>();

  /**
   * @param parts `errors` logs records that cannot be read, by default to `console`; `bodies` writes and reads the column `body`, by
   *   default as the JSON of the job.
   * @param options `errors` logs records that cannot be read, by default to `console`; `bodies` writes and reads the column `body`. Default: it is the JSON of the job.
   */
  constructor(
    database: SqliteDatabase,
    { errors = new ErrorThrottle("A record is spoiled"), bodies = WHOLE }: StoreOptions = {},
  ) {
    this.#database = database;
    this.#errors = errors;
    this.#bodies = bodies;
  }

  insert(job: Job): boolean {
    const { id, version, expiresAtMs } = job;
    return this.#withBody(job, (body) => {
      const add = () => this.#change("insert", id, version, expiresAtMs, ...headColumns(job), body, job.epoch);
      // The id may belong to an expired job that is not purged yet.
      return add() || (this.#change("removeExpired", id, Date.now()) && add());
    });
  }

  get(id: string): Job | undefined {
    const [row] = this.#rows("get", id, Date.now());
    return row && decodeJob(this.#bodies.read(String(row["body"])), id, this.#errors);
  }

  /** Version of a job, even of an expired one. */
  version(id: string): number | undefined {
    const [row] = this.#rows("version", id);
    return row && Number(row["version"]);
  }

  /**
   * Finds jobs whose version differs from a known one.
   *
   * @param known Version by id; `null` if there was no such job.
   * @returns The current versions of these jobs.
   */
  changed(known: ReadonlyMap<string, number | null>): ReadonlyMap<string, number | undefined> {
    const rows = this.#rows("changed", JSON.stringify(Object.fromEntries(known)));
    return new Map(rows.map(({ id, version }) => [String(id), version === null ? undefined : Number(version)]));
  }

  replace(job: Job, version: number): boolean {
    const { id, expiresAtMs, state, epoch } = job;
    const nowMs = Date.now();
    return this.#withBody(
      job,
      (body) =>
        (expiresAtMs > nowMs &&
          this.#change("replaceBody", job.version, state, body, epoch, id, version, expiresAtMs)) ||
        this.#change("replace", job.version, state, expiresAtMs, body, epoch, id, version, nowMs),
    );
  }

  #withBody(job: Job, write: (body: string) => boolean): boolean {
    const body = this.#bodies.write(JSON.stringify(job));
    const isWritten = write(body);
    if (!isWritten) this.#bodies.drop(body);
    return isWritten;
  }

  /** Appends to the ledger of a job, in one transaction. */
  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): boolean {
    let isAppended = false;
    this.transaction(() => {
      isAppended = this.#rows("isOfEpoch", id, epoch, Date.now()).length > 0;
      if (!isAppended) return;
      this.#change("cutLedger", id, from);
      this.#change("appendLedger", id, from, JSON.stringify(entries.map((entry) => JSON.stringify(entry))));
    });
    return isAppended;
  }

  readLedger(id: string, from: number, limit: number): LedgerEntry[] {
    const rows = this.#rows("readLedger", id, Date.now(), from, limit);
    return rows.map(({ entry }): LedgerEntry => JSON.parse(String(entry)));
  }

  remove(id: string): void {
    this.#change("remove", id);
  }

  list(filter: JobFilter, limit: number, cursor: string | undefined): JobPage {
    return pageOf(this.heads(filter, cursor), filter, limit);
  }

  /** The first heads of the jobs that a page is of, the latest first. */
  heads(filter: JobFilter, cursor: string | undefined): JobHead[] {
    const { before: { createdAtMs, id }, fromMs } = rangeOf(filter, cursor);
    return this.#rows("list", createdAtMs, id, fromMs, Date.now()).map(headOfRow);
  }

  /** Deletes expired jobs. Returns whether there may be more. */
  purge(): boolean {
    return this.#change("purge", Date.now());
  }

  schedule(id: string, delayMs: number): void {
    this.#rows("addDelivery", wholeMs(Date.now() + delayMs), 0, id, Date.now());
  }

  /**
   * Acquires the lease of a job outside of a worker; `undefined` if there is no such job. A scheduled delivery of the job is reused and
   * postponed: while due, it would be read and skipped by each search for due deliveries.
   */
  lease(id: string, leaseMs: number): SqliteLease | undefined {
    const [scheduled] = this.#rows("findUnclaimed", id);
    if (scheduled !== undefined) {
      const delivery = Number(scheduled["id"]);
      const isAcquired = this.#change("claimDelivery", wholeMs(Date.now() + leaseMs), delivery);
      if (isAcquired) return { delivery, claim: 1, job: id, wasDueAtMs: Number(scheduled["due_at_ms"]) };
    }
    const [row] = this.#rows("addDelivery", wholeMs(Date.now() + leaseMs), 1, id, Date.now());
    return row && { delivery: Number(row["id"]), claim: 1, job: id };
  }

  /** Releases `ended` and acquires up to `room` due deliveries, the oldest first, in one transaction. */
  exchange(ended: readonly SqliteLease[], room: number, leaseMs: number): readonly SqliteLease[] {
    const acquired: SqliteLease[] = [];
    // Searched first, since workers poll: a search needs no write lock, and a transaction without changes would.
    if (ended.length === 0 && (room === 0 || !this.hasDue())) return acquired;
    this.transaction(() => {
      for (const lease of ended) this.#release(lease);
      for (let lease = this.#claim(room, leaseMs); lease !== undefined; lease = this.#claim(--room, leaseMs)) {
        acquired.push(lease);
      }
    });
    return acquired;
  }

  /** Returns `false` if the lease is lost: it expired and another process acquired it, or the job was removed. */
  renew({ delivery, claim }: SqliteLease, leaseMs: number): boolean {
    return this.#change("renew", wholeMs(Date.now() + leaseMs), delivery, claim);
  }

  /** Whether a delivery is due that may be acquired. */
  hasDue(): boolean {
    const nowMs = Date.now();
    return this.#rows("findDue", nowMs, nowMs, nowMs).length > 0;
  }

  /** Time at which the next delivery is due, in milliseconds since the Unix epoch; `Infinity` without deliveries. */
  nextDueMs(): number {
    const due = this.#rows("nextDue", Date.now())[0]?.["due"] ?? Infinity;
    return Number(due);
  }

  /** A number that changes when another connection has written to the file. */
  dataVersion(): number {
    return Number(this.#rows("dataVersion")[0]?.["data_version"]);
  }

  /** When the first job expires, in milliseconds since the Unix epoch; `Infinity` without jobs. */
  nextExpiryMs(): number {
    return Number(this.#rows("nextExpiry")[0]?.["expiry"] ?? Number.POSITIVE_INFINITY);
  }

  transaction(work: () => void): void {
    if (this.#database.runTransaction !== undefined) return this.#database.runTransaction(work);
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      rollBack(this.#database);
      throw error;
    }
  }

  close(): void {
    const closing = new CleanUp();
    for (const statement of this.#statements.values()) closing.try(() => statement.finalize?.());
    this.#statements.clear();
    closing.try(() => this.#database.close());
    closing.finish("Cannot close the database");
  }

  /** Acquires one due delivery; `undefined` without one, or if `room` is 0. */
  #claim(room: number, leaseMs: number): SqliteLease | undefined {
    if (room === 0) return undefined;
    const nowMs = Date.now();
    const [row] = this.#rows("claim", wholeMs(nowMs + leaseMs), nowMs, nowMs, nowMs);
    return row && { delivery: Number(row["id"]), claim: Number(row["claim"]), job: String(row["job"]) };
  }

  #release({ delivery, claim, wasDueAtMs }: SqliteLease): void {
    if (wasDueAtMs === undefined) this.#change("release", delivery, claim);
    else this.#change("unclaimDelivery", wasDueAtMs, delivery, claim);
  }

  #rows(name: keyof typeof STATEMENTS, ...values: SqliteValue[]): readonly SqliteRow[] {
    return this.#statement(name).all(...values) as readonly SqliteRow[];
  }

  #change(name: keyof typeof STATEMENTS, ...values: SqliteValue[]): boolean {
    return Number(this.#statement(name).run(...values).changes) > 0;
  }

  #statement(name: keyof typeof STATEMENTS): SqliteStatement {
    let statement = this.#statements.get(name);
    if (statement === undefined) this.#statements.set(name, statement = this.#database.prepare(STATEMENTS[name]));
    return statement;
  }
}

/** Rounds up: the column is a strict integer. */
function wholeMs(epochMs: number): number {
  return Math.ceil(epochMs);
}
