/**
 * The engine of one process: jobs in a `Map`, gone when the process is. Runs everywhere.
 *
 * @module
 */
import { ToolError } from "../core/errors/tool_error.ts";
import { type Clock, systemClock } from "../internal/time.ts";
import type { Engine, Job } from "./engine.ts";

/** Options of {@link memoryEngine}. */
export interface MemoryEngineOptions {
  /** How many jobs it keeps; one more is refused with `unavailable`. Default: 10,000. */
  readonly maxJobs?: number;
  /** How much of them it keeps, in UTF-16 code units of JSON; once there is as much, a new job is refused. Default: 128 Mi. */
  readonly maxChars?: number;
  /** Where time comes from. Default: the machine's. */
  readonly clock?: Clock;
}

/** When a full engine may have room again: a guess, since jobs go as they expire or are forgotten. */
const RETRY_AFTER_MS = 5_000;

/** A job, and who is at it. */
interface Kept {
  readonly id: string;
  /** JSON: nothing is shared with who put it in, or with who gets it. */
  text: string;
  version: number;
  expiresAtMs: number;
  /** Ends of runs and holds: while there are any, it is given to nobody. */
  readonly busy: Set<() => void>;
  /** Take back deliveries that are still to come. */
  readonly timers: Set<() => void>;
  readonly listeners: Set<() => void>;
}

interface Worker {
  readonly run: (id: string) => Promise<void>;
  readonly concurrency: number;
  /** Those under way. */
  readonly runs: Set<Promise<void>>;
}

/**
 * Keeps jobs in this process, for as long as it lives.
 *
 * Other processes do not know them, and a restart forgets them: their promises are then lost, and say so. Without a worker,
 * scheduled jobs wait for one.
 *
 * @param options How many jobs, and whose time.
 * @returns The engine.
 */
export function memoryEngine(options: MemoryEngineOptions = {}): Engine {
  const { maxJobs = 10_000, maxChars = 134_217_728, clock = systemClock } = options;
  const jobs = new Map<string, Kept>();
  const due = new Set<Kept>();
  const workers = new Set<Worker>();
  let chars = 0;
  /** Before this, nothing that is kept expires: a full engine that refuses thousands does not look at thousands for each. */
  let soonestMs = 0;
  let instance: string | undefined;

  function drop(kept: Kept): void {
    due.delete(kept);
    jobs.delete(kept.id);
    chars -= kept.text.length;
    callAll(kept.timers);
    callAll(kept.listeners);
  }

  /** Drops it if it has expired. */
  function isLive(kept: Kept): boolean {
    const isLive = kept.expiresAtMs > clock.now();
    if (!isLive) drop(kept);
    return isLive;
  }

  function find(id: string): Kept | undefined {
    const kept = jobs.get(id);
    return kept && isLive(kept) ? kept : undefined;
  }

  /** Oldest first: most live equally long, so that while there is room, the first that lives ends the search. */
  function makeRoom(): void {
    const hasRoom = () => jobs.size < maxJobs && chars < maxChars;
    if (clock.now() >= soonestMs) {
      let foundMs = Number.POSITIVE_INFINITY;
      for (const kept of jobs.values()) {
        if (!isLive(kept)) continue;
        if (hasRoom()) return;
        foundMs = Math.min(foundMs, kept.expiresAtMs);
      }
      soonestMs = foundMs;
    }
    if (hasRoom()) return;
    throw new ToolError("unavailable", "Too many jobs are kept: try again later", {
      details: { retry_after_ms: RETRY_AFTER_MS },
    });
  }

  /** Given to nobody else until the end of this; ending it again does nothing. */
  function take({ busy }: Kept): () => void {
    const release = (): void => {
      if (busy.delete(release)) deliver();
    };
    busy.add(release);
    return release;
  }

  function deliver(): void {
    for (const worker of workers) {
      for (const kept of due) {
        if (worker.runs.size >= worker.concurrency) break;
        if (kept.busy.size > 0) continue;
        due.delete(kept);
        if (isLive(kept)) start(worker, kept);
      }
    }
  }

  function start({ run, runs }: Worker, kept: Kept): void {
    const release = take(kept);
    // Nothing here can fail a run, so that it would have to be begun again.
    const running = run(kept.id).catch(() => {}).finally(() => {
      runs.delete(running);
      release();
    });
    runs.add(running);
  }

  function schedule(id: string, delayMs: number): void {
    const kept = find(id);
    if (!kept) return;
    const makeDue = (): void => {
      due.add(kept);
      // Not at once: who schedules does not wait for the run.
      queueMicrotask(deliver);
    };
    if (delayMs <= 0) return makeDue();
    const cancel = clock.after(delayMs, () => {
      kept.timers.delete(cancel);
      makeDue();
    });
    kept.timers.add(cancel);
  }

  return {
    name: "memory",
    get processId() {
      // Made late: not every host has randomness while modules load.
      return (instance ??= crypto.randomUUID());
    },
    insert(job, dueInMs) {
      const { id } = job;
      if (find(id)) return false;
      makeRoom();
      const kept = {
        id,
        ...content(job),
        busy: new Set<() => void>(),
        timers: new Set<() => void>(),
        listeners: new Set<() => void>(),
      };
      jobs.set(id, kept);
      soonestMs = Math.min(soonestMs, kept.expiresAtMs);
      chars += kept.text.length;
      if (dueInMs !== undefined) schedule(id, dueInMs);
      return true;
    },
    get(id) {
      const kept = find(id);
      return kept && JSON.parse(kept.text);
    },
    replace(job, version) {
      const kept = find(job.id);
      if (kept?.version !== version) return false;
      chars -= kept.text.length;
      Object.assign(kept, content(job));
      soonestMs = Math.min(soonestMs, kept.expiresAtMs);
      chars += kept.text.length;
      callAll(kept.listeners);
      // What is to live no longer is dropped at once.
      find(job.id);
      return true;
    },
    remove(id) {
      const kept = find(id);
      if (kept) drop(kept);
    },
    subscribe(id, onChange) {
      // A function of its own for each: the same one may subscribe twice.
      const listener = (): void => onChange();
      const listeners = find(id)?.listeners.add(listener);
      return () => void listeners?.delete(listener);
    },
    schedule,
    lease(id) {
      const kept = find(id);
      return kept ? take(kept) : () => {};
    },
    work(run, { concurrency }) {
      const worker: Worker = { run, concurrency, runs: new Set() };
      workers.add(worker);
      queueMicrotask(deliver);
      return {
        async stop() {
          workers.delete(worker);
          await Promise.all(worker.runs);
        },
      };
    },
    close() {
      workers.clear();
      for (const { timers } of jobs.values()) callAll(timers);
    },
  };
}

function content(job: Job): Pick<Kept, "text" | "version" | "expiresAtMs"> {
  return { text: JSON.stringify(job), version: job.version, expiresAtMs: job.expiresAtMs };
}

/** They may add and delete meanwhile. */
function callAll(functions: Iterable<() => void>): void {
  for (const call of [...functions]) call();
}
