/** Calls of other tools that break, in jobs: they are tried again like steps, and then their failure is final. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type AnyTool, defineTool, ToolError } from "../../../mod.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asFailure, asPromise, KEYS, pass, redeem, settledOf, standstill, watch } from "./promised.ts";

const HOUR = 3_600_000;
const order = defineTool("order").describe("Order").promise({ ttlMs: 100 * HOUR });

async function begun(tools: readonly AnyTool[]) {
  const { clock, engine } = standstill();
  const bench = new Bench(tools, { keys: KEYS, clock, engine });
  const call = watch(bench.call("order", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(call));
  return { clock, result: () => redeem(bench, token) };
}

/** A tool that breaks a number of times, and then works. */
function flaky(log: string[], failures: number): AnyTool {
  let calls = 0;
  return defineTool("ship").describe("Ship").handle(() => {
    log.push(`ship ${++calls}`);
    if (calls <= failures) throw new ToolError("unavailable", "The warehouse does not answer");
    return "shipped";
  });
}

test("a call that breaks is tried again as a step is, without the handler", async () => {
  const log: string[] = [];
  const ship = flaky(log, 2);
  const { clock, result } = await begun([ship, order.handle(async (_, ctx) => await ctx.call(ship))]);
  for (let n = 0; n < 5; n++) await pass({ clock }, 1_000);
  strictEqual(asAnswer(await result()), "shipped");
  deepStrictEqual(log, ["ship 1", "ship 2", "ship 3"]);
});

test("a call that broke finally stays broken, also if it would succeed after the handler has undone what was done", async () => {
  const log: string[] = [];
  const ship = flaky(log, 3);
  const tool = order.handle(async (_, ctx) => {
    try {
      await ctx.call(ship);
    } catch (error) {
      await ctx.sleep("pause", HOUR);
      await ctx.step("refund", () => log.push("refund"));
      throw error;
    }
  });
  const { clock, result } = await begun([ship, tool]);
  for (let n = 0; n < 5; n++) await pass({ clock }, 1_000);
  for (let n = 0; n < 3; n++) await pass({ clock }, HOUR);
  deepStrictEqual(log, ["ship 1", "ship 2", "ship 3", "refund"]);
  const settled = await result();
  asFailure(settled, "attempts_exhausted");
  match(JSON.stringify(settled), /call ship .*failed 3 times.*The warehouse does not answer/);
});
