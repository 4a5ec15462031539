/** State that the caller keeps: when it is written, when it is read, and what is refused. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import { type AnyTool, type CallResult, type Ctx, defineCallerState, defineTool, ToolError } from "../../../../mod.ts";
import { assertMasked, Bench, settle } from "../harness.ts";
import { asAnswer, asFailure, asQuestion, KEYS, pass } from "../../../jobs/promises/promised.ts";

const t = defineTool("t").describe("T");
const cart = defineCallerState("cart", v.array(v.string()));
const step = defineCallerState("step", v.number());

const benchOf = (tool: AnyTool) => new Bench([tool], { keys: KEYS });

/** The context that a call gave; `undefined` if it gave none. */
const contextOf = (settled: CallResult): string | undefined => "context" in settled ? settled.context : undefined;

/** A tool that puts its input into the cart. */
const put = t.input(v.object({ item: v.string() })).handle(({ item }, ctx) => {
  const items = [...(ctx.callerState.get(cart) ?? []), item];
  ctx.callerState.set(cart, items);
  return items;
});

test("what is set comes back with the answer, and is there in the next call, at any server", async () => {
  const benches = [benchOf(put), benchOf(put), benchOf(put)];
  let context: string | undefined;
  const seen: unknown[] = [];
  for (const [index, bench] of benches.entries()) {
    const settled = await bench.call("t", { item: `${index}` }, context === undefined ? {} : { meta: { context } });
    seen.push(asAnswer(settled));
    context = contextOf(settled);
    ok(context?.startsWith("ctx_"));
  }
  deepStrictEqual(seen, [["0"], ["0", "1"], ["0", "1", "2"]]);
});

test("what is only read, or not looked at, gives the caller nothing to keep", async () => {
  for (const tool of [t.handle(() => 1), t.handle((_, ctx) => ctx.callerState.get(cart) ?? 1)]) {
    strictEqual(contextOf(await benchOf(tool).call("t")), undefined);
  }
});

test("slots of caller state are separate, and a slot can be deleted", async () => {
  const bench = benchOf(
    t.input(v.object({ is: v.string() })).handle(({ is }, ctx) => {
      if (is === "set") {
        ctx.callerState.set(cart, ["tea"]);
        ctx.callerState.set(step, 1);
      }
      if (is === "forget") ctx.callerState.set(cart, undefined);
      return [ctx.callerState.get(cart), ctx.callerState.get(step)];
    }),
  );
  const set = await bench.call("t", { is: "set" });
  deepStrictEqual(asAnswer(set), [["tea"], 1], "a handler reads what it has set");
  const forgotten = await bench.call("t", { is: "forget" }, { meta: { context: contextOf(set) } });
  deepStrictEqual(asAnswer(forgotten), [undefined, 1]);
  deepStrictEqual(asAnswer(await bench.call("t", { is: "" }, { meta: { context: contextOf(forgotten) } })), [
    undefined,
    1,
  ]);
});

test("what is got and set is the handler's own copy", async () => {
  const bench = benchOf(t.handle((_, ctx) => {
    const items = ["tea"];
    ctx.callerState.set(cart, items);
    items.push("milk");
    ctx.callerState.get(cart)?.push("salt");
    return ctx.callerState.get(cart);
  }));
  deepStrictEqual(asAnswer(await bench.call("t")), ["tea"]);
});

for (
  const [name, end, isKept] of [
    ["an answer", () => 1, true],
    ["a failure", (ctx: Ctx<{ no: undefined }>) => {
      throw ctx.fail("no", "No");
    }, true],
    ["a question", (ctx: Ctx<{ no: undefined }>) => ctx.elicit("k", { message: "?", schema: v.object({}) }), false],
    ["a refusal", () => {
      throw new ToolError("permission_denied", "No");
    }, false],
    ["a masked error", () => {
      throw new Error("secret");
    }, false],
  ] as readonly (readonly [string, (ctx: Ctx<{ no: undefined }>) => unknown, boolean])[]
) {
  for (const isLater of [false, true]) {
    test(`what is set is ${isKept ? "kept" : "dropped"} with ${name}${isLater ? ", later" : ""}`, async () => {
      const tool = t.errors({ no: null });
      const bench = benchOf(
        isLater
          ? tool.handle(async (_, ctx) => {
            await settle();
            ctx.callerState.set(step, 1);
            return await end(ctx);
          })
          : tool.handle((_, ctx) => {
            ctx.callerState.set(step, 1);
            return end(ctx);
          }),
      );
      strictEqual(contextOf(await bench.call("t")) !== undefined, isKept);
    });
  }
}

test("what is set before a question is set again in the run that answers it", async () => {
  const bench = benchOf(t.handle(async (_, ctx) => {
    ctx.callerState.set(step, (ctx.callerState.get(step) ?? 0) + 1);
    await ctx.elicit("k", { message: "?", schema: v.object({}) });
    return ctx.callerState.get(step);
  }));
  const { continuation } = asQuestion(await bench.call("t"));
  const settled = await bench.call("t", {}, { meta: { continuation, responses: { k: { action: "decline" } } } });
  strictEqual(asAnswer(settled), 1);
  ok(contextOf(settled));
});

for (
  const [name, value] of [
    ["not fit the schema", [1, 2]],
    ["not an array", "tea"],
    ["null", null],
  ] as const
) {
  test(`a value that is ${name} is a TypeError, masked and logged`, async () => {
    const bench = benchOf(t.handle((_, ctx) => ctx.callerState.set(cart, value as never)));
    const error = assertMasked(await bench.call("t"), bench.log);
    ok(error instanceof TypeError);
    match(error.message, /Cannot set caller state "cart"/);
  });
}

test("a value that is no JSON is masked, and logged", async () => {
  const bench = benchOf(t.handle((_, ctx) => ctx.callerState.set(cart, [1n] as never)));
  ok(assertMasked(await bench.call("t"), bench.log) instanceof TypeError);
});

test("more than 6,000 characters are masked, and logged", async () => {
  const bench = benchOf(t.handle((_, ctx) => ctx.callerState.set(cart, ["x".repeat(6_000)])));
  match(String(assertMasked(await bench.call("t"), bench.log)), /more than 6000/);
});

for (const [name, tool] of [["promise", t.promise()], ["external", t]] as const) {
  test(`a tool with .${name}() may read the context, and not set it`, async () => {
    const context = contextOf(await benchOf(put).call("t", { item: "tea" })) ?? "";
    const seen: unknown[] = [];
    const look = (ctx: Ctx) => {
      seen.push(ctx.callerState.get(cart));
      ctx.callerState.set(step, 1);
      return 1;
    };
    const bench = benchOf(
      name === "promise" ? tool.handle((_, ctx) => look(ctx)) : t.external({
        start: (_, ctx) => look(ctx),
        check: () => 1,
      }),
    );
    const error = assertMasked(await bench.call("t", {}, { meta: { context } }), bench.log);
    match(String(error), /^TypeError: Cannot set caller state "step" in tool "t"/);
    deepStrictEqual(seen, [["tea"]]);
  });
}

const flipped = (token: string) => token.replace(/.(?=.{9}$)/, (one) => (one === "A" ? "B" : "A"));

for (
  const [name, change, { afterMs = 0, ...other }] of [
    ["of another principal", (context) => context, { id: "bob" }],
    ["of the same id in another tenant", (context) => context, { tenant: "south" }],
    ["of the same id without a tenant", (context) => context, { tenant: undefined }],
    ["that is forged", flipped, {}],
    ["that is none", () => "", {}],
    ["of another kind", () => "cont_x", {}],
    ["older than thirty days", (context) => context, { afterMs: 30 * 86_400_000 + 61_000 }],
  ] as readonly (readonly [
    string,
    (context: string) => string,
    { afterMs?: number; id?: string; tenant?: string | undefined },
  ])[]
) {
  test(`a context ${name} counts as none, and refuses nothing`, async () => {
    const bench = benchOf(put);
    const principal = { id: "ada", tenant: "north" };
    const context = contextOf(await bench.call("t", { item: "tea" }, { peer: { principal } })) ?? "";
    await pass(bench, afterMs);
    const settled = await bench.call("t", { item: "milk" }, {
      meta: { context: change(context) },
      peer: { principal: { ...principal, ...other } },
    });
    deepStrictEqual(asAnswer(settled), ["milk"]);
  });
}

test("a value that the slot's schema no longer fits counts as none", async () => {
  const context = contextOf(await benchOf(put).call("t", { item: "tea" })) ?? "";
  const changed = defineCallerState("cart", v.record(v.string(), v.number()));
  const bench = benchOf(t.handle((_, ctx) => ctx.callerState.get(changed) ?? "none"));
  strictEqual(asAnswer(await bench.call("t", {}, { meta: { context } })), "none");
});

test("names such as __proto__ and constructor are slots like any other", async () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    const slot = defineCallerState(name, v.number());
    const bench = benchOf(t.handle((_, ctx) => {
      const before = ctx.callerState.get(slot);
      ctx.callerState.set(slot, (before ?? 0) + 1);
      return before ?? "none";
    }));
    const first = await bench.call("t");
    strictEqual(asAnswer(first), "none", name);
    strictEqual(asAnswer(await bench.call("t", {}, { meta: { context: contextOf(first) } })), 1, name);
  }
});

test("a failure that sets the context gives it beside its data", async () => {
  const bench = benchOf(
    t.errors({ no: v.object({ a: v.number() }) }).handle((_, ctx) => {
      ctx.callerState.set(step, 2);
      throw ctx.fail("no", "No", { a: 1 });
    }),
  );
  const settled = await bench.call("t");
  deepStrictEqual(asFailure(settled, "no"), { a: 1 });
  ok(contextOf(settled));
});

test("caller state lasts thirty days since its last change, and no longer", async () => {
  const bench = benchOf(t.handle((_, ctx) => {
    const before = ctx.callerState.get(step);
    if (before === undefined) ctx.callerState.set(step, 1);
    return before ?? 0;
  }));
  const context = contextOf(await bench.call("t"));
  ok(context !== undefined);
  const read = async () => asAnswer(await bench.call("t", {}, { meta: { context } }));
  const dayMs = 86_400_000;
  bench.clock.tick(30 * dayMs - 1_000);
  strictEqual(await read(), 1);
  // A minute of tolerance between the clocks of replicas.
  bench.clock.tick(62_000);
  strictEqual(await read(), 0);
});
