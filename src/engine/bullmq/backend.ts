/**
 * The contract of a backend, Redis or PostgreSQL: job records, and BullMQ's queue of deliveries.
 *
 * A delivery asks a worker to run a job. The process that runs a job holds a lease in the job's record and renews it while it lives;
 * other deliveries of the job wait. When the process dies, the lease expires, and BullMQ delivers again. Leases are timed by the clock
 * of the store alone.
 */
import type { Job } from "../engine.ts";
import type { JobHead, JobRange } from "../job_list.ts";
import type { ErrorThrottle } from "../store_errors.ts";

/** Entry of the queue. */
export interface Delivery {
  /** Id of the delivery in the queue. */
  readonly id: string;
  readonly job: string;
  /** Id of the job's record. A record that is inserted later under the same job id has another one, so that the delivery is ignored. */
  readonly recordId: string;
  /** Whether it is only for the case that the lease holder dies. It is ignored unless the job's lease names it. */
  readonly isRecovery: boolean;
}

/** The exclusive right to run a job. */
export interface BullmqLease {
  readonly job: string;
  /** Id of the delivery that the lease was acquired with. */
  readonly delivery: string;
  /** Unique id. A lease whose claim is no longer in the record is lost. */
  readonly claim: string;
}

/** Result of acquiring a lease. `gone`: there is nothing to run. `busyMs`: another process holds a lease for at least this long. */
export type LeaseResult = "gone" | { readonly busyMs: number } | "acquired";

/** Job records. Each method is one round trip, and rejects if the store cannot be reached. */
export interface Records {
  /** Returns `false` if the id is taken. */
  insert(job: Job, recordId: string): Promise<boolean>;
  /** Returns `undefined` if there is no such job, or it has expired. */
  get(id: string): Promise<Job | undefined>;
  /** Returns `false` if there is no job of this version. Notifies all processes. */
  replace(job: Job, version: number): Promise<boolean>;
  /** Deletes the job and its lease. Notifies all processes. */
  remove(id: string): Promise<void>;
  /** Returns the id of the job's record; `undefined` if there is no such job. */
  recordId(id: string): Promise<string | undefined>;
  /** The first `HEADS` jobs of a range, the latest first. */
  heads(range: JobRange): Promise<readonly JobHead[]>;
  /** Acquires the lease of the job for `leaseMs`, unless another one is held. */
  acquire(delivery: Delivery, lease: BullmqLease, leaseMs: number): Promise<LeaseResult>;
  /** Renews the leases that are not lost. */
  renew(leases: readonly BullmqLease[], leaseMs: number): Promise<void>;
  /** Releases the lease. Does nothing if it is lost. */
  release(lease: BullmqLease): Promise<void>;
}

export interface DeliveryQueue {
  /**
   * Schedules a delivery to a worker after `delayMs`.
   *
   * @returns Reschedules it to an earlier time.
   */
  add(delivery: Delivery, delayMs: number): Promise<(delayMs: number) => Promise<void>>;
  /** Removes a delivery, unless a worker is processing it. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Processes a delivery.
 *
 * @param starts Number of times that it was started, this one included.
 * @returns Delay in milliseconds until it is delivered again; `undefined` if it is done. After a rejection it is delivered again, too.
 */
export type DeliveryHandler = (delivery: Delivery, starts: number) => Promise<number | undefined>;

/** Processes deliveries when they are due. */
export interface DeliveryWorker {
  /** Accepts no further deliveries. Resolves when those in progress have ended. */
  close(): Promise<void>;
  /** Closes the connections at once. Deliveries in progress are delivered again. */
  abort(): Promise<void>;
}

/** Redis or PostgreSQL. Connects at the first use. */
export interface Backend {
  readonly records: Records;
  /** Opens the queue; rejects if the store cannot be reached. */
  openQueue(): Promise<DeliveryQueue>;
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

/** Settings of the engine and both backends. */
export interface BullmqSettings {
  readonly name: string;
  /** Lease duration in milliseconds. */
  readonly leaseMs: number;
  /** Time limit of a reply in milliseconds. */
  readonly timeoutMs: number;
  /** Receives errors and successes of the store. */
  readonly errors: ErrorThrottle;
}
