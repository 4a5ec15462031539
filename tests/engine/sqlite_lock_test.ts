/** A SQLite file that another process has locked. */
import { ok, strictEqual, throws } from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { SqliteStore } from "../../src/engine/sqlite/store.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { newJob } from "./suite.ts";

const CONNECTION = { busyTimeoutMs: 5_000, synchronous: "NORMAL" } as const;

test("sqlite() waits once for a process that has the file locked, and not again until a write succeeds", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  const store = new SqliteStore(path, { ...CONNECTION, busyTimeoutMs: 300 });
  const other = new SqliteStore(path, CONNECTION);
  const startedMs = performance.now();
  other.transaction(() => {
    other.insert(newJob());
    for (let at = 0; at < 10; at++) {
      throws(() => store.insert(newJob()), /locked|busy/i);
      strictEqual(store.get("none"), undefined);
      throws(() => store.transaction(() => {}), /locked|busy/i);
    }
  });
  const waitedMs = performance.now() - startedMs;
  ok(waitedMs >= 250 && waitedMs < 1_500, `waited ${waitedMs} ms`);
  strictEqual(store.insert(newJob()), true);
  for (const one of [store, other]) one.close();
});
