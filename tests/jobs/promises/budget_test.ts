/** How a call becomes a promise: its budget, its deadline, its stream, its caller, and an engine that fails. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type AnyTool, defineTool, ToolError } from "../../../mod.ts";
import { assertRefused, Bench, KeptSink } from "../../core/dispatch/harness.ts";
import {
  asAnswer,
  asFailure,
  asPromise,
  changed,
  Gates,
  KEYS,
  pass,
  redeem,
  standstill,
  watch,
  watchJobs,
} from "./promised.ts";
import type { Engine } from "../../../src/entries/engines.ts";

const t = defineTool("t").describe("T");
const number = v.object({ n: v.number() });

interface Times {
  readonly budgetMs: number;
  readonly toolMs?: number;
  readonly callerMs?: number;
}

for (
  const [name, { budgetMs, toolMs, callerMs }, wantMs] of [
    ["the budget", { budgetMs: 2_000 }, 2_000],
    ["0.8 of the server's deadline, if that is less", { budgetMs: 60_000 }, 24_000],
    ["0.8 of the tool's deadline, if that is less", { budgetMs: 2_000, toolMs: 1_000 }, 800],
    ["0.8 of the caller's deadline, if that is less", { budgetMs: 2_000, callerMs: 500 }, 400],
    ["the budget, if the caller's deadline is later", { budgetMs: 2_000, callerMs: 20_000 }, 2_000],
  ] as readonly (readonly [string, Times, number])[]
) {
  test(`a promise goes out at ${name}`, async () => {
    const gates = new Gates();
    const tool = (toolMs === undefined ? t : t.timeout(toolMs)).promise({ budgetMs }).handle(() => gates.wait());
    const bench = new Bench([tool], { keys: KEYS });
    const call = watch(bench.call("t", {}, callerMs === undefined ? {} : { meta: { deadlineMs: callerMs } }));
    await pass(bench, wantMs - 1);
    strictEqual(call.settled, undefined);
    await pass(bench, 1);
    const { token, ttlMs, expiresAtMs } = asPromise(call.settled);
    strictEqual(ttlMs, 3_600_000);
    strictEqual(expiresAtMs, bench.clock.now() + ttlMs);
    // The call's deadline is not the job's.
    await pass(bench, 600_000);
    await gates.end("done");
    strictEqual(asAnswer(await redeem(bench, token)), "done");
    strictEqual(gates.begun, 1);
  });
}

test(".promise() has a budget of 2 s when nothing is said, and promises an hour", async () => {
  const bench = new Bench([t.promise().handle(() => new Promise(() => {}))], { keys: KEYS });
  const call = watch(bench.call("t"));
  await pass(bench, 1_999);
  strictEqual(call.settled, undefined);
  await pass(bench, 1);
  strictEqual(asPromise(call.settled).ttlMs, 3_600_000);
});

for (
  const [name, tool] of [
    ["a synchronous handler", t.promise().handle(() => 1)],
    ["an asynchronous handler", t.promise().handle(async () => await Promise.resolve(1))],
  ] as readonly (readonly [string, AnyTool])[]
) {
  test(`what ${name} answers within its budget leaves no job behind`, async () => {
    const { clock, engine } = standstill();
    const jobs = watchJobs(engine);
    const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
    strictEqual(asAnswer(await bench.call("t")), 1);
    await pass({ clock }, 60_000);
    deepStrictEqual(jobs.ids, []);
    strictEqual(bench.log.lines.length, 0);
  });
}

test("a caller may have its promise at once, and the arguments are checked before", async () => {
  const gates = new Gates();
  const bench = new Bench([t.input(number).promise().handle(() => gates.wait())], { keys: KEYS });
  const meta = { isPromiseWanted: true };
  assertRefused(await bench.call("t", { n: "one" }, { meta }), "invalid_input");
  const { token } = asPromise(await bench.call("t", { n: 1 }, { meta }));
  await pass(bench, 0);
  strictEqual(gates.begun, 1);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("a tool that does not promise refuses to be asked for it", async () => {
  const bench = new Bench([t.handle(() => 1)], { keys: KEYS });
  assertRefused(await bench.call("t", {}, { meta: { isPromiseWanted: true } }), "invalid_request");
});

/** A stream that yields a piece on request. */
function streaming() {
  const gates = new Gates<string | undefined>();
  const tool = t.partial(v.string()).promise({ budgetMs: 1_000 }).handle(async function* () {
    for (let piece = await gates.wait(); piece !== undefined; piece = await gates.wait()) yield piece;
  });
  return { bench: new Bench([tool], { keys: KEYS }), gates };
}

test("a stream gets its promise at the budget, continues, and ends with the answer", async () => {
  const { bench, gates } = streaming();
  const sink = new KeptSink();
  const call = watch(bench.call("t", {}, { sink, meta: { deadlineMs: 10_000 } }));
  await gates.end("a");
  await pass(bench, 1_000);
  const [, deferred] = sink.events;
  ok(deferred?.kind === "deferred" && deferred.promise.token.startsWith("prom_"));
  strictEqual(call.settled, undefined);
  await gates.end("b");
  await pass(bench, 5_000);
  await gates.end("c");
  strictEqual(call.settled, undefined);
  await gates.end(undefined);
  deepStrictEqual(sink.partials, ["a", "b", "c"]);
  asAnswer(call.settled);
  strictEqual(asAnswer(await redeem(bench, deferred.promise.token)), "abc", "redeem gives the whole");
});

test("a stream ends at 0.8 of its deadline with the promise; later pieces are in the whole alone", async () => {
  const { bench, gates } = streaming();
  const sink = new KeptSink();
  const call = watch(bench.call("t", {}, { sink, meta: { deadlineMs: 10_000 } }));
  await gates.end("a");
  await pass(bench, 1_000);
  await pass(bench, 6_999);
  strictEqual(call.settled, undefined);
  await pass(bench, 1);
  const { token } = asPromise(call.settled);
  const [, deferred] = sink.events;
  ok(deferred?.kind === "deferred");
  strictEqual(deferred.promise.token, token, "the same token until the end");
  await gates.end("b");
  await gates.end(undefined);
  deepStrictEqual(sink.partials, ["a"]);
  strictEqual(asAnswer(await redeem(bench, token)), "ab");
});

test("a stream whose budget is 0.8 of its deadline ends with the promise at once", async () => {
  const { bench } = streaming();
  const sink = new KeptSink();
  const call = watch(bench.call("t", {}, { sink, meta: { deadlineMs: 1_000 } }));
  await pass(bench, 800);
  asPromise(call.settled);
  deepStrictEqual(sink.events, []);
});

test("a caller that leaves before the promise aborts the run, and there is no job", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const left = new AbortController();
  const gates = new Gates();
  let signal: AbortSignal | undefined;
  const tool = t.promise({ budgetMs: 1_000 }).handle((_, ctx) => {
    signal = ctx.signal;
    return gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const call = bench.call("t", {}, { signal: left.signal });
  await pass({ clock }, 999);
  left.abort();
  assertRefused(await call, "cancelled");
  strictEqual(signal?.aborted, true);
  await pass({ clock }, 60_000);
  deepStrictEqual(jobs.ids, []);
});

for (const isStreamed of [false, true]) {
  test(`a caller that leaves after the promise aborts nothing${isStreamed ? " (streamed)" : ""}`, async () => {
    const left = new AbortController();
    const gates = new Gates();
    let signal: AbortSignal | undefined;
    const tool = t.promise({ budgetMs: 1_000 }).handle((_, ctx) => {
      signal = ctx.signal;
      return gates.wait();
    });
    const bench = new Bench([tool], { keys: KEYS });
    const sink = new KeptSink();
    const call = watch(bench.call("t", {}, { signal: left.signal, ...(isStreamed && { sink }) }));
    await pass(bench, 1_000);
    const [event] = sink.events;
    const promise = event?.kind === "deferred" ? event.promise : asPromise(call.settled);
    left.abort();
    await pass(bench, 60_000);
    strictEqual(signal?.aborted, false);
    await gates.end("done");
    strictEqual(asAnswer(await redeem(bench, promise.token)), "done");
  });
}

/** A tool with a budget of 1 s and a deadline of 10 s, on an engine that does something else at first. */
function onEngine(instead: (engine: Engine) => Partial<Engine>) {
  const gates = new Gates();
  const { clock, engine } = standstill();
  const tool = t.promise({ budgetMs: 1_000 }).timeout(10_000).handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS, clock, engine: changed(engine, instead(engine)) });
  return { bench, gates, engine, clock };
}

const throwing = () => {
  throw new Error("the disk is full");
};

for (
  const [name, instead] of [
    ["insert() throws", () => ({ insert: throwing })],
    ["insert() rejects", () => ({ insert: () => Promise.reject(new Error("the disk is full")) })],
    ["hold() throws", () => ({ lease: throwing })],
    ["hold() rejects", () => ({ lease: () => Promise.reject(new Error("the disk is full")) })],
  ] as readonly (readonly [string, (engine: Engine) => Partial<Engine>])[]
) {
  test(`a run that cannot be adopted goes on until its deadline: ${name}`, async () => {
    for (const isDone of [true, false]) {
      const { bench, gates, clock } = onEngine(instead);
      const call = watch(bench.call("t"));
      await pass({ clock }, 1_000);
      strictEqual(call.settled, undefined);
      const [line, ...more] = bench.log.lines;
      ok(line?.level === "error" && more.length === 0, "the log tells it once");
      await pass({ clock }, 8_999);
      strictEqual(call.settled, undefined);
      if (isDone) await gates.end("done");
      else await pass({ clock }, 1);
      if (isDone) strictEqual(asAnswer(call.settled), "done");
      else assertRefused(call.settled ?? { kind: "answer", value: undefined }, "deadline_exceeded");
    }
  });
}

test("a stream whose run cannot become a job continues without the event", async () => {
  const { bench, gates, clock } = onEngine(() => ({ insert: throwing }));
  const sink = new KeptSink();
  const call = watch(bench.call("t", {}, { sink }));
  await pass({ clock }, 9_000);
  deepStrictEqual(sink.events, []);
  await gates.end("done");
  strictEqual(asAnswer(call.settled), "done");
});

for (const method of ["insert", "hold"] as const) {
  test(`a run that ends while its adoption is being written answers, and is forgotten: ${method}()`, async () => {
    const written = Promise.withResolvers<void>();
    const ids: string[] = [];
    const { bench, gates, engine, clock } = onEngine((engine) => ({
      async insert(job, dueInMs) {
        ids.push(job.id);
        if (method === "insert") await written.promise;
        return await engine.insert(job, dueInMs);
      },
      async lease(id) {
        if (method === "hold") await written.promise;
        return await engine.lease(id);
      },
    }));
    const call = watch(bench.call("t"));
    await pass({ clock }, 1_000);
    strictEqual(ids.length, 1);
    await gates.end("done");
    strictEqual(asAnswer(call.settled), "done");
    written.resolve();
    await pass({ clock }, 0);
    strictEqual(await engine.get(ids[0] ?? ""), undefined);
    await pass({ clock }, 3_600_000);
    strictEqual(gates.begun, 1, "nobody runs it again");
    deepStrictEqual(bench.log.lines, []);
  });
}

test("a deadline that comes while the adoption is being written ends the call and forgets the job", async () => {
  const written = Promise.withResolvers<void>();
  const ids: string[] = [];
  const { bench, gates, engine, clock } = onEngine((engine) => ({
    async insert(job, dueInMs) {
      ids.push(job.id);
      await written.promise;
      return await engine.insert(job, dueInMs);
    },
  }));
  const call = watch(bench.call("t"));
  await pass({ clock }, 10_000);
  assertRefused(call.settled ?? { kind: "answer", value: undefined }, "deadline_exceeded");
  written.resolve();
  await pass({ clock }, 0);
  strictEqual(await engine.get(ids[0] ?? ""), undefined);
  strictEqual(gates.begun, 1);
});

/** A tool with a budget of 1 s and a deadline of 10 s, on an engine that takes `writeMs` to insert a job. */
function onSlowEngine(writeMs: number) {
  const { clock, engine } = standstill();
  const slow = changed(engine, {
    async insert(job, dueInMs) {
      await new Promise<void>((resolve) => void clock.after(writeMs, resolve));
      return await engine.insert(job, dueInMs);
    },
  });
  const tool = t.promise({ budgetMs: 1_000 }).timeout(10_000).handle(() => new Promise(() => {}));
  return { bench: new Bench([tool], { keys: KEYS, clock, engine: slow }), clock };
}

test("a keyed call whose job is still being written at its budget promises when it is", async () => {
  const { bench, clock } = onSlowEngine(1_500);
  const call = watch(bench.call("t", {}, { meta: { idempotencyKey: "a" } }));
  for (let n = 0; n < 16; n++) await pass({ clock }, 500);
  asPromise(call.settled);
});

test("a stream promises by 0.8 of its deadline, however long its adoption took to write", async () => {
  const { bench, clock } = onSlowEngine(2_000);
  const call = watch(bench.call("t", {}, { sink: new KeptSink() }));
  for (let n = 0; n < 16; n++) await pass({ clock }, 500);
  asPromise(call.settled);
});

test("a late result of a handler is that of the promise: failures, its own errors, and masked ones", async () => {
  const gates = new Gates();
  const tool = t.errors({ sold_out: v.object({ left: v.number() }) }).promise({ budgetMs: 1_000, retries: 0 })
    .handle(async (_, ctx) => {
      if (await gates.wait() === "fail") throw ctx.fail("sold_out", "Nothing is left", { left: 0 });
      throw new Error("secret");
    });
  const bench = new Bench([tool], { keys: KEYS });
  const tokens: string[] = [];
  for (const how of ["fail", "throw"]) {
    const call = watch(bench.call("t"));
    await pass(bench, 1_000);
    tokens.push(asPromise(call.settled).token);
    await gates.end(how);
  }
  deepStrictEqual(asFailure(await redeem(bench, tokens[0] ?? ""), "sold_out"), { left: 0 });
  const data = asFailure(await redeem(bench, tokens[1] ?? ""), "attempts_exhausted");
  ok(!JSON.stringify(data).includes("secret"));
});

test("progress rides along: in the promise, and in each that is redeemed", async () => {
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000 }).handle(async (_, ctx) => {
    ctx.progress(1, 4, "loading");
    await gates.wait();
    ctx.progress(2, 4);
    await gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS });
  const call = watch(bench.call("t"));
  await pass(bench, 1_000);
  const { token, progress } = asPromise(call.settled);
  deepStrictEqual(progress, { done: 1, total: 4, message: "loading" });
  deepStrictEqual(asPromise(await redeem(bench, token)).progress, { done: 1, total: 4, message: "loading" });
  await pass(bench, 999);
  await gates.end(undefined);
  await pass(bench, 250);
  const { progress: later, estimatedMs } = asPromise(await redeem(bench, token));
  deepStrictEqual(later, { done: 2, total: 4 });
  ok(estimatedMs !== undefined && estimatedMs > bench.clock.now(), `${estimatedMs}`);
});

test("a result that cannot be validated late is masked", async () => {
  const gates = new Gates<number>();
  const tool = t.output(v.number()).promise({ budgetMs: 1_000, retries: 0 }).handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS });
  const call = watch(bench.call("t"));
  await pass(bench, 1_000);
  const { token } = asPromise(call.settled);
  await gates.end("no number" as never);
  asFailure(await redeem(bench, token), "attempts_exhausted");
  strictEqual(bench.log.lines.length, 1);
});

test("an error within the budget is the caller's at once; a call that is a job from its start is tried again", async () => {
  const { clock, engine } = standstill();
  const runs: number[] = [];
  const tool = t.promise({ retries: 2 }).handle((_, ctx) => {
    runs.push(ctx.attempt);
    if (ctx.attempt < 3) throw new ToolError("unavailable", "Away");
    return "done";
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  assertRefused(await bench.call("t"), "unavailable");
  deepStrictEqual(runs, [1]);
  for (const meta of [{ isPromiseWanted: true }, { idempotencyKey: "k", isPromiseWanted: true }]) {
    runs.length = 0;
    const { token } = asPromise(await bench.call("t", {}, { meta }));
    for (const ms of [0, 1_000, 2_000]) await pass({ clock }, ms);
    strictEqual(asAnswer(await redeem(bench, token)), "done");
    deepStrictEqual(runs, [1, 2, 3]);
  }
});
