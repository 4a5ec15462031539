/**
 * The part of BullMQ that is the same over Redis and over PostgreSQL.
 *
 * @module
 */
import type { Job as BullmqJob, JobsOptions, Queue, Worker, WorkerOptions } from "bullmq";
import type { Delivery, DeliveryHandler, DeliveryQueue, DeliveryWorkerOptions } from "./backend.ts";

/** What is queued, beside its id. */
export type DeliveryData = Omit<Delivery, "id">;

/** BullMQ's name for our only kind of job. */
const KIND = "run";

/**
 * A delivery is gone once it is done. It is tried again for as long as it fails: only the store can fail it, and what is too
 * much for a job is for `attempt` and `maxAttempts` to say.
 */
const OPTIONS: JobsOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 1_000_000,
  backoff: { type: "fixed", delay: 1_000 },
  stackTraceLimit: 1,
};

/** How many of BullMQ's own events are kept: nobody reads them. */
export const STREAMS = { events: { maxLen: 100 } } as const;

/** What a queue has to do, whichever backend it has. */
type AnyQueue = Pick<Queue<DeliveryData>, "add" | "remove" | "close">;

/** The queue as the engine sees it. */
export function toDeliveryQueue(queue: AnyQueue): DeliveryQueue {
  return {
    async add({ id, ...data }, delayMs) {
      const job = await queue.add(KIND, data, { ...OPTIONS, jobId: id, delay: wholeMs(delayMs) });
      return (soonerMs) => soonerMs > 0 ? job.changeDelay(wholeMs(soonerMs)) : job.promote();
    },
    async remove(id) {
      await queue.remove(id);
    },
    close: () => queue.close(),
  };
}

/** What BullMQ calls for each delivery. */
export function toProcessor(
  deliver: DeliveryHandler,
  DelayedError: new () => Error,
): (job: BullmqJob<DeliveryData>, token?: string) => Promise<void> {
  return async (job, token) => {
    const { id = "", data, attemptsStarted } = job;
    const delayMs = await deliver({ ...data, id }, attemptsStarted);
    if (delayMs === undefined) return;
    await job.moveToDelayed(Date.now() + wholeMs(delayMs), token);
    throw new DelayedError();
  };
}

/** How BullMQ is to find out that a worker has died. */
export function workerOptions({ concurrency, leaseMs }: DeliveryWorkerOptions): Omit<WorkerOptions, "connection"> {
  return {
    concurrency,
    lockDuration: leaseMs,
    stalledInterval: Math.max(100, leaseMs / 2),
    // However often its workers die: how often a job may be begun is not for BullMQ to say.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1_000,
    autorun: false,
  };
}

/** What a worker has to do, whichever backend it has. */
type AnyWorker = Pick<Worker<DeliveryData>, "waitUntilReady" | "run" | "close" | "disconnect">;

/** Begins to work, once the store can be reached. */
export async function startWorker(worker: AnyWorker, onError: (error: unknown) => void): Promise<void> {
  await worker.waitUntilReady();
  worker.run().catch(onError);
}

function wholeMs(delayMs: number): number {
  return Math.max(0, Math.ceil(delayMs));
}
