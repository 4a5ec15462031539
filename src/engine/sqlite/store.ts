/**
 * Jobs and deliveries as rows, and each thing that is done with them as one statement.
 *
 * A delivery says that a job is to be run from a moment on. Who takes it gets a lease: the moment moves on by the lease's
 * length, again and again, for as long as the process lives. When it dies, the moment comes, and the delivery is due again.
 *
 * @module
 */
import type { Job } from "../engine.ts";
import { openDatabase, type OpenOptions, type SqliteDatabase, type SqliteStatement } from "./database.ts";
import type { SqliteRow, SqliteValue } from "./database.ts";

/** A delivery that this process has. */
export interface SqliteLease {
  /** Its row. */
  readonly delivery: number;
  /** Goes up with each process that takes it: who holds an older one has lost it. */
  readonly claim: number;
  /** Id of the job. */
  readonly job: string;
  /** Of a delivery that was to come while the job is held: when it was due, and is again once the job is let go. */
  readonly heldFromMs?: number;
}

const SCHEMA_VERSION = 1;

/**
 * `claim` is 0 until somebody takes the delivery; from then on, `due_at_ms` is when the lease lapses.
 *
 * Ids of deliveries are never used again (AUTOINCREMENT): a late release would else end somebody else's lease.
 */
const SCHEMA = `
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX jobs_by_expiry ON jobs (expires_at_ms);
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
`;

/** The delivery that is due for the longest; none of a job that somebody has, or that has expired. Takes the time thrice. */
const FIND_DUE = `
  SELECT id FROM deliveries AS due
  WHERE due_at_ms <= ?
    AND NOT EXISTS (
      SELECT 1 FROM deliveries AS taken WHERE taken.job = due.job AND taken.claim > 0 AND taken.due_at_ms > ?
    )
    AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = due.job AND expires_at_ms > ?)
  ORDER BY due_at_ms, id
  LIMIT 1`;

const STATEMENTS = {
  insert: "INSERT INTO jobs (id, version, expires_at_ms, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  get: "SELECT body FROM jobs WHERE id = ? AND expires_at_ms > ?",
  version: "SELECT version FROM jobs WHERE id = ?",
  // One question about all of them, which costs a seventh of one about each. Null: there is no such job.
  changed: `SELECT known.key AS id, jobs.version AS version FROM json_each(?) AS known
    LEFT JOIN jobs ON jobs.id = known.key WHERE jobs.version IS NOT known.value`,
  // Mostly it is to live as long as before, and then the index need not be touched.
  replaceBody: "UPDATE jobs SET version = ?, body = ? WHERE id = ? AND version = ? AND expires_at_ms = ?",
  replace: `UPDATE jobs SET version = ?, expires_at_ms = ?, body = ?
    WHERE id = ? AND version = ? AND expires_at_ms > ?`,
  remove: "DELETE FROM jobs WHERE id = ?",
  removeExpired: "DELETE FROM jobs WHERE id = ? AND expires_at_ms <= ?",
  // A few at a time: nobody is to wait long for a write.
  purge: "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE expires_at_ms <= ? LIMIT 500)",
  addDelivery: `INSERT INTO deliveries (job, due_at_ms, claim)
    SELECT id, ?, ? FROM jobs WHERE id = ? AND expires_at_ms > ? RETURNING id`,
  findHoldable: "SELECT id, due_at_ms FROM deliveries WHERE job = ? AND claim = 0 ORDER BY due_at_ms LIMIT 1",
  holdDelivery: "UPDATE deliveries SET due_at_ms = ?, claim = 1 WHERE id = ? AND claim = 0",
  unholdDelivery: "UPDATE deliveries SET due_at_ms = ?, claim = 0 WHERE id = ? AND claim = ?",
  findDue: FIND_DUE,
  claim: `UPDATE deliveries SET due_at_ms = ?, claim = claim + 1 WHERE id = (${FIND_DUE}) RETURNING id, claim, job`,
  renew: "UPDATE deliveries SET due_at_ms = ? WHERE id = ? AND claim = ?",
  release: "DELETE FROM deliveries WHERE id = ? AND claim = ?",
  nextDue: "SELECT min(due_at_ms) AS due FROM deliveries WHERE due_at_ms > ?",
  dataVersion: "PRAGMA data_version",
};

/** The tables of one file, as one connection sees them. */
export class SqliteStore {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  /** Opens the file; see {@link openDatabase}. */
  constructor(path: string, options: Pick<OpenOptions, "busyTimeoutMs" | "synchronous">) {
    this.#database = openDatabase(path, { ...options, schema: SCHEMA, schemaVersion: SCHEMA_VERSION });
  }

  insert(job: Job): boolean {
    const add = () => this.#change("insert", job.id, job.version, job.expiresAtMs, JSON.stringify(job));
    // An expired one that is not purged yet only seems to have the id.
    return add() || (this.#change("removeExpired", job.id, Date.now()) && add());
  }

  get(id: string): Job | undefined {
    const [row] = this.#rows("get", id, Date.now());
    return row && JSON.parse(String(row["body"]));
  }

  /** Also of a job that has expired. */
  version(id: string): number | undefined {
    const [row] = this.#rows("version", id);
    return row && Number(row["version"]);
  }

  /**
   * Which jobs have another version than is known of them.
   *
   * @param known Version by id; `null` if there was no such job.
   * @returns The versions that they have.
   */
  changed(known: ReadonlyMap<string, number | null>): ReadonlyMap<string, number | undefined> {
    const rows = this.#rows("changed", JSON.stringify(Object.fromEntries(known)));
    return new Map(rows.map(({ id, version }) => [String(id), version === null ? undefined : Number(version)]));
  }

  replace(job: Job, version: number): boolean {
    const { id, expiresAtMs } = job;
    const body = JSON.stringify(job);
    const nowMs = Date.now();
    return (expiresAtMs > nowMs && this.#change("replaceBody", job.version, body, id, version, expiresAtMs)) ||
      this.#change("replace", job.version, expiresAtMs, body, id, version, nowMs);
  }

  remove(id: string): void {
    this.#change("remove", id);
  }

  /** Forgets jobs that have expired; tells whether there may be more. */
  purge(): boolean {
    return Number(this.#statement("purge").run(Date.now()).changes) > 0;
  }

  schedule(id: string, delayMs: number): void {
    this.#rows("addDelivery", wholeMs(Date.now() + delayMs), 0, id, Date.now());
  }

  /**
   * Takes a job that nobody was told to run; `undefined` if there is no such job. What is to come of it comes later: as a due
   * one it would be looked at, and passed over, with each search for what is due.
   */
  lease(id: string, leaseMs: number): SqliteLease | undefined {
    const [coming] = this.#rows("findHoldable", id);
    if (coming !== undefined) {
      const delivery = Number(coming["id"]);
      const isHeld = this.#change("holdDelivery", wholeMs(Date.now() + leaseMs), delivery);
      if (isHeld) return { delivery, claim: 1, job: id, heldFromMs: Number(coming["due_at_ms"]) };
    }
    const [row] = this.#rows("addDelivery", wholeMs(Date.now() + leaseMs), 1, id, Date.now());
    return row && { delivery: Number(row["id"]), claim: 1, job: id };
  }

  /** Gives back `ended`, and takes what is due for the longest, up to `room` of it: written as one. */
  exchange(ended: readonly SqliteLease[], room: number, leaseMs: number): readonly SqliteLease[] {
    const taken: SqliteLease[] = [];
    // Looked for before: to look takes no lock, where to write in vain does, and workers ask all the time.
    if (ended.length === 0 && (room === 0 || !this.#hasDue())) return taken;
    this.together(() => {
      for (const lease of ended) this.#release(lease);
      for (let lease = this.#claim(room, leaseMs); lease !== undefined; lease = this.#claim(--room, leaseMs)) {
        taken.push(lease);
      }
    });
    return taken;
  }

  /** `false` if it has been lost: it had lapsed, and somebody else took it, or the job was removed. */
  renew({ delivery, claim }: SqliteLease, leaseMs: number): boolean {
    return this.#change("renew", wholeMs(Date.now() + leaseMs), delivery, claim);
  }

  /** When the next delivery comes due, in milliseconds since the Unix epoch; `Infinity` if none does. */
  nextDueMs(): number {
    const due = this.#rows("nextDue", Date.now())[0]?.["due"] ?? Number.POSITIVE_INFINITY;
    return Number(due);
  }

  /** Changes when another connection has changed something. */
  dataVersion(): number {
    return Number(this.#rows("dataVersion")[0]?.["data_version"]);
  }

  /** Runs `work`, whose changes are written as one: one wait for the disk. */
  together(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize?.();
    this.#statements.clear();
    this.#database.close();
  }

  #hasDue(): boolean {
    const nowMs = Date.now();
    return this.#rows("findDue", nowMs, nowMs, nowMs).length > 0;
  }

  /** `undefined` if nothing is due, or there is no room for it. */
  #claim(room: number, leaseMs: number): SqliteLease | undefined {
    if (room === 0) return undefined;
    const nowMs = Date.now();
    const [row] = this.#rows("claim", wholeMs(nowMs + leaseMs), nowMs, nowMs, nowMs);
    return row && { delivery: Number(row["id"]), claim: Number(row["claim"]), job: String(row["job"]) };
  }

  #release({ delivery, claim, heldFromMs }: SqliteLease): void {
    if (heldFromMs === undefined) this.#change("release", delivery, claim);
    else this.#change("unholdDelivery", heldFromMs, delivery, claim);
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

/** The column is an integer, strictly. */
function wholeMs(epochMs: number): number {
  return Math.ceil(epochMs);
}
