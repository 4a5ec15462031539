/** Work that waits while its handler is changed: it ends as a failure that names the key, or with the earlier definition. */
import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type CallResult, type Ctx, defineTool } from "../../../mod.ts";
import type { Job } from "../../../src/entries/engines.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import {
  accept,
  asAnswer,
  asFailure,
  asPromise,
  asQuestion,
  changed,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
} from "./promised.ts";

const HOUR = 3_600_000;
type Handler = (input: Record<string, unknown>, ctx: Ctx) => unknown;
const t = defineTool("t").describe("T").promise({ ttlMs: 100 * HOUR, retries: 1 });

/** The result of a call of `before` that waits for an hour, after a deployment of `after`; of a job that is blocked, why. */
async function deployed(before: Handler, after: Handler): Promise<CallResult> {
  const { clock, engine } = standstill();
  const jobs = watchJobs({ ...engine, processId: undefined, close: () => {} });
  const shared = jobs.engine;
  const old = new Bench([t.handle(before)], { keys: KEYS, clock, engine: shared });
  const call = watch(old.call("t"));
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(call));
  await old.server.close(0);
  const next = new Bench([t.handle(after)], { keys: KEYS, clock, engine: shared });
  next.server.work();
  for (let hour = 0; hour < 3; hour++) {
    await pass({ clock }, HOUR);
    const block = await blockOf(jobs);
    if (block !== undefined) return block;
  }
  return await redeem(next, token);
}

/** Why a job is blocked; `undefined` if it is not. */
async function blockOf(jobs: { get(): unknown }): Promise<CallResult | undefined> {
  const { state, outcome } = { ...await jobs.get() as Partial<Job> };
  return state === "blocked" ? outcome : undefined;
}

/** A handler of steps and sleeps, in this order: `"a"` is a step, `"~a"` sleeps for an hour. */
const takes = (...names: string[]): Handler => async (_, ctx) => {
  const done: string[] = [];
  for (const name of names) {
    if (name.startsWith("~")) await ctx.sleep(name.slice(1), HOUR);
    else done.push(await ctx.step(name, () => name));
  }
  return done.join();
};

for (
  const [title, before, after, answer] of [
    ["nothing has changed", ["a", "b", "~s", "c"], ["a", "b", "~s", "c"], "a,b,c"],
    [
      "a step is added before a sleep that was not reached",
      ["a", "~s", "c", "~t"],
      ["a", "~s", "c", "new", "~t"],
      "a,c,new",
    ],
    ["a step is added after", ["a", "~s", "c"], ["a", "~s", "c", "new"], "a,c,new"],
    ["a sleep is added after", ["a", "~s", "c"], ["a", "~s", "~later", "c"], "a,c"],
    ["a step that was not reached is renamed", ["a", "~s", "c"], ["a", "~s", "d"], "a,d"],
  ] as const
) {
  test(`work that waits continues with a new handler: ${title}`, async () => {
    strictEqual(asAnswer(await deployed(takes(...before), takes(...after))), answer);
  });
}

for (
  const [title, before, after, key, problem] of [
    ["a step is renamed", ["a", "~s", "c"], ["b", "~s", "c"], "a", /step a was done, and now step b, which is new/],
    ["a step is removed", ["a", "b", "~s"], ["a", "~s"], "b", /step b was done, and now sleep s comes before it/],
    [
      "a sleep is renamed",
      ["a", "~s", "c"],
      ["a", "~z", "c"],
      "s",
      /sleep s was done, and now it is not reached any more/,
    ],
    ["steps change places", ["a", "b", "~s"], ["b", "a", "~s"], "a", /step a was done, and now step b comes before it/],
    ["a sleep is before its step", ["a", "~s"], ["~s", "a"], "a", /step a was done, and now sleep s comes before it/],
    ["a step is added before", ["a", "~s"], ["new", "a", "~s"], "a", /step a was done, and now step new, which is new/],
    ["a step takes the place of a wait", ["a", "~s"], ["a", "b", "~s"], "s", /sleep s was done, and now step b/],
    ["everything is removed", ["a", "~s"], [], "a", /step a was done, and now it is not reached any more/],
  ] as const
) {
  test(`work that waits is blocked as replay_diverged, with the key: ${title}`, async () => {
    const result = await deployed(takes(...before), takes(...after));
    deepStrictEqual(asFailure(result, "replay_diverged"), { key });
    match((result as { message: string }).message, problem);
  });
}

test("a renamed step is refused before its effect", async () => {
  const log: string[] = [];
  const charge = (key: string): Handler => async (_, ctx) => {
    await ctx.step(key, () => log.push(key));
    await ctx.sleep("s", HOUR);
  };
  asFailure(await deployed(charge("charge"), charge("pay")), "replay_diverged");
  deepStrictEqual(log, ["charge"]);
});

test("a step that was renamed between two attempts is refused before its effect, too", async () => {
  const log: string[] = [];
  const { clock, engine } = standstill();
  const tool = t.handle(async (_, ctx) => {
    await ctx.step(ctx.attempt === 1 ? "charge" : "pay", () => log.push("charged"));
    throw new Error("down");
  });
  const jobs = watchJobs(engine);
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  await bench.call("t", {}, { meta: { isPromiseWanted: true } });
  await pass({ clock }, 0);
  await pass({ clock }, 1_000);
  asFailure(await blockOf(jobs), "replay_diverged");
  deepStrictEqual(log, ["charged"]);
});

/** A job that breaks after its charge, and has another name for it in its second attempt; what it has charged, and why it is blocked. */
async function renamedAfter(before: (ctx: Ctx, pause: () => Promise<void>) => Promise<unknown>, isWanted: boolean) {
  const log: string[] = [];
  const { clock, engine } = standstill();
  const pause = () => new Promise<void>((resolve) => void clock.after(10, resolve));
  const tool = t.promise({ ttlMs: 100 * HOUR, retries: 1, budgetMs: 1_000 }).handle(async (_, ctx) => {
    await before(ctx, pause);
    await ctx.step(ctx.attempt === 1 ? "charge" : "pay", () => log.push("charged"));
    await new Promise<void>((resolve) => void clock.after(2_000, resolve));
    throw new Error("down");
  });
  const jobs = watchJobs(engine);
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  void bench.call("t", {}, { meta: { isPromiseWanted: isWanted } });
  for (const ms of [0, 10, 10, 1_000, 2_000, 1_000, 10, 10, 10_000]) await pass({ clock }, ms);
  return { log, block: await blockOf(jobs) };
}

test("a step that was done before the call had a job is compared, too", async () => {
  const { log, block } = await renamedAfter((ctx) => ctx.step("a", () => 1), false);
  deepStrictEqual(asFailure(block, "replay_diverged"), { key: "charge" });
  deepStrictEqual(log, ["charged"]);
});

test("a renamed step behind steps at once is refused before its effect, with and without a job", async () => {
  for (const isWanted of [true, false]) {
    const { log, block } = await renamedAfter(
      (ctx, pause) => Promise.all(["x", "y"].map((key) => ctx.step(key, pause))),
      isWanted,
    );
    deepStrictEqual(asFailure(block, "replay_diverged"), { key: "charge" });
    deepStrictEqual(log, ["charged"]);
  }
});

test("steps within a step or an item that is done do not come again, and are not missed", async () => {
  const nested: Handler = async (_, ctx) => {
    await ctx.step("outer", () => ctx.step("inner", () => 1));
    await ctx.map("list", [1, 2], { concurrency: 1 }, (n) => ctx.step(`item ${n}`, () => n));
    await ctx.sleep("s", HOUR);
    return await ctx.step("last", () => "done");
  };
  strictEqual(asAnswer(await deployed(nested, nested)), "done");
  const { clock, engine } = standstill();
  const tool = t.handle(async (_, ctx) => {
    await ctx.step("outer", () => ctx.step("inner", () => 1));
    await ctx.map("list", [1, 2], { concurrency: 1 }, (n) => ctx.step(`item ${n}`, () => n));
    if (ctx.attempt === 1) throw new Error("down");
    return await ctx.step("last", () => "done");
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  for (let n = 0; n < 6; n++) await pass({ clock }, 1_000);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("a branch may come to its recorded step later than another one begins a new step", async () => {
  const { clock, engine } = standstill();
  const tool = t.handle(async (_, ctx) => {
    const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
    const one = async () => {
      await ctx.step("a", () => pause(10));
      if (ctx.attempt === 1) await pause(500);
      await ctx.step("a2", () => 1);
    };
    const other = async () => {
      await ctx.step("b", () => pause(10));
      await pause(100);
      await ctx.step("b2", () => 1);
      if (ctx.attempt === 1) throw new Error("down");
    };
    await Promise.all([one(), other()]);
    return "done";
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  for (const ms of [0, 10, 100, 1_000, 100, 100]) await pass({ clock }, ms);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("steps at once, of which some were done when an attempt broke, continue with the others", async () => {
  const { clock, engine } = standstill();
  const log: string[] = [];
  let times = 0;
  const tool = t.handle(async (_, ctx) => {
    const slow = async () => {
      await new Promise<void>((resolve) => void clock.after(500, resolve));
      log.push("slow");
    };
    const reading = async () => {
      await ctx.step("read", () => log.push("read"));
      if (times++ === 0) throw new Error("down");
    };
    await Promise.all([ctx.step("slow", slow), ctx.step("fast", () => log.push("fast")), reading()]);
    return "done";
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  for (let n = 0; n < 6; n++) await pass({ clock }, 500);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("ctx.patched() is false for work that came past it, and true for other work in each run", async () => {
  const log: string[] = [];
  const changed: Handler = async (_, ctx) => {
    await ctx.step("a", () => log.push("a"));
    const isNew = ctx.patched("insurance");
    if (isNew) await ctx.step("insure", () => log.push("insure"));
    await ctx.sleep("s", HOUR);
    await ctx.step("b", () => log.push("b"));
    return isNew;
  };
  strictEqual(asAnswer(await deployed(takes("a", "~s", "b"), changed)), false);
  deepStrictEqual(log, ["b"]);
  log.length = 0;
  strictEqual(asAnswer(await deployed(changed, changed)), true);
  deepStrictEqual(log, ["a", "insure", "b"]);
});

const other = defineTool("other").describe("O").handle(() => 1);

for (
  const [what, work] of [
    ["a step", (ctx: Ctx) => ctx.step("new", () => 1)],
    ["an item", (ctx: Ctx) => ctx.map("new", [1], {}, (n) => n)],
    ["a call", (ctx: Ctx) => ctx.call(other, {})],
  ] as const
) {
  test(`a call with an idempotency key takes the changed way again after its process has died: ${what}`, async () => {
    const ways: boolean[] = [];
    const { clock, engine } = standstill();
    // A process that dies has no lease any more.
    const jobs = watchJobs(changed(engine, { processId: undefined, lease: () => () => {} }));
    const tool = t.handle(async (_, ctx) => {
      await ctx.step("a", () => 1);
      const isNew = ctx.patched("x");
      if (isNew) await work(ctx);
      else await ctx.step("old", () => 1);
      if (ways.push(isNew) === 1) await new Promise(() => {});
      return "done";
    });
    const bench = new Bench([tool, other], { keys: KEYS, clock, engine: jobs.engine });
    void bench.call("t", {}, { meta: { idempotencyKey: "k" } });
    await pass({ clock }, 0);
    await pass({ clock }, 3_000);
    deepStrictEqual(ways, [true, true]);
    const { outcome } = { ...await jobs.get() as Partial<Job> };
    strictEqual(asAnswer(outcome), "done");
  });
}

test("a handler that catches everything does not hide that it differs", async () => {
  const result = await deployed(takes("a", "b", "~s"), async (_, ctx) => {
    await ctx.step("b", () => 1).catch(() => {});
    return "wrong";
  });
  deepStrictEqual(asFailure(result, "replay_diverged"), { key: "a" });
});

test("neither catch nor finally of a handler run where it differs, whether its step is new or comes too early", async () => {
  for (const names of [["new", "a", "b"], ["b", "a"]]) {
    const log: string[] = [];
    const result = await deployed(takes("a", "b", "~s"), async (_, ctx) => {
      try {
        for (const name of names) await ctx.step(name, () => log.push(name));
      } catch {
        log.push("catch");
      } finally {
        log.push("finally");
      }
    });
    deepStrictEqual(asFailure(result, "replay_diverged"), { key: "a" });
    deepStrictEqual(log, []);
  }
});

test("a handler that differs where its steps run at once is blocked, and its catch does not run", async () => {
  const log: string[] = [];
  const result = await deployed(takes("a", "b", "~s"), async (_, ctx) => {
    const both = ["new", "b"].map((name) => ctx.step(name, () => log.push(name)));
    await Promise.all(both).catch(() => log.push("catch"));
  });
  deepStrictEqual(asFailure(result, "replay_diverged"), { key: "a" });
  deepStrictEqual(log, []);
});

test("a step that differs within the work of another one, which is tried again, ends the run", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const log: string[] = [];
  const tool = t.handle(async (_, ctx) => {
    const isFirst = log.push("run") === 1;
    if (isFirst) {
      await Promise.all(["p", "q"].map((name) => ctx.step(name, () => 1)));
      await ctx.step("a", () => 1);
    }
    await ctx.step("outer", async () => {
      if (isFirst) throw new Error("down");
      await ctx.step("new", () => log.push("new")).catch(() => {});
    }, { retries: 3, backoff: { minMs: HOUR, maxMs: HOUR, factor: 1 } });
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  await bench.call("t", {}, { meta: { isPromiseWanted: true } });
  for (const ms of [0, HOUR, 5_000]) await pass({ clock }, ms);
  log.push(`${(await jobs.get())?.state}`);
  deepStrictEqual(log, ["run", "run", "blocked"]);
});

test("steps that ran at once may come in another order; one that vanished is found", async () => {
  const both = (...names: string[]): Handler => async (_, ctx) => {
    const done = await Promise.all(names.map((name) => ctx.step(name, async () => (await Promise.resolve(), name))));
    await ctx.sleep("s", HOUR);
    return done.toSorted().join();
  };
  strictEqual(asAnswer(await deployed(both("a", "b"), both("b", "a"))), "a,b");
  deepStrictEqual(asFailure(await deployed(both("a", "b"), both("b")), "replay_diverged"), { key: "a" });
});

test("a handler takes the same way after a step that failed finally", async () => {
  let isDown = true;
  const handler: Handler = async (_, ctx) => {
    const call = () =>
      ctx.step("first", () => {
        if (isDown) throw new Error("down");
        return "first";
      }, { retries: 0 });
    const way = await call().catch(() => ctx.step("second", () => "second"));
    await ctx.sleep("s", HOUR);
    isDown = false;
    return way;
  };
  const result = await deployed(handler, (input, ctx) => {
    isDown = false;
    return handler(input, ctx);
  });
  strictEqual(asAnswer(result), "second");
});

test("a job that asks is compared, too", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs({ ...engine, processId: undefined, close: () => {} });
  const shared = jobs.engine;
  const asks = (step: string): Handler => async (_, ctx) => {
    await ctx.step(step, () => 1);
    return (await ctx.elicit("q", { message: "?", schema: v.object({}) })).action;
  };
  const old = new Bench([t.handle(asks("a"))], { keys: KEYS, clock, engine: shared });
  const { token } = asPromise(await old.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  asQuestion(await redeem(old, token));
  await old.server.close(0);
  const next = new Bench([t.handle(asks("b"))], { keys: KEYS, clock, engine: shared });
  const meta = { continuation: token, responses: { q: accept({}) } };
  void next.call("redeem", { promise: token }, { meta });
  await pass({ clock }, 0);
  deepStrictEqual(asFailure(await blockOf(jobs), "replay_diverged"), { key: "a" });
});

test(".revision().before() ends old work with the old definition, and new calls with the new one", async () => {
  const { clock, engine } = standstill();
  const shared = { ...engine, processId: undefined, close: () => {} };
  const one = t.input(v.object({ sku: v.string() })).handle(async ({ sku }, ctx) => {
    await ctx.step("old", () => 1);
    await ctx.sleep("s", HOUR);
    return `old ${sku}`;
  });
  const two = t.revision("2").before(one).input(v.object({ item: v.string() })).handle(async ({ item }, ctx) => {
    await ctx.sleep("other", HOUR);
    return `two ${item}`;
  });
  const three = t.revision("3").before(two).input(v.object({ id: v.number() })).handle(({ id }) => `three ${id}`);
  const tokens: string[] = [];
  for (const [tool, args] of [[one, { sku: "tea" }], [two, { item: "salt" }]] as const) {
    const bench = new Bench([tool], { keys: KEYS, clock, engine: shared });
    const call = watch(bench.call("t", args));
    await pass({ clock }, 0);
    tokens.push(asPromise(settledOf(call)).token);
    await bench.server.close(0);
  }
  const bench = new Bench([three], { keys: KEYS, clock, engine: shared });
  bench.server.work();
  await pass({ clock }, HOUR);
  deepStrictEqual(await Promise.all(tokens.map(async (token) => asAnswer(await redeem(bench, token)))), [
    "old tea",
    "two salt",
  ]);
  strictEqual(asAnswer(await bench.call("t", { id: 7 })), "three 7");
});

test("without .before() work of another revision is blocked as revision_changed", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs({ ...engine, processId: undefined, close: () => {} });
  const shared = jobs.engine;
  const old = new Bench([t.handle(takes("~s"))], { keys: KEYS, clock, engine: shared });
  const call = watch(old.call("t"));
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(call));
  await old.server.close(0);
  const next = new Bench([t.revision("2").handle(takes("~s"))], { keys: KEYS, clock, engine: shared });
  next.server.work();
  await pass({ clock }, HOUR);
  asFailure(await blockOf(jobs), "revision_changed");
  asPromise(await redeem(next, token));
});

test(".before() refuses what is not an earlier definition of the tool", () => {
  const other = defineTool("other").describe("O").promise().handle(() => 1);
  const plain = defineTool("t").describe("T").handle(() => 1);
  for (const tool of [other, plain, undefined]) {
    throws(() => t.before(tool as typeof other), /same name with \.promise\(\)/);
  }
  const old = t.handle(() => 1);
  throws(() => t.before(old).handle(() => 2), /another revision; two are without one/);
  const first = t.revision("1").handle(() => 1);
  throws(() => t.revision("1").before(first).handle(() => 2), /two are "1"/);
});
