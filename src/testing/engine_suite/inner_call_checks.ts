/** Checks of handlers that call other tools, and do work for each item of a list, as jobs. */
import { keyRing } from "../../core/keys/key_ring.ts";
import type { Engine } from "../../core/dispatch/engine.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import type { AnyTool } from "../../core/tool/definition.ts";
import { createCoreServer } from "../../server/server.ts";
import { testClient } from "../test_client.ts";
import type { ContractCheck } from "./bench.ts";
import { expect, expectEqual } from "./fixture.ts";
import { copyOf } from "./wait_checks.ts";

const KEYS = "k1:a secret that all servers of these checks know";

function serve<const Tools extends readonly AnyTool[]>(engine: Engine, tools: Tools, concurrency: number) {
  const server = createCoreServer({ tools, keys: keyRing(KEYS), engine: copyOf(engine), work: false, logger: false });
  const running = server.work({ concurrency });
  return {
    client: testClient(server),
    close: async () => {
      await running.stop();
      await server.close(0);
    },
  };
}

/** A call of a tool that is a job itself, and sleeps longer than its caller waits in place. */
function callsOfJobs(): ContractCheck {
  const title = "two jobs at a concurrency of 2 that wait for jobs of other tools end, and each call is made once";
  return {
    title,
    async run({ engine }) {
      const made: string[] = [];
      const child = defineCoreTool("child").describe("Child").promise({ budgetMs: 1, retries: 0 }).handle(
        async (_, ctx) => {
          await ctx.step("made", () => made.push("child"));
          await ctx.sleep("a while", 1_100);
          return "slept";
        },
      );
      const parent = defineCoreTool("parent").describe("Parent").promise({ budgetMs: 1, retries: 0 })
        .handle(async (_, ctx) => {
          await ctx.step("made", () => made.push("parent"));
          const one = await ctx.call(child);
          return [one, await ctx.call(child, {}, { key: "again" })];
        });
      const { client, close } = serve(engine, [child, parent], 2);
      const started = await Promise.all([client.parent.start(), client.parent.start()]);
      const results = await Promise.all(started.map((work) => work.result()));
      expectEqual(results, [["slept", "slept"], ["slept", "slept"]], "results");
      expectEqual(made.filter((one) => one === "child").length, 4, "number of children");
      expectEqual(made.filter((one) => one === "parent").length, 2, "number of parents");
      await close();
    },
  };
}

/** Checks of `ctx.call` and `ctx.map` in jobs. */
export const INNER_CALL_CHECKS: readonly ContractCheck[] = [
  callsOfJobs(),

  {
    title: "a call that has ended is not made again by the next run",
    async run({ engine }) {
      const made: number[] = [];
      const child = defineCoreTool("child").describe("Child").handle(({ n }) => (made.push(Number(n)), Number(n) + 1));
      const parent = defineCoreTool("parent").describe("Parent").promise({ retries: 1 }).handle(async (_, ctx) => {
        const sum = await Promise.all([
          ctx.call(child, { n: 1 }),
          ctx.call(child, { n: 2 }),
          ctx.call(child, { n: 1 }),
        ]);
        if (ctx.attempt === 1) throw new Error("Fails once");
        return sum;
      });
      const { client, close } = serve(engine, [child, parent], 1);
      expectEqual(await (await client.parent.start()).result(), [2, 3, 2], "results");
      expectEqual(made, [1, 2, 1], "calls");
      await close();
    },
  },

  {
    title: "a job of another tool ends with the job that waits for it",
    async run({ engine, wait }) {
      const ended = { count: 0, begun: 0 };
      const child = defineCoreTool("child").describe("Child").promise({ budgetMs: 1 }).handle(async (_, ctx) => {
        ended.begun++;
        ctx.signal.addEventListener("abort", () => ended.count++);
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
      });
      const parent = defineCoreTool("parent").describe("Parent").promise({ budgetMs: 1 })
        .handle(async (_, ctx) => await ctx.call(child));
      const { client, close } = serve(engine, [child, parent], 2);
      const work = await client.parent.start();
      await wait("the child has begun", () => ended.begun > 0);
      await work.cancel();
      await wait("the child has ended", () => ended.count > 0);
      expectEqual(ended, { count: 1, begun: 1 }, "runs of the child");
      await close();
    },
  },

  {
    title: "10,000 items have one result each, with a bounded number at once, although the first run fails",
    async run({ engine }) {
      const seen = { active: 0, most: 0, calls: 0 };
      const tool = defineCoreTool("many").describe("Many").promise({ retries: 1, jobTimeoutMs: 600_000 })
        .handle(async (_, ctx) => {
          const items = Array.from({ length: 10_000 }, (_, n) => n);
          const results = await ctx.map("items", items, { concurrency: 50 }, async (item, index) => {
            seen.most = Math.max(seen.most, ++seen.active);
            seen.calls++;
            await undefined;
            seen.active--;
            if (index === 5_000 && ctx.attempt === 1) throw new Error("Fails once");
            return item * 2;
          });
          return results.every((result, index) => result === 2 * index);
        });
      const { client, close } = serve(engine, [tool], 1);
      expectEqual(await (await client.many.start()).result(), true, "whether each item has its result");
      expect(seen.most <= 50, `${seen.most} items were worked on at once`);
      expectEqual(seen.calls, 10_001, "number of times that an item was worked on");
      await close();
    },
  },
];
