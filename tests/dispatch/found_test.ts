/** What dispatch does not do (yet) that it should: each test is red until it is mended, and then moves to its topic. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { type Ctx, defineTool } from "../../mod.ts";
import { Bench, settle } from "./harness.ts";
import { asQuestion, KEYS } from "./promised.ts";

const t = defineTool("t").describe("T");
const yes = { message: "Sure?", schema: v.object({ yes: v.boolean() }) };

for (
  const [name, ask] of [
    ["elicit", (ctx: Ctx) => void ctx.elicit("k", yes)],
    ["ask", (ctx: Ctx) => void ctx.ask({ k: yes })],
    ["requireResource", (ctx: Ctx) => void ctx.requireResource("k")],
  ] as const
) {
  test(`an ask that nobody awaits asks, and its rejection does not end the process: ctx.${name}()`, async () => {
    for (const isLater of [true, false]) {
      const handler: (_: unknown, ctx: Ctx) => Promise<string> | string = isLater
        ? async (_: unknown, ctx: Ctx) => {
          ask(ctx);
          await settle();
          return "not awaited";
        }
        : (_: unknown, ctx: Ctx) => {
          ask(ctx);
          return "not awaited";
        };
      const bench = new Bench([t.handle(handler)], { keys: KEYS });
      deepStrictEqual(Object.keys(asQuestion(await bench.call("t")).requests), ["k"]);
      await settle();
    }
  });
}
