/** The engine of examples/engine, to which docs/engines.md leads, complies with the contract. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Table, TableEngine } from "../../examples/engine/table_engine.ts";
import { engineSuite } from "../../src/entries/testing.ts";
import { runtime } from "../runtime/runtime.ts";

const LEASE_MS = 1_500;
const skip = runtime !== "bun" && "the engine has no part for a runtime: once, under bun, is enough";

test("the engine of examples/engine passes engineSuite()", { skip, timeout: 60_000 }, async () => {
  const checks = engineSuite(() => {
    const table: Table = new Map();
    const engine = new TableEngine(table, LEASE_MS);
    const engines = [engine];
    return Promise.resolve({
      engine,
      reopen: () => Promise.resolve(engines[engines.push(new TableEngine(table, LEASE_MS)) - 1]!),
      close: () => Promise.resolve(engines.forEach((engine) => engine.close())),
    });
  }, { leaseMs: LEASE_MS, hasList: false });
  // At once: each check mostly waits.
  const failures = await Promise.all(
    checks.filter(({ skip }) => skip === undefined).map(async ({ name, run }) => {
      return await run().then(() => [], (error: unknown) => [`${name}: ${error}`]);
    }),
  );
  deepStrictEqual(failures.flat(), []);
});
