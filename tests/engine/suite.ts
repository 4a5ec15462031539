/**
 * What every engine has to do: the contract of `src/engine/engine.ts`, as tests.
 *
 * Knows no runtime and no engine; each engine's own test file opens it. Nothing here is timed tightly: a test waits for what
 * has to happen, and where something must *not* happen, it waits for a later job to come through first.
 *
 * @module
 */
import { type EngineSuiteOptions, makeChecks, type OpenedEngine } from "./suite_checks.ts";
import { checkDeliveries } from "./suite_deliveries.ts";
import { checkHolds } from "./suite_holds.ts";
import { checkJobs } from "./suite_jobs.ts";

export { changed, insertAll, newJob, Runs, sleep, stopAll, until } from "./fixture.ts";
export type { EngineSuiteOptions, OpenedEngine };

/** Says of an engine whether it keeps the contract. */
export function engineSuite(
  name: string,
  open: () => Promise<OpenedEngine>,
  options: EngineSuiteOptions = {},
): void {
  const checks = makeChecks(name, open, options);
  checkJobs(checks);
  checkDeliveries(checks);
  checkHolds(checks);
}
