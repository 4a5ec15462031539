/**
 * What tests of engines use: jobs, workers that keep count, and patience. Knows no runtime and no engine.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict";
import type { Engine, EngineWorker, Job } from "../../src/engine/engine.ts";

/** A job as a call would make it, with a new id, good for ten minutes. */
export function newJob(changes: Partial<Job> = {}): Job {
  return {
    id: crypto.randomUUID(),
    version: 1,
    epoch: 0,
    state: "queued",
    tool: "analyze",
    args: { text: 'é "quoted"\n', nested: [1, null, { deep: true }] },
    digest: "0".repeat(43),
    expiresAtMs: Date.now() + 600_000,
    attempt: 0,
    maxAttempts: 3,
    memo: { answers: {}, steps: {} },
    ...changes,
  };
}

/** The job after its next change. */
export function changed(job: Job, changes: Partial<Job>): Job {
  return { ...job, ...changes, version: job.version + 1 };
}

/** Waits. */
export function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Waits until something is so. */
export async function until(what: string, isSo: () => boolean, patienceMs: number = 20_000): Promise<void> {
  const dueMs = Date.now() + patienceMs;
  while (!isSo()) {
    ok(Date.now() < dueMs, `Not within ${patienceMs} ms: ${what}`);
    await sleep(5);
  }
}

/** Jobs that were delivered to workers, in order. */
export class Runs {
  /** Ids of jobs, one for each run that began. */
  readonly begun: string[] = [];
  /** How many run now. */
  active = 0;
  /** How many ran at once, at most. */
  most = 0;
  readonly #run: (id: string) => unknown;

  /** @param run What each does. */
  constructor(run: (id: string) => unknown = () => {}) {
    this.#run = run;
  }

  /** For `engine.work()`. */
  readonly run = async (id: string): Promise<void> => {
    this.begun.push(id);
    this.most = Math.max(this.most, ++this.active);
    try {
      await this.#run(id);
    } finally {
      this.active--;
    }
  };

  /** How often this job was begun. */
  count(id: string): number {
    return this.begun.filter((one) => one === id).length;
  }
}

/** Puts new jobs in. */
export async function insertAll(engine: Engine, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) strictEqual(await engine.insert(job), true);
}

/** Stops workers at once. */
export async function stopAll(workers: readonly EngineWorker[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop()));
}
