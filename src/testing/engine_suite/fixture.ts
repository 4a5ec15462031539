/** Jobs, a counting worker and assertions for the checks of engines. Names no module of a runtime. */
import type { Engine, EngineWorker, Job } from "../../core/dispatch/engine.ts";
import { canonicalJson } from "../../internal/json.ts";

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

/** A copy of a job with changes and with the next version. */
export function changed(job: Job, changes: Partial<Job>): Job {
  return { ...job, ...changes, version: job.version + 1 };
}

/** Waits for a time in milliseconds. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Asserts a condition. @throws {Error} If it is false; `what` is the message. */
export function expect(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(what);
}

/** Asserts that two values are equal. @throws {Error} If they differ as JSON. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [describe(actual), describe(expected)];
  expect(got === wanted, `${what}: expected ${wanted}, got ${got}`);
}

function describe(value: unknown): string {
  return value === undefined ? "undefined" : canonicalJson(value);
}

/** Waits until a condition holds, which is checked every 5 ms. @throws {Error} If it does not hold within `patienceMs`. */
export async function until(what: string, isSo: () => boolean, patienceMs: number = 20_000): Promise<void> {
  const dueMs = Date.now() + patienceMs;
  while (!isSo()) {
    expect(Date.now() < dueMs, `Not within ${patienceMs} ms: ${what}`);
    await pause(5);
  }
}

/** Records the runs that workers start: their order, and how many are active at once. */
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

/** Inserts new jobs, one after the other, without scheduling them. @throws {Error} If the engine refuses one. */
export async function insertAll(engine: Engine, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) expectEqual(await engine.insert(job), true, "insert() of a new job");
}

/** Stops all workers at the same time, and waits until they have stopped. */
export async function stopAll(workers: readonly EngineWorker[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop()));
}
