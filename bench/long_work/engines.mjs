// The engines, each with nothing in it yet.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bullmqEngine, memoryEngine, sqliteEngine } from "./package.mjs";

/** @returns `{ engine, clear }`: what keeps jobs, and what deletes its traces once it is closed. */
export const openEngine = {
  memory: ({ maxJobs }) => ({ engine: memoryEngine({ maxJobs }), clear() {} }),
  sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-"));
    return { engine: sqliteEngine(join(folder, "jobs.db")), clear: () => rmSync(folder, { recursive: true }) };
  },
  bullmq: ({ redis, postgres }) => {
    const store = postgres === undefined ? { redis } : { postgres };
    return { engine: bullmqEngine({ ...store, name: `bench-${crypto.randomUUID()}` }), clear() {} };
  },
};
