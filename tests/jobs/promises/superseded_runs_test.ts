/** Runs that another one has superseded: the traces in which the protocol model found a lost job. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { Jobs } from "../../../src/jobs/promises/jobs.ts";
import type { Job } from "../../../src/core/dispatch/engine.ts";
import { memoryEngine } from "../../../src/jobs/engines/memory/memory_engine.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { newJob } from "../engines/fixture.ts";

const ENDINGS: Readonly<Record<string, (jobs: Jobs, run: Job) => Promise<unknown>>> = {
  finish: (jobs, run) => jobs.finish(run, { kind: "answer", value: 1 }),
  suspend: (jobs, run) => jobs.suspend(run, ["value k"], { memo: run.memo }),
  retry: (jobs, run) => jobs.retry(run, 1_000),
};

for (const [name, end] of Object.entries(ENDINGS)) {
  for (const isWaiting of [false, true]) {
    const state = isWaiting ? "has stopped at a wait" : "is under way";
    test(`${name}() of a superseded run leaves a delivery for the later run, which ${state}`, async () => {
      const clock = new FakeClock();
      const engine = memoryEngine({ clock });
      const scheduled: string[] = [];
      const noting = {
        ...engine,
        schedule: (id: string, delayMs: number) => (scheduled.push(id), engine.schedule(id, delayMs)),
      };
      const jobs = new Jobs(noting, clock, () => "owner");
      const job = newJob({ expiresAtMs: clock.now() + 600_000 });
      await engine.insert(job);
      // Its lease lapsed before it began, so that the delivery of the first run is the only one.
      const first = await jobs.claim(job.id);
      const later = await jobs.claim(job.id);
      ok(first && later && later.epoch === first.epoch + 1);
      // Without its delivery: the process of the later run may die before it schedules the job.
      if (isWaiting) await engine.replace({ ...later, state: "waiting", version: later.version + 1 }, later.version);
      scheduled.length = 0;
      await end(jobs, first);
      deepStrictEqual(scheduled, [job.id]);
      if (isWaiting) return;
      scheduled.length = 0;
      await jobs.finish(later, { kind: "answer", value: 2 });
      await end(jobs, first);
      deepStrictEqual(scheduled, [], "a job that has ended needs none");
    });
  }
}
