/** The system tools: what a token is good for, where, for whom, for how long, and how long a redeem waits. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type CallResult, type Ctx, defineTool, memoryEngine } from "../../../mod.ts";
import { assertRefused, Bench, collectConsole, KeptSink } from "../../core/dispatch/harness.ts";
import {
  asAnswer,
  asFailure,
  asPromise,
  asQuestion,
  cancel,
  Gates,
  KEYS,
  pass,
  redeem,
  standstill,
  watch,
  withoutInstance,
} from "./promised.ts";
import type { CallMeta } from "../../../src/entries/wire.ts";

const t = defineTool("t").describe("T");
const meta = { isPromiseWanted: true };

/** A promise of a run that waits to be ended. */
async function promised({ ttlMs = 3_600_000, timeoutMs = 30_000 } = {}) {
  const gates = new Gates();
  const contexts: Ctx[] = [];
  const tool = t.promise({ ttlMs, retries: 0 }).handle((_, ctx) => {
    contexts.push(ctx);
    return gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS, timeoutMs });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  await pass(bench, 0);
  return { bench, gates, contexts, token };
}

test("redeem gives the same promise until the end, then the answer, as often as it is asked", async () => {
  const { bench, gates, token } = await promised();
  for (let n = 0; n < 3; n++) {
    await pass(bench, 1_000);
    const again = asPromise(await redeem(bench, token));
    strictEqual(again.token, token);
    strictEqual(again.ttlMs, 3_600_000 - (n + 1) * 1_000);
  }
  await gates.end({ n: 1 });
  for (let n = 0; n < 3; n++) deepStrictEqual(asAnswer(await redeem(bench, token)), { n: 1 });
});

test("a promise that has expired is expired_promise, a minute later than it said", async () => {
  const { bench, gates, token } = await promised({ ttlMs: 120_000 });
  await gates.end("done");
  await pass(bench, 119_999);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  await pass(bench, 1);
  // Clocks may differ by a minute.
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  await pass(bench, 61_000);
  strictEqual(assertRefused(await redeem(bench, token), "expired_promise").message, "The promise has expired");
  assertRefused(await bench.call("cancel", { promise: token }), "expired_promise");
});

test("a promise is its caller's alone: other callers get invalid_promise", async () => {
  const { bench } = await promised();
  const peer = (id: string) => ({ principal: { id } });
  const { token } = asPromise(await bench.call("t", { n: 2 }, { meta, peer: peer("ada") }));
  for (const tool of ["redeem", "cancel"]) {
    for (const other of [{}, { peer: peer("bob") }]) {
      const refusal = assertRefused(await bench.call(tool, { promise: token }, other), "invalid_promise");
      deepStrictEqual(refusal, assertRefused(await bench.call(tool, { promise: "prom_forged" }), "invalid_promise"));
    }
  }
  asPromise(await bench.call("redeem", { promise: token }, { peer: peer("ada") }));
});

for (
  const [name, arguments_] of [["nothing", {}], ["a number", { promise: 5 }], ["half a millisecond", {
    promise: "prom_x",
    wait_ms: 0.5,
  }], ["a negative wait", { promise: "prom_x", wait_ms: -1 }]] as const
) {
  test(`redeem of ${name} is invalid_input`, async () => {
    const { bench } = await promised();
    assertRefused(await bench.call("redeem", arguments_), "invalid_input");
  });
}

test("a promise of a memory engine that is gone is promise_lost, and says which engines would know it", async () => {
  const { token } = await promised();
  const restarted = new Bench([t.promise().handle(() => 1)], { keys: KEYS });
  for (const tool of ["redeem", "cancel"]) {
    const refusal = assertRefused(await restarted.call(tool, { promise: token }), "promise_lost");
    match(refusal.message, /engine memory keeps jobs in one process only.* sqlite and bullmq /);
    deepStrictEqual(refusal.data, { engine: "memory" });
  }
});

test("a promise whose job a shared engine has deleted is promise_lost, and names the engine", async () => {
  const { clock, engine } = standstill();
  const tool = t.promise().handle(() => new Promise(() => {}));
  const first = new Bench([tool], { keys: KEYS, clock, engine: withoutInstance(engine), work: false });
  const { token } = asPromise(await first.call("t", {}, { meta }));
  const empty = withoutInstance(memoryEngine({ clock }));
  const second = new Bench([tool], { keys: KEYS, clock, engine: empty, work: false });
  match(assertRefused(await redeem(second, token), "promise_lost").message, /the engine shared has no such job/);
});

test("a promise is redeemed at any server with the same keys and engine, whichever gave it", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000 }).handle(() => gates.wait());
  const benches = Array.from({ length: 3 }, () => new Bench([tool], { keys: KEYS, clock, engine }));
  const [a, b, c] = benches as [Bench, Bench, Bench];
  const call = watch(a.call("t"));
  await pass({ clock }, 1_000);
  const { token } = asPromise(call.settled);
  const waiting = watch(redeem(b, token, 5_000));
  asPromise(await redeem(c, token));
  await gates.end("done");
  for (const bench of benches) strictEqual(asAnswer(await redeem(bench, token)), "done");
  strictEqual(asAnswer(waiting.settled), "done");
});

for (
  const [name, waitMs, options, callMeta, wantMs] of [
    ["wait_ms", 3_000, {}, undefined, 3_000],
    ["0.8 of the server's deadline", 60_000, {}, undefined, 24_000],
    ["25 s", 60_000, { timeoutMs: 120_000 }, undefined, 25_000],
    ["0.8 of the caller's deadline", 60_000, {}, { deadlineMs: 10_000 }, 8_000],
  ] as readonly (readonly [string, number, { timeoutMs?: number }, CallMeta | undefined, number])[]
) {
  test(`redeem waits no longer than ${name}, then gives the promise again`, async () => {
    const { bench, gates, token } = await promised(options);
    const input = { promise: token, wait_ms: waitMs };
    const call = () => watch(bench.call("redeem", input, callMeta === undefined ? {} : { meta: callMeta }));
    const first = call();
    await pass(bench, wantMs - 1);
    strictEqual(first.settled, undefined);
    await pass(bench, 1);
    strictEqual(asPromise(first.settled).token, token);
    const second = call();
    await pass(bench, 1_000);
    await gates.end("done");
    strictEqual(asAnswer(second.settled), "done", "and not longer than the work takes");
  });
}

test("redeem does not wait when nothing is said", async () => {
  const { bench, token } = await promised();
  strictEqual(asPromise(await redeem(bench, token)).token, token);
});

test("a streamed redeem tells progress on the way, and gives the answer", async () => {
  const { bench, gates, contexts, token } = await promised();
  const sink = new KeptSink();
  const call = watch(bench.call("redeem", { promise: token }, { sink }));
  await pass(bench, 0);
  for (let done = 1; done <= 3; done++) {
    contexts[0]?.progress(done, 3);
    await pass(bench, 250);
  }
  await gates.end("done");
  strictEqual(asAnswer(call.settled), "done");
  deepStrictEqual(sink.progress, [1, 2, 3]);
});

test("a streamed redeem gives the promise again at 0.8 of its deadline", async () => {
  const { bench, token } = await promised();
  const call = watch(bench.call("redeem", { promise: token }, { sink: new KeptSink() }));
  await pass(bench, 23_999);
  strictEqual(call.settled, undefined);
  await pass(bench, 1);
  strictEqual(asPromise(call.settled).token, token);
});

test("a redeem that waits gives the promise at once when the server closes", async () => {
  const { bench, gates, token } = await promised();
  const waiting = watch(redeem(bench, token, 20_000));
  await pass(bench, 1_000);
  const closed = bench.server.close(5_000);
  await pass(bench, 0);
  strictEqual(asPromise(waiting.settled).token, token);
  await gates.end("done");
  await closed;
});

test("a caller that leaves its redeem ends its waiting, and not the work", async () => {
  const { bench, gates, contexts, token } = await promised();
  const left = new AbortController();
  const call = bench.call("redeem", { promise: token, wait_ms: 20_000 }, {
    signal: left.signal,
    sink: new KeptSink(),
  });
  await pass(bench, 1_000);
  left.abort();
  assertRefused(await call, "cancelled");
  strictEqual(contexts[0]?.signal.aborted, false);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("cancel reaches ctx.signal, and is final whatever the handler still says", async () => {
  const { bench, gates, contexts, token } = await promised();
  const waiting = watch(redeem(bench, token, 20_000));
  await pass(bench, 0);
  strictEqual(contexts[0]?.signal.aborted, false);
  strictEqual(await cancel(bench, token), true);
  await pass(bench, 0);
  strictEqual(contexts[0].signal.aborted, true);
  asFailure(waiting.settled, "cancelled");
  await gates.end("done all the same");
  asFailure(await redeem(bench, token), "cancelled");
  strictEqual(await cancel(bench, token), true, "as often as it is said");
  await pass(bench, 600_000);
  strictEqual(gates.begun, 1);
});

test("cancel of an adopted run reaches its signal", async () => {
  const gates = new Gates();
  let signal: AbortSignal | undefined;
  const tool = t.promise({ budgetMs: 1_000 }).handle((_, ctx) => {
    signal = ctx.signal;
    return gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS });
  const call = watch(bench.call("t"));
  await pass(bench, 1_000);
  const { token } = asPromise(call.settled);
  strictEqual(await cancel(bench, token), true);
  await pass(bench, 0);
  strictEqual(signal?.aborted, true);
  asFailure(await redeem(bench, token), "cancelled");
});

test("cancel of a stream that continues past its budget ends the stream", async () => {
  const gates = new Gates<string>();
  const tool = t.promise({ budgetMs: 1_000 }).handle(async function* () {
    yield await gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS });
  const sink = new KeptSink();
  const call = watch(bench.call("t", {}, { sink }));
  await pass(bench, 1_000);
  const [deferred] = sink.events;
  ok(deferred?.kind === "deferred");
  strictEqual(await cancel(bench, deferred.promise.token), true);
  await pass(bench, 0);
  assertRefused(call.settled as CallResult, "cancelled");
});

test("cancel reaches the run at whichever server it is", async () => {
  const { clock, engine } = standstill();
  let signal: AbortSignal | undefined;
  const tool = t.promise({ budgetMs: 1_000 }).handle((_, ctx) => {
    signal = ctx.signal;
    return new Promise(() => {});
  });
  const [a, b] = [1, 2].map(() => new Bench([tool], { keys: KEYS, clock, engine })) as [Bench, Bench];
  const call = watch(a.call("t"));
  await pass({ clock }, 1_000);
  strictEqual(await cancel(b, asPromise(call.settled).token), true);
  await pass({ clock }, 0);
  strictEqual(signal?.aborted, true);
});

test("cancel of a job that has not begun keeps it from beginning", async () => {
  const gates = new Gates();
  const bench = new Bench([t.promise().handle(() => gates.wait())], { keys: KEYS, work: false });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  strictEqual(await cancel(bench, token), true);
  bench.server.work();
  await pass(bench, 0);
  strictEqual(gates.begun, 0);
  asFailure(await redeem(bench, token), "cancelled");
});

test("cancel of what has ended answers false, and keeps the answer", async () => {
  const { bench, gates, token } = await promised();
  await gates.end("done");
  strictEqual(await cancel(bench, token), false);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("cancel of a job that waits for its retry keeps it from being begun again", async () => {
  const gates = new Gates();
  const bench = new Bench([t.promise({ retries: 3 }).handle(() => gates.wait())], { keys: KEYS });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  await pass(bench, 0);
  await gates.fail(new Error("no luck"));
  strictEqual(await cancel(bench, token), true);
  await pass(bench, 60_000);
  strictEqual(gates.begun, 1);
});

test("the server's middleware is around redeem and cancel, the tool's around the runs of its jobs", async () => {
  const seen: string[] = [];
  const gates = new Gates();
  const tool = t.use((ctx, next) => {
    seen.push(`tool: ${ctx.call.tool} ${ctx.call.peer.wire}`);
    return next();
  }).promise().handle(() => gates.wait());
  const bench = new Bench([tool], {
    keys: KEYS,
    middleware: [(ctx, next) => {
      seen.push(`server: ${ctx.call.tool}`);
      return next();
    }],
  });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  await pass(bench, 0);
  await gates.end("done");
  await redeem(bench, token);
  await bench.call("cancel", { promise: token });
  deepStrictEqual(seen, ["server: t", "tool: t job", "server: redeem", "server: cancel"]);
});

test("middleware of a tool may refuse a job's run, and change its answer", async () => {
  for (const isRefusing of [true, false]) {
    const tool = t.use(async (_, next) => {
      if (isRefusing) return { kind: "error", code: "permission_denied", message: "Not any more" };
      const settled = await next();
      return settled.kind === "answer" ? { ...settled, value: [settled.value] } : settled;
    }).promise().handle(() => 1);
    const bench = new Bench([tool], { keys: KEYS });
    const { token } = asPromise(await bench.call("t", {}, { meta }));
    await pass(bench, 0);
    const settled = await redeem(bench, token);
    if (isRefusing) assertRefused(settled, "permission_denied");
    else deepStrictEqual(asAnswer(settled), [1]);
  }
});

test("the server's middleware may keep callers from redeeming", async () => {
  const bench = new Bench([t.promise().handle(() => 1)], {
    keys: KEYS,
    middleware: [
      (ctx, next) => ctx.call.tool === "redeem" ? { kind: "error", code: "permission_denied", message: "No" } : next(),
    ],
  });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  assertRefused(await redeem(bench, token), "permission_denied");
});

test("redeem and cancel are not there where no tool promises", async () => {
  const bench = new Bench([t.input(v.object({})).handle(() => 1)], { keys: KEYS });
  for (const tool of ["redeem", "cancel"]) assertRefused(await bench.call(tool, { promise: "x" }), "tool_not_found");
});

for (const logger of ["a logger", "none"] as const) {
  test(`a server without keys says once what will not work, when it first signs (${logger})`, async () => {
    const options = logger === "none" ? { logger: undefined as never } : {};
    const bench = new Bench([t.promise().handle(() => 1), defineTool("u").describe("U").handle(() => 1)], options);
    let before = -1;
    const lines = await collectConsole(async () => {
      await bench.call("u");
      before = bench.log.lines.length;
      for (let n = 0; n < 3; n++) asPromise(await bench.call("t", { n }, { meta }));
    });
    const seen = [...lines.map(String), ...bench.log.lines.map(({ level, message }) => `${level}: ${message}`)];
    deepStrictEqual([before, seen.length], [0, 1]);
    match(seen[0] ?? "", logger === "none" ? /^Tokens are signed with a random key/ : /^warn: Tokens are signed/);
  });
}

test("a job that asks is answered with the token it was promised by, whichever key signs now", async () => {
  const [old, next] = [
    "k1:the key that signed when the work was promised",
    "k2:the key that signs by the time it asks",
  ];
  const { clock, engine } = standstill();
  const tool = t.promise().handle(async (_, ctx) =>
    (await ctx.elicit("k", { message: "?", schema: v.object({}) })).action
  );
  const before = new Bench([tool], { keys: old, clock, engine });
  const after = new Bench([tool], { keys: `${next},${old}`, clock, engine });
  const { token } = asPromise(await before.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  const { continuation } = asQuestion(await redeem(after, token));
  strictEqual(continuation, token);
  const meta = { continuation, responses: { k: { action: "decline" } } };
  asPromise(await after.call("redeem", { promise: token }, { meta }));
  await pass({ clock }, 0);
  strictEqual(asAnswer(await redeem(after, token)), "decline");
});

for (
  const [name, args, waitedMs] of [
    ["for 0.8 of its deadline", {}, 48_000],
    ["for as long as it was asked to, up to 25 s", { wait_ms: 40_000 }, 25_000],
  ] as const
) {
  test(`a streamed redeem waits ${name}`, async () => {
    const gates = new Gates();
    const bench = new Bench([t.promise({ budgetMs: 1_000 }).handle(() => gates.wait())], {
      keys: KEYS,
      timeoutMs: 60_000,
    });
    const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
    await pass(bench, 0);
    const call = watch(bench.call("redeem", { promise: token, ...args }, { sink: new KeptSink() }));
    await pass(bench, waitedMs - 1);
    strictEqual(call.settled, undefined);
    await pass(bench, 1);
    asPromise(call.settled);
  });
}
