import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { defineCallerState, defineTool, Failure } from "../../../mod.ts";
import { cache, type CacheOptions } from "../../../src/entries/middleware.ts";
import { Bench, KeptSink } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, asQuestion, KEYS } from "../../jobs/promises/promised.ts";
import type { CallMeta } from "../../../src/entries/wire.ts";

const reading = defineTool("t").describe("T").annotate({ readOnlyHint: true });

/** A tool that returns the number of its runs. */
function counting(options: CacheOptions = { ttlMs: 1_000 }): Bench {
  let runs = 0;
  const write = defineTool("write").describe("Write").handle(() => ++runs);
  return new Bench([reading.handle(() => ++runs), write], { keys: KEYS, middleware: [cache(options)] });
}

test("cache() gives the answer of the same call, however its arguments are spelled, as long as it is good", async () => {
  const bench = counting();
  const call = async (args: object) => asAnswer(await bench.call("t", args));
  deepStrictEqual([await call({ a: 1, b: 2 }), await call({ b: 2, a: 1 }), await call({ a: 1 })], [1, 1, 2]);
  bench.clock.tick(999);
  strictEqual(await call({ a: 1, b: 2 }), 1);
  bench.clock.tick(1);
  strictEqual(await call({ a: 1, b: 2 }), 3);
});

test("cache() passes by tools that may write", async () => {
  const bench = counting();
  deepStrictEqual([asAnswer(await bench.call("write")), asAnswer(await bench.call("write"))], [1, 2]);
});

test("cache() keeps principals apart, and what else its key says", async () => {
  const bench = counting({ ttlMs: 1_000, key: ({ metadata }) => metadata.get("accept-language") ?? "" });
  const call = async (id: string, language: string) =>
    asAnswer(
      await bench.call("t", {}, {
        peer: { principal: { id }, metadata: new Headers({ "accept-language": language }) },
      }),
    );
  deepStrictEqual([
    await call("ada", "en"),
    await call("bob", "en"),
    await call("ada", "de"),
    await call("ada", "en"),
    await call("bob", "en"),
  ], [1, 2, 3, 1, 2]);
});

test("cache() forgets the answer that was not used for longest", async () => {
  const bench = counting({ ttlMs: 1_000, maxAnswers: 2 });
  const call = async (n: number) => asAnswer(await bench.call("t", { n }));
  deepStrictEqual([await call(1), await call(2), await call(1), await call(3), await call(1), await call(2)], [
    1,
    2,
    1,
    3,
    1,
    4,
  ]);
});

for (
  const [what, meta] of [
    ["an idempotency key", { idempotencyKey: "k" }],
    ["a context", { context: "ctx_x" }],
    ["the wish for a promise", { isPromiseWanted: true }],
  ] as readonly (readonly [string, CallMeta])[]
) {
  test(`cache() passes by calls with ${what}`, async () => {
    let runs = 0;
    const tool = reading.promise().handle(() => ++runs);
    const bench = new Bench([tool], { keys: KEYS, middleware: [cache({ ttlMs: 1_000 })] });
    strictEqual(asAnswer(await bench.call("t")), 1);
    await bench.call("t", {}, { meta });
    strictEqual(asAnswer(await bench.call("t", {}, { meta: { deadlineMs: 5_000 } })), 1);
    if (meta.isPromiseWanted) return;
    strictEqual(runs, 2);
  });
}

test("cache() keeps no failure, no refusal, no question, no promise, nothing streamed, and no change of context", async () => {
  const slot = defineCallerState("slot", v.number());
  let runs = 0;
  const tools = [
    reading.handle(() => {
      runs++;
      throw new Failure("no", "No");
    }),
    reading.handle(() => {
      runs++;
      throw new Error("broken");
    }),
    reading.handle((_, ctx) => (runs++, ctx.elicit("k", { message: "?", schema: v.object({}) }))),
    reading.external({ start: () => ++runs, check: () => 1 }),
    reading.handle(async function* () {
      runs++;
      yield "a";
    }),
    reading.handle((_, ctx) => {
      runs++;
      ctx.callerState.set(slot, 5);
    }),
  ];
  for (const tool of tools) {
    runs = 0;
    const bench = new Bench([tool], { keys: KEYS, middleware: [cache({ ttlMs: 1_000 })] });
    await bench.call("t");
    await bench.call("t");
    strictEqual(runs, 2);
  }
  const streaming = new Bench([tools[4] ?? reading.handle(() => 1)], { middleware: [cache({ ttlMs: 1_000 })] });
  const sink = new KeptSink();
  for (let n = 0; n < 2; n++) await streaming.call("t", {}, { sink });
  deepStrictEqual(sink.partials, ["a", "a"]);
});

test("cache() does not answer redeem and cancel, and passes questions on", async () => {
  let checks = 0;
  const external = reading.external({ start: () => 1, check: () => ++checks });
  const bench = new Bench([external], { keys: KEYS, middleware: [cache({ ttlMs: 1_000 })] });
  const { token } = asPromise(await bench.call("t"));
  deepStrictEqual([1, 2], [
    asAnswer(await bench.call("redeem", { promise: token })),
    asAnswer(await bench.call("redeem", { promise: token })),
  ]);
  const asking = new Bench([
    reading.handle(async (_, ctx) => (await ctx.elicit("k", { message: "?", schema: v.object({}) })).action),
  ], { keys: KEYS, middleware: [cache({ ttlMs: 1_000 })] });
  for (const action of ["decline", "cancel"]) {
    const { continuation } = asQuestion(await asking.call("t"));
    strictEqual(asAnswer(await asking.call("t", {}, { meta: { continuation, responses: { k: { action } } } })), action);
  }
});

test("cache() refuses limits that are none", () => {
  for (const options of [{ ttlMs: 0 }, { ttlMs: 1, maxAnswers: 0 }]) throws(() => cache(options), RangeError);
});
