/** The engine of docs/engines.md complies with the contract. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Engine } from "../../src/engine/engine.ts";
import { engineSuite } from "../../src/testing/mod.ts";
import { runtime } from "../runtime/runtime.ts";
import { findFences } from "./extract.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = "docs/engines.md";
const LEASE_MS = 1_500;
const skip = runtime !== "bun" && "the engine has no part for a runtime: once, under bun, is enough";

interface Page {
  readonly TableEngine: new (table: unknown, leaseMs: number) => Engine;
}

/** Imports the fence of the page that has the class. */
async function importEngine(): Promise<Page> {
  const fence = findFences(PAGE, readFileSync(join(root, PAGE), "utf8")).find(({ code }) =>
    code.includes("class TableEngine")
  );
  ok(fence, `${PAGE} has no engine`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/engine-"));
  try {
    writeFileSync(join(folder, "engine.ts"), fence.code);
    return await import(pathToFileURL(join(folder, "engine.ts")).href) as Page;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the engine of docs/engines.md passes engineSuite()", { skip, timeout: 60_000 }, async () => {
  const { TableEngine } = await importEngine();
  const checks = engineSuite(() => {
    const table = new Map();
    const engines = [new TableEngine(table, LEASE_MS)];
    const [engine] = engines as [Engine];
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
