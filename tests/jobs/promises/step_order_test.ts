/** The order in which a run gets the results of steps of the runs before it. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Ctx, defineTool } from "../../../mod.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, KEYS, pass, redeem, standstill } from "./promised.ts";

/** Runs a handler as a job, whose first run fails after `work`, and returns what both runs did. */
async function runTwice(work: (ctx: Ctx, noted: string[]) => Promise<unknown>): Promise<readonly [string[], string[]]> {
  const { clock, engine } = standstill();
  const runs: string[][] = [];
  const tool = defineTool("t").describe("T").promise({ retries: 1 }).handle(async (_, ctx) => {
    const noted: string[] = [];
    runs.push(noted);
    await work(ctx, noted);
    if (ctx.attempt === 1) throw new Error("once more");
    return "done";
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  for (let n = 0; n < 200 && runs.length < 2; n++) await pass({ clock }, 1_000);
  await pass({ clock }, 0);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  return [runs[0]!, runs[1]!];
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined;
}

test("a race of steps has the same winner in the next run, which is not the first in the code", async () => {
  const [first, second] = await runTwice(async (ctx, noted) => {
    const slow = ctx.step("slow", async () => (await turns(40), "slow"));
    const fast = ctx.step("fast", () => "fast");
    noted.push(await Promise.race([slow, fast]));
    await slow;
  });
  deepStrictEqual(first, ["fast"]);
  deepStrictEqual(second, first);
});

test("branches at once go the same way in the next run, however long each of their steps took", async () => {
  const chain = fc.array(fc.nat(30), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(chain, { minLength: 2, maxLength: 4 }), async (chains) => {
      const [first, second] = await runTwice(async (ctx, noted) => {
        await Promise.all(chains.map(async (times, branch) => {
          for (const [at, time] of times.entries()) {
            await ctx.step(`${branch}.${at}`, () => turns(time));
            noted.push(`${branch}.${at}`);
          }
        }));
      });
      deepStrictEqual(second, first);
    }),
    { numRuns: 60 },
  );
});

test("a result that the next run does not ask for holds back no other", async () => {
  const { clock, engine } = standstill();
  let runs = 0;
  const tool = defineTool("t").describe("T").promise({ retries: 1 }).handle(async (_, ctx) => {
    const isFirst = ++runs === 1;
    const steps = (isFirst ? ["a", "b", "c"] : ["c", "b"]).map((key) => ctx.step(key, () => `${key}${runs}`));
    const results = await Promise.all(steps);
    if (isFirst) throw new Error("once more");
    return results;
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  for (let n = 0; n < 10; n++) await pass({ clock }, 1_000);
  deepStrictEqual(asAnswer(await redeem(bench, token)), ["c1", "b1"]);
});
