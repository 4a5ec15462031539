/**
 * How one test of the suite is run: with its own engine, and patience.
 *
 * @module
 */
import { test } from "node:test";
import type { Engine } from "../../src/engine/engine.ts";
import { insertAll, newJob, type Runs, until } from "./fixture.ts";

/** An engine to try, with what belongs to it. */
export interface OpenedEngine {
  /** The engine: with its own store, empty. */
  readonly engine: Engine;
  /** Another process' view of the same store. Left out where only one process knows the jobs. */
  reopen?(): Promise<Engine>;
  /** Closes all that was opened, and deletes the store. */
  close(): Promise<void>;
}

/** Options of {@link engineSuite}. */
export interface EngineSuiteOptions {
  /** How long to wait for what has to happen, in milliseconds. Default: 20,000. */
  readonly patienceMs?: number;
  /** How long a process is taken to live after its last sign, in milliseconds. Default: none; leases are not tried. */
  readonly leaseMs?: number;
  /** Tests that this engine cannot pass: why, by name. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** What the parts of the suite need of it. */
export interface EngineChecks {
  /** The engine's name. */
  readonly name: string;
  /** As in {@link EngineSuiteOptions}. */
  readonly leaseMs: number | undefined;
  /** A test with its own engine; skipped if a reason is given. */
  check(title: string, run: (opened: OpenedEngine) => Promise<void>, reason?: string): void;
  /** A test with the views of two processes; where one process has all, both are the same. */
  checkTwo(title: string, run: (one: Engine, other: Engine) => Promise<void>): void;
  /** Waits until something is so. */
  wait(what: string, isSo: () => boolean): Promise<void>;
  /** Waits until a job that is scheduled only now comes through: what had to come before it, has come. */
  settle(engine: Engine, runs: Runs): Promise<void>;
}

/** Makes them for one engine. */
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
