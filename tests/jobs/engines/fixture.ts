/** Defines the tests of an engine by its public suite; helpers for further tests of engines. Independent of runtimes and engines. */
import { test } from "node:test";
import type { Logger } from "../../../src/core/handler/context.ts";
import { engineSuite, type EngineSuiteOptions, type OpenedEngine } from "../../../src/entries/testing.ts";

export {
  changed,
  insertAll,
  newJob,
  pause as sleep,
  Runs,
  stopAll,
  until,
} from "../../../src/testing/engine_suite/fixture.ts";
export type { OpenedEngine };

/** Defines a test for each check of the contract. */
export function testEngine(
  engine: string,
  open: () => Promise<OpenedEngine>,
  options: EngineSuiteOptions = {},
): void {
  for (const { name, skip, timeoutMs, run } of engineSuite(open, options)) {
    test(`engine ${engine}: ${name}`, { timeout: timeoutMs, skip: skip ?? false }, run);
  }
}

/** A logger that passes on the field `error` of warnings and errors. */
export function errorLogger(onError: (error: unknown) => void): Logger {
  const log = (_message: string, fields?: Readonly<Record<string, unknown>>): void => onError(fields?.["error"]);
  return { debug() {}, info() {}, warn: log, error: log };
}
