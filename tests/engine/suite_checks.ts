/** Runs one test of the suite with a separate engine, and waits with a time limit. */
import { test } from "node:test";
import type { Engine } from "../../src/engine/engine.ts";
import { insertAll, newJob, type Runs, until } from "./fixture.ts";

/** An engine under test. */
export interface OpenedEngine {
  /** The engine, with a separate empty store. */
  readonly engine: Engine;
  /** Opens another engine on the same store, like another process. Missing if jobs belong to one process. */
  reopen?(): Promise<Engine>;
  /** Closes all engines and deletes the store. */
  close(): Promise<void>;
}

/** Options of {@link engineSuite}. */
export interface EngineSuiteOptions {
  /** Time limit of a wait in milliseconds. Default: 20,000. */
  readonly patienceMs?: number;
  /** Lease duration in milliseconds. Default: tests of leases are left out. */
  readonly leaseMs?: number;
  /** Reasons to skip tests, by name of the test. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** Functions for the parts of the suite. */
export interface EngineChecks {
  /** The engine's name. */
  readonly name: string;
  /** As in {@link EngineSuiteOptions}. */
  readonly leaseMs: number | undefined;
  /** Defines a test with a separate engine, unless there is a reason to skip it. */
  check(title: string, run: (opened: OpenedEngine) => Promise<void>, reason?: string): void;
  /** Defines a test with the engines of two processes. Without `reopen`, both are the same engine. */
  checkTwo(title: string, run: (one: Engine, other: Engine) => Promise<void>): void;
  /** Waits until a condition holds. */
  wait(what: string, isSo: () => boolean): Promise<void>;
  /** Schedules a job and waits until it has run, so that all earlier jobs have run. */
  settle(engine: Engine, runs: Runs): Promise<void>;
}

/** Creates the functions for one engine. */
export function makeChecks(
  name: string,
  open: () => Promise<OpenedEngine>,
  options: EngineSuiteOptions,
): EngineChecks {
  const { patienceMs = 20_000, leaseMs, skip = {} } = options;
  const wait = (what: string, isSo: () => boolean) => until(what, isSo, patienceMs);

  function check(title: string, run: (opened: OpenedEngine) => Promise<void>, reason?: string): void {
    test(title, { timeout: 3 * patienceMs, skip: skip[title] ?? reason ?? false }, async () => {
      const opened = await open();
      try {
        await run(opened);
      } finally {
        await opened.close();
      }
    });
  }
  return {
    name,
    leaseMs,
    check,
    wait,
    checkTwo(title, run) {
      check(title, async ({ engine, reopen }) => run(engine, reopen === undefined ? engine : await reopen()));
    },
    async settle(engine, runs) {
      const last = newJob();
      await insertAll(engine, [last]);
      await engine.schedule(last.id, 0);
      await wait("the last job is run", () => runs.count(last.id) > 0 && runs.active === 0);
    },
  };
}
