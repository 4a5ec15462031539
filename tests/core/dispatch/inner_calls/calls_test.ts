/** Calls of other tools by handlers, without jobs: rights, validation, middleware, errors, questions, progress and circles. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { type AnyTool, createServer, defineTool, memoryEngine, type Middleware } from "../../../../mod.ts";
import { group } from "../../../../src/entries/compose.ts";
import { createServer as createCoreServer, defineTool as defineCoreTool } from "../../../../src/entries/core.ts";
import { FakeClock, testClient } from "../../../../src/entries/testing.ts";
import { assertMasked, assertRefused, Bench } from "../harness.ts";
import { accept, asAnswer, asFailure, asQuestion, KEYS } from "../../../jobs/promises/promised.ts";

const add = defineTool("add").describe("Add").input(v.object({ a: v.number(), b: v.optional(v.number(), 1) }))
  .output(v.number()).handle(({ a, b }) => a + b);
const outer = defineTool("outer").describe("Outer");

test("a handler calls another tool by its value, typed, without keys and engine", async () => {
  const one = defineCoreTool("one").describe("One").handle(() => 1);
  const sum = defineCoreTool("sum").describe("Sum").handle(async (_, ctx) => {
    const { call } = ctx;
    const results: number[] = [await call(one), await ctx.call(one, {}), await call(one)];
    return results;
  });
  const server = createCoreServer({ tools: [one, sum] });
  deepStrictEqual(await testClient(server).sum(), [1, 1, 1]);
});

test("arguments have their defaults, and those that do not fit are refused with their issues", async () => {
  const tool = outer.handle(async ({ a }, ctx) => await ctx.call(add, { a } as { a: number }));
  const bench = new Bench([add, tool], { keys: KEYS });
  strictEqual(asAnswer(await bench.call("outer", { a: 2 })), 3);
  match(JSON.stringify(assertRefused(await bench.call("outer", { a: "2" }), "invalid_input").data), /"path":\["a"\]/);
});

test("a tool that the server does not have, and one of another server with its name, are refused where they are called", async () => {
  const other = defineTool("add").describe("Other").handle(() => "other");
  for (const called of [other, defineTool("absent").describe("A").handle(() => 1), "add" as unknown as AnyTool]) {
    const tool = outer.handle(async (_, ctx) => await ctx.call(called));
    const bench = new Bench([add, tool], { keys: KEYS });
    match(String(assertMasked(await bench.call("outer"), bench.log)), /Cannot call/);
  }
});

test("a called tool has the rights of the caller: its scopes, its visibility, its principal", async () => {
  const secret = defineTool("secret").describe("S").scopes("admin").handle((_, ctx) => ctx.principal?.id);
  const hidden = defineTool("hidden").describe("H").visibleTo((principal) => principal?.id === "root").handle(() => 1);
  const tool = outer.input(v.object({ of: v.picklist(["secret", "hidden"]) }))
    .handle(async ({ of }, ctx) => await ctx.call(of === "secret" ? secret : hidden as unknown as typeof secret));
  const bench = new Bench([secret, hidden, tool], { keys: KEYS });
  const as = (id: string, scopes: string[], of: string) =>
    bench.call("outer", { of }, { peer: { principal: { id, scopes } } });
  assertRefused(await as("ada", [], "secret"), "permission_denied");
  strictEqual(asAnswer(await as("ada", ["admin"], "secret")), "ada");
  assertRefused(await as("ada", ["admin"], "hidden"), "tool_not_found");
  strictEqual(asAnswer(await as("root", [], "hidden")), 1);
});

test("failures are thrown as they are, and a declared one may be caught by its code", async () => {
  const broken = defineTool("broken").describe("B").errors({ locked: v.object({ by: v.string() }) })
    .handle((_, ctx) => {
      throw ctx.fail("locked", "It is locked", { by: "ada" });
    });
  const catching = defineTool("catching").describe("C").handle(async (_, ctx) => {
    try {
      return await ctx.call(broken);
    } catch (thrown) {
      return (thrown as { readonly code: string }).code;
    }
  });
  const passing = outer.handle(async (_, ctx) => await ctx.call(broken));
  const bench = new Bench([broken, catching, passing], { keys: KEYS });
  strictEqual(asAnswer(await bench.call("catching")), "locked");
  deepStrictEqual(asFailure(await bench.call("outer"), "locked"), { by: "ada" });
});

test("a call passes the server's middleware, which has the call as before", async () => {
  const seen: unknown[] = [];
  const noting: Middleware = (ctx, next) => {
    seen.push([ctx.call.tool, ctx.call.args, ctx.call.peer.principal?.id]);
    return next();
  };
  const tool = outer.handle(async (_, ctx) => await ctx.call(add, { a: 1 }));
  const bench = new Bench([add, tool], { keys: KEYS, middleware: [noting] });
  await bench.call("outer", {}, { peer: { principal: { id: "ada" } } });
  deepStrictEqual(seen, [["outer", {}, "ada"], ["add", { a: 1 }, "ada"]]);
});

test("calls that are a circle are refused with their path, and so are too many in each other", async () => {
  const tools: AnyTool[] = [];
  const a: AnyTool = defineTool("a").describe("A").handle(async (_, ctx) => await ctx.call(tools[1]!));
  const b: AnyTool = defineTool("b").describe("B").handle(async (_, ctx) => await ctx.call(tools[0]!));
  tools.push(a, b);
  const bench = new Bench(tools, { keys: KEYS });
  assertRefused(await bench.call("a"), "internal");
  match(String(bench.log.lines[0]?.fields?.["error"]), /a → b → a/);
  const chain: AnyTool[] = [];
  for (let n = 0; n < 20; n++) {
    chain.push(
      defineTool(`t${n}`).describe("T").handle(async (_, ctx) => n === 19 ? n : await ctx.call(chain[n + 1]!)),
    );
  }
  const deep = new Bench(chain, { keys: KEYS });
  assertRefused(await deep.call("t0"), "internal");
  match(String(deep.log.lines[0]?.fields?.["error"]), /more than 16 calls in each other/);
  strictEqual(asAnswer(await deep.call("t4")), 19);
});

test("tools of a group call each other by their values, and not those outside", async () => {
  const inner = defineTool("add").describe("Inner").handle(() => "inner");
  const tool = outer.handle(async (_, ctx) => await ctx.call(inner));
  const astray = defineTool("astray").describe("A").handle(async (_, ctx) => await ctx.call(add, { a: 1 }));
  const bench = new Bench([add], {
    keys: KEYS,
    parts: [group("shop", createServer({ tools: [inner, tool, astray], keys: KEYS, logger: false }))] as never,
  });
  strictEqual(asAnswer(await bench.call("shop_outer")), "inner");
  assertMasked(await bench.call("shop_astray"), bench.log);
});

test("what a called tool asks, the caller is asked, and its effects before the question happen once", async () => {
  const effects: string[] = [];
  const asking = defineTool("asking").describe("A").handle(async (_, ctx) => {
    await ctx.step("before", () => effects.push("before"));
    const answer = await ctx.elicit("sure", { message: "Sure?", schema: v.object({ yes: v.boolean() }) });
    effects.push(`${answer.action}`);
    return answer.action === "accept" && answer.content.yes;
  });
  const tool = outer.handle(async (_, ctx) => ({ sure: await ctx.call(asking, {}, { key: "c" }) }));
  for (const hasEngine of [false, true]) {
    effects.length = 0;
    const clock = new FakeClock();
    const engine = hasEngine ? memoryEngine({ clock }) : undefined;
    const bench = new Bench([asking, tool], { keys: KEYS, clock, ...(engine && { engine }) });
    const question = asQuestion(await bench.call("outer"));
    deepStrictEqual(Object.keys(question.requests), ["c.sure"]);
    const wrong = { "c.sure": accept({ yes: "perhaps" }) };
    const again = asQuestion(
      await bench.call("outer", {}, { meta: { continuation: question.continuation, responses: wrong } }),
    );
    deepStrictEqual(Object.keys(again.requests), ["c.sure"]);
    const responses = { "c.sure": accept({ yes: true }) };
    const settled = await bench.call("outer", {}, { meta: { continuation: again.continuation, responses } });
    deepStrictEqual(asAnswer(settled), { sure: true });
    deepStrictEqual(effects, ["before", "accept"]);
  }
});

test("progress goes up if it is asked for, and pieces of a stream are joined", async () => {
  const streaming = defineTool("streaming").describe("S").partial(v.string()).output(v.string())
    .handle(async function* (_, ctx) {
      ctx.progress(1, 2);
      yield "a";
      await Promise.resolve();
      yield "b";
    });
  const seen: number[] = [];
  const tool = outer.handle(async (_, ctx) => [
    await ctx.call(streaming, {}, { onProgress: ({ done }) => seen.push(done) }),
    await ctx.call(streaming),
  ]);
  const bench = new Bench([streaming, tool], { keys: KEYS });
  deepStrictEqual(asAnswer(await bench.call("outer")), ["ab", "ab"]);
  deepStrictEqual(seen, [1]);
});

test("a call ends with the one that made it", async () => {
  const aborted = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = defineTool("slow").describe("S").handle(async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.resolve());
    begun.resolve();
    await new Promise(() => {});
  });
  const tool = outer.handle(async (_, ctx) => await ctx.call(slow));
  const bench = new Bench([slow, tool], { keys: KEYS, clock: new FakeClock() });
  const left = new AbortController();
  const call = bench.call("outer", {}, { signal: left.signal });
  await begun.promise;
  left.abort();
  await aborted.promise;
  assertRefused(await call, "cancelled");
});
