import type { Redis, RedisOptions } from "ioredis";
import type { Backend, BackendOptions, Deliver, DeliveryQueue, DeliveryWorker } from "./bullmq_backend.ts";
import type { DeliveryWorkerOptions } from "./bullmq_backend.ts";
import { Lazy, within } from "./bullmq_lazy.ts";
import { importPackage } from "./bullmq_packages.ts";
import { startWorker, STREAMS, toDeliveryQueue, toProcessor, workerOptions } from "./bullmq_queue.ts";
import type { RedisAddress } from "./bullmq_redis_address.ts";
import { RedisRecords } from "./bullmq_redis_records.ts";

/** BullMQ's name of the queue; the prefix of its keys has the engine's. */
const QUEUE = "deliveries";
const PACKAGES = ["bullmq", "ioredis"];

/**
 * How to ask Redis where a caller waits: what cannot be sent now is not sent later either, and what got no answer is not sent
 * again. A change that was taken for failed would else be made when nobody expects it any more.
 */
const ASKING = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 } as const;

/** How a worker asks, which has time. */
const WORKING = { maxRetriesPerRequest: null } as const;

/** Replies stay as they are. */
type RedisSettings = Omit<RedisOptions, "replyMapping">;

/** Redis: one connection to ask, one that listens, and two for each worker. */
export class RedisBackend implements Backend {
  readonly records: RedisRecords;
  readonly #address: string | RedisAddress;
  readonly #options: BackendOptions;
  readonly #prefix: string;
  readonly #main: Lazy<RedisLine>;
  readonly #clients = new Set<Redis>();
  #isClosed = false;

  constructor(address: string | RedisAddress, options: BackendOptions) {
    this.#address = address;
    this.#options = options;
    // In braces: on a cluster, all of it is kept in one place.
    this.#prefix = `{${options.name}}`;
    const { timeoutMs } = options;
    const asking = { ...ASKING, commandTimeout: timeoutMs };
    this.#main = new Lazy(async () => new RedisLine(await this.#connect(asking), timeoutMs));
    this.records = new RedisRecords(this.#prefix, this.#channel, () => this.#ready());
  }

  async openQueue(): Promise<DeliveryQueue> {
    const { Queue } = await importPackage(PACKAGES, () => import("bullmq"));
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

  async openWorker(deliver: Deliver, options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
    const { Worker, DelayedError } = await importPackage(PACKAGES, () => import("bullmq"));
    const connection = await this.#connect(WORKING);
    const clients = [connection];
    // BullMQ makes itself a second one, to wait for what comes; to end it for sure, we have to know it.
    const duplicate = connection.duplicate.bind(connection);
    connection.duplicate = (override) => {
      const client = this.#watch(duplicate(override));
      clients.push(client);
      return client;
    };
    const { onError } = this.#options;
    const settings = { ...workerOptions(options), connection, prefix: this.#prefix };
    const worker = new Worker(QUEUE, toProcessor(deliver, DelayedError), settings);
    worker.on("error", onError);
    const end = (): void => clients.forEach((client) => this.#end(client));
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
      const client = await this.#connect({ autoResubscribe: false });
      client.on("message", (_channel, id) => onChange(id));
      // With each connection anew; and what happened before it, nobody has heard.
      client.on("ready", () => {
        client.subscribe(this.#channel).then(() => onChange(undefined), onError);
      });
    };
    begin().catch(onError);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const client of this.#clients) this.#end(client);
    return Promise.resolve();
  }

  get #channel(): string {
    return `${this.#prefix}:changes`;
  }

  async #ready(): Promise<Redis> {
    return await (await this.#main.get()).ready();
  }

  async #connect(options: RedisSettings): Promise<Redis> {
    const { Redis } = await importPackage(PACKAGES, () => import("ioredis"));
    if (this.#isClosed) throw new Error("The connections to Redis are closed");
    const retryStrategy = (tries: number): number => Math.min(tries * 100, 1_000);
    const all: RedisSettings = { ...options, retryStrategy, connectTimeout: this.#options.timeoutMs };
    const client = typeof this.#address === "string"
      ? new Redis(this.#address, all)
      : new Redis({ ...this.#address, ...all });
    return this.#watch(client);
  }

  #watch(client: Redis): Redis {
    client.on("error", this.#options.onError);
    this.#clients.add(client);
    return client;
  }

  #end(client: Redis): void {
    this.#clients.delete(client);
    // BullMQ has ended it; to end it twice leaves a timer behind.
    if (client.status === "end") return;
    client.disconnect();
    if (client.status !== "reconnecting") return;
    // It forgets its next try, but not what it was to send then: only a try that is broken off rejects that.
    client.connect().catch(() => {});
    client.disconnect();
  }
}

/** A connection, and whether it can be used. */
class RedisLine {
  readonly #client: Redis;
  readonly #timeoutMs: number;
  #ready = Promise.withResolvers<void>();

  constructor(client: Redis, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    client.on("ready", () => this.#ready.resolve());
    client.on("close", () => {
      const before = this.#ready;
      this.#ready = Promise.withResolvers();
      // Those who wait go on waiting for the next.
      void this.#ready.promise.then(before.resolve);
    });
  }

  /** Waits until it can be used, but not for ever. */
  async ready(): Promise<Redis> {
    if (this.#client.status !== "ready") await within(this.#timeoutMs, this.#ready.promise);
    return this.#client;
  }
}
