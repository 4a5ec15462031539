import type { PgPool, PgQueryable } from "bullmq";
import type {
  Backend,
  BackendOptions,
  Deliver,
  DeliveryQueue,
  DeliveryWorker,
  DeliveryWorkerOptions,
} from "./backend.ts";
import { Lazy } from "../../internal/async.ts";
import { delay, within } from "../../internal/time.ts";
import { BULLMQ, importPackage } from "../redis/packages.ts";
import { CHANNEL, PostgresRecords, TABLES } from "./postgres_records.ts";
import { startWorker, STREAMS, toDeliveryQueue, toProcessor, workerOptions } from "./queue.ts";

const PACKAGES = ["bullmq", "pg"];
/** Where BullMQ keeps its tables, unless told otherwise. */
const BULLMQ_SCHEMA = "bullmq";
/** Any number that nobody else uses: who has this lock makes the tables. */
const TABLES_LOCK = 0x746f6f6c;
const RETRY_MS = 1_000;
/** BullMQ's own questions may take longer than those for which a caller waits. */
const WORKER_TIMEOUT_MS = 30_000;

/** Where to connect, and how, in the words of `pg`. */
interface PgAddress {
  readonly connectionString: string;
  readonly options: string;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly query_timeout?: number;
}

/** What is used of `pg`, whose types are a package of their own that users need not have. */
interface PgModule {
  readonly Pool: new (address: PgAddress) => PgPool;
  readonly Client: new (address: PgAddress) => PgClient;
}

interface PgClient extends PgQueryable {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
}

/** PostgreSQL: a pool of connections for callers, one that listens, and a pool for each worker. */
export class PostgresBackend implements Backend {
  readonly records: PostgresRecords;
  readonly #url: string;
  readonly #options: BackendOptions;
  readonly #main: Lazy<PgPool>;
  readonly #pools = new Set<PgPool>();
  readonly #closing = new AbortController();
  #listening: Promise<void> | undefined = undefined;
  #endListening: (() => void) | undefined = undefined;
  #isClosed = false;

  constructor(url: string, options: BackendOptions) {
    this.#url = url;
    this.#options = options;
    this.#main = new Lazy(() => this.#openMain());
    this.records = new PostgresRecords(options.name, async (text, values) => {
      return await (await this.#main.get()).query(text, values);
    });
  }

  async openQueue(): Promise<DeliveryQueue> {
    const { Queue, createPostgresBackend } = await importPackage(BULLMQ, PACKAGES, () => import("bullmq"));
    const { name, onError } = this.#options;
    const settings = { connection: await this.#main.get(), streams: STREAMS };
    const queue = new Queue(name, settings, createPostgresBackend);
    queue.on("error", onError);
    try {
      await queue.waitUntilReady();
    } catch (error) {
      // It would remember that for ever.
      void queue.close().catch(onError);
      throw error;
    }
    return toDeliveryQueue(queue);
  }

  async openWorker(deliver: Deliver, options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
    const { Worker, DelayedError, createPostgresBackend } = await importPackage(
      BULLMQ,
      PACKAGES,
      () => import("bullmq"),
    );
    const { name, onError } = this.#options;
    // Makes the tables.
    await this.#main.get();
    // Its own: it keeps one connection to itself.
    const pool = await this.#openPool(WORKER_TIMEOUT_MS);
    const settings = { ...workerOptions(options), connection: pool };
    const worker = new Worker(name, toProcessor(deliver, DelayedError), settings, createPostgresBackend);
    worker.on("error", onError);
    const end = async (isForced: boolean): Promise<void> => {
      await worker.close(isForced);
      await this.#endPool(pool);
    };
    try {
      await startWorker(worker, onError);
    } catch (error) {
      void end(true).catch(onError);
      throw error;
    }
    return { close: () => end(false), abort: () => end(true) };
  }

  listen(onChange: (id: string | undefined) => void): void {
    this.#listening ??= this.#listenOn(onChange);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    this.#endListening?.();
    await Promise.all([this.#listening, ...[...this.#pools].map((pool) => this.#endPool(pool))]);
  }

  async #openMain(): Promise<PgPool> {
    await this.#makeTables();
    return this.#openPool(this.#options.timeoutMs);
  }

  async #openPool(queryTimeoutMs: number): Promise<PgPool> {
    const { Pool } = await this.#pg();
    if (this.#isClosed) throw new Error("The connections to PostgreSQL are closed");
    const pool = new Pool({ ...this.#address(), query_timeout: queryTimeoutMs });
    pool.on("error", this.#options.onError);
    this.#pools.add(pool);
    return pool;
  }

  async #endPool(pool: PgPool): Promise<void> {
    if (this.#pools.delete(pool)) await pool.end();
  }

  /** Once, whoever comes first. Those who may not make tables need not, where somebody has made them. */
  async #makeTables(): Promise<void> {
    const bullmq = await importPackage(BULLMQ, PACKAGES, () => import("bullmq"));
    const { Client } = await this.#pg();
    const client = new Client(this.#address());
    client.on("error", this.#options.onError);
    await client.connect();
    try {
      if (await hasTables(client, bullmq)) return;
      // Until the connection ends. Neither "IF NOT EXISTS" nor BullMQ's own lock is enough where many begin at once.
      await client.query("SELECT pg_advisory_lock($1)", [TABLES_LOCK]);
      await client.query(TABLES);
      await bullmq.runMigrations(client, BULLMQ_SCHEMA);
    } finally {
      await client.end();
    }
  }

  async #listenOn(onChange: (id: string | undefined) => void): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#listenOnce(onChange);
      } catch (error) {
        this.#options.onError(error);
      }
      await delay(RETRY_MS, this.#closing.signal);
    }
  }

  /** Resolves when the connection ends. */
  async #listenOnce(onChange: (id: string | undefined) => void): Promise<void> {
    const { Client } = await this.#pg();
    const ended = Promise.withResolvers<void>();
    // It may fail before anybody waits for its end.
    ended.promise.catch(() => {});
    this.#endListening = ended.resolve;
    const client = new Client(this.#address());
    client.on("error", ended.reject);
    client.on("end", ended.resolve);
    client.on("notification", ({ payload = "" }) => {
      const [queue, id] = split(payload);
      if (queue === this.#options.name) onChange(id);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      // What happened before, nobody has heard.
      onChange(undefined);
      if (!this.#isClosed) await ended.promise;
    } finally {
      await within(this.#options.timeoutMs, client.end());
    }
  }

  async #pg(): Promise<PgModule> {
    const module: { readonly default: unknown } = await importPackage(BULLMQ, PACKAGES, () => import("pg"));
    // BullMQ and the types of `pg` say the same of it in ways that TypeScript cannot compare.
    return module.default as PgModule;
  }

  #address(): PgAddress {
    const { url, options } = takeOptions(this.#url);
    return {
      connectionString: url,
      // BullMQ names its tables without their schema.
      options: `${options} -c search_path=${BULLMQ_SCHEMA}`.trim(),
      connectionTimeoutMillis: this.#options.timeoutMs,
      keepAlive: true,
    };
  }
}

/** Whether all tables are there, BullMQ's as new as this BullMQ. */
async function hasTables(client: PgClient, bullmq: typeof import("bullmq")): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT to_regclass('toolwire.jobs_by_expiry') AS ours, to_regclass($1) AS theirs",
    [`${BULLMQ_SCHEMA}.migration`],
  );
  if (rows[0]?.ours === null || rows[0]?.theirs === null) return false;
  return await bullmq.assertSchemaCompatibility(client, BULLMQ_SCHEMA) >= bullmq.LATEST_SCHEMA_VERSION;
}

/** The address without its `options`, which would else win over ours, and these. */
function takeOptions(url: string): { readonly url: string; readonly options: string } {
  if (!URL.canParse(url)) return { url, options: "" };
  const parsed = new URL(url);
  const options = parsed.searchParams.get("options") ?? "";
  if (options === "") return { url, options };
  parsed.searchParams.delete("options");
  return { url: parsed.href, options };
}

/** `<queue>:<id>`; a queue's name has no colon. */
function split(payload: string): readonly [queue: string, id: string] {
  const at = payload.indexOf(":");
  return [payload.slice(0, at), payload.slice(at + 1)];
}
