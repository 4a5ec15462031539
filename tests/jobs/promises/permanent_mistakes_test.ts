/** Mistakes of a handler that no further attempt mends: a job ends with their sentence at once. */
import { match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type Ctx, defineTool } from "../../../mod.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { asFailure, asPromise, KEYS, pass, redeem, standstill } from "./promised.ts";

const HOUR = 3_600_000;

for (
  const [title, handler, problem] of [
    [
      "a sleep beyond the promise",
      (ctx: Ctx) => ctx.sleep("s", 2 * HOUR),
      /Cannot wait for sleep s until .* Raise ttlMs of \.promise\(\), which is 3600000/,
    ],
    [
      "a wait beyond the promise",
      (ctx: Ctx) => ctx.waitFor("w", v.string(), { timeoutMs: 2 * HOUR }),
      /Cannot wait for value w until .* Raise ttlMs/,
    ],
    ["a wait without time", (ctx: Ctx) => ctx.waitFor("w", v.string(), { timeoutMs: 0 }), /timeoutMs must be above 0/],
    ["a date that is invalid", (ctx: Ctx) => ctx.sleep("s", new Date("never")), /the time must be milliseconds/],
    [
      "a key that comes twice",
      async (ctx: Ctx) => {
        await ctx.step("a", () => 1);
        await ctx.step("a", () => 2);
      },
      /The step "a" comes twice in one run: give each its own key/,
    ],
    ["a step whose result is a BigInt", (ctx: Ctx) => ctx.step("a", () => 1n), /result of the step "a".*not JSON/],
    ["a step without work", (ctx: Ctx) => ctx.step("a", undefined as never), /Cannot run a step: it has a key first/],
    [
      "a question without a form",
      (ctx: Ctx) => ctx.elicit("q", {} as never),
      /Cannot ask "q": give a message with a schema/,
    ],
    ["a failure that is not declared", (ctx: Ctx) => Promise.reject(ctx.fail("no" as never, "No")), /declare it with/],
  ] as const
) {
  test(`a job ends at once with the sentence of a mistake: ${title}`, async () => {
    const { clock, engine } = standstill();
    let runs = 0;
    const tool = defineTool("t").describe("T").promise().handle((_, ctx) => (runs++, handler(ctx as Ctx) as unknown));
    const bench = new Bench([tool], { keys: KEYS, clock, engine });
    const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
    for (let n = 0; n < 5; n++) await pass({ clock }, 2_000);
    const result = await redeem(bench, token);
    asFailure(result, "invalid_handler");
    match((result as { message: string }).message, problem);
    strictEqual(runs, 1);
  });
}

test("a mistake that the handler catches ends nothing", async () => {
  const { clock, engine } = standstill();
  const tool = defineTool("t").describe("T").promise().handle(async (_, ctx) =>
    await ctx.step("a", () => 1n as unknown as number).catch((error: Error) => error.name)
  );
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  strictEqual((await bench.call("t") as { value: unknown }).value, "TypeError");
});
