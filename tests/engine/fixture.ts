/** Jobs, counting workers and waits for the tests of engines. Independent of runtimes and engines. */
import { ok, strictEqual } from "node:assert/strict";
import type { Logger } from "../../src/core/handler/context.ts";
import type { Engine, EngineWorker, Job } from "../../src/engine/engine.ts";

/** Creates a job like one of a call, with a new id and a lifetime of ten minutes. */
export function newJob(changes: Partial<Job> = {}): Job {
  return {
    id: crypto.randomUUID(),
    version: 1,
    epoch: 0,
    state: "queued",
    tool: "analyze",
    args: { text: 'é "quoted"\n', nested: [1, null, { deep: true }] },
    digest: "0".repeat(43),
    createdAtMs: Date.now(),
    expiresAtMs: Date.now() + 600_000,
    attempt: 0,
    maxAttempts: 3,
    memo: { answers: {}, steps: {} },
    ...changes,
  };
}

/** A logger that passes on the field `error` of warnings and errors. */
export function errorLogger(onError: (error: unknown) => void): Logger {
  const log = (_message: string, fields?: Readonly<Record<string, unknown>>): void => onError(fields?.["error"]);
  return { debug() {}, info() {}, warn: log, error: log };
}

/** The job after its next change. */
export function changed(job: Job, changes: Partial<Job>): Job {
  return { ...job, ...changes, version: job.version + 1 };
}

/** Waits. */
export function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Waits until a condition holds. */
export async function until(what: string, isSo: () => boolean, patienceMs: number = 20_000): Promise<void> {
  const dueMs = Date.now() + patienceMs;
  while (!isSo()) {
    ok(Date.now() < dueMs, `Not within ${patienceMs} ms: ${what}`);
    await sleep(5);
  }
}

/** The runs of workers, in order. */
export class Runs {
  /** Ids of jobs, one for each started run. */
  readonly begun: string[] = [];
  /** Number of active runs. */
  active = 0;
  /** Maximum number of simultaneous runs. */
  most = 0;
  readonly #run: (id: string) => unknown;

  /** @param run Body of each run. */
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

  /** Number of runs of this job. */
  count(id: string): number {
    return this.begun.filter((one) => one === id).length;
  }
}

/** Inserts new jobs. */
export async function insertAll(engine: Engine, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) strictEqual(await engine.insert(job), true);
}

/** Stops workers at once. */
export async function stopAll(workers: readonly EngineWorker[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop()));
}
