import type { BullmqLease, Delivery, JobRecords, LeaseResult, ScheduledDelivery } from "./backend.ts";
import type { Job, LedgerEntry } from "../../../core/dispatch/engine.ts";
import { headColumns, headOfRow, HEADS, type JobHead, type JobRange } from "../job_list.ts";
import { decodeJob, type SkippedRecords } from "../job_record.ts";

/** Channel of PostgreSQL for changes of jobs; the payload is `<queue>:<id>`. */
export const CHANNEL = "toolwire";

/**
 * SQL that creates the schema `toolwire_jobs`, its table of jobs and the indexes, unless they exist. The tables of BullMQ are not among them.
 *
 * The schema has a name that no role has: PostgreSQL looks for tables in the schema of the role's name first, so an application of the role
 * `toolwire` lost its tables when there was a schema of that name.
 */
export const TABLES = `
  CREATE SCHEMA IF NOT EXISTS toolwire_jobs;
  CREATE TABLE IF NOT EXISTS toolwire_jobs.jobs (
    queue text NOT NULL,
    id text NOT NULL,
    record_id text NOT NULL,
    version bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    created_at_ms bigint NOT NULL,
    state text NOT NULL,
    tool text NOT NULL,
    principal text NOT NULL,
    body text NOT NULL,
    delivery text,
    claim text,
    leased_until timestamptz,
    PRIMARY KEY (queue, id)
  );
  ALTER TABLE toolwire_jobs.jobs ADD COLUMN IF NOT EXISTS epoch bigint NOT NULL DEFAULT 0;
  CREATE TABLE IF NOT EXISTS toolwire_jobs.ledger (
    queue text NOT NULL,
    id text NOT NULL,
    record_id text NOT NULL,
    at bigint NOT NULL,
    entry text NOT NULL,
    PRIMARY KEY (queue, id, record_id, at),
    FOREIGN KEY (queue, id) REFERENCES toolwire_jobs.jobs ON DELETE CASCADE
  );
  CREATE INDEX IF NOT EXISTS jobs_by_expiry ON toolwire_jobs.jobs (expires_at);
  CREATE INDEX IF NOT EXISTS jobs_by_creation ON toolwire_jobs.jobs (queue, created_at_ms, id)`;

/** Interval between deletions of expired jobs in milliseconds. */
const PURGE_MS = 60_000;

// Time of PostgreSQL: the clocks of the processes may differ. `now()` would be the start of the transaction.
const NOW = "clock_timestamp()";
const THE_JOB = `queue = $1 AND id = $2 AND expires_at > ${NOW}`;
/** The record of the delivery. For a recovery, which has no id of a record, the lease must name the delivery. */
const ACQUIRABLE = `${THE_JOB} AND (record_id = $3 OR ($3 = '' AND delivery = $4))`;

const IS_FREE = `(leased_until IS NULL OR leased_until <= ${NOW})`;

const STATEMENTS = {
  // An expired job that is not purged yet is replaced.
  insert: `INSERT INTO toolwire_jobs.jobs AS existing 
      (queue, id, record_id, version, expires_at, body, epoch, created_at_ms, state, tool, principal)
    VALUES ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), $6, $7, $8, $9, $10, $11)
    ON CONFLICT (queue, id) DO UPDATE SET record_id = excluded.record_id, version = excluded.version,
      expires_at = excluded.expires_at, body = excluded.body, epoch = excluded.epoch, created_at_ms = excluded.created_at_ms,
      state = excluded.state, tool = excluded.tool, principal = excluded.principal, delivery = NULL, claim = NULL, leased_until = NULL
    WHERE existing.expires_at <= ${NOW}`,
  get: `SELECT body FROM toolwire_jobs.jobs WHERE ${THE_JOB}`,
  replace: `WITH changed AS (
      UPDATE toolwire_jobs.jobs SET version = $4, expires_at = to_timestamp($5::float8 / 1000), body = $6, state = $7, epoch = $8
      WHERE ${THE_JOB} AND version = $3 RETURNING id
    ) SELECT pg_notify('${CHANNEL}', $1 || ':' || id) FROM changed`,
  // The lock keeps another run from beginning between the check and the write. `cut` sees the rows as they were before.
  appendLedger: `WITH job AS (SELECT record_id FROM toolwire_jobs.jobs WHERE ${THE_JOB} AND epoch = $3 FOR SHARE),
    cut AS (DELETE FROM toolwire_jobs.ledger USING job
      WHERE queue = $1 AND id = $2 AND ledger.record_id = job.record_id AND at >= $4::bigint + cardinality($5::text[]))
    INSERT INTO toolwire_jobs.ledger (queue, id, record_id, at, entry)
    SELECT $1, $2, job.record_id, $4::bigint + one.at - 1, one.entry
      FROM job, unnest($5::text[]) WITH ORDINALITY AS one (entry, at)
    ON CONFLICT (queue, id, record_id, at) DO UPDATE SET entry = excluded.entry`,
  readLedger: `SELECT entry FROM toolwire_jobs.ledger JOIN toolwire_jobs.jobs USING (queue, id, record_id)
    WHERE ${THE_JOB} AND at >= $3::bigint ORDER BY at LIMIT $4`,
  heads: `SELECT id, created_at_ms, state, tool, principal FROM toolwire_jobs.jobs
    WHERE queue = $1 AND (created_at_ms, id) < ($2::bigint, $3) AND created_at_ms >= $4::bigint AND expires_at > ${NOW}
    ORDER BY created_at_ms DESC, id DESC LIMIT ${HEADS}`,
  remove: `WITH removed AS (DELETE FROM toolwire_jobs.jobs WHERE queue = $1 AND id = $2 RETURNING id)
    SELECT pg_notify('${CHANNEL}', $1 || ':' || id) FROM removed`,
  recordId: `SELECT record_id FROM toolwire_jobs.jobs WHERE ${THE_JOB}`,
  acquire: `UPDATE toolwire_jobs.jobs
    SET delivery = $4, claim = $5, leased_until = ${NOW} + $6::float8 * interval '1 millisecond'
    WHERE ${ACQUIRABLE} AND ${IS_FREE}`,
  lease: `UPDATE toolwire_jobs.jobs
    SET delivery = $3, claim = $4, leased_until = ${NOW} + $5::float8 * interval '1 millisecond'
    WHERE ${THE_JOB} AND ${IS_FREE}`,
  busy:
    `SELECT extract(epoch FROM leased_until - ${NOW}) * 1000 AS busy_ms FROM toolwire_jobs.jobs WHERE ${ACQUIRABLE}`,
  renew: `UPDATE toolwire_jobs.jobs SET leased_until = ${NOW} + $4::float8 * interval '1 millisecond'
    WHERE queue = $1 AND id = ANY($2) AND claim = ANY($3)`,
  release: `UPDATE toolwire_jobs.jobs SET delivery = NULL, claim = NULL, leased_until = NULL
    WHERE queue = $1 AND id = $2 AND claim = $3`,
  // Limited, so that other writes do not wait long.
  purge: `DELETE FROM toolwire_jobs.jobs WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM toolwire_jobs.jobs WHERE expires_at <= ${NOW} LIMIT 500 FOR UPDATE SKIP LOCKED))`,
};

/** Sends a query; rejects if PostgreSQL cannot be reached. */
export type PostgresQuery = (text: string, values: readonly unknown[]) => Promise<PostgresResult>;

/** Result of a query, of the package `pg`. */
interface PostgresResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Number of rows that were found or changed. */
  readonly rowCount?: number | null | undefined;
}

/** Changes a record and schedules a delivery in the same transaction. */
type ScheduleDelivery = (
  scheduled: ScheduledDelivery,
  change: (query: PostgresQuery) => Promise<boolean>,
) => Promise<boolean>;

/** Job records in PostgreSQL: each job is a row of one table, which all queues share. Insertions delete expired rows. */
export class PostgresRecords implements JobRecords {
  readonly #queue: string;
  // BullMQ times its locks by the clocks of the machines here.
  readonly usesLocks = false;
  readonly #query: PostgresQuery;
  readonly #schedule: ScheduleDelivery;
  readonly #errors: SkippedRecords;
  #purgeAtMs = 0;

  /**
   * @param queue Name of the queue that the jobs belong to.
   * @param schedule Schedules a delivery in one transaction with a change.
   * @param errors Logs records that cannot be read.
   */
  constructor(queue: string, query: PostgresQuery, schedule: ScheduleDelivery, errors: SkippedRecords) {
    this.#queue = queue;
    this.#query = query;
    this.#schedule = schedule;
    this.#errors = errors;
  }

  async insert(job: Job, recordId: string, first?: ScheduledDelivery): Promise<boolean> {
    await this.#purge();
    const { id, version, expiresAtMs } = job;
    const values = [id, recordId, version, expiresAtMs, JSON.stringify(job), job.epoch, ...headColumns(job)];
    if (first === undefined) return await this.#change("insert", values);
    return await this.#schedule(first, (query) => this.#change("insert", values, query));
  }

  lease({ job, delivery, claim }: BullmqLease, leaseMs: number): Promise<boolean> {
    const recovery = { delivery: { id: delivery, job }, delayMs: leaseMs };
    return this.#schedule(recovery, (query) => this.#change("lease", [job, delivery, claim, leaseMs], query));
  }

  async get(id: string): Promise<Job | undefined> {
    const [row] = (await this.#run("get", id)).rows;
    return row && decodeJob(String(row["body"]), id, this.#errors);
  }

  replace(job: Job, version: number): Promise<boolean> {
    const { id, expiresAtMs, state, epoch } = job;
    return this.#change("replace", [id, version, job.version, expiresAtMs, JSON.stringify(job), state, epoch]);
  }

  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): Promise<boolean> {
    return this.#change("appendLedger", [id, epoch, from, entries.map((entry) => JSON.stringify(entry))]);
  }

  async readLedger(id: string, from: number, limit: number): Promise<LedgerEntry[]> {
    return (await this.#run("readLedger", id, from, limit)).rows.map(({ entry }): LedgerEntry =>
      JSON.parse(String(entry))
    );
  }

  async remove(id: string): Promise<void> {
    await this.#run("remove", id);
  }

  async recordId(id: string): Promise<string | undefined> {
    const [row] = (await this.#run("recordId", id)).rows;
    return row && String(row["record_id"]);
  }

  async acquire(
    { recordId = "" }: Delivery,
    { job, delivery, claim }: BullmqLease,
    leaseMs: number,
  ): Promise<LeaseResult> {
    if (await this.#change("acquire", [job, recordId, delivery, claim, leaseMs])) return "acquired";
    const [row] = (await this.#run("busy", job, recordId, delivery)).rows;
    // At least 1: the lease may have been released meanwhile.
    return row === undefined ? "gone" : { busyMs: Math.max(1, Number(row["busy_ms"])) };
  }

  async renew(leases: readonly BullmqLease[], leaseMs: number): Promise<void> {
    await this.#run("renew", leases.map(({ job }) => job), leases.map(({ claim }) => claim), leaseMs);
  }

  async release({ job, claim }: BullmqLease): Promise<void> {
    await this.#run("release", job, claim);
  }

  async heads({ before, fromMs }: JobRange): Promise<readonly JobHead[]> {
    return (await this.#run("heads", before.createdAtMs, before.id, fromMs)).rows.map(headOfRow);
  }

  async #purge(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs < this.#purgeAtMs) return;
    this.#purgeAtMs = nowMs + PURGE_MS;
    const { rowCount } = await this.#query(STATEMENTS.purge, []);
    // There may be more.
    if ((rowCount ?? 0) > 0) this.#purgeAtMs = 0;
  }

  async #change(
    name: keyof typeof STATEMENTS,
    values: readonly unknown[],
    query: PostgresQuery = this.#query,
  ): Promise<boolean> {
    const { rowCount } = await query(STATEMENTS[name], [this.#queue, ...values]);
    return (rowCount ?? 0) > 0;
  }

  #run(name: keyof typeof STATEMENTS, ...values: readonly unknown[]): Promise<PostgresResult> {
    return this.#query(STATEMENTS[name], [this.#queue, ...values]);
  }
}
