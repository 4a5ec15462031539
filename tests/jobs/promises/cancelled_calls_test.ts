/** A cancel of a job at any moment of its `ctx.call` cancels the job of the called tool, which nothing else waits for. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { eventually } from "../../eventually.ts";
import { KEYS } from "./promised.ts";

for (const readsSignal of [false, true]) {
  for (const turns of [0, 1, 2, 5, 10, 20, 40]) {
    test(
      `${turns} turns after the called tool has begun, in a handler that ${
        readsSignal ? "reads" : "does not read"
      } its signal`,
      async () => {
        const begun = Promise.withResolvers<void>();
        const seen = { begun: 0, aborted: 0 };
        const child = defineTool("child").describe("Wait").promise({ budgetMs: 1 }).handle(async (_, ctx) => {
          seen.begun++;
          begun.resolve();
          await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
          seen.aborted++;
        });
        const parent = defineTool("parent").describe("Call").promise({ budgetMs: 1 }).handle(async (_, ctx) => {
          if (readsSignal) void ctx.signal;
          return await ctx.call(child);
        });
        const server = createServer({ tools: [parent, child], keys: KEYS, logger: false });
        const work = await testClient(server).parent.start();
        await begun.promise;
        for (let turn = 0; turn < turns; turn++) await undefined;
        await work.cancel();
        await eventually(() => seen.aborted > 0);
        deepStrictEqual(seen, { begun: 1, aborted: 1 });
        await server.close(0);
      },
    );
  }
}
