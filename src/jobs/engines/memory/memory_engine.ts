/** The engine of one process: jobs in a `Map`, gone when the process ends. Runs everywhere. */
import { callerKey } from "../../../internal/caller_key.ts";
import type { PromiseEngine } from "../../../core/dispatch/deferral.ts";
import { withPromises } from "../../promises/with_promises.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";
import { type Clock, systemClock } from "../../../internal/time.ts";
import { DueQueue } from "./due_queue.ts";
import { charsOf, isEvictable, type MemoryEntry, storedMembersOf } from "./entry.ts";
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

/** Options of {@link memoryEngine}. */
export interface MemoryEngineOptions {
  /**
   * Largest number of jobs; a caller with a principal has at most half of them. Without room, the oldest finished jobs of the
   * caller with the most are deleted; if none has finished, a new job is refused with `unavailable`. Default: 10,000.
   */
  readonly maxJobs?: number | undefined;
  /** Largest size of all jobs, in UTF-16 code units of JSON; above it, room is made in the same way. Default: 134,217,728 (128 Mi). */
  readonly maxChars?: number | undefined;
  /**
   * Accepts that work ends with the request that began it on Cloudflare Workers, where a server otherwise refuses tools with
   * `.promise()`: for tests, and for work that is always done within its budget. No effect elsewhere. Default: `false`.
   */
  readonly workEndsWithRequest?: boolean | undefined;
  /** Source of time. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

/** Share of the jobs that are evicted together, so that a full engine need not search all entries at every insertion. */
const EVICTED_SHARE = 0.01;

/** Delay after which a job is delivered again whose run could not begin or end, in milliseconds. */
const RUN_AGAIN_MS = 1_000;

interface MemoryWorker {
  readonly run: (id: string) => Promise<void>;
  readonly concurrency: number;
  /** Runs under way. */
  readonly runs: Set<Promise<void>>;
}

/**
 * Creates an engine that stores jobs in the memory of this process, for as long as it lives.
 *
 * Other processes do not have the jobs, and a restart loses them: their promises are then answered with `promise_lost`. Without
 * a worker, scheduled jobs wait for one.
 *
 * @param options Limits, and the source of time.
 * @returns The engine.
 */
export function memoryEngine(options: MemoryEngineOptions = {}): PromiseEngine {
  const jobs = new MemoryJobs(options);
  const { workEndsWithRequest = false } = options;
  let processId: string | undefined;
  return withPromises({
    name: "memory",
    endsWithRequest: systemClock.isPerRequest === true && !workEndsWithRequest,
    get processId() {
      // Made late: some hosts have no randomness while modules load.
      return (processId ??= crypto.randomUUID());
    },
    insert: (job: Job, dueInMs?: number) => jobs.insert(job, dueInMs),
    get: (id: string) => jobs.get(id),
    replace: (job: Job, version: number) => jobs.replace(job, version),
    appendLedger: (...args: Parameters<Engine["appendLedger"]>) => jobs.appendLedger(...args),
    readLedger: (id: string, from: number, limit: number) => jobs.readLedger(id, from, limit),
    remove: (id: string) => jobs.remove(id),
    subscribe: (id: string, onChange: () => void) => jobs.subscribe(id, onChange),
    schedule: (id: string, delayMs: number) => jobs.schedule(id, delayMs),
    lease: (id: string) => jobs.lease(id),
    work: (run: (id: string) => Promise<void>, options: WorkOptions) => jobs.work(run, options),
    list: (filter: JobFilter, limit: number, cursor?: string) => jobs.list(filter, limit, cursor),
    close: () => jobs.close(),
  });
}

/** Jobs, leases and deliveries of one process. */
class MemoryJobs {
  readonly #maxJobs: number;
  readonly #maxChars: number;
  readonly #clock: Clock;
  readonly #entries = new Map<string, MemoryEntry>();
  readonly #due = new Set<MemoryEntry>();
  readonly #later: DueQueue<MemoryEntry>;
  readonly #workers = new Set<MemoryWorker>();
  /** Number of jobs by caller. */
  readonly #counts = new Map<string, number>();
  #chars = 0;
  #isClosed = false;
  /** No entry expires before this time, so that a full engine need not search all entries at every insertion. */
  #nextExpiryMs = 0;

  constructor({ maxJobs = 10_000, maxChars = 134_217_728, clock = systemClock }: MemoryEngineOptions) {
    this.#maxJobs = maxJobs;
    this.#maxChars = maxChars;
    this.#clock = clock;
    this.#later = new DueQueue(clock, (entry) => {
      // The first of its deliveries is the earliest.
      entry.deliveries = entry.deliveries?.filter(({ at, dueMs }) => at >= 0 || dueMs > clock.elapsed());
      this.#makeDue(entry);
    });
  }

  insert(job: Job, dueInMs: number | undefined): boolean {
    const { id, tool, createdAtMs } = job;
    if (this.#find(id)) return false;
    const principal = callerKey(job.principal);
    this.#makeRoom(principal);
    const { text, version, epoch, expiresAtMs, state, isOver } = storedMembersOf(job);
    // Without a spread, whose objects take twice the memory.
    const entry: MemoryEntry = {
      id,
      text,
      version,
      epoch,
      expiresAtMs,
      principal,
      state,
      isOver,
      tool,
      createdAtMs,
      ledger: undefined,
      leases: 0,
      deliveries: undefined,
      listeners: undefined,
    };
    this.#entries.set(id, entry);
    this.#counts.set(principal, this.#countOf(principal) + 1);
    this.#nextExpiryMs = Math.min(this.#nextExpiryMs, entry.expiresAtMs);
    this.#chars += entry.text.length;
    if (dueInMs !== undefined) this.schedule(id, dueInMs);
    return true;
  }

  get(id: string): Job | undefined {
    const entry = this.#find(id);
    return entry && JSON.parse(entry.text);
  }

  replace(job: Job, version: number): boolean {
    const entry = this.#find(job.id);
    if (entry?.version !== version) return false;
    this.#chars -= entry.text.length;
    Object.assign(entry, storedMembersOf(job));
    this.#nextExpiryMs = Math.min(this.#nextExpiryMs, entry.expiresAtMs);
    this.#chars += entry.text.length;
    callAll(entry.listeners);
    // Removes a job that has just expired.
    this.#find(job.id);
    return true;
  }

  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): boolean {
    const entry = this.#find(id);
    if (entry?.epoch !== epoch) return false;
    const ledger = (entry.ledger ??= []);
    const replaced = ledger.splice(from);
    for (const one of entries) ledger.push(JSON.stringify(one));
    this.#chars += charsOf(ledger.slice(from)) - charsOf(replaced);
    return true;
  }

  readLedger(id: string, from: number, limit: number): LedgerEntry[] {
    const page = this.#find(id)?.ledger?.slice(from, from + limit) ?? [];
    return page.map((text): LedgerEntry => JSON.parse(text));
  }

  remove(id: string): void {
    const entry = this.#find(id);
    if (entry) this.#delete(entry);
  }

  subscribe(id: string, onChange: () => void): () => void {
    // A separate function for each subscription: the same listener may subscribe twice.
    const listener = (): void => onChange();
    const entry = this.#find(id);
    if (entry === undefined) return () => {};
    const listeners = (entry.listeners ??= new Set()).add(listener);
    return () => void listeners.delete(listener);
  }

  schedule(id: string, delayMs: number): void {
    const entry = this.#find(id);
    if (!entry || this.#isClosed) return;
    if (delayMs <= 0) return this.#makeDue(entry);
    const due = this.#later.add(entry, delayMs);
    // Most jobs have one delivery: an array literal of one member takes less memory than an empty array that grows.
    if (entry.deliveries === undefined) entry.deliveries = [due];
    else entry.deliveries.push(due);
  }

  lease(id: string): () => void {
    const entry = this.#find(id);
    return entry ? this.#lease(entry) : () => {};
  }

  work(run: MemoryWorker["run"], { concurrency }: WorkOptions): EngineWorker {
    const worker: MemoryWorker = { run, concurrency, runs: new Set() };
    this.#workers.add(worker);
    queueMicrotask(() => this.#deliver());
    return {
      stop: async () => {
        this.#workers.delete(worker);
        await Promise.all(worker.runs);
      },
    };
  }

  list(filter: JobFilter, limit: number, cursor: string | undefined): JobPage {
    const { before, fromMs } = rangeOf(filter, cursor);
    const end = positionOf(before);
    const found = [...this.#entries.values()]
      .filter((entry) => entry.createdAtMs >= fromMs && positionOf(entry) < end && this.#isLive(entry))
      .map((entry) => ({ entry, position: positionOf(entry) }))
      .sort((one, other) => (one.position < other.position ? 1 : -1));
    return pageOf(found.slice(0, HEADS).map(({ entry }) => entry), filter, limit);
  }

  close(): void {
    this.#isClosed = true;
    this.#workers.clear();
    for (const entry of this.#entries.values()) this.#cancelDeliveries(entry);
  }

  #makeDue(entry: MemoryEntry): void {
    this.#due.add(entry);
    // Later, so that scheduling does not wait for the run.
    queueMicrotask(() => this.#deliver());
  }

  #cancelDeliveries({ deliveries = [] }: MemoryEntry): void {
    for (const due of deliveries) this.#later.remove(due);
  }

  #find(id: string): MemoryEntry | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#isLive(entry) ? entry : undefined;
  }

  /** Whether an entry has not expired; deletes it if it has. */
  #isLive(entry: MemoryEntry): boolean {
    const isLive = entry.expiresAtMs > this.#clock.now();
    if (!isLive) this.#delete(entry);
    return isLive;
  }

  #delete(entry: MemoryEntry): void {
    this.#due.delete(entry);
    this.#entries.delete(entry.id);
    const count = this.#countOf(entry.principal) - 1;
    if (count > 0) this.#counts.set(entry.principal, count);
    else this.#counts.delete(entry.principal);
    this.#chars -= entry.text.length + charsOf(entry.ledger);
    this.#cancelDeliveries(entry);
    callAll(entry.listeners);
  }

  get #hasRoom(): boolean {
    return this.#entries.size < this.#maxJobs && this.#chars < this.#maxChars;
  }

  /**
   * Makes room for a job of a caller, which has at most half of all jobs: deletes expired jobs, then finished ones.
   *
   * @throws {ToolError} If the room is taken by jobs that have not finished.
   */
  #makeRoom(principal: string): void {
    this.#deleteExpired();
    const exceedsShare = () => principal !== "" && this.#countOf(principal) * 2 >= this.#maxJobs && this.#maxJobs > 3;
    if (exceedsShare()) this.#evict(principal);
    while (!this.#hasRoom && this.#evict(this.#heaviestCaller())) { /* The next caller with finished jobs. */ }
    if (this.#hasRoom && !exceedsShare()) return;
    const entries = [...this.#entries.values()];
    const waitedFor = this.#hasRoom ? entries.filter((entry) => entry.principal === principal) : entries;
    const expiryMs = waitedFor.reduce(
      (least, { expiresAtMs }) => Math.min(least, expiresAtMs),
      Infinity,
    );
    throw new ToolError("unavailable", "Too many jobs are kept: try again later", {
      details: { retry_after_ms: Math.max(1, expiryMs - this.#clock.now()) },
    });
  }

  /** Deletes expired jobs, the oldest first: most have the same lifetime, so that with room the first live one ends the search. */
  #deleteExpired(): void {
    if (this.#clock.now() < this.#nextExpiryMs) return;
    let nextExpiryMs = Infinity;
    for (const entry of this.#entries.values()) {
      if (!this.#isLive(entry)) continue;
      if (this.#hasRoom) return;
      nextExpiryMs = Math.min(nextExpiryMs, entry.expiresAtMs);
    }
    this.#nextExpiryMs = nextExpiryMs;
  }

  #countOf(principal: string): number {
    return this.#counts.get(principal) ?? 0;
  }

  /** The caller whose evictable jobs take the most room. */
  #heaviestCaller(): string | undefined {
    const sizes = new Map<string, number>();
    const charsPerJob = this.#maxChars / this.#maxJobs;
    for (const entry of this.#entries.values()) {
      const { principal, text, ledger } = entry;
      if (!isEvictable(entry)) continue;
      sizes.set(principal, (sizes.get(principal) ?? 0) + text.length + charsOf(ledger) + charsPerJob);
    }
    const [heaviest] = [...sizes].sort(([, one], [, other]) => other - one);
    return heaviest?.[0];
  }

  /** Deletes finished jobs of a caller, the oldest first. Returns whether there were any. */
  #evict(principal: string | undefined): boolean {
    let left = Math.ceil(this.#maxJobs * EVICTED_SHARE);
    const before = this.#entries.size;
    for (const entry of this.#entries.values()) {
      if (left === 0) break;
      if (entry.principal !== principal || !isEvictable(entry)) continue;
      this.#delete(entry);
      left--;
    }
    return this.#entries.size < before;
  }

  /** Returns the release function; a second call of it does nothing. */
  #lease(entry: MemoryEntry): () => void {
    let isHeld = true;
    entry.leases++;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      entry.leases--;
      this.#deliver();
    };
  }

  #deliver(): void {
    for (const worker of this.#workers) {
      for (const entry of this.#due) {
        if (worker.runs.size >= worker.concurrency) break;
        if (entry.leases > 0) continue;
        this.#due.delete(entry);
        if (this.#isLive(entry)) this.#start(worker, entry);
      }
    }
  }

  #start({ run, runs }: MemoryWorker, entry: MemoryEntry): void {
    const release = this.#lease(entry);
    // A wrapper of this engine may fail, and what a run needs beside it.
    const running = run(entry.id).catch(() => this.schedule(entry.id, RUN_AGAIN_MS)).finally(() => {
      runs.delete(running);
      release();
    });
    runs.add(running);
  }
}

/** Calls a copy of the functions, because they may add and delete members. */
function callAll(functions: Iterable<() => void> = []): void {
  for (const call of [...functions]) call();
}
