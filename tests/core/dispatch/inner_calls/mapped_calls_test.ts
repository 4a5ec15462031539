/** Calls in the work of ctx.map: equal calls of two items are two calls, and options that do not exist are refused. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, type Ctx, defineTool } from "../../../../mod.ts";
import { testClient } from "../../../../src/entries/testing.ts";

/** A tool that pays by a job of two steps, and one that works on a list; `paid` counts the payments. */
function shop(work: (ctx: Ctx, pay: unknown) => Promise<unknown>) {
  let paid = 0;
  const pay = defineTool("pay").describe("Pay").promise({ budgetMs: 1 }).handle(async (_, ctx) => {
    await ctx.sleep("a moment", 5);
    return await ctx.step("pay", () => ++paid);
  });
  const all = defineTool("all").describe("Pay all").promise({ budgetMs: 1 })
    .handle(async (_, ctx) => await work(ctx as unknown as Ctx, pay) as number[]);
  const server = createServer({ tools: [pay, all], logger: false });
  const runAll = async () => await (await testClient(server).$.start("all", {})).result() as number[];
  return { all: runAll, paid: () => paid, end: () => server.close() };
}

type AnyCall = (tool: unknown, input?: unknown, options?: unknown) => Promise<number>;
const callOf = (ctx: Ctx): AnyCall => ctx.call as unknown as AnyCall;

for (const concurrency of [1, 2, 3, 4]) {
  test(`equal calls of four items are four calls, ${concurrency} at once`, async () => {
    const { all, paid, end } = shop((ctx, pay) =>
      ctx.map("items", [6, 6, 6, 6], { concurrency }, () => callOf(ctx)(pay))
    );
    deepStrictEqual((await all()).toSorted(), [1, 2, 3, 4]);
    strictEqual(paid(), 4);
    await end();
  });
}

test("a call after an await in the work of an item needs a key", async () => {
  const late = (key: (index: number) => { key?: string }) => (ctx: Ctx, pay: unknown) =>
    ctx.map("items", [6, 6], {}, async (_, index) => {
      await ctx.step(`before ${index}`, () => index);
      return await callOf(ctx)(pay, {}, key(index));
    });
  const { all, paid, end } = shop(late(() => ({})));
  await rejects(all, { code: "invalid_handler", message: /ctx\.call\(pay, …\) after an await .* needs a key/ });
  strictEqual(paid(), 0);
  await end();
  const keyed = shop(late((index) => ({ key: `pay ${index}` })));
  deepStrictEqual((await keyed.all()).toSorted(), [1, 2]);
  await keyed.end();
});

const WRONG: Record<string, readonly [work: (ctx: Ctx, pay: unknown) => Promise<unknown>, message: RegExp]> = {
  "an option of ctx.map": [(ctx) => ctx.map("a", [1], { limit: 2 } as object, (one) => one), /no option "limit"/],
  "no options of ctx.map": [
    (ctx) => (ctx.map as unknown as (...args: unknown[]) => Promise<unknown>)("a", [1], (one: number) => one),
    /ctx\.map\(key, items, \{ concurrency \}, work\)/,
  ],
  "items that are a Set": [
    (ctx) => ctx.map("a", new Set([1]) as unknown as number[], {}, (one) => one),
    /ctx\.map\(key, items, \{ concurrency \}, work\)/,
  ],
  "an option of ctx.call": [(ctx, pay) => callOf(ctx)(pay, {}, { kee: "a" }), /no option "kee"/],
  "no tool": [(ctx) => callOf(ctx)(undefined), /Cannot call/],
  "a text in place of the options of ctx.call": [(ctx, pay) => callOf(ctx)(pay, {}, "second"), /options/],
};
for (const [what, [work, message]] of Object.entries(WRONG)) {
  test(`refused, before anything runs: ${what}`, async () => {
    const { all, paid, end } = shop(work);
    await rejects(all, { code: "invalid_handler", message });
    strictEqual(paid(), 0);
    await end();
  });
}
