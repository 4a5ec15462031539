/** Limits on what the runs of a job keep: each change of a job writes all of it. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Ctx, defineTool } from "../../../mod.ts";
import { newJob } from "../engines/fixture.ts";
import { assertRefused, Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, KEYS, pass, redeem, standstill, watchJobs } from "./promised.ts";

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

test("a job keeps 1,000 steps, and refuses the next with the number", async () => {
  const { clock, engine } = standstill();
  const ran: string[] = [];
  const tool = defineTool("t").describe("T").promise().handle(async (_, ctx) => {
    await ctx.step("step 998", () => ran.push("998"));
    await ctx.step("step 999", () => ran.push("999"));
    await ctx.step("step 1000", () => ran.push("1000"));
    ran.push("after");
  });
  const steps = Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`step ${n}`, n]));
  const job = newJob({ tool: "t", memo: { answers: {}, steps }, expiresAtMs: clock.now() + 600_000 });
  await engine.insert(job, 0);
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  bench.server.work();
  await pass({ clock }, 0);
  const { state, outcome } = { ...await engine.get(job.id) };
  strictEqual(state, "done");
  match(assertRefused(outcome!, "result_too_large").message, /"step 1000".*1000 steps/);
  deepStrictEqual(ran, ["999", "1000"], "the result is refused, so nothing after it runs");
});

test("a job keeps a mebi of characters of steps, and refuses the step that exceeds it, by its name", async () => {
  let later = 0;
  const { result } = await ended(async (_, ctx) => {
    await ctx.step("first", () => "x".repeat(1_000_000));
    await ctx.step("second", () => "y".repeat(100_000));
    later++;
  });
  const { message } = assertRefused(result, "result_too_large");
  ok(message.includes('"second"') && message.includes("1048576"), message);
  strictEqual(later, 0);
});

test("a tool without .promise() has no limit on its steps: they are gone with the call", async () => {
  const tool = defineTool("t").describe("T").handle(async (_, ctx) => {
    for (let n = 0; n < 1_100; n++) await ctx.step(`${n}`, () => n);
    return "done";
  });
  strictEqual(asAnswer(await new Bench([tool], { keys: KEYS }).call("t")), "done");
});
