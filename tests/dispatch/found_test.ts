/** What dispatch does not do (yet) that it should: each test is red until it is mended, and then moves to its topic. */
import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { defineTool } from "../../mod.ts";
import { Bench } from "./harness.ts";
import { asAnswer, asPromise, asQuestion, KEYS, pass, redeem, standstill, watch } from "./promised.ts";

const t = defineTool("t").describe("T");

test("a continuation that is sent again, its first promise having been lost, promises again", async () => {
  const tool = t.promise({ budgetMs: 1_000 }).handle(async (_, ctx) => {
    await ctx.elicit("k", { message: "Sure?", schema: v.object({}) });
    return await new Promise(() => {});
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t"));
  const meta = { continuation, responses: { k: { action: "decline" } } };
  const first = watch(bench.call("t", {}, { meta }));
  await pass(bench, 0);
  await pass(bench, 1_000);
  const { token } = asPromise(first.settled);
  const second = watch(bench.call("t", {}, { meta }));
  await pass(bench, 0);
  await pass(bench, 1_000);
  strictEqual(asPromise(second.settled).token.slice(0, 5), token.slice(0, 5));
});

test("a job that began where the clock is a minute behind lasts as long as its promise", async () => {
  const { clock, engine } = standstill();
  const tool = t.promise({ ttlMs: 30_000 }).handle(() => "done");
  const behind = { now: () => clock.now() - 60_000, elapsed: () => clock.elapsed(), after: clock.after.bind(clock) };
  const bench = new Bench([tool], { keys: KEYS, clock: behind, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});
