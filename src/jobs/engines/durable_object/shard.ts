/**
 * The jobs of one Durable Object: rows of its SQLite, and one alarm for the earliest of all that is due.
 *
 * There is one instance of an object at a time, so that a run of it needs no lease that lapses: all runs end with the instance, and the
 * next instance delivers their jobs again. The alarm wakes the object for that, because it is set while anything runs.
 */
import { Listeners, type MaybePromise } from "../../../internal/async.ts";
import type { EngineWorker, Job, JobFilter, LedgerEntry, WorkOptions } from "../../../core/dispatch/engine.ts";
import type { JobHead } from "../job_list.ts";
import { type SqliteLease, SqliteStore } from "../sqlite/store.ts";
import type { ErrorThrottle } from "../store_errors.ts";
import { createBodies } from "./bodies.ts";
import { openObjectDatabase } from "./database.ts";
import type { ObjectStorage } from "./platform.ts";

/** Interval of alarms while jobs run, in milliseconds. An object without events is evicted after 70 s or more. */
const HEARTBEAT_MS = 10_000;

/** Duration of a lease that only ends with the instance of the object, in milliseconds: 317 years. The next instance delivers again. */
export const INSTANCE_LEASE_MS = 1e13;

/** Delay after which a job is delivered again whose run rejected, in milliseconds. */
const AGAIN_MS = 1_000;

/** Delay of the deletion of expired jobs, in milliseconds, so that one alarm deletes many. */
const PURGE_MS = 60_000;

/** Number of failures of an alarm after which Cloudflare would drop it. */
const MAX_RETRIES = 5;

/** Calls to a shard, from the same object or another one. `null` is a missing job. */
export interface ShardCalls {
  insert(job: Job, dueInMs: number | null): MaybePromise<boolean>;
  get(id: string): MaybePromise<Job | null>;
  replace(job: Job, version: number): MaybePromise<boolean>;
  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): MaybePromise<boolean>;
  readLedger(id: string, from: number, limit: number): MaybePromise<readonly LedgerEntry[]>;
  remove(id: string): MaybePromise<void>;
  /** The first heads of the jobs that a page is of, the latest first. */
  heads(filter: JobFilter, cursor: string | null): MaybePromise<readonly JobHead[]>;
  schedule(id: string, delayMs: number): MaybePromise<void>;
  /** Waits up to `waitMs` until the version differs from the known one, and returns it. Returns at once with a known version of -1. */
  changed(id: string, known: number | null, waitMs: number): MaybePromise<number | null>;
  lease(id: string, leaseMs: number): MaybePromise<SqliteLease | null>;
  renew(lease: SqliteLease, leaseMs: number): MaybePromise<boolean>;
  release(lease: SqliteLease): MaybePromise<void>;
}

/** The server within the object that runs due jobs. */
interface ShardWorker {
  readonly run: (id: string) => Promise<void>;
  readonly concurrency: number;
  /** Runs under way, by lease. */
  readonly runs: Map<SqliteLease, Promise<void>>;
}

/** Stores the jobs of one Durable Object, and runs those that are due when its alarm comes. */
export class Shard implements ShardCalls {
  readonly #storage: ObjectStorage;
  readonly #errors: ErrorThrottle;
  readonly #store: SqliteStore;
  readonly #watched = new Map<string, Listeners>();
  readonly #workers = new Set<ShardWorker>();
  #ended: SqliteLease[] = [];
  #alarmAtMs = Number.POSITIVE_INFINITY;
  #isDelivering = false;

  /** @param errors Receives errors of the engine in runs. */
  constructor(storage: ObjectStorage, errors: ErrorThrottle) {
    this.#storage = storage;
    this.#errors = errors;
    this.#store = new SqliteStore(openObjectDatabase(storage), { errors, bodies: createBodies(storage) });
    const nowMs = Date.now();
    const lost = "UPDATE deliveries SET due_at_ms = ? WHERE claim > 0 AND due_at_ms > ?";
    storage.sql.exec(lost, nowMs, nowMs + INSTANCE_LEASE_MS / 2);
  }

  /** Reads the alarm that an earlier instance has set. */
  async open(): Promise<void> {
    this.#alarmAtMs = await this.#storage.getAlarm() ?? Number.POSITIVE_INFINITY;
    this.#arm();
  }

  /** Delivers what is due, and deletes what has expired. Rejects if the storage fails, for another try. */
  async alarm(retryCount: number): Promise<void> {
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
    try {
      this.#store.purge();
      this.#deliver();
    } catch (error) {
      if (retryCount < MAX_RETRIES) throw error;
      await this.#storage.setAlarm(Date.now() + HEARTBEAT_MS);
    }
  }

  insert(job: Job, dueInMs: number | null): boolean {
    let isInserted = false;
    this.#store.transaction(() => {
      isInserted = this.#store.insert(job);
      if (isInserted && dueInMs !== null) this.#store.schedule(job.id, dueInMs);
    });
    if (!isInserted) return false;
    this.#wakeAt(job.expiresAtMs + PURGE_MS);
    if (dueInMs !== null) this.#deliverIn(dueInMs);
    return true;
  }

  get(id: string): Job | null {
    return this.#store.get(id) ?? null;
  }

  replace(job: Job, version: number): boolean {
    let isReplaced = false;
    this.#store.transaction(() => void (isReplaced = this.#store.replace(job, version)));
    if (isReplaced) this.#notify(job.id);
    return isReplaced;
  }

  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): boolean {
    return this.#store.appendLedger(id, epoch, from, entries);
  }

  readLedger(id: string, from: number, limit: number): LedgerEntry[] {
    return this.#store.readLedger(id, from, limit);
  }

  heads(filter: JobFilter, cursor: string | null): readonly JobHead[] {
    return this.#store.heads(filter, cursor ?? undefined);
  }

  remove(id: string): void {
    this.#store.remove(id);
    this.#notify(id);
  }

  schedule(id: string, delayMs: number): void {
    this.#store.schedule(id, delayMs);
    this.#deliverIn(delayMs);
  }

  async changed(id: string, known: number | null, waitMs: number): Promise<number | null> {
    const version = this.#store.version(id) ?? null;
    if (version !== known) return version;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        unsubscribe();
        resolve();
      };
      const unsubscribe = this.subscribe(id, end);
      const timer = setTimeout(end, waitMs);
    });
    return this.#store.version(id) ?? null;
  }

  lease(id: string, leaseMs: number): SqliteLease | null {
    const lease = this.#store.lease(id, leaseMs) ?? null;
    this.#wakeAt(Date.now() + Math.min(leaseMs, HEARTBEAT_MS));
    return lease;
  }

  renew(lease: SqliteLease, leaseMs: number): boolean {
    const isRenewed = this.#store.renew(lease, leaseMs);
    this.#deliverIn(leaseMs);
    return isRenewed;
  }

  release(lease: SqliteLease): void {
    this.#ended.push(lease);
    this.#deliver();
  }

  /** Calls `onChange` after each change of a job, in this object. */
  subscribe(id: string, onChange: () => void): () => void {
    let listeners = this.#watched.get(id);
    if (listeners === undefined) this.#watched.set(id, listeners = new Listeners(() => this.#watched.delete(id)));
    return listeners.add(onChange);
  }

  /** Runs jobs in this object. `abandon` has those under way delivered again. */
  work(run: ShardWorker["run"], { concurrency }: WorkOptions): EngineWorker & { abandon(): void } {
    const worker: ShardWorker = { run, concurrency, runs: new Map() };
    this.#workers.add(worker);
    this.#deliverIn(0);
    return {
      stop: async () => {
        this.#workers.delete(worker);
        await Promise.all(worker.runs.values());
      },
      abandon: () => {
        this.#workers.delete(worker);
        for (const lease of worker.runs.keys()) this.renew(lease, 0);
        worker.runs.clear();
      },
    };
  }

  #notify(id: string): void {
    this.#watched.get(id)?.notify();
  }

  /** Has the alarm deliver after a delay. Without one, delivers after the current turn, so that a call does not wait for runs to begin. */
  #deliverIn(delayMs: number): void {
    if (delayMs > 0) return this.#wakeAt(Date.now() + delayMs);
    // If this instance ends before the delivery, the alarm starts the next one.
    this.#wakeAt(Date.now() + HEARTBEAT_MS);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    queueMicrotask(() => {
      this.#isDelivering = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    const ended = this.#ended;
    this.#ended = [];
    this.#store.exchange(ended, 0, 0);
    for (const worker of this.#workers) {
      const room = worker.concurrency - worker.runs.size;
      for (const lease of this.#store.exchange([], room, INSTANCE_LEASE_MS)) this.#start(worker, lease);
    }
    this.#arm();
  }

  #start({ run, runs }: ShardWorker, lease: SqliteLease): void {
    const running = run(lease.job).then(() => void this.#ended.push(lease), (error: unknown) => {
      this.#store.renew(lease, AGAIN_MS);
      this.#errors.report(error);
    }).then(() => {
      // An abandoned run has none; its delivery belongs to another one.
      if (runs.delete(lease)) this.#deliver();
    });
    runs.set(lease, running);
  }

  /** Sets the alarm to the next event. */
  #arm(): void {
    const isBusy = this.#store.hasDue() || [...this.#workers].some(({ runs }) => runs.size > 0);
    if (isBusy) this.#wakeAt(Date.now() + HEARTBEAT_MS);
    this.#wakeAt(Math.min(this.#store.nextDueMs(), this.#store.nextExpiryMs() + PURGE_MS));
  }

  /** Sets the alarm, unless an earlier one is set. */
  #wakeAt(atMs: number): void {
    if (atMs >= this.#alarmAtMs) return;
    this.#alarmAtMs = atMs;
    // Not awaited: the object answers only after the alarm is stored.
    void this.#storage.setAlarm(atMs);
  }
}
