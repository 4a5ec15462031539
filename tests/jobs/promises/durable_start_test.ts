/** Calls whose job is stored before their handler begins: by `durable: "start"`, or by their idempotency key. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Ctx, defineTool, type Middleware, ToolError } from "../../../mod.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import * as v from "../../../src/entries/schema.ts";
import type { CallMeta } from "../../../src/entries/wire.ts";
import { assertRefused, Bench, KeptSink } from "../../core/dispatch/harness.ts";
import {
  accept,
  asAnswer,
  asFailure,
  asPromise,
  asQuestion,
  Gates,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
  withoutInstance,
} from "./promised.ts";

type PromiseOptions = NonNullable<Parameters<ReturnType<typeof defineTool<"t">>["promise"]>[0]>;

const START = { durable: "start" } as const;

function opened(
  handler: (input: Record<string, unknown>, ctx: Ctx) => unknown,
  options: PromiseOptions = START,
  middleware: readonly Middleware[] = [],
) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const tool = defineTool("t").describe("T").promise(options).handle(handler);
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine, middleware });
  return { bench, clock, jobs, engine, tool };
}

/** How a call is stored at its start: by the option of the tool, or by its key. */
const WAYS: readonly (readonly [string, PromiseOptions, CallMeta | undefined])[] = [
  ["durable from its start", START, undefined],
  ["with an idempotency key", {}, { idempotencyKey: "order 1" }],
];

for (const [way, options, meta] of WAYS) {
  const call = (bench: Bench) => bench.call("t", {}, { ...(meta && { meta }) });

  test(`a call ${way} is stored before its handler begins, and answers within its budget`, async () => {
    const states: unknown[] = [];
    const { bench, jobs } = opened(async (_, ctx) => {
      states.push((await jobs.get())?.state);
      return await ctx.step("charge", () => "charged");
    }, options);
    strictEqual(asAnswer(await call(bench)), "charged");
    deepStrictEqual(states, ["running"]);
    const job = await jobs.get();
    strictEqual(job?.state, "done");
  });

  test(`a call ${way} that breaks within its budget gets a promise, and is tried again with its steps`, async () => {
    const log: string[] = [];
    const { bench, clock } = opened(async (_, ctx) => {
      await ctx.step("charge", () => log.push("charge"));
      log.push(`attempt ${ctx.attempt}`);
      if (ctx.attempt === 1) throw new Error("The warehouse does not answer");
      return "ordered";
    }, options);
    const { token } = asPromise(await call(bench));
    await pass({ clock }, 1_000);
    strictEqual(asAnswer(await redeem(bench, token)), "ordered");
    deepStrictEqual(log, ["charge", "attempt 1", "attempt 2"]);
  });

  test(`a call ${way} whose process dies within its budget loses no step`, async () => {
    const { clock, engine } = standstill();
    const shared = withoutInstance(engine);
    const log: string[] = [];
    const tool = defineTool("t").describe("T").promise(options).handle(async (_, ctx) => {
      await ctx.step("charge", () => log.push("charge"));
      log.push(`attempt ${ctx.attempt}`);
      return ctx.attempt === 1 ? await new Promise(() => {}) : "ordered";
    });
    // Its lease ends without a trace, as that of a process that was killed.
    const jobs = watchJobs({ ...shared, processId: undefined, lease: () => () => {} });
    const dying = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine, work: false });
    void call(dying);
    await pass({ clock }, 500);
    const bench = new Bench([tool], { keys: KEYS, clock, engine: shared });
    bench.server.work();
    await pass({ clock }, 10_000);
    strictEqual((await jobs.get())?.state, "done");
    deepStrictEqual(log, ["charge", "attempt 1", "attempt 2"]);
  });

  test(`a call ${way} that asks within its budget keeps its steps in the job, and is answered by its token`, async () => {
    const log: string[] = [];
    const { bench, clock, jobs } = opened(async (_, ctx) => {
      await ctx.step("charge", () => log.push("charge"));
      const answer = await ctx.elicit("k", { message: "Ship?", schema: v.object({}) });
      return await ctx.step("ship", () => `${answer.action} ${log.push("ship")}`);
    }, options);
    const { continuation } = asQuestion(await call(bench));
    strictEqual((await jobs.get())?.state, "asking");
    const answered = watch(bench.call("t", {}, { meta: { ...meta, continuation, responses: { k: accept({}) } } }));
    await pass({ clock }, 0);
    strictEqual(asAnswer(settledOf(answered)), "accept 2");
    deepStrictEqual(log, ["charge", "ship"]);
  });

  test(`a call ${way} that sleeps within its budget gets its promise`, async () => {
    const { bench, clock } = opened(async (_, ctx) => {
      const first = await ctx.step("first", () => "one");
      await ctx.sleep("night", 60_000);
      return first;
    }, options);
    const { token } = asPromise(await call(bench));
    await pass({ clock }, 60_000);
    strictEqual(asAnswer(await redeem(bench, token)), "one");
  });

  test(`a call ${way} gets its promise at the budget, and its stream the pieces and the token`, async () => {
    const gates = new Gates();
    const { bench, clock } = opened(() => gates.wait(), { ...options, budgetMs: 500 });
    const sink = new KeptSink();
    const plain = watch(call(bench));
    const streamed = watch(bench.call("t", {}, { meta: { ...meta, ...(meta && { idempotencyKey: "b" }) }, sink }));
    await pass({ clock }, 0);
    strictEqual(gates.begun, 2);
    await pass({ clock }, 500);
    const { token } = asPromise(plain.settled);
    deepStrictEqual(sink.events.map(({ kind }) => kind), ["deferred"]);
    await gates.end("done", 0);
    await gates.end("done", 1);
    strictEqual(asAnswer(await redeem(bench, token)), "done");
    strictEqual(asAnswer(settledOf(streamed)), "done");
  });

  test(`a call ${way} without further attempts ends as exhausted for its caller, and is kept for operators`, async () => {
    const log: string[] = [];
    const { bench, clock, jobs } = opened(async (_, ctx) => {
      await ctx.step("charge", () => log.push("charge"));
      if (!log.includes("mended")) throw new Error(`down ${log.push("down")}`);
      return "ordered";
    }, { ...options, retries: 0, keepFailed: true });
    asFailure(await call(bench), "attempts_exhausted");
    const operators = jobsOf(bench.server);
    const id = jobs.ids.at(-1) ?? "";
    log.push("mended");
    await operators.retry(id);
    await pass({ clock }, 0);
    strictEqual((await jobs.get())?.state, "done");
    deepStrictEqual(log, ["charge", "down", "mended"]);
  });

  test(`a call ${way} that is refused before its first step leaves no job`, async () => {
    const { bench, jobs } = opened(() => {
      throw new ToolError("permission_denied", "No");
    }, options);
    assertRefused(await call(bench), "permission_denied");
    strictEqual(await jobs.get(), undefined);
  });

  test(`a call ${way} that is refused after a step is kept`, async () => {
    const { bench, jobs } = opened(async (_, ctx) => {
      await ctx.step("charge", () => "charged");
      throw new ToolError("permission_denied", "No");
    }, options);
    assertRefused(await call(bench), "permission_denied");
    strictEqual((await jobs.get())?.state, "done");
  });

  test(`a call ${way} whose arguments do not fit is never stored`, async () => {
    const { clock, engine } = standstill();
    const jobs = watchJobs(engine);
    const tool = defineTool("t").describe("T").input(v.object({ n: v.number() })).promise(options).handle(({ n }) => n);
    const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
    assertRefused(await bench.call("t", { n: "one" }, { ...(meta && { meta }) }), "invalid_input");
    deepStrictEqual(jobs.ids, []);
  });

  test(`a call ${way} passes the promise of work that broke through the middleware of the server`, async () => {
    const seen: unknown[] = [];
    const watching: Middleware = async (_, next) => {
      const result = await next();
      seen.push(result.kind);
      return result;
    };
    const { bench, clock } = opened(
      (_, ctx) => {
        if (ctx.attempt === 1) throw new Error("no luck");
        return "done";
      },
      options,
      [watching],
    );
    const { token } = asPromise(await call(bench));
    await pass({ clock }, 1_000);
    strictEqual(asAnswer(await redeem(bench, token)), "done");
    strictEqual(seen[0], "promise");
  });

  test(`a call ${way} goes on without its caller`, async () => {
    const gates = new Gates();
    const left = new AbortController();
    const { bench, clock, jobs } = opened(() => gates.wait(), options);
    void bench.call("t", {}, { ...(meta && { meta }), signal: left.signal });
    await pass({ clock }, 0);
    left.abort();
    await gates.end("done");
    strictEqual((await jobs.get())?.state, "done");
  });
}

test("two calls with one key never do a step twice under one id: also if the first one breaks, asks or dies", async () => {
  const charges: string[] = [];
  const ends = [
    () => Promise.reject(new Error("no luck")),
    () => Promise.reject(new ToolError("permission_denied", "No")),
    (ctx: Ctx) => ctx.elicit("k", { message: "Sure?", schema: v.object({}) }),
  ];
  for (const [n, end] of ends.entries()) {
    const { bench, clock } = opened(async (_, ctx) => {
      await ctx.step("charge", () => void charges.push(ctx.callId));
      return await end(ctx);
    }, {});
    for (let repeat = 0; repeat < 3; repeat++) {
      const call = watch(bench.call("t", {}, { meta: { idempotencyKey: `key ${n}` } }));
      await pass({ clock }, 0);
      await pass({ clock }, 2_000);
      settledOf(call);
    }
  }
  strictEqual(charges.length, ends.length);
});

test("without the option nothing is stored within the budget", async () => {
  const { bench, jobs } = opened((_, ctx) => ctx.step("charge", () => "charged"), {});
  strictEqual(asAnswer(await bench.call("t")), "charged");
  deepStrictEqual(jobs.ids, []);
});

test("when the work is to be stored is one of two words", () => {
  let message = "";
  try {
    defineTool("t").describe("T").promise({ durable: true as unknown as "start" });
  } catch (thrown) {
    message = (thrown as Error).message;
  }
  ok(message.includes('"start"') && message.includes('"budget"'), message);
});
