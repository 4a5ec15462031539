/** Limits on what the runs of a job keep, in its record and in its ledger. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { type Ctx, defineTool } from "../../../mod.ts";
import { newJob } from "../engines/fixture.ts";
import { assertRefused, Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, changed, KEYS, pass, redeem, standstill, watchJobs } from "./promised.ts";

/** Runs a job to its end. */
async function ended(handler: (input: unknown, ctx: Ctx) => Promise<unknown>) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const tool = defineTool("t").describe("T").promise({ retries: 0 }).handle(handler);
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  for (let turn = 0; turn < 100 && (await jobs.get())?.state !== "done"; turn++) await pass({ clock }, 0);
  return { result: await redeem(bench, token), bench };
}

test("a job keeps more than 1,000 steps, and more than a mebi of characters", async () => {
  const { result } = await ended(async (_, ctx) => {
    let chars = 0;
    for (let n = 0; n < 1_200; n++) chars += (await ctx.step(`${n}`, () => "x".repeat(2_000))).length;
    return chars;
  });
  strictEqual(asAnswer(result), 2_400_000);
});

test("the record of a job has none of the steps that ended after it was made", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const tool = defineTool("t").describe("T").promise({ retries: 0 }).handle(async (_, ctx) => {
    for (let n = 0; n < 50; n++) await ctx.step(`${n}`, () => "x".repeat(2_000));
    await ctx.waitFor("k", v.string());
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  await bench.call("t", {}, { meta: { isPromiseWanted: true } });
  for (let turn = 0; turn < 100 && (await jobs.get())?.state !== "waiting"; turn++) await pass({ clock }, 0);
  const job = await jobs.get();
  strictEqual(job?.state, "waiting");
  deepStrictEqual(job.memo.steps, {});
  const names = (await engine.readLedger(job.id, 0, 100)).map(({ name }) => name);
  deepStrictEqual(names, Array.from({ length: 50 }, (_, n) => `step ${n}`));
});

test("a call that collects many results in its budget becomes a job before its record is large", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const tool = defineTool("t").describe("T").promise({ budgetMs: 60_000 }).handle(async (_, ctx) => {
    for (let n = 0; n < 100; n++) await ctx.step(`${n}`, () => "x".repeat(2_000));
    return "done";
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const { token } = asPromise(await bench.call("t"));
  strictEqual(asAnswer(await redeem(bench, token, 1_000)), "done");
  const job = await jobs.get();
  ok(job !== undefined);
  const kept = await engine.readLedger(job.id, 0, 100);
  ok(kept.length > 60 && kept.length < 80, `${kept.length} entries in the ledger`);
});

test("the result of a step above 262,144 characters is an error with the key and the limit", async () => {
  let later = 0;
  const { result } = await ended(async (_, ctx) => {
    await ctx.step("first", () => "x".repeat(250_000));
    await ctx.step("second", () => "y".repeat(262_144));
    later++;
  });
  const { message } = assertRefused(result, "result_too_large");
  ok(message.includes('"second"') && message.includes("262146") && message.includes("262144"), message);
  strictEqual(later, 0);
});

test("a step that a job has no room for is refused before its work", async () => {
  const { clock, engine } = standstill();
  const ran: string[] = [];
  const tool = defineTool("t").describe("T").promise().handle(async (_, ctx) => {
    await ctx.step("0", () => ran.push("again"));
    await ctx.step("one more", () => ran.push("too many"));
  });
  const full = changed(engine, {
    readLedger: (_, from, limit) => {
      const page = Array.from({ length: Math.min(limit, 100_000 - from) }, (_, n) => n + from);
      return page.map((n) => ({ name: `step ${n}`, value: n, startedMs: 0, endedMs: 0, epoch: 1 }));
    },
  });
  // Its first run has ended.
  const job = newJob({ tool: "t", epoch: 1, expiresAtMs: clock.now() + 600_000 });
  await engine.insert(job, 0);
  const bench = new Bench([tool], { keys: KEYS, clock, engine: full });
  bench.server.work();
  for (let turn = 0; turn < 100 && (await engine.get(job.id))?.state !== "done"; turn++) await pass({ clock }, 0);
  match(assertRefused((await engine.get(job.id))!.outcome!, "result_too_large").message, /"one more".*100000 steps/);
  deepStrictEqual(ran, []);
});

for (const length of [512, 513]) {
  test(`the key of a step may have up to 512 characters, and this one has ${length}`, async () => {
    let ran = 0;
    const { result } = await ended(async (_, ctx) => await ctx.step("k".repeat(length), () => ++ran));
    strictEqual(ran, length === 512 ? 1 : 0);
    strictEqual(result.kind, length === 512 ? "answer" : "failure");
  });
}

test("a tool without .promise() has no limit on its steps: they are gone with the call", async () => {
  const tool = defineTool("t").describe("T").handle(async (_, ctx) => {
    for (let n = 0; n < 1_100; n++) await ctx.step(`${n}`, () => n);
    return "done";
  });
  strictEqual(asAnswer(await new Bench([tool], { keys: KEYS }).call("t")), "done");
});
