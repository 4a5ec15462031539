import type { PgPool, PgPoolClient, PgQueryable } from "bullmq";
import { Lazy } from "../../../internal/async.ts";
import { releasing } from "../../../internal/clean_up.ts";
import { delay, within } from "../../../internal/time.ts";
import { importPackage, MissingPackageError } from "../store_errors.ts";
import type {
  Backend,
  BullmqSettings,
  DeliveryHandler,
  DeliveryQueue,
  DeliveryWorker,
  ScheduledDelivery,
} from "./backend.ts";
import { CHANNEL, type PostgresQuery, PostgresRecords, TABLES } from "./postgres_records.ts";
import { BULLMQ, importBullmq, openDeliveryQueue, startWorker, STREAMS, toProcessor, workerOptions } from "./queue.ts";

const PACKAGES = ["bullmq", "pg"];
/** Default schema of BullMQ's tables. With a pool of ours it has no other. */
const BULLMQ_SCHEMA = "bullmq";
/** Key of the advisory lock of the process that creates the tables: an arbitrary number. */
const TABLES_LOCK = 0x746f6f6c;
/** Delay before a new connection for notifications, in milliseconds. */
const RETRY_MS = 1_000;
/** Time limit of BullMQ's own queries, which no caller waits for, in milliseconds. */
const WORKER_TIMEOUT_MS = 30_000;

const CLOSED = "The connections to PostgreSQL are closed";

/** Options of a connection of `pg`. */
type PgAddress = Readonly<Record<string, string | number | boolean>>;

/** The used part of `pg`, whose types are in a separate package that users may not have. */
interface PgModule {
  readonly Pool: new (address: PgAddress) => PgPool;
  readonly Client: new (address: PgAddress) => PgClient;
}

/** The members of a connection of the package `pg` that are used here. */
interface PgClient extends PgQueryable {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
}

/** The backend over PostgreSQL: one pool for requests, one connection for notifications, and one pool for each worker. */
export class PostgresBackend implements Backend {
  readonly records: PostgresRecords;
  readonly queue: Lazy<DeliveryQueue> = new Lazy(() => this.#openQueue());
  readonly #url: string;
  readonly #settings: BullmqSettings;
  readonly #main: Lazy<PgPool>;
  readonly #pools = new Set<PgPool>();
  readonly #closing = new AbortController();
  /** Open transactions, by the id of the delivery that they schedule. */
  readonly #transactions = new Map<unknown, { readonly client: PgPoolClient; onQuery(): void }>();
  #listening: Promise<void> | undefined;
  #endListening: (() => void) | undefined;

  constructor(url: string, settings: BullmqSettings) {
    this.#url = url;
    this.#settings = settings;
    this.#main = new Lazy(() => this.#openMain());
    const query = async (...[text, values]: Parameters<PostgresQuery>) => {
      return await (await this.#main.get()).query(text, values);
    };
    this.records = new PostgresRecords(settings.name, query, (...both) => this.#schedule(...both), settings.errors);
  }

  async load(): Promise<void> {
    await importBullmq(PACKAGES);
    await importPackage(BULLMQ, PACKAGES, () => import("pg"));
  }

  async #openQueue(): Promise<DeliveryQueue> {
    const { Queue, createPostgresBackend } = await importBullmq(PACKAGES);
    const { name, errors } = this.#settings;
    const settings = { connection: this.#withTransactions(await this.#main.get()), streams: STREAMS };
    return await openDeliveryQueue(new Queue(name, settings, createPostgresBackend), errors.report);
  }

  /** The pool for BullMQ's queue. A query that has the id of a delivery is sent in the transaction that schedules it. */
  #withTransactions(pool: PgPool): PgPool {
    return {
      query: (text, values) => {
        const transaction = this.#transactions.get(values?.find((value) => this.#transactions.has(value)));
        if (transaction === undefined) return pool.query(text, values);
        const result = transaction.client.query(text, values);
        transaction.onQuery();
        return result;
      },
      connect: () => pool.connect(),
      end: () => pool.end(),
      on: pool.on.bind(pool),
      removeAllListeners: pool.removeAllListeners.bind(pool),
    };
  }

  /** Changes a record and schedules a delivery in one transaction, without a wait between its queries. Returns whether it was changed. */
  async #schedule(scheduled: ScheduledDelivery, change: (query: PostgresQuery) => Promise<boolean>): Promise<boolean> {
    const queue = await this.queue.get();
    const client = await (await this.#main.get()).connect();
    const { id } = scheduled.delivery;
    const { promise: sent, resolve: onQuery } = Promise.withResolvers<void>();
    let isDone = false;
    return await releasing(async () => {
      this.#transactions.set(id, { client, onQuery });
      if (this.#closing.signal.aborted) throw new Error(CLOSED);
      const begun = client.query("BEGIN");
      const changed = change((text, values) => client.query(text, values));
      const done = Promise.all([begun, changed, queue.add(scheduled)]);
      // Until BullMQ has sent its query.
      await Promise.race([sent, done]);
      await Promise.all([done, client.query("COMMIT")]);
      isDone = true;
      return await changed;
    }, () => {
      // PostgreSQL rolls back the transaction of a connection that is closed.
      if (this.#transactions.delete(id)) client.release(!isDone);
    });
  }

  async openWorker(handler: DeliveryHandler, concurrency: number): Promise<DeliveryWorker> {
    const { Worker, DelayedError, createPostgresBackend } = await importBullmq(PACKAGES);
    // Creates the tables.
    await this.#main.get();
    // A pool for each worker, which keeps one of its connections.
    const pool = await this.#openPool(WORKER_TIMEOUT_MS);
    const settings = { ...workerOptions(concurrency, this.#settings), connection: pool };
    const { name, errors } = this.#settings;
    const worker = new Worker(name, toProcessor(handler, DelayedError), settings, createPostgresBackend);
    const end = async (isForced: boolean): Promise<void> => {
      await worker.close(isForced);
      await this.#endPool(pool);
    };
    await startWorker(worker, errors.report, () => end(true));
    return { close: () => end(false), abort: () => end(true) };
  }

  listen(onChange: (id: string | undefined) => void): void {
    this.#listening ??= this.#listenOn(onChange);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#endListening?.();
    // BullMQ does not answer once its queue is closed.
    for (const { client } of this.#transactions.values()) client.release(true);
    this.#transactions.clear();
    await Promise.all([this.#listening, ...[...this.#pools].map((pool) => this.#endPool(pool))]);
  }

  async #openMain(): Promise<PgPool> {
    await this.#createTables();
    return this.#openPool(this.#settings.timeoutMs);
  }

  async #openPool(queryTimeoutMs: number): Promise<PgPool> {
    const { Pool } = await this.#pg();
    if (this.#closing.signal.aborted) throw new Error(CLOSED);
    const pool = new Pool({ ...this.#address(), query_timeout: queryTimeoutMs });
    pool.on("error", this.#settings.errors.report);
    // A connection that fails while it is in use reports it to its listeners alone.
    pool.on("connect", (client) => client.on("error", this.#settings.errors.report));
    this.#pools.add(pool);
    return pool;
  }

  async #endPool(pool: PgPool): Promise<void> {
    if (this.#pools.delete(pool)) await pool.end();
  }

  /** Creates the tables if they are missing; otherwise no privilege to create tables is needed. */
  async #createTables(): Promise<void> {
    const bullmq = await importBullmq(PACKAGES);
    const { Client } = await this.#pg();
    const client = new Client(this.#address());
    client.on("error", this.#settings.errors.report);
    await client.connect();
    await releasing(async () => {
      if (await hasTables(client, bullmq)) return;
      // Held until the connection ends. Neither "IF NOT EXISTS" nor BullMQ's own lock suffices for several processes at once.
      await client.query("SELECT pg_advisory_lock($1)", [TABLES_LOCK]);
      await client.query(TABLES);
      await bullmq.runMigrations(client, BULLMQ_SCHEMA);
    }, () => client.end());
  }

  async #listenOn(onChange: (id: string | undefined) => void): Promise<void> {
    do {
      try {
        await this.#listenOnce(onChange);
      } catch (error) {
        this.#settings.errors.report(error);
        if (error instanceof MissingPackageError) return;
      }
    } while (await delay(RETRY_MS, this.#closing.signal));
  }

  /** Listens on one connection. Resolves when the connection ends. */
  async #listenOnce(onChange: (id: string | undefined) => void): Promise<void> {
    const { Client } = await this.#pg();
    const ended = Promise.withResolvers<void>();
    // The connection may fail before its end is awaited.
    ended.promise.catch(() => {});
    this.#endListening = ended.resolve;
    const client = new Client(this.#address());
    client.on("error", ended.reject);
    client.on("end", ended.resolve);
    client.on("notification", ({ payload = "" }) => {
      const [queue, id] = split(payload);
      if (queue === this.#settings.name) onChange(id);
    });
    await releasing(async () => {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      // Changes before this may have been missed.
      onChange(undefined);
      if (!this.#closing.signal.aborted) await ended.promise;
    }, () => within(this.#settings.timeoutMs, client.end()));
  }

  async #pg(): Promise<PgModule> {
    const module: { readonly default: unknown } = await importPackage(BULLMQ, PACKAGES, () => import("pg"));
    // TypeScript cannot compare BullMQ's types of `pg` with those of the package.
    return module.default as PgModule;
  }

  #address(): PgAddress {
    const { url, options } = takeOptions(this.#url);
    return {
      connectionString: url,
      // BullMQ refers to its tables without a schema.
      options: `${options} -c search_path=${BULLMQ_SCHEMA}`.trim(),
      connectionTimeoutMillis: this.#settings.timeoutMs,
      keepAlive: true,
      // Queries of one connection do not wait for each other's results (pg 8.23 or later).
      pipeline: true,
    };
  }
}

/** Whether all tables exist, with BullMQ's in its current version or a newer one. */
async function hasTables(client: PgClient, bullmq: typeof import("bullmq")): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT to_regclass('toolwire_jobs.ledger') AS toolwire, to_regclass($1) AS bullmq",
    [`${BULLMQ_SCHEMA}.migration`],
  );
  if (rows[0]?.toolwire === null || rows[0]?.bullmq === null) return false;
  return await bullmq.assertSchemaCompatibility(client, BULLMQ_SCHEMA) >= bullmq.LATEST_SCHEMA_VERSION;
}

/** Separates the address from its `options`, which would otherwise override those of the connection. */
function takeOptions(url: string): { readonly url: string; readonly options: string } {
  if (!URL.canParse(url)) return { url, options: "" };
  const parsed = new URL(url);
  const options = parsed.searchParams.get("options") ?? "";
  if (options === "") return { url, options };
  parsed.searchParams.delete("options");
  return { url: parsed.href, options };
}

/** Splits `<queue>:<id>`. The name of a queue has no colon. */
function split(payload: string): readonly [queue: string, id: string] {
  const at = payload.indexOf(":");
  return [payload.slice(0, at), payload.slice(at + 1)];
}
