/** What a promise says of its future, and that it is given however its news are taken. */
import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, Gates, KEYS, pass, redeem, watch } from "./promised.ts";
import type { CallEvent } from "../../../src/entries/wire.ts";

const t = defineTool("t").describe("T");

for (
  const [name, done, total, isTold] of [
    ["within its time", 1, 10, true],
    ["as late as the promise itself", 1, 3_600, true],
    ["after the promise", 1, 10_000, false],
    ["after the end of all dates", 1, 1e15, false],
    ["never, since nothing is done", 0, 10, false],
    ["never, since more is done than there is", 11, 10, false],
    ["at no time that can be told", Number.NaN, Number.NaN, false],
  ] as const
) {
  test(`an estimate that the work ends ${name} is ${isTold ? "told" : "left out"}`, async () => {
    const gates = new Gates();
    const tool = t.promise({ budgetMs: 1_000, ttlMs: 3_600_000 }).handle(async (_, ctx) => {
      ctx.progress(done, total);
      return await gates.wait();
    });
    const bench = new Bench([tool], { keys: KEYS });
    const call = watch(bench.call("t"));
    await pass(bench, 1_000);
    const promise = asPromise(call.settled);
    const again = asPromise(await redeem(bench, promise.token));
    for (const { estimatedMs } of [promise, again]) {
      strictEqual(estimatedMs !== undefined, isTold, `${estimatedMs}`);
      if (estimatedMs !== undefined) new Date(estimatedMs).toISOString();
    }
    await gates.end("done");
    strictEqual(asAnswer(await redeem(bench, promise.token)), "done");
  });
}

for (const ms of [Number.POSITIVE_INFINITY, Number.NaN, 0, -1, 1e15]) {
  test(`a tool cannot promise for ${ms} ms`, () => {
    throws(() => t.promise({ ttlMs: ms }), {
      name: "RangeError",
      message:
        /^Cannot promise answers of tool "t": ttlMs must be a positive number of milliseconds, at most a hundred years, not/,
    });
    throws(() => t.promise({ jobTimeoutMs: ms }), { name: "RangeError", message: /jobTimeoutMs must be/ });
    const work = { start: () => 1, check: () => 1, ttlMs: ms };
    throws(() => t.external(work), {
      name: "RangeError",
      message:
        /^Cannot promise answers of tool "t": ttlMs must be a positive number of milliseconds, at most a hundred years, not/,
    });
  });
}

test("a tool may promise for a hundred years", async () => {
  const gates = new Gates();
  const ttlMs = 3_155_760_000_000;
  const bench = new Bench([t.promise({ ttlMs, budgetMs: 1_000 }).handle(() => gates.wait())], { keys: KEYS });
  const call = watch(bench.call("t"));
  await pass(bench, 1_000);
  const promise = asPromise(call.settled);
  strictEqual(promise.ttlMs, ttlMs);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, promise.token)), "done");
});

for (
  const [name, fail] of [
    ["throws", () => {
      throw new Error("sink");
    }],
    ["rejects", () => Promise.reject(new Error("sink"))],
  ] as readonly (readonly [string, () => Promise<void>])[]
) {
  test(`a stream whose sink ${name} at the news of its promise has the promise all the same`, async () => {
    const gates = new Gates();
    const bench = new Bench([t.promise({ budgetMs: 1_000 }).handle(() => gates.wait())], { keys: KEYS });
    const kinds: string[] = [];
    const push = ({ kind }: CallEvent): Promise<void> => {
      kinds.push(kind);
      return fail();
    };
    const call = watch(bench.call("t", {}, { sink: { push } }));
    await pass(bench, 1_000);
    deepStrictEqual(kinds, ["deferred"]);
    await pass(bench, 23_000);
    const { token } = asPromise(call.settled);
    ok(bench.log.lines.length <= 1);
    await pass(bench, 600_000);
    await gates.end("done");
    strictEqual(asAnswer(await redeem(bench, token)), "done");
  });

  test(`a stream whose sink ${name} at the news of its promise has its answer, if that comes`, async () => {
    const gates = new Gates();
    const bench = new Bench([t.promise({ budgetMs: 1_000 }).handle(() => gates.wait())], { keys: KEYS });
    const call = watch(bench.call("t", {}, { sink: { push: fail } }));
    await pass(bench, 1_000);
    await pass(bench, 5_000);
    strictEqual(call.settled, undefined);
    await gates.end("done");
    strictEqual(asAnswer(call.settled), "done");
  });
}

test("work that waits for days has no estimate of its end, before and after the wait", async () => {
  const gates = new Gates();
  const tool = defineTool("t").describe("T").promise({ ttlMs: 7 * 86_400_000 }).handle(async (_, ctx) => {
    await ctx.step("pack", () => "packed");
    ctx.progress(33, 100, "packed");
    await ctx.sleep("the weekend", 3 * 86_400_000);
    ctx.progress(34, 100, "shipping");
    return await gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { token, estimatedMs, progress } = asPromise(await bench.call("t"));
  deepStrictEqual([estimatedMs, progress?.done], [undefined, 33]);
  strictEqual(asPromise(await redeem(bench, token)).estimatedMs, undefined);
  await pass(bench, 3 * 86_400_000);
  await pass(bench, 400);
  const later = asPromise(await redeem(bench, token));
  deepStrictEqual([later.estimatedMs, later.progress?.done], [undefined, 34]);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});
