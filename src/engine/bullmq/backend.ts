/**
 * What the engine needs of Redis or PostgreSQL: records of jobs, and BullMQ's queue of deliveries.
 *
 * A delivery says that a job is to be run. Whoever runs a job, or holds it, has a lease in its record, and renews it for as
 * long as the process lives: a delivery that comes meanwhile waits. When the process dies, the lease lapses, and BullMQ
 * delivers again. Leases are timed by the store's clock alone.
 *
 * @module
 */
import type { Job } from "../engine.ts";

/** What is queued. */
export interface Delivery {
  /** Its own id in the queue. */
  readonly id: string;
  /** Id of the job. */
  readonly job: string;
  /** Which record of that id it is for: one that is put in later has nothing to do with it. */
  readonly recordId: string;
  /** Whether it is there only for the case that a holder dies: it counts while the job's lease names it. */
  readonly isRecovery: boolean;
}

/** The right to run a job. */
export interface BullmqLease {
  /** Id of the job. */
  readonly job: string;
  /** The delivery that it came with. */
  readonly delivery: string;
  /** Unique: whoever has an older one has lost it. */
  readonly claim: string;
}

/** How it went to take a job: it is `gone`, or another process has it for at least so many milliseconds, or it is ours. */
export type LeaseResult = "gone" | { readonly busyMs: number } | "ours";

/** Jobs as records; each method is one round trip, and rejects if the store cannot be reached. */
export interface Records {
  /** `false` if the id is taken. */
  insert(job: Job, recordId: string): Promise<boolean>;
  /** `undefined` if there is none, or it has expired. */
  get(id: string): Promise<Job | undefined>;
  /** `false` if there is none of that version. Tells all processes. */
  replace(job: Job, version: number): Promise<boolean>;
  /** Forgets the job, its lease included. Tells all processes. */
  remove(id: string): Promise<void>;
  /** Which record has the id; `undefined` if none has. */
  recordId(id: string): Promise<string | undefined>;
  /** Takes the job for `leaseMs`, unless somebody has it. */
  acquire(delivery: Delivery, lease: BullmqLease, leaseMs: number): Promise<LeaseResult>;
  /** Renews those that are not lost. */
  renew(leases: readonly BullmqLease[], leaseMs: number): Promise<void>;
  /** Gives the job back; if the lease is lost, nothing happens. */
  release(lease: BullmqLease): Promise<void>;
}

/** Where deliveries are queued. */
export interface DeliveryQueue {
  /**
   * Has it come to a worker in `delayMs`.
   *
   * @returns Has it come sooner.
   */
  add(delivery: Delivery, delayMs: number): Promise<(delayMs: number) => Promise<void>>;
  /** Takes one back that is not under way. */
  remove(id: string): Promise<void>;
  /** Ends it. */
  close(): Promise<void>;
}

/**
 * What a worker does with a delivery.
 *
 * @param begun How often it was begun, this time included.
 * @returns For how many milliseconds to put it off; `undefined` if it is done. A rejection has it delivered again.
 */
export type DeliveryHandler = (delivery: Delivery, begun: number) => Promise<number | undefined>;

/** Takes deliveries as they come due. */
export interface DeliveryWorker {
  /** Takes no more; resolves when those under way have ended. */
  close(): Promise<void>;
  /** Ends its connections, whatever goes on. What is under way is delivered again. */
  abort(): Promise<void>;
}

/** How a worker is to work. */
export interface DeliveryWorkerOptions {
  /** How many at once. */
  readonly concurrency: number;
  /** How long a process is taken to live after its last sign, in milliseconds. */
  readonly leaseMs: number;
}

/** Redis or PostgreSQL. Connects when it is first asked for something. */
export interface Backend {
  /** The records. */
  readonly records: Records;
  /** Opens the queue; rejects if the store cannot be reached. */
  openQueue(): Promise<DeliveryQueue>;
  /** Begins to take deliveries; rejects if the store cannot be reached. */
  openWorker(deliver: DeliveryHandler, options: DeliveryWorkerOptions): Promise<DeliveryWorker>;
  /**
   * Hears of changes, once and for all.
   *
   * @param onChange Told the id of the changed job; of `undefined` when changes may have been missed.
   */
  listen(onChange: (id: string | undefined) => void): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** What both backends are made of. */
export interface BackendOptions {
  /** The queue's name. */
  readonly name: string;
  /** How long the store may take to answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of errors of which no caller hears. */
  readonly onError: (error: unknown) => void;
}
