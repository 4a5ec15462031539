/**
 * The contract of a backend, Redis or PostgreSQL: job records, and BullMQ's queue of deliveries.
 *
 * A delivery asks a worker to run a job. A run has one lease, which its process renews while it lives; other deliveries of the job wait.
 * The lease of a worker's run is BullMQ's lock of the delivery in Redis, and a lease in the job's record in PostgreSQL, where BullMQ times
 * its locks by the clocks of the machines. The lease of a run outside of a worker is in the record, since BullMQ locks only what it
 * delivers. When the process dies, the lease expires, and BullMQ delivers again. Leases are timed by the clock of the store alone.
 */
import type { Lazy } from "../../../internal/async.ts";
import type { Job, LedgerEntry } from "../../../core/dispatch/engine.ts";
import type { JobHead, JobRange } from "../job_list.ts";
import type { ErrorThrottle } from "../store_errors.ts";

/** Entry of the queue: it makes a worker run a job. */
export interface Delivery {
  /** Id of the delivery in the queue. */
  readonly id: string;
  readonly job: string;
  /**
   * Id of the job's record. A record that is inserted later under the same job id has another one, so that the delivery is ignored.
   * Absent for a recovery, which is only for the case that a lease holder dies: it is ignored unless the job's lease names it.
   */
  readonly recordId?: string;
}

/** A delivery, and the delay until it is due. */
export interface ScheduledDelivery {
  readonly delivery: Delivery;
  readonly delayMs: number;
}

/** The exclusive right to run a job, until it is released or expires. */
export interface BullmqLease {
  readonly job: string;
  /** Id of the delivery that the lease was acquired with. */
  readonly delivery: string;
  /** Unique id. A lease whose claim is no longer in the record is lost. */
  readonly claim: string;
}

/** Result of acquiring a lease. `gone`: there is nothing to run. `busyMs`: another process holds a lease for at least this long. */
export type LeaseResult = "gone" | { readonly busyMs: number } | "acquired";

/** Job records. Each method is atomic, and rejects if the store cannot be reached. */
export interface JobRecords {
  /** Whether BullMQ's lock of a delivery is the lease of its run. If so, such a lease is neither renewed nor released. */
  readonly usesLocks: boolean;
  /** Inserts a job, and schedules its first delivery. Returns `false` if the id is taken; such a delivery is ignored. */
  insert(job: Job, recordId: string, first?: ScheduledDelivery): Promise<boolean>;
  /** Returns `undefined` if there is no such job, or it has expired. */
  get(id: string): Promise<Job | undefined>;
  /** Returns `false` if there is no job of this version. Notifies all processes. */
  replace(job: Job, version: number): Promise<boolean>;
  /** Appends to the ledger of a job, as `appendLedger` of an engine does. */
  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): Promise<boolean>;
  /** Reads a page of the ledger of a job. */
  readLedger(id: string, from: number, limit: number): Promise<LedgerEntry[]>;
  /** Deletes the job, its ledger and its lease. Notifies all processes. */
  remove(id: string): Promise<void>;
  /** Returns the id of the job's record; `undefined` if there is no such job. */
  recordId(id: string): Promise<string | undefined>;
  /** The first `HEADS` jobs of a range, the latest first. */
  heads(range: JobRange): Promise<readonly JobHead[]>;
  /**
   * Acquires the lease of a job that runs outside of a worker, and schedules its recovery at the end of the lease. Returns `false` if
   * there is no such job, or another lease is held; such a recovery is ignored.
   */
  lease(lease: BullmqLease, leaseMs: number): Promise<boolean>;
  /** Acquires the lease of a delivered job for `leaseMs`, unless another one is held. */
  acquire(delivery: Delivery, lease: BullmqLease, leaseMs: number): Promise<LeaseResult>;
  /** Renews the leases that are not lost. */
  renew(leases: readonly BullmqLease[], leaseMs: number): Promise<void>;
  /** Releases the lease. Does nothing if it is lost. */
  release(lease: BullmqLease): Promise<void>;
}

/** The queue of deliveries in BullMQ. Methods reject if the store cannot be reached. */
export interface DeliveryQueue {
  /** Schedules a delivery to a worker. */
  add(scheduled: ScheduledDelivery): Promise<void>;
  /** Removes a delivery, unless a worker is processing it. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Processes a delivery: runs its job, unless there is nothing to run.
 *
 * @param starts Number of times that it was started, this one included.
 * @returns Delay in milliseconds until it is delivered again; `undefined` if it is done. After a rejection it is delivered again, too.
 */
export type DeliveryHandler = (delivery: Delivery, starts: number) => Promise<number | undefined>;

/** Passes due deliveries to the handler until it is closed. */
export interface DeliveryWorker {
  /** Accepts no further deliveries. Resolves when those in progress have ended. */
  close(): Promise<void>;
  /** Closes the connections at once. Deliveries in progress are delivered again. */
  abort(): Promise<void>;
}

/** The store of a `BullmqEngine`, Redis or PostgreSQL: its records, its queue and its workers. Connects at the first use. */
export interface Backend {
  readonly records: JobRecords;
  /** The queue. Opening it rejects if the store cannot be reached. */
  readonly queue: Lazy<DeliveryQueue>;
  /** Imports the packages. Rejects if one is missing. */
  load(): Promise<void>;
  /** Starts to process up to `concurrency` deliveries at once; rejects if the store cannot be reached. */
  openWorker(handler: DeliveryHandler, concurrency: number): Promise<DeliveryWorker>;
  /**
   * Listens for changes until the backend is closed. Called at most once.
   *
   * @param onChange Called with the id of the changed job, or with `undefined` if changes may have been missed.
   */
  listen(onChange: (id: string | undefined) => void): void;
  close(): Promise<void>;
}

/** Settings of a `BullmqEngine` and its backend; `name` is that of the queue. */
export interface BullmqSettings {
  readonly name: string;
  /** Lease duration in milliseconds. */
  readonly leaseMs: number;
  /** Time limit of a reply in milliseconds. */
  readonly timeoutMs: number;
  /** Receives errors and successes of the store. */
  readonly errors: ErrorThrottle;
}
