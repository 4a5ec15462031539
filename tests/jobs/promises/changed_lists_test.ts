/** Lists of `ctx.map` that change between runs: items are found by what they are, and a renamed list is refused before its effects. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Ctx, defineTool } from "../../../mod.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import {
  asAnswer,
  asFailure,
  asPromise,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
} from "./promised.ts";

const HOUR = 3_600_000;

/** A job whose handler is exchanged, as by a deployment. */
async function begun(first: (ctx: Ctx) => unknown, options = {}) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  let handler = first;
  const tool = defineTool("t").describe("T").promise({ ttlMs: 100 * HOUR, ...options }).handle((_, ctx) =>
    handler(ctx)
  );
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const call = watch(bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(call));
  const deploy = (next: (ctx: Ctx) => unknown) => void (handler = next);
  return { clock, jobs, deploy, result: () => redeem(bench, token) };
}

/** Does work for each item, and then sleeps. */
const mapped = (log: unknown[], key: string, items: readonly unknown[], options = {}) => async (ctx: Ctx) => {
  const results = await ctx.map(key, items, options, (item) => {
    log.push(item);
    return `did ${JSON.stringify(item)}`;
  });
  await ctx.sleep("night", HOUR);
  return results;
};

test("a list that changed between runs repeats no item and leaves out none, wherever they are then", async () => {
  const log: unknown[] = [];
  const { clock, deploy, result } = await begun(mapped(log, "pay", [{ id: 1, sum: 5 }, 6, 6, "c"]));
  deepStrictEqual(log, [{ id: 1, sum: 5 }, 6, 6, "c"]);
  deploy(mapped(log, "pay", ["new", 6, { sum: 5, id: 1 }, 6, 6]));
  await pass({ clock }, HOUR);
  deepStrictEqual(log.slice(4), ["new", 6]);
  deepStrictEqual(asAnswer(await result()), ['did "new"', "did 6", 'did {"id":1,"sum":5}', "did 6", "did 6"]);
});

test("items with a key are found by it, although they have changed", async () => {
  const log: unknown[] = [];
  const key = ({ id }: { readonly id: string }) => id;
  const { clock, deploy, result } = await begun(mapped(log, "pay", [{ id: "a", at: 1 }, { id: "b", at: 1 }], { key }));
  deploy(mapped(log, "pay", [{ id: "b", at: 2 }, { id: "c", at: 2 }], { key }));
  await pass({ clock }, HOUR);
  deepStrictEqual(log, [{ id: "a", at: 1 }, { id: "b", at: 1 }, { id: "c", at: 2 }]);
  asAnswer(await result());
});

for (const how of ["sleeps", "breaks"] as const) {
  test(`a renamed list is refused before an item is done again, after a run that ${how}`, async () => {
    const log: unknown[] = [];
    const first = async (ctx: Ctx) => {
      await ctx.map("pay", ["a", "b", "c"], {}, (item) => log.push(item));
      if (how === "breaks") throw new Error("Down");
      await ctx.sleep("night", HOUR);
    };
    const { clock, jobs, deploy, result } = await begun(first, { retries: { attempts: 2, minMs: HOUR, maxMs: HOUR } });
    deploy(mapped(log, "charge", ["a", "b", "c"]));
    await pass({ clock }, HOUR);
    for (let n = 0; n < 6; n++) await pass({ clock }, 1_000);
    deepStrictEqual(log, ["a", "b", "c"]);
    const job = await jobs.get();
    strictEqual(job?.state, "blocked");
    match(JSON.stringify(job.outcome), /map pay was done/);
    deploy(mapped(log, "pay", ["a", "b", "c"]));
    await pass({ clock }, 60_000);
    await pass({ clock }, HOUR);
    asAnswer(await result());
    deepStrictEqual(log, ["a", "b", "c"]);
  });
}

for (
  const [name, items, options, expected] of [
    ["a key that comes twice", [1, 1], { key: String }, /the key "1" comes twice/],
    ["a key that is no text", [1], { key: (item: number) => item }, /key gave no text for item 0/],
    ["an item that JSON cannot hold", [1, new Map()], {}, /item 1 is not JSON .*Map.*give each item a key/],
    ["an item that is a function", [() => {}], {}, /item 0 is not JSON \(it is function\)/],
    ["a key that is no function", [1], { key: "id" }, /key must be a function/],
  ] as const
) {
  test(`a list is refused before its first item: ${name}`, async () => {
    const log: unknown[] = [];
    const { result } = await begun(mapped(log, "pay", items, options));
    const settled = await result();
    asFailure(settled, "invalid_handler");
    match(settled.kind === "failure" ? settled.message : "", expected);
    deepStrictEqual(log, []);
  });
}

test("an item that broke is not done after the handler has undone in catch, and is done again if it has not", async () => {
  for (const isCaught of [true, false]) {
    const log: unknown[] = [];
    const { clock, result } = await begun(async (ctx) => {
      try {
        return await ctx.map("ship", ["a", "b"], { concurrency: 1 }, (item) => {
          log.push(item);
          if (item === "b" && log.length === 2) throw new Error("Down");
        });
      } catch (error) {
        if (!isCaught) throw error;
        await ctx.sleep("pause", HOUR);
        await ctx.step("refund", () => log.push("refund"));
        return (error as Error).message;
      }
    }, { retries: 1 });
    await pass({ clock }, HOUR);
    const answer = asAnswer(await result());
    deepStrictEqual([log, answer], isCaught ? [["a", "b", "refund"], "Down"] : [["a", "b", "b"], [null, null]]);
  }
});
