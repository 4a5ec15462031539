// The engines, each with nothing in it yet.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bullmq, memoryEngine, sqlite } from "./package.mjs";

/** @returns `{ engine, clear }`: what keeps jobs, and what deletes its traces once it is closed. */
export const openEngine = {
  memory: ({ maxJobs }) => ({ engine: memoryEngine({ maxJobs }), clear() {} }),
  sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-"));
    return { engine: sqlite(join(folder, "jobs.db")), clear: () => rmSync(folder, { recursive: true }) };
  },
  bullmq: ({ redis }) => ({ engine: bullmq({ redis, name: `bench-${crypto.randomUUID()}` }), clear() {} }),
};
