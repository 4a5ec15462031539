/** The engine over shards: a job is in the shard that its id selects. */
import type { MaybePromise } from "../../../internal/async.ts";
import type {
  Engine,
  EngineWorker,
  Job,
  JobFilter,
  JobPage,
  LedgerEntry,
  WorkOptions,
} from "../../../core/dispatch/engine.ts";
import { HEADS, pageOf, positionOf, rangeOf } from "../job_list.ts";
import { INSTANCE_LEASE_MS, Shard, type ShardCalls } from "./shard.ts";

/** Longest wait of one call for changes, in milliseconds. */
const CHANGED_MS = 25_000;

/** Pause after a failed call for changes, in milliseconds. */
const PAUSE_MS = 1_000;

/** Number of renewals during the duration of one lease. */
const RENEWALS = 3;

/** A version that no job has: the current one is returned at once. */
const UNKNOWN = -1;

/** Settings of {@link DurableObjectEngine}. */
export interface DurableObjectSettings {
  /** Number of shards. */
  readonly shards: number;
  /** Duration of a lease in milliseconds. */
  readonly leaseMs: number;
  /** The shard of an index. */
  readonly shardAt: (index: number, signal: AbortSignal) => ShardCalls;
  /** The shard of this object, where jobs run; absent in a Worker. */
  readonly own?: Shard;
  /** Bindings of this object or Worker. */
  readonly env?: unknown;
}

/** Stores jobs in shards. Jobs run in the object of their shard only. */
export class DurableObjectEngine implements Engine {
  readonly name = "durable-object";
  readonly processId = undefined;
  readonly startsElsewhere: boolean;
  readonly env: unknown;
  readonly #settings: DurableObjectSettings;
  readonly #closing = new AbortController();
  readonly #workers = new Set<{ abandon(): void }>();

  constructor(settings: DurableObjectSettings) {
    this.#settings = settings;
    this.startsElsewhere = settings.own === undefined;
    this.env = settings.env;
  }

  insert(job: Job, dueInMs: number | null = null): MaybePromise<boolean> {
    return this.#shardOf(job.id).insert(job, dueInMs);
  }

  async get(id: string): Promise<Job | undefined> {
    return await this.#shardOf(id).get(id) ?? undefined;
  }

  replace(job: Job, version: number): MaybePromise<boolean> {
    return this.#shardOf(job.id).replace(job, version);
  }

  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): MaybePromise<boolean> {
    return this.#shardOf(id).appendLedger(id, epoch, from, entries);
  }

  readLedger(id: string, from: number, limit: number): MaybePromise<readonly LedgerEntry[]> {
    return this.#shardOf(id).readLedger(id, from, limit);
  }

  remove(id: string): MaybePromise<void> {
    return this.#shardOf(id).remove(id);
  }

  subscribe(id: string, onChange: () => void): () => void {
    const ending = new AbortController();
    const shard = this.#shardOf(id, AbortSignal.any([ending.signal, this.#closing.signal]));
    if (shard instanceof Shard) return shard.subscribe(id, onChange);
    void watch(shard, id, onChange, ending.signal);
    return () => ending.abort();
  }

  schedule(id: string, delayMs: number): MaybePromise<void> {
    return this.#shardOf(id).schedule(id, delayMs);
  }

  async lease(id: string): Promise<() => Promise<void>> {
    const shard = this.#shardOf(id);
    const isOwn = shard instanceof Shard;
    const leaseMs = isOwn ? INSTANCE_LEASE_MS : this.#settings.leaseMs;
    const lease = await shard.lease(id, leaseMs);
    if (lease === null) return () => Promise.resolve();
    // A renewal that fails is repeated by the next one.
    const renew = async () => {
      try {
        await shard.renew(lease, leaseMs);
      } catch {
        // An object that is away.
      }
    };
    const timer = isOwn ? undefined : setInterval(renew, leaseMs / RENEWALS);
    const end = () => {
      clearInterval(timer);
      this.#closing.signal.removeEventListener("abort", abandon);
    };
    const abandon = () => {
      end();
      if (isOwn) shard.renew(lease, 0);
    };
    this.#closing.signal.addEventListener("abort", abandon);
    return async () => {
      end();
      await shard.release(lease);
    };
  }

  /** @throws {TypeError} In a Worker. */
  work(run: (id: string) => Promise<void>, options: WorkOptions): EngineWorker {
    const { own } = this.#settings;
    if (own === undefined) {
      throw new TypeError(
        "Cannot work in a Worker: jobs run in the Durable Objects by themselves; " +
          "to start schedules, export default { fetch, scheduled: jobs.scheduled }",
      );
    }
    const worker = own.work(run, options);
    this.#workers.add(worker);
    return worker;
  }

  async list(filter: JobFilter, limit: number, cursor?: string): Promise<JobPage> {
    // A wrong cursor is refused here.
    rangeOf(filter, cursor);
    const { shards, shardAt } = this.#settings;
    const indexes = Array.from({ length: shards }, (_, index) => index);
    const lists = await Promise.all(
      indexes.map(async (index) => await shardAt(index, this.#closing.signal).heads(filter, cursor ?? null)),
    );
    // A shard returns its first heads, so that the first of all are complete.
    const heads = lists.flat().sort((one, other) => (positionOf(one) < positionOf(other) ? 1 : -1));
    return pageOf(heads.slice(0, HEADS), filter, limit);
  }

  close(): void {
    this.#closing.abort();
    for (const worker of this.#workers) worker.abandon();
  }

  #shardOf(id: string, signal: AbortSignal = this.#closing.signal): ShardCalls {
    return this.#settings.shardAt(hash(id) % this.#settings.shards, signal);
  }
}

/** Calls for changes again and again: each answer is the current version. */
async function watch(shard: ShardCalls, id: string, onChange: () => void, signal: AbortSignal): Promise<void> {
  let known: number | null = UNKNOWN;
  while (!signal.aborted) {
    try {
      const version: number | null = await shard.changed(id, known, CHANGED_MS);
      if (signal.aborted || version === known) continue;
      known = version;
      onChange();
    } catch {
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** FNV-1a. */
function hash(id: string): number {
  let value = 0x811c_9dc5;
  for (let at = 0; at < id.length; at++) value = Math.imul(value ^ id.charCodeAt(at), 0x0100_0193);
  return value >>> 0;
}
