import type { RedisAddress } from "../redis/address.ts";
import { RedisConnection } from "../redis/connection.ts";
import type {
  Backend,
  BullmqLease,
  BullmqSettings,
  Delivery,
  DeliveryHandler,
  DeliveryQueue,
  DeliveryWorker,
  LeaseResult,
  Records,
} from "./backend.ts";
import { BULLMQ, importBullmq, openDeliveryQueue, startWorker, STREAMS, toProcessor, workerOptions } from "./queue.ts";
import type { Redis } from "ioredis";
import type { Job } from "../engine.ts";
import { headText, readHeads, recordKey, TRIM } from "./redis_list.ts";
import { type JobHead, type JobRange, positionOf } from "../job_list.ts";

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

/** Time of Redis in milliseconds: the clocks of the processes may differ. */
const NOW = `
  local time = redis.call("TIME")
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * In each script, `KEYS[1]` is the record, `KEYS[2]` and `KEYS[3]` are the sets of redis_list.ts. Each change is one script, so that it
 * is atomic.
 */
const INSERT = `${NOW}
  if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
  redis.call("HSET", KEYS[1], "record", ARGV[1], "version", ARGV[2], "body", ARGV[3], "head", ARGV[5], "position", ARGV[6])
  redis.call("PEXPIREAT", KEYS[1], ARGV[4])
  redis.call("ZADD", KEYS[2], 0, ARGV[6])
  redis.call("ZADD", KEYS[3], ARGV[4], ARGV[6])
  ${TRIM}
  return 1`;

const REPLACE = `
  if redis.call("HGET", KEYS[1], "version") ~= ARGV[1] then return 0 end
  redis.call("HSET", KEYS[1], "version", ARGV[2], "body", ARGV[3], "head", ARGV[7])
  redis.call("PEXPIREAT", KEYS[1], ARGV[4])
  redis.call("ZADD", KEYS[3], "XX", ARGV[4], ARGV[8])
  redis.call("PUBLISH", ARGV[5], ARGV[6])
  return 1`;

const REMOVE = `
  local position = redis.call("HGET", KEYS[1], "position")
  if position then
    redis.call("ZREM", KEYS[2], position)
    redis.call("ZREM", KEYS[3], position)
  end
  redis.call("DEL", KEYS[1])
  redis.call("PUBLISH", ARGV[1], ARGV[2])`;

/** Returns 0 if the lease is acquired, -1 if there is nothing to run, otherwise the rest of another process' lease in milliseconds. */
const ACQUIRE = `${NOW}
  local stored = redis.call("HMGET", KEYS[1], "record", "delivery", "until")
  if stored[1] ~= ARGV[1] then return -1 end
  if ARGV[2] == "recovery" and stored[2] ~= ARGV[3] then return -1 end
  if stored[3] and tonumber(stored[3]) > now then return tonumber(stored[3]) - now end
  local expires = string.format("%.0f", now + ARGV[5])
  redis.call("HSET", KEYS[1], "delivery", ARGV[3], "claim", ARGV[4], "until", expires)
  return 0`;

const RENEW = `${NOW}
  if redis.call("HGET", KEYS[1], "claim") ~= ARGV[1] then return 0 end
  return redis.call("HSET", KEYS[1], "until", string.format("%.0f", now + ARGV[2]))`;

const RELEASE = `
  if redis.call("HGET", KEYS[1], "claim") ~= ARGV[1] then return 0 end
  return redis.call("HDEL", KEYS[1], "delivery", "claim", "until")`;

/** Each job is a hash, which Redis deletes when it expires. */
class RedisRecords implements Records {
  readonly #prefix: string;
  readonly #channel: string;
  readonly #connect: () => Promise<Redis>;

  /**
   * @param prefix Prefix of all keys.
   * @param channel Channel for ids of changed jobs.
   * @param connect Resolves once Redis can be reached.
   */
  constructor(prefix: string, channel: string, connect: () => Promise<Redis>) {
    this.#prefix = prefix;
    this.#channel = channel;
    this.#connect = connect;
  }

  async insert(job: Job, recordId: string): Promise<boolean> {
    const { id, version, expiresAtMs } = job;
    const values = [recordId, version, JSON.stringify(job), Math.ceil(expiresAtMs), headText(job), positionOf(job)];
    return await this.#run(INSERT, id, ...values) === 1;
  }

  async get(id: string): Promise<Job | undefined> {
    const body = await (await this.#connect()).hget(this.#key(id), "body");
    return body === null ? undefined : JSON.parse(body);
  }

  async replace(job: Job, version: number): Promise<boolean> {
    const { id, expiresAtMs } = job;
    const values = [version, job.version, JSON.stringify(job), Math.ceil(expiresAtMs), this.#channel, id];
    return await this.#run(REPLACE, id, ...values, headText(job), positionOf(job)) === 1;
  }

  async remove(id: string): Promise<void> {
    await this.#run(REMOVE, id, this.#channel, id);
  }

  async recordId(id: string): Promise<string | undefined> {
    return await (await this.#connect()).hget(this.#key(id), "record") ?? undefined;
  }

  async acquire(
    { recordId, isRecovery }: Delivery,
    { job, delivery, claim }: BullmqLease,
    leaseMs: number,
  ): Promise<LeaseResult> {
    const kind = isRecovery ? "recovery" : "";
    const busyMs = Number(await this.#run(ACQUIRE, job, recordId, kind, delivery, claim, Math.ceil(leaseMs)));
    if (busyMs < 0) return "gone";
    return busyMs > 0 ? { busyMs } : "acquired";
  }

  async renew(leases: readonly BullmqLease[], leaseMs: number): Promise<void> {
    await Promise.all(leases.map(({ job, claim }) => this.#run(RENEW, job, claim, Math.ceil(leaseMs))));
  }

  async release({ job, claim }: BullmqLease): Promise<void> {
    await this.#run(RELEASE, job, claim);
  }

  async heads(range: JobRange): Promise<readonly JobHead[]> {
    return await readHeads(await this.#connect(), this.#prefix, range);
  }

  async #run(script: string, id: string, ...values: (string | number)[]): Promise<unknown> {
    const keys = [this.#key(id), `${this.#prefix}:positions`, `${this.#prefix}:expiries`];
    return await (await this.#connect()).eval(script, keys.length, ...keys, ...values);
  }

  #key(id: string): string {
    return recordKey(this.#prefix, id);
  }
}
