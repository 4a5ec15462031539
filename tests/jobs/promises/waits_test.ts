/** `ctx.sleep`, `ctx.waitFor` and `ctx.resolver`: runs that end, and continue when the time or the value has come. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type Ctx, defineTool, Failure } from "../../../mod.ts";
import type { Resolver } from "../../../src/entries/types.ts";
import { assertMasked, Bench, KeptSink } from "../../core/dispatch/harness.ts";
import {
  accept,
  asAnswer,
  asFailure,
  asPromise,
  asQuestion,
  cancel,
  changed,
  Gates,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
} from "./promised.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const approval = v.object({ ok: v.boolean() });

/** A server with one tool, whose runs it counts. */
function opened(handler: (input: Record<string, unknown>, ctx: Ctx) => unknown, options = {}) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const runs: { attempt: number; callId: string }[] = [];
  const tool = defineTool("t").describe("T").promise({ ttlMs: 7 * DAY, ...options }).handle((input, ctx) => {
    runs.push({ attempt: ctx.attempt, callId: ctx.callId });
    return handler(input, ctx);
  });
  const make = () => new Bench([tool], { keys: KEYS, clock, engine: changed(jobs.engine, { processId: undefined }) });
  return { bench: make(), another: make, clock, jobs, runs };
}

/** Calls the tool; the promise that its caller gets. */
async function promised(bench: Bench): Promise<string> {
  const call = watch(bench.call("t"));
  await pass(bench, 0);
  return asPromise(settledOf(call)).token;
}

test("sleep() ends the run, gives the caller a promise at once, and continues after the time", async () => {
  const steps: string[] = [];
  const { bench, clock, jobs, runs } = opened(async (_, ctx) => {
    await ctx.step("before", () => steps.push("before"));
    await ctx.sleep("night", DAY);
    await ctx.step("after", () => steps.push("after"));
    return steps.length;
  });
  const token = await promised(bench);
  strictEqual((await jobs.get())?.state, "waiting");
  await pass({ clock }, DAY - 1);
  deepStrictEqual(steps, ["before"]);
  strictEqual(runs.length, 1);
  await pass({ clock }, 1);
  strictEqual(asAnswer(await redeem(bench, token)), 2);
  deepStrictEqual(steps, ["before", "after"]);
  deepStrictEqual(runs.map(({ attempt }) => attempt), [1, 1], "waking is no attempt");
  strictEqual(new Set(runs.map(({ callId }) => callId)).size, 1);
});

test("sleep() takes a date, and 0 and a date in the past do not wait", async () => {
  const { bench, clock } = opened(async (_, ctx) => {
    await ctx.sleep("none", 0);
    await ctx.sleep("past", new Date(0));
    await ctx.sleep("date", new Date(clock.now() + HOUR));
    return "done";
  });
  const token = await promised(bench);
  await pass({ clock }, HOUR);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("sleep() up to a second waits in place, without a job", async () => {
  const { bench, clock, jobs, runs } = opened(async (_, ctx) => {
    await ctx.sleep("moment", 1_000);
    return "done";
  });
  const call = watch(bench.call("t"));
  await pass({ clock }, 0);
  await pass({ clock }, 999);
  strictEqual(call.settled, undefined);
  await pass({ clock }, 1);
  strictEqual(asAnswer(call.settled), "done");
  deepStrictEqual([jobs.ids.length, runs.length], [0, 1]);
});

test("sleep() fixes its end at the first run: later runs do not begin it again", async () => {
  let ms = HOUR;
  const { bench, clock, jobs } = opened(async (_, ctx) => {
    await Promise.all([ctx.sleep("long", ms), ctx.sleep("short", HOUR / 2)]);
    return "done";
  });
  const token = await promised(bench);
  ms = 2 * HOUR;
  await pass({ clock }, HOUR / 2);
  strictEqual((await jobs.get())?.state, "waiting");
  await pass({ clock }, HOUR / 2);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("sleepers hold no slot of the worker", async () => {
  const { clock, engine } = standstill();
  const tool = defineTool("t").describe("T").promise({ ttlMs: DAY }).handle(async ({ ms }, ctx) => {
    await ctx.sleep("s", Number(ms));
    return "done";
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine, work: { concurrency: 1 } });
  const meta = { isPromiseWanted: true };
  for (let n = 0; n < 100; n++) asPromise(await bench.call("t", { ms: HOUR }, { meta }));
  const { token } = asPromise(await bench.call("t", { ms: 0 }, { meta }));
  for (let turn = 0; turn < 40; turn++) await pass({ clock }, 0);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("the promise of a sleeping call has a status message, and need not be redeemed before the time", async () => {
  const { bench, clock } = opened(async (_, ctx) => {
    ctx.progress(1, 4, "packing");
    await ctx.sleep("night", 10_000);
    return "done";
  });
  const call = watch(bench.call("t"));
  await pass(bench, 0);
  const first = asPromise(settledOf(call));
  const again = asPromise(await redeem(bench, first.token));
  deepStrictEqual(again.progress, {
    done: 1,
    total: 4,
    message: `Sleeping until ${new Date(clock.now() + 10_000).toISOString()} (night)`,
  });
  strictEqual(again.retryAfterMs, 10_000);
  await pass({ clock }, 9_900);
  strictEqual(asPromise(await redeem(bench, first.token)).retryAfterMs, 500);
  await bench.server.close(0);
});

test("a caller that waits for a job is notified of what the job waits for, and of its own progress after it", async () => {
  const { bench, clock } = opened(async (_, ctx) => {
    ctx.progress(1, 4, "packing");
    await ctx.sleep("night", 10_000);
    await ctx.waitFor("approval", approval, { timeoutMs: 5_000 });
    ctx.progress(4, 4, "sent");
    return "done";
  });
  const start = clock.now();
  const token = await promised(bench);
  const sink = new KeptSink();
  const redeemed = watch(bench.call("redeem", { promise: token, wait_ms: 20_000 }, { sink }));
  for (const ms of [0, 10_000, 5_000]) await pass({ clock }, ms);
  strictEqual(asAnswer(settledOf(redeemed)), "done");
  const seen = sink.events.flatMap((event) => event.kind === "progress" ? [event.progress] : []);
  const iso = (ms: number) => new Date(start + ms).toISOString();
  const messages = [...new Set(seen.map(({ done, message }) => `${done} ${message}`))];
  deepStrictEqual(
    messages.filter((message) => /Sleeping|Waiting/.test(message)),
    [`1 Sleeping until ${iso(10_000)} (night)`, `1 Waiting for approval until ${iso(15_000)}`],
  );
});

test("the latest progress is stored when a run stops at a sleep, also one that follows earlier progress at once", async () => {
  const { bench, clock, jobs } = opened(async (_, ctx) => {
    for (const step of [1, 2, 3]) {
      await ctx.sleep(`pause ${step}`, HOUR);
      await ctx.step(`work ${step}`, () => step);
      ctx.progress(step, 3);
    }
    const answer = await ctx.elicit("sure", { message: "Sure?", schema: approval });
    return answer.action;
  });
  const token = await promised(bench);
  const done: (number | undefined)[] = [];
  for (let hour = 0; hour < 2; hour++) {
    await pass({ clock }, HOUR);
    done.push(asPromise(await redeem(bench, token)).progress?.done);
  }
  deepStrictEqual(done, [1, 2]);
  await pass({ clock }, HOUR);
  const asking = await jobs.get();
  deepStrictEqual([asking?.state, asking?.progress?.done], ["asking", 3]);
  await bench.server.close(0);
});

test("the status message leaves out what is over, such as a short sleep in the same run", async () => {
  const { bench, clock } = opened(async (_, ctx) => {
    await ctx.sleep("short", 50);
    await ctx.waitFor("approval", approval);
  });
  const call = watch(bench.call("t"));
  await pass(bench, 0);
  await pass({ clock }, 50);
  const { progress } = asPromise(await redeem(bench, asPromise(settledOf(call)).token));
  match(progress?.message ?? "", /^Waiting for approval until \S+$/);
  await bench.server.close(0);
});

for (const when of ["before", "after"] as const) {
  test(`waitFor() gives a value that was sent ${when} the handler waited`, async () => {
    const gates = new Gates<void>();
    const made: Resolver[] = [];
    const { bench, another, runs } = opened(async (_, ctx) => {
      made.push(await ctx.resolver("approval"));
      if (when === "before" && runs.length === 1) await gates.wait();
      return await ctx.waitFor("approval", approval);
    });
    const token = await promised(bench);
    const first = made[0]!;
    ok(first.token.startsWith("res_") && first.token.length <= 512 && first.url === undefined);
    deepStrictEqual(await another().server.resolve(first.token, { ok: true }), { resolved: true });
    if (when === "before") await gates.end();
    await pass(bench, 0);
    deepStrictEqual(asAnswer(await redeem(bench, token)), { action: "accept", content: { ok: true } });
    deepStrictEqual(new Set(made.map(({ token }) => token)).size, 1, "the same token in each run");
    strictEqual(runs.length, 2);
    deepStrictEqual(await bench.server.resolve(first.token, { ok: true }), { resolved: true, repeated: true });
    deepStrictEqual(await bench.server.resolve(first.token, { ok: false }), { resolved: false, reason: "resolved" });
  });
}

test("waitFor() ends with its time, and the next wait of the same run gets its value", async () => {
  const made: Resolver[] = [];
  const { bench, clock } = opened(async (_, ctx) => {
    made[0] = await ctx.resolver("first", { timeoutMs: HOUR });
    made[1] = await ctx.resolver("second");
    const first = await ctx.waitFor("first", approval);
    return [first, await ctx.waitFor("second", approval)];
  });
  const token = await promised(bench);
  await pass({ clock }, HOUR);
  deepStrictEqual(await bench.server.resolve(made[0]!.token, { ok: true }), { resolved: false, reason: "timeout" });
  deepStrictEqual(await bench.server.resolve(made[1]!.token, { ok: true }), { resolved: true });
  await pass({ clock }, 0);
  deepStrictEqual(asAnswer(await redeem(bench, token)), [
    { action: "timeout" },
    { action: "accept", content: { ok: true } },
  ]);
});

test("decline() refuses, with a reason", async () => {
  let made: Resolver | undefined;
  const { bench } = opened(async (_, ctx) => {
    made = await ctx.resolver("k");
    return await ctx.waitFor("k", approval);
  });
  const token = await promised(bench);
  deepStrictEqual(await bench.server.decline(made!.token, "no money"), { resolved: true });
  await pass(bench, 0);
  deepStrictEqual(asAnswer(await redeem(bench, token)), { action: "decline", reason: "no money" });
});

test("a value that does not fit is logged, leaves the wait open, and is refused again", async () => {
  let made: Resolver | undefined;
  const { bench } = opened(async (_, ctx) => {
    made = await ctx.resolver("k");
    return await ctx.waitFor("k", approval);
  });
  const token = await promised(bench);
  deepStrictEqual(await bench.server.resolve(made!.token, { ok: "yes" }), { resolved: true });
  await pass(bench, 0);
  asPromise(await redeem(bench, token));
  const [line] = bench.log.lines.filter(({ level }) => level === "warn");
  match(line?.message ?? "", /"k" does not fit its schema: the wait stays open/);
  deepStrictEqual(await bench.server.resolve(made!.token, { ok: "yes" }), { resolved: false, reason: "refused" });
  deepStrictEqual(await bench.server.resolve(made!.token, { ok: true }), { resolved: true });
  await pass(bench, 0);
  deepStrictEqual(asAnswer(await redeem(bench, token)), { action: "accept", content: { ok: true } });
});

test("a wait stays open beside a question, and a value that arrives meanwhile is kept", async () => {
  let made: Resolver | undefined;
  const { bench, jobs } = opened(async (_, ctx) => {
    made = await ctx.resolver("k");
    const [answer, value] = await Promise.all([
      ctx.elicit("q", { message: "?", schema: v.object({}) }),
      ctx.waitFor("k", approval),
    ]);
    return [answer.action, value.action];
  });
  const token = await promised(bench);
  asQuestion(await redeem(bench, token));
  deepStrictEqual(await bench.server.resolve(made!.token, { ok: true }), { resolved: true });
  strictEqual((await jobs.get())?.state, "asking");
  const call = watch(
    bench.call("redeem", { promise: token, wait_ms: 5_000 }, {
      meta: { continuation: token, responses: { q: accept({}) } },
    }),
  );
  await pass(bench, 0);
  deepStrictEqual(asAnswer(settledOf(call)), ["accept", "accept"]);
});

test("a cancelled call refuses values, and wakes for its cancellation alone", async () => {
  let made: Resolver | undefined;
  const { bench, clock, runs } = opened(async (_, ctx) => {
    made = await ctx.resolver("k");
    await ctx.sleep("s", HOUR);
  });
  const token = await promised(bench);
  strictEqual(await cancel(bench, token), true);
  deepStrictEqual(await bench.server.resolve(made!.token, 1), { resolved: false, reason: "cancelled" });
  await pass({ clock }, 0);
  strictEqual(runs.length, 2);
  await pass({ clock }, HOUR);
  asFailure(await redeem(bench, token), "cancelled");
  strictEqual(runs.length, 2);
});

test("a call that has ended refuses values; a token refuses after its time", async () => {
  let made: Resolver | undefined;
  const { bench, clock } = opened(async (_, ctx) => {
    made = await ctx.resolver("k", { timeoutMs: HOUR });
    return "done";
  });
  const token = await promised(bench);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  deepStrictEqual(await bench.server.resolve(made!.token, 1), { resolved: false, reason: "over" });
  await pass({ clock }, HOUR + 120_000);
  deepStrictEqual(await bench.server.resolve(made!.token, 1), { resolved: false, reason: "expired" });
});

test("resolve() refuses a promise token, other text, and a value that is too long", async () => {
  let made: Resolver | undefined;
  const { bench } = opened(async (_, ctx) => {
    made = await ctx.resolver("k");
    await ctx.waitFor("k", v.string());
  });
  const token = await promised(bench);
  for (const text of [token, "", "res_", made!.token.slice(0, -1)]) {
    await rejects(bench.server.resolve(text, 1), { code: "invalid_promise" });
  }
  asPromise(await redeem(bench, token));
  await rejects(bench.server.resolve(made!.token, "x".repeat(262_143)), { code: "payload_too_large" });
  const refused = await redeem(bench, made!.token);
  ok(refused.kind === "error" && refused.code === "invalid_promise", "a resolver redeems nothing");
});

test("a tool without .promise() cannot wait, and the log says what to add", async () => {
  for (const wait of [(ctx: Ctx) => ctx.sleep("k", 5_000), (ctx: Ctx) => ctx.resolver("k")]) {
    const tool = defineTool("t").describe("T").handle((_, ctx) => wait(ctx));
    const bench = new Bench([tool], { keys: KEYS });
    const error = assertMasked(await bench.call("t"), bench.log) as Error;
    match(error.message, /Cannot use ctx\.\w+ in tool "t": .* Add \.promise\(\{ ttlMs \}\)/);
  }
});

for (
  const [name, wait, message] of [
    ["sleep() past the promise", (ctx) => ctx.sleep("k", 8 * DAY), /Raise ttlMs of \.promise\(\), which is 604800000/],
    ["waitFor() past the promise", (ctx) => ctx.waitFor("k", approval, { timeoutMs: 8 * DAY }), /Raise ttlMs/],
    ["sleep() for no time", (ctx) => ctx.sleep("k", Number.NaN), /milliseconds from 0, or a valid Date, not NaN/],
    ["sleep() below 0", (ctx) => ctx.sleep("k", -1), /milliseconds from 0/],
    [
      "a wait without an end",
      (ctx) => ctx.waitFor("k", approval, { timeoutMs: 0 }),
      /timeoutMs must be above 0, not 0/,
    ],
    ["a key twice", (ctx) => Promise.all([ctx.sleep("k", 9_000), ctx.sleep("k", 9_000)]), /"k" comes twice/],
  ] as [string, (ctx: Ctx) => Promise<unknown>, RegExp][]
) {
  test(`${name} is refused where it is called`, async () => {
    let thrown: unknown;
    const { bench } = opened(async (_, ctx) => {
      try {
        await wait(ctx);
      } catch (error) {
        thrown = error;
      }
      return "done";
    });
    void bench.call("t");
    await pass(bench, 0);
    match((thrown as Error)?.message ?? "none", message);
  });
}

test("a sleep, a wait and a step may have the same key", async () => {
  let made: Resolver | undefined;
  const { bench, clock } = opened(async (_, ctx) => {
    made = await ctx.resolver("k");
    const step = await ctx.step("k", () => 1);
    await ctx.sleep("k", HOUR);
    return [step, await ctx.waitFor("k", v.number())];
  });
  const token = await promised(bench);
  await pass({ clock }, HOUR);
  await bench.server.resolve(made!.token, 2);
  await pass({ clock }, 0);
  deepStrictEqual(asAnswer(await redeem(bench, token)), [1, { action: "accept", content: 2 }]);
});

test("the value of a caught wait is ignored: the run ends there", async () => {
  const { bench, clock } = opened(async (_, ctx) => {
    try {
      await ctx.sleep("k", HOUR);
    } catch {
      return "early";
    }
    return "late";
  });
  const token = await promised(bench);
  asPromise(await redeem(bench, token));
  await pass({ clock }, HOUR);
  strictEqual(asAnswer(await redeem(bench, token)), "late");
});

test("a wait cannot be caught: an order that waits for a yes is neither refunded nor shipped meanwhile", async () => {
  const effects: string[] = [];
  const links: Resolver[] = [];
  const { bench, clock } = opened(async (_, ctx) => {
    await ctx.step("charge", () => void effects.push("charge"));
    links.push(await ctx.resolver("yes"));
    try {
      const { action } = await ctx.waitFor("yes", approval);
      await ctx.step("ship", () => void effects.push("ship"));
      return action;
    } catch (error) {
      await ctx.step("refund", () => void effects.push("refund"));
      throw error;
    } finally {
      effects.push("finally");
    }
  });
  const token = await promised(bench);
  await pass({ clock }, HOUR);
  deepStrictEqual(effects, ["charge"]);
  deepStrictEqual(await bench.server.resolve(links[0]!.token, { ok: true }), { resolved: true });
  await pass({ clock }, 0);
  strictEqual(asAnswer(await redeem(bench, token)), "accept");
  deepStrictEqual(effects, ["charge", "ship", "finally"]);
});

test("a race that returns ends the job, whatever else is open", async () => {
  const links: Resolver[] = [];
  const { bench, clock, jobs, runs } = opened(async (_, ctx) => {
    links.push(await ctx.resolver("yes"));
    return await Promise.race([ctx.waitFor("yes", approval), ctx.sleep("limit", DAY).then(() => "late")]);
  });
  const token = await promised(bench);
  await bench.server.resolve(links[0]!.token, { ok: true });
  await pass({ clock }, 0);
  strictEqual((await jobs.get())?.state, "done");
  deepStrictEqual(asAnswer(await redeem(bench, token)), { action: "accept", content: { ok: true } });
  strictEqual(runs.length, 2);
});

test("a race of a short sleep and a wait is over within the run", async () => {
  const { bench, clock, jobs } = opened((_, ctx) =>
    Promise.race([ctx.waitFor("yes", approval), ctx.sleep("limit", 500).then(() => "late")])
  );
  const call = watch(bench.call("t"));
  await pass({ clock }, 0);
  await pass({ clock }, 500);
  strictEqual((await jobs.get())?.state, "done");
  strictEqual(asAnswer(await redeem(bench, asPromise(settledOf(call)).token)), "late");
});

test("a wait of middleware after its handler does not leave the job running: its next run is blocked as replay_diverged", async () => {
  const links: Resolver[] = [];
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const audited = defineTool("t").describe("T").promise({ ttlMs: 7 * DAY }).use(async (ctx, next) => {
    const result = await next();
    const { resolver, waitFor } = ctx as unknown as Ctx;
    links.push(await resolver("audit"));
    await waitFor("audit", approval);
    return result;
  }).handle(async (_, ctx) => {
    await ctx.step("work", () => 1);
    return "done";
  });
  const bench = new Bench([audited], { keys: KEYS, clock, engine: changed(jobs.engine, { processId: undefined }) });
  const token = await promised(bench);
  strictEqual((await jobs.get())?.state, "waiting");
  deepStrictEqual(await bench.server.resolve(links[0]!.token, { ok: true }), { resolved: true });
  await pass({ clock }, 0);
  const { state, outcome } = { ...await jobs.get() };
  strictEqual(state, "blocked");
  asFailure(outcome, "replay_diverged");
  asPromise(await redeem(bench, token));
});

test("a handler that throws while a wait is open has failed", async () => {
  const { bench } = opened(async (_, ctx) => {
    void ctx.waitFor("yes", approval);
    await Promise.resolve();
    throw new Failure("refused", "No");
  });
  const call = watch(bench.call("t"));
  await pass(bench, 0);
  asFailure(settledOf(call), "refused");
});

test("a stream that sleeps ends with the promise, after a deferred event", async () => {
  const { bench } = opened(async (_, ctx) => {
    await ctx.sleep("k", HOUR);
    return "done";
  });
  const sink = new KeptSink();
  const call = watch(bench.call("t", {}, { sink }));
  await pass(bench, 0);
  deepStrictEqual(sink.events.map(({ kind }) => kind), ["deferred"]);
  asPromise(settledOf(call));
});

test("a call with an idempotency key sleeps, and its repeat joins it", async () => {
  const { bench, clock, runs } = opened(async (_, ctx) => {
    await ctx.sleep("k", HOUR);
    return "done";
  });
  const meta = { idempotencyKey: "once" };
  const calls = [1, 2].map(() => watch(bench.call("t", {}, { meta })));
  await pass(bench, 0);
  await pass({ clock }, 2_000);
  const tokens = calls.map((call) => asPromise(settledOf(call)).token);
  await pass({ clock }, HOUR);
  for (const token of tokens) strictEqual(asAnswer(await redeem(bench, token)), "done");
  strictEqual(runs.length, 2);
});

test("a step that ends while its job is being written is kept with the job", async () => {
  const { clock, engine } = standstill();
  const gate = Promise.withResolvers<void>();
  const slow = changed(engine, {
    processId: undefined,
    async insert(job, dueInMs) {
      await gate.promise;
      return await engine.insert(job, dueInMs);
    },
  });
  const steps: string[] = [];
  const step = Promise.withResolvers<void>();
  const tool = defineTool("t").describe("T").promise({ budgetMs: 10 }).handle(async (_, ctx) => {
    await ctx.step("once", async () => {
      await step.promise;
      steps.push("once");
    });
    if (ctx.attempt === 1) throw new Error("no luck");
    return "done";
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: slow });
  const call = watch(bench.call("t"));
  await pass({ clock }, 10);
  step.resolve();
  await pass({ clock }, 0);
  gate.resolve();
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(call));
  await pass({ clock }, 5_000);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  deepStrictEqual(steps, ["once"]);
});
