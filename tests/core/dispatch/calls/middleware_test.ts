import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import { type CallResult, defineTool, Failure, type Middleware, ToolError } from "../../../../mod.ts";
import { assertMasked, assertRefused, Bench, KeptSink } from "../harness.ts";
import type { MaybePromise } from "../../../../src/entries/wire.ts";

const t = defineTool("t").describe("T");

test("middleware runs in order: the server's first, then the tool's, the first added outermost", async () => {
  const trail: string[] = [];
  const tracing = (name: string): Middleware => async (_, next) => {
    trail.push(`> ${name}`);
    const settled = await next();
    trail.push(`< ${name}`);
    return settled;
  };
  const tool = t.use(tracing("tool 1")).use(tracing("tool 2"), tracing("tool 3")).handle(() => {
    trail.push("handler");
    return 1;
  });
  deepStrictEqual(await new Bench([tool], { middleware: [tracing("server 1"), tracing("server 2")] }).call("t"), {
    kind: "answer",
    value: 1,
    meta: undefined,
  });
  const names = ["server 1", "server 2", "tool 1", "tool 2", "tool 3"];
  deepStrictEqual(trail, [
    ...names.map((name) => `> ${name}`),
    "handler",
    ...names.toReversed().map((name) => `< ${name}`),
  ]);
});

test("synchronous middleware around a synchronous handler settles without a promise", () => {
  const settled = new Bench([t.use((_, next) => next()).handle(() => 1)]).call("t");
  ok(!(settled instanceof Promise));
});

test("middleware sees the call as it came, before validation and defaults", async () => {
  let seen: unknown;
  const tool = t.input(v.object({ n: v.optional(v.number(), 5) })).use((ctx, next) => {
    seen = [ctx.call.tool, ctx.call.args];
    return next();
  }).handle(({ n }) => n);
  deepStrictEqual(await new Bench([tool]).call("t", { extra: 1 }), { kind: "answer", value: 5, meta: undefined });
  deepStrictEqual(seen, ["t", { extra: 1 }]);
});

test("middleware sees refused arguments as a value, and no handler runs", async () => {
  const kinds: string[] = [];
  const tool = t.input(v.object({ n: v.number() })).use(async (_, next) => {
    const settled = await next();
    kinds.push(settled.kind);
    return settled;
  }).handle(() => {
    throw new Error("must not run");
  });
  assertRefused(await new Bench([tool]).call("t", {}), "invalid_input");
  deepStrictEqual(kinds, ["error"]);
});

for (
  const [name, settled] of [
    ["an answer", { kind: "answer", value: "cached" }],
    ["a failure", { kind: "failure", code: "no", message: "No" }],
    ["a refusal", { kind: "error", code: "permission_denied", message: "Not you" }],
  ] as readonly (readonly [string, CallResult])[]
) {
  for (const isLater of [false, true]) {
    test(`middleware may answer instead of the handler: ${name}${isLater ? ", later" : ""}`, async () => {
      let runs = 0;
      const instead: Middleware = () => (isLater ? Promise.resolve(settled) : settled);
      const bench = new Bench([t.use(instead).handle(() => ++runs)]);
      deepStrictEqual(await bench.call("t"), settled);
      strictEqual(runs, 0);
    });
  }
}

test("middleware may change how a call ended", async () => {
  const tool = t.use(async (_, next) => {
    const settled = await next();
    return settled.kind === "answer" ? { ...settled, value: [settled.value] } : settled;
  }).handle(() => 1);
  deepStrictEqual(await new Bench([tool]).call("t"), { kind: "answer", value: [1], meta: undefined });
});

test("middleware and handler share ctx.state, ctx.callId and ctx.meta(), of one call alone", async () => {
  const ids: string[] = [];
  const middleware: Middleware = (ctx, next) => {
    strictEqual(ctx.state["n"], undefined);
    ctx.state["n"] = 1;
    ids.push(ctx.callId);
    ctx.meta({ by: "middleware" });
    return next();
  };
  const tool = t.handle((_, ctx) => {
    ids.push(ctx.callId);
    return ctx.state["n"];
  });
  const bench = new Bench([tool], { middleware: [middleware] });
  for (let round = 0; round < 2; round++) {
    deepStrictEqual(await bench.call("t"), { kind: "answer", value: 1, meta: { by: "middleware" } });
  }
  strictEqual(ids[0], ids[1]);
  strictEqual(ids[2], ids[3]);
  ok(ids[0] !== ids[2]);
});

for (
  const [name, thrown, check] of [
    [
      "a Failure",
      new Failure("no", "No", { a: 1 }),
      (settled: CallResult) => deepStrictEqual(settled, { kind: "failure", code: "no", message: "No", data: { a: 1 } }),
    ],
    [
      "a ToolError",
      new ToolError("unauthenticated", "Who are you?"),
      (settled: CallResult) =>
        deepStrictEqual(settled, { kind: "error", code: "unauthenticated", message: "Who are you?" }),
    ],
    ["an Error", new Error("secret"), (settled: CallResult, bench: Bench) => void assertMasked(settled, bench.log)],
    ["undefined", undefined, (settled: CallResult, bench: Bench) => void assertMasked(settled, bench.log)],
  ] as readonly (readonly [string, unknown, (settled: CallResult, bench: Bench) => void])[]
) {
  for (
    const [how, middleware] of [
      ["before next()", () => {
        throw thrown;
      }],
      ["after next()", async (_, next) => {
        await next();
        throw thrown;
      }],
      ["as a rejection", () => Promise.reject(thrown)],
    ] as readonly (readonly [string, Middleware])[]
  ) {
    test(`middleware that throws ${name} ${how} is treated as a handler that did`, async () => {
      for (const options of [{ server: [middleware], tool: [] }, { server: [], tool: [middleware] }]) {
        const bench = new Bench([t.use(...options.tool).handle(() => 1)], { middleware: options.server });
        check(await bench.call("t"), bench);
      }
    });
  }
}

test("outer middleware sees what inner middleware threw as a value", async () => {
  const kinds: string[] = [];
  const bench = new Bench([t.handle(() => 1)], {
    middleware: [async (_, next) => {
      const settled = await next();
      kinds.push(settled.kind);
      return settled;
    }, () => {
      throw new Failure("no", "No");
    }],
  });
  strictEqual((await bench.call("t")).kind, "failure");
  deepStrictEqual(kinds, ["failure"]);
});

const forgetful: readonly (readonly [string, (ctx: unknown, next: () => MaybePromise<CallResult>) => unknown])[] = [
  ["returns nothing", (_, next) => void next()],
  ["returns nothing, later", async (_, next) => void (await next())],
  ["returns null", () => null],
  ["returns the value, not how it ended", async (_, next) => ((await next()) as { value: unknown }).value],
  ["returns an object of its own", () => ({ ok: true })],
  ["never calls next", () => {}],
];
for (const [name, middleware] of forgetful) {
  test(`middleware that ${name} is masked, and the log says what to do`, async () => {
    const bench = new Bench([t.use(middleware as Middleware).handle(() => 1)]);
    match(String(assertMasked(await bench.call("t"), bench.log)), /return next\(\)/);
  });
}

test("middleware is around every call of every tool, streams too, and never sees unknown tools", async () => {
  const seen: string[] = [];
  const bench = new Bench([
    t.handle(async function* () {
      yield 1;
    }),
    defineTool("u").describe("U").handle(() => 1),
  ], {
    middleware: [(ctx, next) => {
      seen.push(ctx.call.tool);
      return next();
    }],
  });
  const sink = new KeptSink();
  await bench.call("t", {}, { sink });
  await bench.call("u");
  await bench.call("none");
  deepStrictEqual(seen, ["t", "u"]);
  deepStrictEqual(sink.partials, [1]);
});
