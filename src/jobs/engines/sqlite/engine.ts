import type { MaybePromise } from "../../../internal/async.ts";
import type {
  Engine,
  EngineWorker,
  Job,
  JobFilter,
  JobPage,
  LedgerEntry,
  WorkOptions,
} from "../../../core/dispatch/engine.ts";
import type { ErrorThrottle } from "../store_errors.ts";
import { LockWaits } from "./lock_waits.ts";
import type { SqliteLease, SqliteStore } from "./store.ts";
import { SqliteSubscriptions } from "./subscriptions.ts";

/** Interval between deletions of expired jobs in milliseconds. */
const PURGE_MS = 60_000;

/** Number of renewals during the duration of one lease. */
const RENEWALS = 3;

/** Settings of {@link SqliteEngine}. */
export interface SqliteEngineSettings {
  /** Lease duration in milliseconds. */
  readonly leaseMs: number;
  /** Interval in which changes of other processes are read, in milliseconds. */
  readonly pollMs: number;
  /** Time limit of a request while another process has the file locked, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** Receives errors of background work. */
  readonly errors: ErrorThrottle;
}

/** A server that takes due jobs, and its runs under way. */
interface Worker {
  readonly run: (id: string) => Promise<void>;
  readonly concurrency: number;
  readonly runs: Set<Promise<void>>;
}

/**
 * The engine over an open store. Requests are synchronous unless another process has the file locked; everything else happens in
 * {@link SqliteEngine.#poll}.
 */
export class SqliteEngine implements Engine {
  readonly name = "sqlite";
  readonly processId = undefined;
  readonly #store: SqliteStore;
  readonly #settings: SqliteEngineSettings;
  readonly #leases: SqliteLeases;
  readonly #subscriptions: SqliteSubscriptions;
  readonly #waits: LockWaits;
  readonly #workers = new Set<Worker>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pollAtMs = Infinity;
  #purgeAtMs = 0;
  #isPolling = false;
  #isClosed = false;

  constructor(store: SqliteStore, settings: SqliteEngineSettings) {
    this.#store = store;
    this.#settings = settings;
    this.#leases = new SqliteLeases(store, settings.leaseMs);
    this.#subscriptions = new SqliteSubscriptions(store);
    this.#waits = new LockWaits(settings.busyTimeoutMs);
  }

  insert(job: Job, dueInMs?: number): MaybePromise<boolean> {
    return this.#waits.write(() => this.#insert(job, dueInMs));
  }

  get(id: string): MaybePromise<Job | undefined> {
    return this.#waits.read(() => this.#store.get(id));
  }

  replace(job: Job, version: number): MaybePromise<boolean> {
    return this.#waits.write(() => {
      const isReplaced = this.#store.replace(job, version);
      if (isReplaced) this.#subscriptions.notify(job.id, job.version);
      return isReplaced;
    });
  }

  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): MaybePromise<boolean> {
    return this.#waits.write(() => this.#store.appendLedger(id, epoch, from, entries));
  }

  readLedger(id: string, from: number, limit: number): MaybePromise<LedgerEntry[]> {
    return this.#waits.read(() => this.#store.readLedger(id, from, limit));
  }

  remove(id: string): MaybePromise<void> {
    return this.#waits.write(() => {
      this.#store.remove(id);
      this.#subscriptions.notify(id, undefined);
    });
  }

  subscribe(id: string, onChange: () => void): () => void {
    const unsubscribe = this.#subscriptions.add(id, onChange);
    this.#pollIn(this.#settings.pollMs);
    return unsubscribe;
  }

  schedule(id: string, delayMs: number): MaybePromise<void> {
    return this.#waits.write(() => {
      this.#store.schedule(id, delayMs);
      this.#pollForWorkersIn(delayMs);
    });
  }

  lease(id: string): MaybePromise<() => void> {
    return this.#waits.write(() => {
      const lease = this.#leases.acquire(id);
      if (lease === undefined) return () => {};
      this.#pollIn(this.#leases.renewInMs);
      return () => this.#release(lease);
    });
  }

  work(run: (id: string) => Promise<void>, { concurrency }: WorkOptions): EngineWorker {
    const worker: Worker = { run, concurrency, runs: new Set() };
    this.#workers.add(worker);
    this.#pollIn(0);
    return {
      stop: async () => {
        this.#workers.delete(worker);
        await Promise.all(worker.runs);
      },
    };
  }

  list(filter: JobFilter, limit: number, cursor?: string): MaybePromise<JobPage> {
    return this.#waits.read(() => this.#store.list(filter, limit, cursor));
  }

  close(): MaybePromise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#workers.clear();
    // Not released, since their runs may still be active. They expire, and other processes take over.
    this.#leases.abandonAll();
    return this.#inBackground(() => this.#leases.exchange(0), () => {
      this.#waits.close();
      this.#store.close();
    });
  }

  #insert(job: Job, dueInMs: number | undefined): boolean {
    this.#purge();
    if (dueInMs === undefined) return this.#store.insert(job);
    let isInserted = false;
    this.#store.transaction(() => {
      isInserted = this.#store.insert(job);
      if (isInserted) this.#store.schedule(job.id, dueInMs);
    });
    this.#pollForWorkersIn(dueInMs);
    return isInserted;
  }

  /** Runs work whose errors are logged, and then `end`. At once if the file is not locked. */
  #inBackground(work: () => void, end: () => void): MaybePromise<void> {
    const { report } = this.#settings.errors;
    try {
      const done = this.#waits.write(work);
      if (done instanceof Promise) return done.catch(report).then(end);
    } catch (error) {
      report(error);
    }
    end();
  }

  #pollForWorkersIn(delayMs: number): void {
    if (this.#workers.size > 0) this.#pollIn(Math.min(delayMs, this.#settings.pollMs));
  }

  /** Schedules the next poll in at most `delayMs`. */
  #pollIn(delayMs: number): void {
    const pollAtMs = performance.now() + Math.max(0, delayMs);
    if (this.#isClosed || pollAtMs >= this.#pollAtMs) return;
    clearTimeout(this.#timer);
    this.#pollAtMs = pollAtMs;
    this.#timer = setTimeout(() => this.#poll(), Math.max(0, delayMs));
  }

  /** Does all periodic work. The timer only runs while there is some. */
  #poll(): void {
    this.#pollAtMs = Infinity;
    // The poll that waits for the lock also does the work of this one.
    if (this.#isPolling) return;
    this.#isPolling = true;
    void this.#inBackground(() => this.#work(), () => {
      this.#isPolling = false;
      this.#pollLater();
    });
  }

  #work(): void {
    // First: after the event loop was blocked, the leases of active runs are renewed before expired ones are taken over.
    this.#leases.renew();
    this.#subscriptions.poll();
    if (this.#workers.size > 0) this.#deliver();
    else this.#leases.exchange(0);
    this.#settings.errors.succeed();
  }

  #pollLater(): void {
    const { pollMs, errors } = this.#settings;
    if (this.#workers.size > 0 || !this.#subscriptions.isEmpty || errors.hasFailed) this.#pollIn(pollMs);
    // After an error the renewal waits for the next poll, too.
    if (!errors.hasFailed) this.#pollIn(this.#leases.renewInMs);
  }

  #deliver(): void {
    const { pollMs } = this.#settings;
    this.#purge();
    for (const worker of this.#workers) {
      const room = worker.concurrency - worker.runs.size;
      const leases = this.#leases.exchange(room);
      for (const lease of leases) this.#start(worker, lease);
      if (leases.length < room) return this.#pollIn(Math.min(this.#store.nextDueMs() - Date.now(), pollMs));
    }
  }

  #start({ run, runs }: Worker, lease: SqliteLease): void {
    const running = run(lease.job).then(() => this.#release(lease), (error: unknown) => {
      // The engine failed the run. The job is delivered again when the lease expires.
      this.#leases.abandon(lease);
      this.#settings.errors.report(error);
    }).finally(() => runs.delete(running));
    runs.add(running);
  }

  #release(lease: SqliteLease): void {
    this.#leases.release(lease);
    // At the next poll, so that several releases share one transaction and waiting deliveries are started.
    this.#pollIn(0);
  }

  #purge(): void {
    const nowMs = performance.now();
    if (nowMs >= this.#purgeAtMs && !this.#store.purge()) this.#purgeAtMs = nowMs + PURGE_MS;
  }
}

/** The leases of this process, for runs and for {@link SqliteEngine.lease}. */
class SqliteLeases {
  readonly #store: SqliteStore;
  readonly #leaseMs: number;
  readonly #held = new Set<SqliteLease>();
  /** Leases that are released at the next {@link exchange}. After a crash before that, their deliveries are repeated. */
  #ended: SqliteLease[] = [];
  #renewedMs = 0;

  constructor(store: SqliteStore, leaseMs: number) {
    this.#store = store;
    this.#leaseMs = leaseMs;
  }

  /** Time until the next renewal in milliseconds; `Infinity` without leases. */
  get renewInMs(): number {
    if (this.#held.size === 0) return Infinity;
    return this.#renewedMs + this.#leaseMs / RENEWALS - performance.now();
  }

  /** Acquires the lease of a job outside of a worker; `undefined` if there is no such job. */
  acquire(id: string): SqliteLease | undefined {
    const lease = this.#store.lease(id, this.#leaseMs);
    if (lease !== undefined) this.#keep(lease);
    return lease;
  }

  /** Releases the ended leases and acquires those of up to `room` due deliveries, the oldest first. */
  exchange(room: number): readonly SqliteLease[] {
    const acquired = this.#store.exchange(this.#ended, room, this.#leaseMs);
    this.#ended = [];
    for (const lease of acquired) this.#keep(lease);
    return acquired;
  }

  /** Renews all leases if it is time. */
  renew(): void {
    if (this.renewInMs > 0) return;
    this.#store.transaction(() => {
      for (const lease of [...this.#held]) if (!this.#store.renew(lease, this.#leaseMs)) this.#held.delete(lease);
    });
    this.#renewedMs = performance.now();
  }

  /** Marks a lease as ended: its delivery is done. Does nothing if the lease is not held. */
  release(lease: SqliteLease): void {
    if (this.#held.delete(lease)) this.#ended.push(lease);
  }

  /** Lets a lease expire: its delivery is repeated. */
  abandon(lease: SqliteLease): void {
    this.#held.delete(lease);
  }

  /** Lets all leases expire. */
  abandonAll(): void {
    this.#held.clear();
  }

  #keep(lease: SqliteLease): void {
    // The interval starts with the first lease. Later ones are renewed together with it, a little early.
    if (this.#held.size === 0) this.#renewedMs = performance.now();
    this.#held.add(lease);
  }
}
