/** Pieces of promised streams over several attempts, questions and keys. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type Ctx, defineTool, ToolError } from "../../../mod.ts";
import { Bench, KeptSink } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, Gates, KEYS, pass } from "./promised.ts";

const t = defineTool("t").describe("T").partial(v.string());

/** Redeems as a stream, and returns the pieces. */
async function read(bench: Bench, promise: string, after: number): Promise<readonly unknown[]> {
  const sink = new KeptSink();
  await bench.call("redeem", { promise, wait_ms: 0, after }, { sink });
  return sink.partials;
}

test("a second attempt yields its pieces again, and they are kept once", async () => {
  const tool = t.promise({ budgetMs: 1_000, retries: 1 }).handle(async function* (_, ctx) {
    yield "a";
    yield "b";
    if (ctx.attempt === 1) throw new Error("The first attempt breaks");
    yield "c";
  });
  const bench = new Bench([tool], { keys: KEYS, logger: false });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass(bench, 0);
  deepStrictEqual(await read(bench, token, 0), ["a", "b"]);
  await pass(bench, 2_000);
  deepStrictEqual(await read(bench, token, 0), ["a", "b", "c"]);
  deepStrictEqual(await read(bench, token, 2), ["c"]);
  strictEqual(asAnswer(await bench.call("redeem", { promise: token })), "abc");
});

test("a stream that becomes a promise leaves all of its pieces with the job, those before the budget too", async () => {
  const gates = new Gates<void>();
  const tool = t.promise({ budgetMs: 1_000 }).handle(async function* () {
    yield "a";
    await gates.wait();
    yield "b";
  });
  const bench = new Bench([tool], { keys: KEYS });
  const sink = new KeptSink();
  const settled = bench.call("t", {}, { sink });
  await pass(bench, 0);
  await pass(bench, 1_000);
  await pass(bench, 23_000);
  const { token } = asPromise(await settled);
  deepStrictEqual(sink.partials, ["a"]);
  deepStrictEqual(await read(bench, token, 0), ["a"]);
  await gates.end(undefined);
  await pass(bench, 1_000);
  deepStrictEqual(await read(bench, token, 1), ["b"]);
});

test("a call with a key that becomes a promise leaves the pieces before the budget with its job, too", async () => {
  const gates = new Gates<void>();
  const tool = t.promise({ budgetMs: 1_000 }).handle(async function* () {
    yield "a";
    await gates.wait();
    yield "b";
  });
  const bench = new Bench([tool], { keys: KEYS });
  const settled = bench.call("t", {}, { meta: { idempotencyKey: "once" } });
  await pass(bench, 0);
  await pass(bench, 1_000);
  const { token } = asPromise(await settled);
  deepStrictEqual(await read(bench, token, 0), ["a"]);
  await gates.end(undefined);
  await pass(bench, 1_000);
  deepStrictEqual(await read(bench, token, 0), ["a", "b"]);
});

for (
  const [name, thrown] of [
    ["an error that no attempt mends", new ToolError("conflict", "Not twice")],
    ["its last attempt", new Error("Broken")],
  ] as const
) {
  test(`a run that ends with ${name} leaves the pieces that were not written before`, async () => {
    const tool = t.promise({ budgetMs: 1_000, retries: 0 }).handle(async function* () {
      yield "a";
      yield "b";
      throw thrown;
    });
    const bench = new Bench([tool], { keys: KEYS, logger: false });
    const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
    await pass(bench, 0);
    deepStrictEqual(await read(bench, token, 0), ["a", "b"]);
  });
}

for (
  const [name, stop] of [
    ["a question", (ctx: Ctx) => ctx.elicit("sure", { message: "Sure?", schema: v.object({}) })],
    ["a wait", (ctx: Ctx) => ctx.sleep("later", 60_000)],
  ] as const
) {
  test(`a run that stops at ${name} leaves the pieces that were not written before`, async () => {
    const tool = t.promise({ budgetMs: 1_000 }).handle(async function* (_, ctx) {
      yield "a";
      yield "b";
      await stop(ctx);
    });
    const bench = new Bench([tool], { keys: KEYS, logger: false });
    const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
    await pass(bench, 0);
    deepStrictEqual(await read(bench, token, 0), ["a", "b"]);
  });
}

test("a redeem without a number of pieces sends none, and a wrong number is refused", async () => {
  const tool = t.promise({ budgetMs: 1_000 }).handle(async function* () {
    yield "a";
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { token: promise } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass(bench, 0);
  const sink = new KeptSink();
  strictEqual(asAnswer(await bench.call("redeem", { promise }, { sink })), "a");
  deepStrictEqual(sink.partials, []);
  for (const after of [-1, 0.5, "1"]) {
    const { kind, code } = await bench.call("redeem", { promise, after }) as { kind: string; code?: string };
    deepStrictEqual([kind, code], ["error", "invalid_input"]);
  }
});
