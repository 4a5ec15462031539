/** Server middleware and promises: it sees how the call ends for its caller, however the work ends. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type CallResult, defineTool, type Middleware } from "../../../mod.ts";
import { errorResult } from "../../../src/core/call/outcome.ts";
import type { FakeClock } from "../../../src/entries/testing.ts";
import { assertRefused, Bench, KeptSink, settle } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, Gates, KEYS, pass, redeem, settledOf, standstill, watch } from "./promised.ts";
import type { CallEvent } from "../../../src/entries/wire.ts";

const BUDGET_MS = 1_000;
const t = defineTool("t").describe("T");
const promising = t.promise({ budgetMs: BUDGET_MS });

/** Middleware that notes how calls end, after `wait` has resolved. */
function noting(wait?: () => Promise<void>): { readonly ends: string[]; readonly middleware: Middleware } {
  const ends: string[] = [];
  const middleware: Middleware = async (ctx, next) => {
    const settled = await next();
    await wait?.();
    ends.push(`${ctx.call.tool}: ${settled.kind === "error" ? settled.code : settled.kind}`);
    return settled;
  };
  return { ends, middleware };
}

/** A server whose tool waits for its gates, and promises. */
function gated(gates: Gates, middleware: Middleware): { readonly bench: Bench; readonly clock: FakeClock } {
  const { clock, engine } = standstill();
  const tool = promising.handle(() => gates.wait());
  return { bench: new Bench([tool], { keys: KEYS, clock, engine, middleware: [middleware] }), clock };
}

test("the server's middleware sees the promise that its caller gets, and the answer when that is redeemed", async () => {
  const { ends, middleware } = noting();
  const gates = new Gates();
  const { bench, clock } = gated(gates, middleware);
  const call = watch(bench.call("t"));
  await pass({ clock }, BUDGET_MS);
  deepStrictEqual(ends, ["t: promise"]);
  const { token } = asPromise(settledOf(call));
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  deepStrictEqual(ends, ["t: promise", "redeem: answer"]);
});

test("what the server's middleware makes of a promise is the caller's; the job keeps what the handler answers", async () => {
  const gates = new Gates();
  let token = "";
  const middleware: Middleware = async (ctx, next) => {
    const settled = await next();
    if (settled.kind === "promise") token = settled.token;
    return ctx.call.tool === "t" ? { kind: "failure", code: "busy", message: "Busy", data: undefined } : settled;
  };
  const { bench, clock } = gated(gates, middleware);
  const call = watch(bench.call("t"));
  await pass({ clock }, BUDGET_MS);
  strictEqual(settledOf(call).kind, "failure");
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("a promise does not wait for middleware that never returns", async () => {
  const gates = new Gates();
  const stuck: Middleware = async (ctx, next) => {
    const settled = await next();
    return ctx.call.tool === "t" ? await new Promise<CallResult>(() => {}) : settled;
  };
  const { bench, clock } = gated(gates, stuck);
  const call = watch(bench.call("t"));
  await pass({ clock }, BUDGET_MS);
  strictEqual(call.settled, undefined);
  await pass({ clock }, 1_000);
  const { token } = asPromise(settledOf(call));
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("work that ended in time is not promised because middleware is slow afterwards", async () => {
  const gates = new Gates();
  const slow = Promise.withResolvers<void>();
  const { ends, middleware } = noting(() => slow.promise);
  const { bench, clock } = gated(gates, middleware);
  const call = watch(bench.call("t"));
  await pass({ clock }, 0);
  await gates.end("done");
  await pass({ clock }, 2 * BUDGET_MS);
  strictEqual(call.settled, undefined);
  slow.resolve();
  await pass({ clock }, 0);
  strictEqual(asAnswer(settledOf(call)), "done");
  deepStrictEqual(ends, ["t: answer"]);
});

for (const isStreamed of [false, true]) {
  const how = isStreamed ? " (streamed)" : "";

  test(`the server's middleware sees that the deadline has passed, though the handler goes on${how}`, async () => {
    const { ends, middleware } = noting();
    const bench = new Bench([t.handle(() => new Promise(() => {}))], { middleware: [middleware] });
    const call = bench.call("t", {}, isStreamed ? { sink: new KeptSink() } : {});
    await settle();
    bench.clock.tick(30_000);
    assertRefused(await call, "deadline_exceeded");
    await settle();
    deepStrictEqual(ends, ["t: deadline_exceeded"]);
  });

  test(`the server's middleware sees that the caller has gone${how}`, async () => {
    const { ends, middleware } = noting();
    const leaving = new AbortController();
    const bench = new Bench([
      t.handle(async (_, ctx) => {
        ctx.signal.throwIfAborted();
        await new Promise(() => {});
      }),
    ], { middleware: [middleware] });
    const call = bench.call("t", {}, { signal: leaving.signal, ...(isStreamed && { sink: new KeptSink() }) });
    await settle();
    leaving.abort();
    assertRefused(await call, "cancelled");
    await settle();
    deepStrictEqual(ends, ["t: cancelled"]);
  });
}

test("a deadline is not put off by middleware that looks at the refusal for long", async () => {
  const { middleware } = noting(() => new Promise(() => {}));
  const bench = new Bench([t.handle(() => new Promise(() => {}))], { middleware: [middleware] });
  const call = bench.call("t");
  await settle();
  bench.clock.tick(30_000);
  assertRefused(await call, "deadline_exceeded");
});

test("middleware may go on twice: a retry", async () => {
  for (const idempotencyKey of [undefined, "key"]) {
    let runs = 0;
    const retrying: Middleware = async (_, next) => {
      const settled = await next();
      return settled.kind === "error" ? await next() : settled;
    };
    const tool = t.handle(async () => {
      await Promise.resolve();
      if (++runs === 1) throw new Error("once");
      return runs;
    });
    const bench = new Bench([tool], { keys: KEYS, middleware: [retrying] });
    const meta = idempotencyKey === undefined ? {} : { meta: { idempotencyKey } };
    strictEqual(asAnswer(await bench.call("t", {}, meta)), 2);
  }
});

test("ctx.onEvent() sees pieces and progress, whether or not the caller does, and how many went before the end", async () => {
  for (const isStreamed of [true, false]) {
    const seen: CallEvent["kind"][] = [];
    const tool = t.handle(async function* (_, ctx) {
      ctx.progress(1, 2);
      yield "a";
      await settle();
      yield "b";
    });
    const bench = new Bench([tool], {
      middleware: [async (ctx, next) => {
        ctx.onEvent(({ kind }) => seen.push(kind));
        const settled = await next();
        deepStrictEqual(seen, ["progress", "partial", "partial"]);
        return settled;
      }],
    });
    const sink = new KeptSink();
    const settled = await bench.call("t", {}, isStreamed ? { sink } : {});
    strictEqual(asAnswer(settled), isStreamed ? undefined : "ab");
    deepStrictEqual(sink.partials, isStreamed ? ["a", "b"] : []);
  }
});

test("what a listener throws is logged, and the call continues", async () => {
  const tool = t.handle(async function* () {
    yield "a";
  });
  const bench = new Bench([tool], {
    middleware: [(ctx, next) => {
      ctx.onEvent(() => {
        throw new Error("listener");
      });
      return next();
    }],
  });
  strictEqual(asAnswer(await bench.call("t")), "a");
  strictEqual(bench.log.lines.length, 1);
});

test("ctx.end() ends the call at once, and aborts the handler", async () => {
  const refusal = errorResult("unavailable", "Enough");
  let signal: AbortSignal | undefined;
  for (const place of ["server", "tool"] as const) {
    const ending: Middleware = (ctx, next) => {
      ctx.clock.after(5, () => ctx.end(refusal));
      return next();
    };
    const tool = (place === "tool" ? t.use(ending) : t).handle((_, ctx) => {
      signal = ctx.signal;
      return new Promise(() => {});
    });
    const bench = new Bench([tool], { middleware: place === "server" ? [ending] : [] });
    const call = bench.call("t");
    bench.clock.tick(5);
    deepStrictEqual(await call, refusal);
    ok(signal?.aborted);
  }
  const now = new Bench([t.use((ctx, next) => (ctx.end(refusal), next())).handle(() => 1)]);
  deepStrictEqual(await now.call("t"), refusal);
});

test("middleware knows the tool that is called, and what it says of itself", async () => {
  const seen: unknown[] = [];
  const bench = new Bench([t.annotate({ readOnlyHint: true }).promise().handle(() => 1)], {
    keys: KEYS,
    middleware: [({ tool: { name, annotations, isSystem } }, next) => {
      seen.push([name, annotations?.readOnlyHint, isSystem]);
      return next();
    }],
  });
  await bench.call("t");
  await bench.call("redeem", { promise: "x" });
  deepStrictEqual(seen, [["t", true, false], ["redeem", true, true]]);
});

test("a job's run has jobMiddleware around it, and the trace that its call was given", async () => {
  const { clock, engine } = standstill();
  const seen: unknown[] = [];
  const tool = promising.use((_, next) => {
    seen.push("tool");
    return next();
  }).handle(() => "done");
  const bench = new Bench([tool], {
    keys: KEYS,
    clock,
    engine,
    middleware: [(ctx, next) => {
      seen.push([ctx.call.peer.wire, ctx.trace]);
      if (ctx.call.tool === "t") ctx.trace = { traceparent: "of the call" };
      return next();
    }],
    jobMiddleware: [async (ctx, next) => {
      seen.push([ctx.call.peer.wire, ctx.trace, ctx.principal?.id]);
      const settled = await next();
      return settled.kind === "answer" ? { ...settled, value: [settled.value] } : settled;
    }],
  });
  const ada = { peer: { principal: { id: "ada" } } };
  const trace = { traceparent: "of the caller" };
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true, trace }, ...ada }));
  await pass({ clock }, 0);
  deepStrictEqual(asAnswer(await bench.call("redeem", { promise: token }, ada)), ["done"]);
  deepStrictEqual(seen, [
    ["test", trace],
    ["job", { traceparent: "of the call" }, "ada"],
    "tool",
    ["test", undefined],
  ]);
});
