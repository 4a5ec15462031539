/** State that the caller keeps, in calls that are jobs: those that are promised, and those with a key. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type CallResult, defineCallerState, defineTool } from "../../../mod.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { accept, asAnswer, asPromise, asQuestion, Gates, KEYS, pass, redeem, settledOf, watch } from "./promised.ts";
import type { CallMeta } from "../../../src/entries/wire.ts";

const cart = defineCallerState("cart", v.array(v.string()));
const item = v.object({ item: v.string() });
const sure = { message: "Sure?", schema: v.object({}) };

const put = defineTool("put").describe("P").input(item).handle(({ item }, ctx) => {
  const items = [...(ctx.callerState.get(cart) ?? []), item];
  ctx.callerState.set(cart, items);
  return items;
});

const putSurely = defineTool("put_surely").describe("P").input(item).handle(async ({ item }, ctx) => {
  await ctx.elicit("k", sure);
  const items = [...(ctx.callerState.get(cart) ?? []), item];
  ctx.callerState.set(cart, items);
  return items;
});

const gates = new Gates();
const read = defineTool("read").describe("R").promise({ budgetMs: 1_000, retries: 1 }).handle(async (_, ctx) => {
  await gates.wait();
  return ctx.callerState.get(cart) ?? "nothing";
});

/** A caller that keeps what it is given, as a client does. */
class Caller {
  readonly bench: Bench = new Bench([put, putSurely, read], { keys: KEYS });
  context: string | undefined = undefined;

  async call(tool: string, args: unknown, more: CallMeta = {}): Promise<CallResult> {
    const meta = { ...more, ...(this.context !== undefined && { context: this.context }) };
    const call = watch(this.bench.call(tool, args, { meta }));
    await pass(this.bench, 0);
    const settled = settledOf(call);
    if ("context" in settled && settled.context !== undefined) this.context = settled.context;
    return settled;
  }
}

test("a job sees the context of the call that began it, at each attempt, and not a later one", async () => {
  const caller = new Caller();
  await caller.call("put", { item: "tea" });
  const { token } = asPromise(await caller.call("read", {}, { isPromiseWanted: true }));
  await caller.call("put", { item: "milk" });
  await gates.fail(new Error("no luck"));
  await pass(caller.bench, 1_000);
  await gates.end(undefined);
  deepStrictEqual(asAnswer(await redeem(caller.bench, token)), ["tea"]);
});

test("a keyed call sees its caller's context", async () => {
  const caller = new Caller();
  await caller.call("put", { item: "tea" });
  deepStrictEqual(asAnswer(await caller.call("put", { item: "milk" }, { idempotencyKey: "a" })), ["tea", "milk"]);
  deepStrictEqual(asAnswer(await caller.call("put", { item: "salt" })), ["tea", "milk", "salt"]);
});

test("a keyed call that asks sees and sets its caller's context in the run that is answered", async () => {
  const caller = new Caller();
  await caller.call("put", { item: "tea" });
  const { continuation } = asQuestion(await caller.call("put_surely", { item: "milk" }, { idempotencyKey: "a" }));
  const meta = { idempotencyKey: "a", continuation, responses: { k: accept({}) } };
  deepStrictEqual(asAnswer(await caller.call("put_surely", { item: "milk" }, meta)), ["tea", "milk"]);
  deepStrictEqual(asAnswer(await caller.call("put", { item: "salt" })), ["tea", "milk", "salt"]);
});

test("a repeat of a key does not turn its caller's context back", async () => {
  const caller = new Caller();
  deepStrictEqual(asAnswer(await caller.call("put", { item: "tea" }, { idempotencyKey: "a" })), ["tea"]);
  await caller.call("put", { item: "milk" });
  const present = caller.context;
  deepStrictEqual(asAnswer(await caller.call("put", { item: "tea" }, { idempotencyKey: "a" })), ["tea"]);
  strictEqual(caller.context, present);
  deepStrictEqual(asAnswer(await caller.call("put", { item: "salt" })), ["tea", "milk", "salt"]);
});

test("a repeat of a key whose first answer was lost gives its caller the context", async () => {
  const caller = new Caller();
  await caller.call("put", { item: "tea" });
  const before = caller.context;
  await caller.call("put", { item: "milk" }, { idempotencyKey: "a" });
  // As if nothing had come back.
  caller.context = before;
  await caller.call("put", { item: "milk" }, { idempotencyKey: "a" });
  ok(caller.context !== before);
  deepStrictEqual(asAnswer(await caller.call("put", { item: "salt" })), ["tea", "milk", "salt"]);
});
