import { ToolError } from "../../../core/errors/tool_error.ts";
import { Listeners } from "../../../internal/async.ts";
import { within } from "../../../internal/time.ts";
import type {
  Engine,
  EngineWorker,
  Job,
  JobFilter,
  JobPage,
  LedgerEntry,
  WorkOptions,
} from "../../../core/dispatch/engine.ts";
import { pageOf, rangeOf } from "../job_list.ts";
import { MissingPackageError } from "../store_errors.ts";
import type { Backend, BullmqLease, BullmqSettings, Delivery, DeliveryWorker, JobRecords } from "./backend.ts";
import { BullmqWorker } from "./worker.ts";

/** First delay of a delivery whose job is running elsewhere, in milliseconds. It doubles with each further delay. */
const FIRST_DELAY_MS = 20;

/** Details of the errors for callers. */
const RETRY = { retry_after_ms: 1_000 };

/** Keeps jobs as records in Redis or PostgreSQL, and delivers them by a queue of BullMQ. */
export class BullmqEngine implements Engine {
  readonly name = "bullmq";
  readonly processId = undefined;
  readonly #backend: Backend;
  readonly #settings: BullmqSettings;
  readonly #leases: BullmqLeases;
  readonly #subscriptions = new Map<string, Listeners>();
  readonly #workers = new Set<BullmqWorker>();
  #isListening = false;
  #closed: Promise<void> | undefined;

  constructor(backend: Backend, settings: BullmqSettings) {
    this.#backend = backend;
    this.#settings = settings;
    this.#leases = new BullmqLeases(backend.records, settings.leaseMs, settings.errors.report);
  }

  prepare(): Promise<void> {
    return this.#backend.load();
  }

  insert(job: Job, dueInMs?: number): Promise<boolean> {
    const recordId = crypto.randomUUID();
    if (dueInMs === undefined) return this.#request(() => this.#backend.records.insert(job, recordId));
    return this.#request(async () => {
      const first = { delivery: newDelivery(job.id, recordId), delayMs: dueInMs };
      if (await this.#backend.records.insert(job, recordId, first)) return true;
      // A worker ignores the delivery, so that its removal only saves work. One that is due is not removed: a worker may be starting it,
      // which BullMQ's removal on PostgreSQL does not notice.
      if (dueInMs > 0) {
        void this.#backend.queue.get().then((queue) => queue.remove(first.delivery.id)).catch(
          this.#settings.errors.report,
        );
      }
      return false;
    });
  }

  get(id: string): Promise<Job | undefined> {
    return this.#request(() => this.#backend.records.get(id));
  }

  replace(job: Job, version: number): Promise<boolean> {
    return this.#request(() => this.#backend.records.replace(job, version));
  }

  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): Promise<boolean> {
    return this.#request(() => this.#backend.records.appendLedger(id, epoch, from, entries));
  }

  readLedger(id: string, from: number, limit: number): Promise<LedgerEntry[]> {
    return this.#request(() => this.#backend.records.readLedger(id, from, limit));
  }

  remove(id: string): Promise<void> {
    return this.#request(() => this.#backend.records.remove(id));
  }

  async list(filter: JobFilter, limit: number, cursor?: string): Promise<JobPage> {
    // Outside of the request: a wrong cursor is not an error of the store.
    const range = rangeOf(filter, cursor);
    return pageOf(await this.#request(() => this.#backend.records.heads(range)), filter, limit);
  }

  subscribe(id: string, onChange: () => void): () => void {
    const listeners = this.#subscriptions.get(id) ?? new Listeners(() => this.#subscriptions.delete(id));
    this.#subscriptions.set(id, listeners);
    const unsubscribe = listeners.add(onChange);
    if (!this.#isListening && this.#closed === undefined) {
      this.#isListening = true;
      this.#backend.listen((changed) => this.#notify(changed));
    }
    return unsubscribe;
  }

  schedule(id: string, delayMs: number): Promise<void> {
    return this.#request(async () => {
      const recordId = await this.#backend.records.recordId(id);
      if (recordId === undefined) return;
      await (await this.#backend.queue.get()).add({ delivery: newDelivery(id, recordId), delayMs });
    });
  }

  async lease(id: string): Promise<() => Promise<void>> {
    const { leaseMs } = this.#settings;
    let hasEnded = false;
    try {
      return await this.#request(async () => {
        const lease = newLease(newDelivery(id));
        const isAcquired = await this.#backend.records.lease(lease, leaseMs);
        // Another process holds the lease, or the request has timed out and no caller could release this one.
        if (!isAcquired || hasEnded) return async () => {};
        this.#leases.keep(lease);
        return () => this.#release(lease);
      });
    } finally {
      hasEnded = true;
    }
  }

  work(run: (id: string) => Promise<void>, { concurrency }: WorkOptions): EngineWorker {
    const open = (): Promise<DeliveryWorker> => {
      const handler = (delivery: Delivery, starts: number) => this.#deliver(worker, run, delivery, starts);
      return this.#backend.openWorker(handler, concurrency);
    };
    const worker: BullmqWorker = new BullmqWorker(open, this.#settings, () => this.#workers.delete(worker));
    this.#workers.add(worker);
    return worker;
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    // Not released, since their runs may still be active. They expire, and other processes take over.
    this.#leases.abandonAll();
    const { timeoutMs, errors } = this.#settings;
    errors.close();
    const queue = this.#backend.queue.opened?.then((queue) => queue.close());
    const closing = [...this.#workers].map((worker) => worker.abort()).concat(queue ?? []);
    await within(timeoutMs, Promise.allSettled(closing)).catch(errors.report);
    await within(timeoutMs, this.#backend.close()).catch(errors.report);
  }

  /** Sends a request that a caller waits for. */
  async #request<Value>(send: () => Promise<Value>): Promise<Value> {
    const { timeoutMs, errors } = this.#settings;
    if (this.#closed !== undefined) throw new ToolError("unavailable", "The job engine is closed", { details: RETRY });
    try {
      const value = await within(timeoutMs, send());
      errors.succeed();
      return value;
    } catch (cause) {
      if (cause instanceof MissingPackageError) throw cause;
      errors.report(cause);
      const message = "The job engine cannot reach its store: try again later";
      throw new ToolError("unavailable", message, { details: RETRY, cause });
    }
  }

  async #release(lease: BullmqLease): Promise<void> {
    try {
      await this.#leases.release(lease);
      // A worker would ignore the recovery delivery now. Its removal saves the work.
      await (await this.#backend.queue.get()).remove(lease.delivery);
    } catch (error) {
      this.#settings.errors.report(error);
    }
  }

  async #deliver(
    worker: BullmqWorker,
    run: (id: string) => Promise<void>,
    delivery: Delivery,
    starts: number,
  ): Promise<number | undefined> {
    // The delivery was fetched while the worker was being stopped. Another worker takes it.
    if (worker.isStopping) return 0;
    const lease = newLease(delivery);
    const result = await this.#backend.records.acquire(delivery, lease, this.#settings.leaseMs);
    if (result === "gone") return undefined;
    if (result !== "acquired") return delayOf(delivery, result.busyMs, starts);
    if (!this.#backend.records.usesLocks) this.#leases.keep(lease);
    await worker.during(this.#run(run, lease));
    return undefined;
  }

  async #run(run: (id: string) => Promise<void>, lease: BullmqLease): Promise<void> {
    try {
      await run(lease.job);
    } finally {
      await this.#leases.release(lease).catch(this.#settings.errors.report);
    }
  }

  /** Calls the listeners of a job; those of all jobs if `id` is `undefined`. */
  #notify(id: string | undefined): void {
    const changed = id === undefined ? [...this.#subscriptions.values()] : [this.#subscriptions.get(id)];
    for (const listeners of changed) listeners?.notify();
  }
}

function newDelivery(job: string, recordId?: string): Delivery {
  return { id: crypto.randomUUID(), job, ...(recordId !== undefined && { recordId }) };
}

function newLease({ id, job }: Delivery): BullmqLease {
  return { job, delivery: id, claim: crypto.randomUUID() };
}

/** Delay of a delivery whose job is running elsewhere. A recovery waits for the end of the lease, the only time it can succeed. */
function delayOf({ recordId }: Delivery, busyMs: number, starts: number): number {
  return recordId === undefined ? busyMs : Math.min(busyMs, FIRST_DELAY_MS * 2 ** Math.min(starts - 1, 20));
}

/** Number of renewals during the duration of one lease. */
const RENEWALS = 3;

/** The leases of this process, renewed until they are released. */
class BullmqLeases {
  readonly #records: JobRecords;
  readonly #leaseMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #held = new Set<BullmqLease>();
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onError Called with errors of renewals. */
  constructor(records: JobRecords, leaseMs: number, onError: (error: unknown) => void) {
    this.#records = records;
    this.#leaseMs = leaseMs;
    this.#onError = onError;
  }

  /** Renews a newly acquired lease until it is released. */
  keep(lease: BullmqLease): void {
    if (this.#isClosed) return;
    this.#held.add(lease);
    this.#startTimer();
  }

  /** Releases a lease. Does nothing if it is not held, such as after {@link abandonAll}. */
  async release(lease: BullmqLease): Promise<void> {
    // Not renewed any more even if the request fails: the lease then expires.
    if (!this.#held.delete(lease)) return;
    if (this.#held.size === 0) this.#stopTimer();
    await this.#records.release(lease);
  }

  /** Lets all leases expire, later ones too. */
  abandonAll(): void {
    this.#isClosed = true;
    this.#held.clear();
    this.#stopTimer();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => void this.#renew(), this.#leaseMs / RENEWALS);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #renew(): Promise<void> {
    this.#timer = undefined;
    const leases = [...this.#held];
    // Before the request, so that the next renewal is on time even if the store is slow.
    this.#startTimer();
    try {
      await this.#records.renew(leases, this.#leaseMs);
    } catch (error) {
      this.#onError(error);
    }
  }
}
