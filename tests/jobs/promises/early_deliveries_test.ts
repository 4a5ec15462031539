/** Deliveries that come early, or to a process that does not know the state of the job: they are put off, and never lost. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import type { Engine, Job, JobState } from "../../../src/entries/engines.ts";
import { Jobs } from "../../../src/jobs/promises/jobs.ts";
import { newJob } from "../engines/fixture.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, Gates, KEYS, pass, redeem, standstill } from "./promised.ts";

/** Jobs of an engine on a clock that does not advance by itself, and the scheduled deliveries. */
function opened() {
  const { clock, engine } = standstill();
  const scheduled: number[] = [];
  const noting: Engine = {
    ...engine,
    processId: undefined,
    schedule: (id, delayMs) => (scheduled.push(delayMs), engine.schedule(id, delayMs)),
  };
  const job = (changes: Partial<Job>) => newJob({ expiresAtMs: clock.now() + 600_000, ...changes });
  return { clock, scheduled, jobs: new Jobs(noting, clock, () => "owner"), job };
}

test("a run that fails while it has a recovery delivery is tried again after its whole delay", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const tool = defineTool("t").describe("T").promise({ budgetMs: 10 }).handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS, clock, engine: { ...engine, processId: undefined } });
  const call = Promise.resolve(bench.call("t"));
  await pass({ clock }, 10);
  const { token } = asPromise(await call);
  // Past the recovery delivery, which waits for the lease.
  await pass({ clock }, 5_000);
  await gates.fail(new Error("no luck"));
  await pass({ clock }, 999);
  strictEqual(gates.begun, 1, "the recovery delivery has run the job early");
  await pass({ clock }, 1);
  strictEqual(gates.begun, 2);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  await bench.server.close(0);
});

test("claim() puts off the delivery of a job in a state that it does not know", async () => {
  const { jobs, job, scheduled } = opened();
  const strange = job({ state: "dreaming" as JobState });
  await jobs.engine.insert(strange);
  strictEqual(await jobs.claim(strange.id), undefined);
  strictEqual(scheduled.length, 1, "the delivery is dropped, and the job is never run");
  strictEqual((await jobs.engine.get(strange.id))?.version, 1);
});

for (const state of ["asking", "done", "cancelled"] as const) {
  test(`claim() drops the delivery of a job that is ${state}`, async () => {
    const { jobs, job, scheduled } = opened();
    const idle = job({ state });
    await jobs.engine.insert(idle);
    strictEqual(await jobs.claim(idle.id), undefined);
    deepStrictEqual(scheduled, []);
  });
}

test("ask() keeps what another process has stored in the memo during the run", async () => {
  const { jobs, job } = opened();
  const run = job({ state: "running", epoch: 1, attempt: 1 });
  await jobs.engine.insert(run);
  const later = { "value approval": { done: "accept", content: true } };
  const memo = { answers: {}, steps: {}, waits: later } as Job["memo"];
  strictEqual(await jobs.engine.replace({ ...run, version: 2, memo }, 1), true);
  await jobs.ask(run, { k: { kind: "elicitation", message: "?" } }, {
    memo: { answers: {}, steps: { paid: 1 } },
  });
  deepStrictEqual((await jobs.engine.get(run.id))?.memo, { answers: {}, steps: { paid: 1 }, waits: later });
});

test("a run keeps members of the memo that it does not know, for processes of a newer version", async () => {
  const { clock, engine } = standstill();
  const tool = defineTool("t").describe("T").promise().handle((_, ctx) => ctx.requestMore("credits"));
  const job = newJob({ tool: "t", expiresAtMs: clock.now() + 600_000 });
  const memo = { ...job.memo, signals: { "from later": 1 } };
  await engine.insert({ ...job, memo }, 0);
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  const worker = bench.server.work();
  await pass({ clock }, 0);
  const asking = await engine.get(job.id);
  strictEqual(asking?.state, "asking");
  deepStrictEqual({ ...asking.memo }["signals" as never], { "from later": 1 });
  await worker.stop();
});

for (const [what, delayMs] of [["sleeps", 60_000], ["failed", 1_000]] as const) {
  test(`a job that ${what} is delivered although its first delivery could not be scheduled`, async () => {
    const { clock, engine } = standstill();
    let failures = 0;
    const flaky: Engine = {
      ...engine,
      processId: undefined,
      schedule(id, ms) {
        if (ms > 0 && failures++ === 0) throw new Error("the store is away");
        return engine.schedule(id, ms);
      },
    };
    let runs = 0;
    const tool = defineTool("t").describe("T").promise().handle(async (_, ctx) => {
      if (++runs === 1 && what === "failed") throw new Error("no luck");
      if (what === "sleeps") await ctx.sleep("s", delayMs);
      return "done";
    });
    const bench = new Bench([tool], { keys: KEYS, clock, engine: flaky });
    const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
    await pass({ clock }, 0);
    strictEqual(failures, 1);
    // The write is repeated after 100 ms.
    await pass({ clock }, 100);
    await pass({ clock }, delayMs);
    strictEqual(asAnswer(await redeem(bench, token)), "done");
    await bench.server.close(0);
  });
}
