import { RedisConnection } from "../redis/connection.ts";
import type { RedisAddress } from "../redis/address.ts";
import type { Backend, BullmqSettings, DeliveryHandler, DeliveryQueue, DeliveryWorker } from "./backend.ts";
import { BULLMQ, importBullmq, openDeliveryQueue, startWorker, STREAMS, toProcessor, workerOptions } from "./queue.ts";
import { RedisRecords } from "./redis_records.ts";

/** BullMQ's name of the queue. The name of the engine is in the prefix of its keys. */
const QUEUE = "deliveries";
const PACKAGES = ["bullmq", "ioredis"];

/** Redis: one connection for requests, one for notifications, and two for each worker. */
export class RedisBackend implements Backend {
  readonly records: RedisRecords;
  readonly #settings: BullmqSettings;
  readonly #prefix: string;
  readonly #connection: RedisConnection;

  constructor(address: string | RedisAddress, settings: BullmqSettings) {
    this.#settings = settings;
    // The braces are a hash tag: on a cluster, all keys are in one slot.
    this.#prefix = `{${settings.name}}`;
    const { timeoutMs, errors } = settings;
    this.#connection = new RedisConnection(address, { feature: BULLMQ, packages: PACKAGES, timeoutMs, errors });
    this.records = new RedisRecords(this.#prefix, this.#channel, () => this.#connection.ready());
  }

  async openQueue(): Promise<DeliveryQueue> {
    const { Queue } = await importBullmq(PACKAGES);
    const settings = { connection: await this.#connection.ready(), prefix: this.#prefix, streams: STREAMS };
    const queue = await openDeliveryQueue(new Queue(QUEUE, settings), this.#settings.errors.report);
    return {
      ...queue,
      add: async (...delivery) => {
        await this.#connection.ready();
        return await queue.add(...delivery);
      },
    };
  }

  async openWorker(handler: DeliveryHandler, concurrency: number): Promise<DeliveryWorker> {
    const { Worker, DelayedError } = await importBullmq(PACKAGES);
    // A worker has time: its commands are retried without a limit.
    const connection = await this.#connection.connect({ maxRetriesPerRequest: null });
    const clients = [connection];
    // BullMQ duplicates the connection for blocking commands. The duplicate has to be known, so that it can be closed in any case.
    const duplicate = connection.duplicate.bind(connection);
    connection.duplicate = (override) => {
      const client = this.#connection.track(duplicate(override));
      clients.push(client);
      return client;
    };
    const settings = { ...workerOptions(concurrency, this.#settings), connection, prefix: this.#prefix };
    const worker = new Worker(QUEUE, toProcessor(handler, DelayedError), settings);
    const end = (): void => clients.forEach((client) => this.#connection.end(client));
    const abort = async (): Promise<void> => {
      const closing = worker.close(true);
      end();
      await closing;
    };
    await startWorker(worker, this.#settings.errors.report, abort);
    return {
      close: async () => {
        await worker.close();
        end();
      },
      abort,
    };
  }

  listen(onChange: (id: string | undefined) => void): void {
    const listener = { onMessage: onChange, onSubscribe: () => onChange(undefined) };
    this.#connection.channels.subscribe(this.#channel, listener);
  }

  close(): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }

  get #channel(): string {
    return `${this.#prefix}:changes`;
  }
}
