import type { Engine, EngineWorker, Job, WorkOptions } from "../engine.ts";
import { SqliteLeases } from "./leases.ts";
import type { SqliteLease, SqliteStore } from "./store.ts";
import { SqliteSubscriptions } from "./subscriptions.ts";

/** How often expired jobs are deleted, in milliseconds. */
const PURGE_MS = 60_000;

/** Options of {@link SqliteEngine}. */
export interface SqliteEngineSettings {
  /** How long a process is taken to live after its last sign, in milliseconds. */
  readonly leaseMs: number;
  /** How often to look for what other processes did, in milliseconds. */
  readonly pollMs: number;
  /** Told of errors that no caller hears of. */
  readonly onError: (error: unknown) => void;
}

interface Worker {
  readonly run: (id: string) => Promise<void>;
  readonly concurrency: number;
  /** Those under way. */
  readonly runs: Set<Promise<void>>;
}

/** The engine over an open store: callers are answered at once, everything else happens at the {@link SqliteEngine.#beat}. */
export class SqliteEngine implements Engine {
  readonly name = "sqlite";
  readonly processId = undefined;
  readonly #store: SqliteStore;
  readonly #options: SqliteEngineSettings;
  readonly #leases: SqliteLeases;
  readonly #subscriptions: SqliteSubscriptions;
  readonly #workers = new Set<Worker>();
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #beatAtMs = Number.POSITIVE_INFINITY;
  #purgeAtMs = 0;
  #hasFailed = false;
  #isClosed = false;

  constructor(store: SqliteStore, options: SqliteEngineSettings) {
    this.#store = store;
    this.#options = options;
    this.#leases = new SqliteLeases(store, options.leaseMs);
    this.#subscriptions = new SqliteSubscriptions(store);
  }

  insert(job: Job, dueInMs?: number): boolean {
    this.#purge();
    if (dueInMs === undefined) return this.#store.insert(job);
    let isInserted = false;
    this.#store.together(() => {
      isInserted = this.#store.insert(job);
      if (isInserted) this.#store.schedule(job.id, dueInMs);
    });
    this.#wakeWorkersIn(dueInMs);
    return isInserted;
  }

  get(id: string): Job | undefined {
    return this.#store.get(id);
  }

  replace(job: Job, version: number): boolean {
    const isReplaced = this.#store.replace(job, version);
    if (isReplaced) this.#subscriptions.tell(job.id, job.version);
    return isReplaced;
  }

  remove(id: string): void {
    this.#store.remove(id);
    this.#subscriptions.tell(id, undefined);
  }

  subscribe(id: string, onChange: () => void): () => void {
    const unsubscribe = this.#subscriptions.add(id, onChange);
    this.#wakeIn(this.#options.pollMs);
    return unsubscribe;
  }

  schedule(id: string, delayMs: number): void {
    this.#store.schedule(id, delayMs);
    this.#wakeWorkersIn(delayMs);
  }

  lease(id: string): () => void {
    const lease = this.#leases.hold(id);
    if (lease === undefined) return () => {};
    this.#wakeIn(this.#leases.renewInMs);
    return () => this.#release(lease);
  }

  work(run: (id: string) => Promise<void>, { concurrency }: WorkOptions): EngineWorker {
    const worker: Worker = { run, concurrency, runs: new Set() };
    this.#workers.add(worker);
    this.#wakeIn(0);
    return {
      stop: async () => {
        this.#workers.delete(worker);
        await Promise.all(worker.runs);
      },
    };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#workers.clear();
    // Not given back: their runs may go on. They lapse, and others are told then.
    this.#leases.abandonAll();
    try {
      this.#leases.exchange(0);
    } catch (error) {
      this.#report(error);
    }
    this.#store.close();
  }

  #wakeWorkersIn(delayMs: number): void {
    if (this.#workers.size > 0) this.#wakeIn(Math.min(delayMs, this.#options.pollMs));
  }

  /** Has the next beat come within `delayMs`. */
  #wakeIn(delayMs: number): void {
    const beatAtMs = performance.now() + Math.max(0, delayMs);
    if (this.#isClosed || beatAtMs >= this.#beatAtMs) return;
    clearTimeout(this.#timer);
    this.#beatAtMs = beatAtMs;
    this.#timer = setTimeout(() => this.#beat(), Math.max(0, delayMs));
  }

  /** All that has to be done again and again, on one timer, which is there only while there is something to do. */
  #beat(): void {
    this.#beatAtMs = Number.POSITIVE_INFINITY;
    try {
      // First: where the event loop stood still for long, what runs here is not to be taken for a dead process'.
      this.#leases.renew();
      this.#subscriptions.look();
      if (this.#workers.size > 0) this.#deliver();
      else this.#leases.exchange(0);
      this.#hasFailed = false;
    } catch (error) {
      this.#report(error);
    }
    if (this.#workers.size > 0 || !this.#subscriptions.isEmpty || this.#hasFailed) this.#wakeIn(this.#options.pollMs);
    // What failed is not tried again at once.
    if (!this.#hasFailed) this.#wakeIn(this.#leases.renewInMs);
  }

  #deliver(): void {
    const { pollMs } = this.#options;
    this.#purge();
    for (const worker of this.#workers) {
      const room = worker.concurrency - worker.runs.size;
      const leases = this.#leases.exchange(room);
      for (const lease of leases) this.#start(worker, lease);
      if (leases.length < room) return this.#wakeIn(Math.min(this.#store.nextDueMs() - Date.now(), pollMs));
    }
  }

  #start({ run, runs }: Worker, lease: SqliteLease): void {
    const running = run(lease.job).then(() => this.#release(lease), (error: unknown) => {
      // It should not. Whatever became of the job: when the lease has lapsed, somebody is told again.
      this.#leases.abandon(lease);
      this.#report(error);
    }).finally(() => runs.delete(running));
    runs.add(running);
  }

  #release(lease: SqliteLease): void {
    this.#leases.release(lease);
    // With others that end now; and there is room again, so that what was scheduled meanwhile may begin.
    this.#wakeIn(0);
  }

  #purge(): void {
    const nowMs = performance.now();
    if (nowMs >= this.#purgeAtMs && !this.#store.purge()) this.#purgeAtMs = nowMs + PURGE_MS;
  }

  #report(error: unknown): void {
    if (!this.#hasFailed) this.#options.onError(error);
    this.#hasFailed = true;
  }
}
