/** Use of BullMQ, which is the same over Redis and over PostgreSQL. */
import type { Job as BullmqJob, JobsOptions, Queue, Worker, WorkerOptions } from "bullmq";
import { importPackage } from "../store_errors.ts";
import type { BullmqSettings, Delivery, DeliveryHandler, DeliveryQueue, ScheduledDelivery } from "./backend.ts";

/** Name of the engine in the message about a missing package. */
export const BULLMQ = "the bullmq engine";

/** Data of a queue entry; its id is the id of BullMQ's job. */
export type DeliveryData = Omit<Delivery, "id">;

/** Members that do not depend on the backend of BullMQ. */
interface Connectable {
  on(event: "error", listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
}

/** BullMQ's name of the only kind of job. */
const KIND = "run";

/** A queue of BullMQ. */
export type BullmqQueue = Queue<DeliveryData, void, typeof KIND>;

/**
 * A delivery is deleted once it is done, and retried while it fails: only an error of the store fails it. Attempts of the job itself
 * are counted in its record.
 */
const OPTIONS: JobsOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 1_000_000,
  backoff: { type: "fixed", delay: 1_000 },
  stackTraceLimit: 1,
};

/** Limits BullMQ's own event stream, which is not read. */
export const STREAMS = { events: { maxLen: 100 } } as const;

export function importBullmq(packages: readonly string[]): Promise<typeof import("bullmq")> {
  return importPackage(BULLMQ, packages, () => import("bullmq"));
}

/** Waits until a queue of BullMQ is connected, and returns it as a {@link DeliveryQueue}. Closes it and rejects if it cannot connect. */
export async function openDeliveryQueue(
  queue: Connectable & Pick<BullmqQueue, "add" | "remove" | "close">,
  onError: (error: unknown) => void,
): Promise<DeliveryQueue> {
  queue.on("error", onError);
  try {
    await queue.waitUntilReady();
  } catch (error) {
    // BullMQ keeps the failed connection, so that this queue is of no further use.
    void queue.close().catch(onError);
    throw error;
  }
  return {
    async add(scheduled) {
      await queue.add(...toEntry(scheduled));
    },
    async remove(id) {
      await queue.remove(id);
    },
    close: () => queue.close(),
  };
}

/** Returns name, data and options of BullMQ's job for a delivery: it is deleted when done, and retried while it fails. */
export function toEntry(
  { delivery: { id, ...data }, delayMs }: ScheduledDelivery,
): [typeof KIND, DeliveryData, JobsOptions & { readonly jobId: string }] {
  return [KIND, data, { ...OPTIONS, jobId: id, delay: wholeMs(delayMs) }];
}

/** Creates the function that BullMQ calls for each delivery: it runs the handler, and postpones the delivery if that returns a delay. */
export function toProcessor(
  handler: DeliveryHandler,
  DelayedError: new () => Error,
): (job: BullmqJob<DeliveryData>, token?: string) => Promise<void> {
  return async (job, token) => {
    const { id = "", data, attemptsStarted } = job;
    const delayMs = await handler({ ...data, id }, attemptsStarted);
    if (delayMs === undefined) return;
    await job.moveToDelayed(Date.now() + wholeMs(delayMs), token);
    throw new DelayedError();
  };
}

/** Returns the options of a worker of BullMQ. A worker that does not renew its lock for `leaseMs` is considered dead. */
export function workerOptions(
  concurrency: number,
  { leaseMs }: BullmqSettings,
): Omit<WorkerOptions, "connection"> {
  return {
    concurrency,
    lockDuration: leaseMs,
    stalledInterval: Math.max(100, leaseMs / 2),
    // No limit here: the number of attempts is limited by the job's record.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1_000,
    autorun: false,
  };
}

/**
 * Starts a worker of BullMQ once the store can be reached.
 *
 * @param abort Closes the worker if the store cannot be reached.
 */
export async function startWorker(
  worker: Connectable & Pick<Worker<DeliveryData>, "run">,
  onError: (error: unknown) => void,
  abort: () => Promise<void>,
): Promise<void> {
  worker.on("error", onError);
  try {
    await worker.waitUntilReady();
    worker.run().catch(onError);
  } catch (error) {
    void abort().catch(onError);
    throw error;
  }
}

function wholeMs(delayMs: number): number {
  return Math.max(0, Math.ceil(delayMs));
}
