/**
 * The contract of `src/engine/engine.ts` as tests for every engine.
 *
 * Independent of runtimes and engines; the test file of each engine opens it. No test depends on tight timing: it waits for what has to
 * happen, and if something must *not* happen, it waits until a later job has run.
 */
import { type EngineSuiteOptions, makeChecks, type OpenedEngine } from "./suite_checks.ts";
import { checkDeliveries } from "./suite_deliveries.ts";
import { checkHolds } from "./suite_holds.ts";
import { checkJobs } from "./suite_jobs.ts";
import { checkLists } from "./suite_lists.ts";
import { checkWaits } from "./suite_waits.ts";

export { changed, insertAll, newJob, Runs, sleep, stopAll, until } from "./fixture.ts";
export type { EngineSuiteOptions, OpenedEngine };

/** Defines the tests for one engine. */
export function engineSuite(
  name: string,
  open: () => Promise<OpenedEngine>,
  options: EngineSuiteOptions = {},
): void {
  const checks = makeChecks(name, open, options);
  checkJobs(checks);
  checkDeliveries(checks);
  checkHolds(checks);
  checkWaits(checks);
  checkLists(checks);
}
