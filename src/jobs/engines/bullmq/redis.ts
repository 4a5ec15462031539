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
  JobRecords,
  LeaseResult,
  ScheduledDelivery,
} from "./backend.ts";
import {
  BULLMQ,
  type BullmqQueue,
  importBullmq,
  openDeliveryQueue,
  startWorker,
  STREAMS,
  toEntry,
  toProcessor,
  workerOptions,
} from "./queue.ts";
import type { IRedisClient, IRedisTransaction } from "bullmq";
import type { ChainableCommander, Redis } from "ioredis";
import { Lazy } from "../../../internal/async.ts";
import type { Job, LedgerEntry } from "../../../core/dispatch/engine.ts";
import { importPackage } from "../store_errors.ts";
import { headText, ledgerKey, readHeads, recordKey, TRIM } from "./redis_list.ts";
import { type JobHead, type JobRange, positionOf } from "../job_list.ts";
import { decodeJob, type SkippedRecords } from "../job_record.ts";

/** BullMQ's name of the queue. The name of the engine is in the prefix of its keys. */
const QUEUE = "deliveries";

/** Queue in Redis whose deliveries are written in one transaction with the job. */
interface RedisDeliveryQueue extends DeliveryQueue {
  /** Begins a transaction that schedules a delivery. */
  begin(scheduled: ScheduledDelivery): Promise<ChainableCommander>;
}

/** What the records need of the backend. */
interface RedisAccess {
  /** Resolves once Redis can be reached. */
  connect(): Promise<Redis>;
  readonly queue: Lazy<RedisDeliveryQueue>;
  /** Logs records that cannot be read. */
  readonly errors: SkippedRecords;
}
const PACKAGES = ["bullmq", "ioredis"];

/** The backend over Redis: one connection for requests, one for notifications, and two for each worker. */
export class RedisBackend implements Backend {
  readonly records: RedisRecords;
  readonly queue: Lazy<RedisDeliveryQueue> = new Lazy(() => this.#openQueue());
  readonly #settings: BullmqSettings;
  readonly #prefix: string;
  readonly #connection: RedisConnection;

  constructor(address: string | RedisAddress, settings: BullmqSettings) {
    this.#settings = settings;
    // The braces are a hash tag: on a cluster, all keys are in one slot.
    this.#prefix = `{${settings.name}}`;
    const { timeoutMs, errors } = settings;
    this.#connection = new RedisConnection(address, { feature: BULLMQ, packages: PACKAGES, timeoutMs, errors });
    const connect = () => this.#connection.ready();
    this.records = new RedisRecords(this.#prefix, this.#channel, { connect, queue: this.queue, errors });
  }

  async #openQueue(): Promise<RedisDeliveryQueue> {
    const { Queue, Job, createIORedisClient } = await importBullmq(PACKAGES);
    const connection = await this.#connection.ready();
    const queue: BullmqQueue = new Queue(QUEUE, { connection, prefix: this.#prefix, streams: STREAMS });
    const deliveries = await openDeliveryQueue(queue, this.#settings.errors.report);
    const client: IRedisClient = createIORedisClient(connection);
    return {
      ...deliveries,
      add: async (scheduled) => {
        await this.#connection.ready();
        await deliveries.add(scheduled);
      },
      begin: async (scheduled) => {
        await this.#connection.ready();
        // Of `ioredis`, with what BullMQ needs besides.
        const transaction = client.multi() as IRedisTransaction & ChainableCommander;
        const [name, data, options] = toEntry(scheduled);
        await new Job(queue, name, data, options, options.jobId).addJob(transaction);
        return transaction;
      },
    };
  }

  async load(): Promise<void> {
    await importBullmq(PACKAGES);
    await importPackage(BULLMQ, PACKAGES, () => import("ioredis"));
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
 * In each script, `KEYS[1]` is the record, `KEYS[2]` and `KEYS[3]` are the sets of redis_list.ts, `KEYS[4]` is the ledger, a list. Each change is one script, so that it
 * is atomic. A transaction is not rolled back if one of its commands fails: a script after BullMQ's checks that the delivery is there.
 */
const HAS_DELIVERY = `
  if redis.call("EXISTS", delivery) == 0 then return redis.error_reply("The delivery was not scheduled") end`;

const INSERT = `${NOW}
  local delivery = ARGV[7]
  if delivery ~= "" then ${HAS_DELIVERY} end
  if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
  redis.call("HSET", KEYS[1], "record", ARGV[1], "version", ARGV[2], "body", ARGV[3], "head", ARGV[5], "position", ARGV[6],
    "epoch", ARGV[8])
  redis.call("PEXPIREAT", KEYS[1], ARGV[4])
  redis.call("DEL", KEYS[4])
  redis.call("ZADD", KEYS[2], 0, ARGV[6])
  redis.call("ZADD", KEYS[3], ARGV[4], ARGV[6])
  ${TRIM}
  return 1`;

const REPLACE = `
  if redis.call("HGET", KEYS[1], "version") ~= ARGV[1] then return 0 end
  redis.call("HSET", KEYS[1], "version", ARGV[2], "body", ARGV[3], "head", ARGV[7], "epoch", ARGV[9])
  redis.call("PEXPIREAT", KEYS[1], ARGV[4])
  redis.call("PEXPIREAT", KEYS[4], ARGV[4])
  redis.call("ZADD", KEYS[3], "XX", ARGV[4], ARGV[8])
  redis.call("PUBLISH", ARGV[5], ARGV[6])
  return 1`;

const APPEND_LEDGER = `
  if redis.call("HGET", KEYS[1], "epoch") ~= ARGV[1] then return 0 end
  local from = tonumber(ARGV[2])
  if from == 0 then redis.call("DEL", KEYS[4]) else redis.call("LTRIM", KEYS[4], 0, from - 1) end
  for at = 3, #ARGV do redis.call("RPUSH", KEYS[4], ARGV[at]) end
  redis.call("PEXPIRE", KEYS[4], redis.call("PTTL", KEYS[1]))
  return 1`;

const REMOVE = `
  local position = redis.call("HGET", KEYS[1], "position")
  if position then
    redis.call("ZREM", KEYS[2], position)
    redis.call("ZREM", KEYS[3], position)
  end
  redis.call("DEL", KEYS[1], KEYS[4])
  redis.call("PUBLISH", ARGV[1], ARGV[2])`;

/**
 * Reads the lease and how long it is held: to its end for a run outside of a worker, or to the end of BullMQ's lock. `ARGV[1]` is the
 * delivery that asks, `ARGV[2]` the prefix of all deliveries.
 */
const READ_LEASE = `${NOW}
  local stored = redis.call("HMGET", KEYS[1], "record", "delivery", "until")
  local busy = stored[3] and tonumber(stored[3]) - now or 0
  if stored[2] and stored[2] ~= ARGV[1] then
    busy = math.max(busy, redis.call("PTTL", ARGV[2] .. stored[2] .. ":lock"))
  end`;

/** Returns 0 if the lease is acquired, -1 if there is nothing to run, otherwise the rest of another lease in milliseconds. */
const ACQUIRE = `${READ_LEASE}
  if not stored[1] then return -1 end
  if ARGV[4] == "" then
    if stored[2] ~= ARGV[1] then return -1 end
  elseif stored[1] ~= ARGV[4] then return -1 end
  if busy > 0 then return busy end
  redis.call("HSET", KEYS[1], "delivery", ARGV[1], "claim", ARGV[3])
  redis.call("HDEL", KEYS[1], "until")
  return 0`;

/** Returns 1 if the lease is acquired. */
const LEASE = `${READ_LEASE}
  local delivery = ARGV[2] .. ARGV[1]
  ${HAS_DELIVERY}
  if not stored[1] or busy > 0 then return 0 end
  local expires = string.format("%.0f", now + ARGV[4])
  redis.call("HSET", KEYS[1], "delivery", ARGV[1], "claim", ARGV[3], "until", expires)
  return 1`;

const RENEW = `${NOW}
  if redis.call("HGET", KEYS[1], "claim") ~= ARGV[1] then return 0 end
  return redis.call("HSET", KEYS[1], "until", string.format("%.0f", now + ARGV[2]))`;

const RELEASE = `
  if redis.call("HGET", KEYS[1], "claim") ~= ARGV[1] then return 0 end
  return redis.call("HDEL", KEYS[1], "delivery", "claim", "until")`;

/** Job records in Redis: each is a hash, which Redis deletes when the job expires. */
class RedisRecords implements JobRecords {
  readonly usesLocks = true;
  readonly #prefix: string;
  readonly #channel: string;
  readonly #access: RedisAccess;

  /**
   * @param prefix Prefix of all keys.
   * @param channel Channel for ids of changed jobs.
   */
  constructor(prefix: string, channel: string, access: RedisAccess) {
    this.#prefix = prefix;
    this.#channel = channel;
    this.#access = access;
  }

  async insert(job: Job, recordId: string, first?: ScheduledDelivery): Promise<boolean> {
    const { id, version, expiresAtMs } = job;
    const values = [recordId, version, JSON.stringify(job), Math.ceil(expiresAtMs), headText(job), positionOf(job)];
    if (first === undefined) return await this.#run(INSERT, id, ...values, "", job.epoch) === 1;
    const delivery = this.#deliveries + first.delivery.id;
    return await this.#schedule(first, INSERT, id, ...values, delivery, job.epoch) === 1;
  }

  async lease({ job, delivery, claim }: BullmqLease, leaseMs: number): Promise<boolean> {
    const values = [delivery, this.#deliveries, claim, Math.ceil(leaseMs)];
    const recovery = { delivery: { id: delivery, job }, delayMs: leaseMs };
    return await this.#schedule(recovery, LEASE, job, ...values) === 1;
  }

  async get(id: string): Promise<Job | undefined> {
    const body = await (await this.#access.connect()).hget(this.#key(id), "body");
    return body === null ? undefined : decodeJob(body, id, this.#access.errors);
  }

  async replace(job: Job, version: number): Promise<boolean> {
    const { id, expiresAtMs } = job;
    const values = [version, job.version, JSON.stringify(job), Math.ceil(expiresAtMs), this.#channel, id];
    return await this.#run(REPLACE, id, ...values, headText(job), positionOf(job), job.epoch) === 1;
  }

  async appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): Promise<boolean> {
    const texts = entries.map((entry) => JSON.stringify(entry));
    return await this.#run(APPEND_LEDGER, id, epoch, from, ...texts) === 1;
  }

  async readLedger(id: string, from: number, limit: number): Promise<LedgerEntry[]> {
    const redis = await this.#access.connect();
    const texts = await redis.lrange(ledgerKey(this.#prefix, id), from, from + limit - 1);
    return texts.map((text): LedgerEntry => JSON.parse(text));
  }

  async remove(id: string): Promise<void> {
    await this.#run(REMOVE, id, this.#channel, id);
  }

  async recordId(id: string): Promise<string | undefined> {
    return await (await this.#access.connect()).hget(this.#key(id), "record") ?? undefined;
  }

  async acquire({ recordId = "" }: Delivery, { job, delivery, claim }: BullmqLease): Promise<LeaseResult> {
    const busyMs = Number(await this.#run(ACQUIRE, job, delivery, this.#deliveries, claim, recordId));
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
    return await readHeads(await this.#access.connect(), this.#prefix, range, this.#access.errors);
  }

  async #run(script: string, id: string, ...values: (string | number)[]): Promise<unknown> {
    const keys = this.#keys(id);
    return await (await this.#access.connect()).eval(script, keys.length, ...keys, ...values);
  }

  /** Schedules a delivery and runs a script, at once. */
  async #schedule(
    scheduled: ScheduledDelivery,
    script: string,
    id: string,
    ...values: (string | number)[]
  ): Promise<unknown> {
    const queue = await this.#access.queue.get();
    const keys = this.#keys(id);
    for (let isRetry = false;; isRetry = true) {
      const transaction = await queue.begin(scheduled);
      const results = await transaction.eval(script, keys.length, ...keys, ...values).exec() ?? [];
      const error = results.find(([error]) => error !== null)?.[0];
      if (!error) return results.at(-1)?.[1];
      if (isRetry || !error.message.startsWith("NOSCRIPT")) throw error;
      // Redis has lost BullMQ's script, which only a command outside of a transaction loads. Without its record, the delivery is ignored.
      await queue.add(scheduled);
    }
  }

  #keys(id: string): readonly string[] {
    return [this.#key(id), `${this.#prefix}:positions`, `${this.#prefix}:expiries`, ledgerKey(this.#prefix, id)];
  }

  #key(id: string): string {
    return recordKey(this.#prefix, id);
  }

  /** Prefix of BullMQ's keys of deliveries. */
  get #deliveries(): string {
    return `${this.#prefix}:${QUEUE}:`;
  }
}
