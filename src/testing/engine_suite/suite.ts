/** The contract of `src/core/dispatch/engine.ts` as checks for every engine. */
import { releasing } from "../../internal/clean_up.ts";
import { type ContractCheck, createBench, type EngineSuiteOptions, type OpenedEngine } from "./bench.ts";
import { INNER_CALL_CHECKS } from "./inner_call_checks.ts";
import { DELIVERY_CHECKS } from "./delivery_checks.ts";
import { JOB_CHECKS, SUBSCRIPTION_CHECKS } from "./job_checks.ts";
import { LEDGER_CHECKS } from "./ledger_checks.ts";
import { LEASE_CHECKS, PROCESS_CHECKS } from "./lease_checks.ts";
import { LIST_CHECKS } from "./list_checks.ts";
import { PIECE_CHECKS } from "./piece_checks.ts";
import { SAGA_CHECKS } from "./saga_checks.ts";
import { START_CHECKS } from "./start_checks.ts";
import { WAIT_CHECKS } from "./wait_checks.ts";

/** A check of an engine, for the test function of any framework: it passes if `run()` resolves. */
export interface EngineCheck {
  /** Part of the contract and behaviour: `jobs: insert() stores a job unchanged`. Unique in the suite. */
  readonly name: string;
  /** Why the check does not apply to the engine; `undefined` if it does. */
  readonly skip: string | undefined;
  /** Time limit for the test, in milliseconds: a multiple of `patienceMs`. */
  readonly timeoutMs: number;
  /** Opens an engine, checks it, and closes it. Rejects with what was expected and what the engine did. */
  readonly run: () => Promise<void>;
}

const PARTS = {
  jobs: JOB_CHECKS,
  subscriptions: SUBSCRIPTION_CHECKS,
  deliveries: DELIVERY_CHECKS,
  leases: LEASE_CHECKS,
  processes: PROCESS_CHECKS,
  ledgers: LEDGER_CHECKS,
  "calls of other tools": INNER_CALL_CHECKS,
  "sleeps and waits": WAIT_CHECKS,
  "steps that fail": SAGA_CHECKS,
  "calls stored at their start": START_CHECKS,
  "pieces of streams": PIECE_CHECKS,
  lists: LIST_CHECKS,
};

/**
 * Lists checks of the contract of engines, for the tests of a custom engine. The engines of Toolwire have the same tests.
 *
 * The checks are independent of each other, and of the test framework. They depend on time as little as possible: a check waits for
 * what has to happen, and if something must not happen, it waits until a later job has run. What a killed process leaves behind
 * needs a separate test, with real processes.
 *
 * @example With `node:test`; the functions of `bun:test`, Deno and Vitest take the same
 * ```ts
 * import { memoryEngine } from "jsr:@toolwire/toolwire/engines";
 * import { engineSuite } from "jsr:@toolwire/toolwire/testing";
 * import { ok } from "node:assert/strict";
 *
 * const checks = engineSuite(() => {
 *   const engine = memoryEngine(); // your engine, with an empty store
 *   return Promise.resolve({ engine, close: async () => await engine.close() });
 * });
 * // for (const { name, skip, timeoutMs, run } of checks) test(name, { skip: skip ?? false, timeout: timeoutMs }, run);
 * ok(checks.some(({ skip }) => skip === undefined));
 * await checks[0]!.run();
 * ```
 * @param open Opens an engine with a separate empty store, for each check.
 * @param options Duration of leases and of waits, and whether the engine has `list()`.
 * @returns The checks, in the order of the contract.
 */
export function engineSuite(open: () => Promise<OpenedEngine>, options: EngineSuiteOptions = {}): EngineCheck[] {
  const { patienceMs = 20_000 } = options;
  return Object.entries(PARTS).flatMap(([part, checks]) =>
    checks.map((check) => ({
      name: `${part}: ${check.title}`,
      skip: skipOf(check, options),
      timeoutMs: 3 * patienceMs,
      async run() {
        const opened = await open();
        await releasing(() => check.run(createBench(opened, options)), () => opened.close());
      },
    }))
  );
}

function skipOf(
  { needsLease, needsList }: ContractCheck,
  { leaseMs, hasList }: EngineSuiteOptions,
): string | undefined {
  if (needsLease && leaseMs === undefined) return "the option leaseMs is absent";
  return needsList && hasList === false ? "the option hasList is false" : undefined;
}
