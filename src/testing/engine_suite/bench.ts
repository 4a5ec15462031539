/** What a check of the suite works with: a separate engine, a second process, and waits with a time limit. */
import type { Engine } from "../../core/dispatch/engine.ts";
import { insertAll, newJob, type Runs, until } from "./fixture.ts";

/** An engine under test with its store, as the function that is given to `engineSuite()` opens it for each check. */
export interface OpenedEngine {
  /** The engine, with a separate empty store. */
  readonly engine: Engine;
  /** Opens another engine on the same store, as another process does. Absent if jobs belong to one process. */
  reopen?(): Promise<Engine>;
  /** Closes all engines and deletes the store. */
  close(): Promise<void>;
}

/** Options of `engineSuite`. */
export interface EngineSuiteOptions {
  /** Time limit of each wait, in milliseconds. Default: 20,000. */
  readonly patienceMs?: number | undefined;
  /** Duration of a lease of the engine, in milliseconds. Default: the checks of lapsed leases are skipped. */
  readonly leaseMs?: number | undefined;
  /** Whether the engine has `list()`, which is optional. With `false`, the checks of lists are skipped. Default: `true`. */
  readonly hasList?: boolean | undefined;
}

/** What one check works with: the engine under test, the engine of another process, and functions that wait. */
export interface Bench {
  readonly engine: Engine;
  /** Whether other processes have the jobs, too. */
  readonly isShared: boolean;
  readonly leaseMs: number | undefined;
  /** Opens the engine of another process; the same engine if jobs belong to one process. */
  other(): Promise<Engine>;
  /** Waits until a condition holds. Rejects after `patienceMs`. */
  wait(what: string, isSo: () => boolean): Promise<void>;
  /** Schedules a job, after a delay in milliseconds (default: 0), and waits until it has run: what was due before it has run, too. */
  pass(engine: Engine, runs: Runs, delayMs?: number): Promise<void>;
  /** Does the same, and waits until all runs have ended. */
  settle(engine: Engine, runs: Runs, delayMs?: number): Promise<void>;
}

/** A check of one behaviour that the contract of engines requires. */
export interface ContractCheck {
  readonly title: string;
  /** Whether it needs leases that lapse. */
  readonly needsLease?: boolean;
  /** Whether it needs `list()`. */
  readonly needsList?: boolean;
  run(bench: Bench): Promise<void>;
}

/** Makes a check with the engines of two processes, or with one engine twice if its jobs belong to one process. */
export function withTwo(
  title: string,
  run: (one: Engine, other: Engine, bench: Bench) => Promise<void>,
): ContractCheck {
  return { title, run: async (bench) => await run(bench.engine, await bench.other(), bench) };
}

/** Creates the bench of a check for one opened engine. */
export function createBench(
  { engine, reopen }: OpenedEngine,
  { patienceMs = 20_000, leaseMs }: EngineSuiteOptions,
): Bench {
  const wait = (what: string, isSo: () => boolean) => until(what, isSo, patienceMs);
  const pass: Bench["pass"] = async (engine, runs, delayMs = 0) => {
    const last = newJob();
    await insertAll(engine, [last]);
    await engine.schedule(last.id, delayMs);
    await wait("the last job has run", () => runs.count(last.id) > 0);
  };
  return {
    engine,
    isShared: reopen !== undefined,
    leaseMs,
    other: async () => await reopen?.() ?? engine,
    wait,
    async settle(engine, runs, delayMs) {
      await pass(engine, runs, delayMs);
      await wait("all runs have ended", () => runs.active === 0);
    },
    pass,
  };
}
