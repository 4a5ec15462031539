/** What jobs cost while they sleep. */
import { ok, strictEqual } from "node:assert/strict";
import { findNode, runProgram, testWith } from "../../serve/programs.ts";

testWith(
  "10,000 jobs that sleep in memory take about 1 kB of heap each, and one timer in all",
  [findNode(24)],
  async (node) => {
    const { stdout } = await runProgram([node, "--expose-gc", "tests/jobs/engines/sleepers_program.ts", "10000"]);
    const { bytes, timers, jobs } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}");
    strictEqual(jobs, 10_000);
    ok(bytes <= 1_200, `${bytes} bytes each`);
    strictEqual(timers, 1);
  },
  120_000,
);
