import type { Redis } from "ioredis";
import type {
  Backend,
  BackendOptions,
  DeliveryHandler,
  DeliveryQueue,
  DeliveryWorker,
  DeliveryWorkerOptions,
} from "./backend.ts";
import { Lazy } from "../../internal/async.ts";
import { BULLMQ, importPackage } from "../redis/packages.ts";
import { startWorker, STREAMS, toDeliveryQueue, toProcessor, workerOptions } from "./queue.ts";
import type { RedisAddress } from "../redis/address.ts";
import { RedisRecords } from "./redis_records.ts";
import { RedisClients, type RedisLine } from "../redis/connection.ts";

/** BullMQ's name of the queue; the prefix of its keys has the engine's. */
const QUEUE = "deliveries";
const PACKAGES = ["bullmq", "ioredis"];

/** How a worker asks, which has time. */
const WORKING = { maxRetriesPerRequest: null } as const;

/** Redis: one connection to ask, one that listens, and two for each worker. */
export class RedisBackend implements Backend {
  readonly records: RedisRecords;
  readonly #options: BackendOptions;
  readonly #prefix: string;
  readonly #main: Lazy<RedisLine>;
  readonly #clients: RedisClients;

  constructor(address: string | RedisAddress, options: BackendOptions) {
    this.#options = options;
    // In braces: on a cluster, all of it is kept in one place.
    this.#prefix = `{${options.name}}`;
    const { timeoutMs, onError } = options;
    this.#clients = new RedisClients(address, { what: BULLMQ, packages: PACKAGES, timeoutMs, onError });
    this.#main = new Lazy(() => this.#clients.openLine());
    this.records = new RedisRecords(this.#prefix, this.#channel, () => this.#ready());
  }

  async openQueue(): Promise<DeliveryQueue> {
    const { Queue } = await importPackage(BULLMQ, PACKAGES, () => import("bullmq"));
    const queue = new Queue(QUEUE, { connection: await this.#ready(), prefix: this.#prefix, streams: STREAMS });
    queue.on("error", this.#options.onError);
    try {
      await queue.waitUntilReady();
    } catch (error) {
      // It would remember that for ever.
      void queue.close().catch(this.#options.onError);
      throw error;
    }
    const deliveries = toDeliveryQueue(queue);
    return {
      ...deliveries,
      add: async (...delivery) => {
        await this.#ready();
        return await deliveries.add(...delivery);
      },
    };
  }

  async openWorker(deliver: DeliveryHandler, options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
    const { Worker, DelayedError } = await importPackage(BULLMQ, PACKAGES, () => import("bullmq"));
    const connection = await this.#clients.connect(WORKING);
    const clients = [connection];
    // BullMQ makes itself a second one, to wait for what comes; to end it for sure, we have to know it.
    const duplicate = connection.duplicate.bind(connection);
    connection.duplicate = (override) => {
      const client = this.#clients.watch(duplicate(override));
      clients.push(client);
      return client;
    };
    const { onError } = this.#options;
    const settings = { ...workerOptions(options), connection, prefix: this.#prefix };
    const worker = new Worker(QUEUE, toProcessor(deliver, DelayedError), settings);
    worker.on("error", onError);
    const end = (): void => clients.forEach((client) => this.#clients.end(client));
    const abort = async (): Promise<void> => {
      const closing = worker.close(true);
      end();
      await closing;
    };
    try {
      await startWorker(worker, onError);
    } catch (error) {
      void abort().catch(onError);
      throw error;
    }
    return {
      close: async () => {
        await worker.close();
        end();
      },
      abort,
    };
  }

  listen(onChange: (id: string | undefined) => void): void {
    const { onError } = this.#options;
    const begin = async (): Promise<void> => {
      const client = await this.#clients.connect({ autoResubscribe: false });
      client.on("message", (_channel, id) => onChange(id));
      // With each connection anew; and what happened before it, nobody has heard.
      client.on("ready", () => {
        client.subscribe(this.#channel).then(() => onChange(undefined), onError);
      });
    };
    begin().catch(onError);
  }

  close(): Promise<void> {
    this.#clients.close();
    return Promise.resolve();
  }

  get #channel(): string {
    return `${this.#prefix}:changes`;
  }

  async #ready(): Promise<Redis> {
    return await (await this.#main.get()).ready();
  }
}
