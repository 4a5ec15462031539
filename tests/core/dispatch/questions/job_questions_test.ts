/** Deferred work that asks: its promise becomes the question, and its continuation is the promise. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import { type CallResult, type Ctx, defineTool } from "../../../../mod.ts";
import { assertRefused, Bench, KeptSink } from "../harness.ts";
import {
  accept,
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
  watchJobs,
} from "../../../jobs/promises/promised.ts";

const t = defineTool("t").describe("T");
const meta = { isPromiseWanted: true };
const colour = { message: "Which colour?", schema: v.object({ colour: v.string() }) };
const red = accept({ colour: "red" });
const blue = accept({ colour: "blue" });

/** A job that does `handler`, begun. */
async function begun(handler: (input: Record<string, unknown>, ctx: Ctx) => Promise<unknown>, options = {}) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const contexts: { attempt: number; callId: string }[] = [];
  const tool = t.promise({ budgetMs: 1_000, retries: 1, ...options }).handle((input, ctx) => {
    contexts.push({ attempt: ctx.attempt, callId: ctx.callId });
    return handler(input, ctx);
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  await pass({ clock }, 0);
  return { bench, clock, token, jobs, contexts };
}

/** Answers by redeeming again, and returns the outcome of that. */
async function answer(bench: Bench, token: string, responses: Readonly<Record<string, unknown>>): Promise<CallResult> {
  const call = watch(
    bench.call("redeem", { promise: token, wait_ms: 5_000 }, { meta: { continuation: token, responses } }),
  );
  // The wait ends by the answer, or it does not matter.
  await pass({ clock: bench.clock }, 0);
  ok(call.settled !== undefined, "no answer yet");
  return call.settled;
}

const askColour = (_: unknown, ctx: Ctx) => ctx.elicit("k", colour);

test("redeem gives the question of a job that asks, with the promise as its continuation", async () => {
  const { bench, token, jobs } = await begun(askColour);
  for (let n = 0; n < 2; n++) {
    const asked = asQuestion(await redeem(bench, token));
    strictEqual(asked.kind, "elicitation");
    strictEqual(asked.continuation, token);
    deepStrictEqual(Object.keys(asked.requests), ["k"]);
  }
  strictEqual((await jobs.get())?.state, "asking");
  deepStrictEqual(asAnswer(await answer(bench, token, { k: red })), red);
  deepStrictEqual(asAnswer(await redeem(bench, token)), red);
});

test("a job that asks for resources alone is a request for more resource", async () => {
  const { bench, token } = await begun((_, ctx) => ctx.requestMore("credits", { amount: 5 }));
  strictEqual(asQuestion(await redeem(bench, token)).kind, "request-for-more-resource");
  asFailure(await answer(bench, token, { credits: { action: "decline" } }), "resource_denied");
});

test("an answered question is no spent attempt, and all runs have one callId", async () => {
  const { bench, token, contexts } = await begun(async (_, ctx) => {
    for (let n = 0; n < 4; n++) await ctx.elicit(`k${n}`, colour);
    return "done";
  }, { retries: 0 });
  for (let n = 0; n < 3; n++) asQuestion(await answer(bench, token, { [`k${n}`]: red }));
  strictEqual(asAnswer(await answer(bench, token, { k3: red })), "done");
  deepStrictEqual(contexts.map(({ attempt }) => attempt), [1, 1, 1, 1, 1]);
  strictEqual(new Set(contexts.map(({ callId }) => callId)).size, 1);
});

for (
  const [name, responses] of [
    ["nothing", {}],
    ["another key", { other: red }],
    ["no object", { k: 5 }],
    ["content that does not fit", { k: accept({ colour: 5 }) }],
    ["no content", { k: accept() }],
  ] as const
) {
  test(`an answer of ${name} has the job ask again`, async () => {
    const { bench, token } = await begun(askColour);
    asQuestion(await answer(bench, token, responses));
    deepStrictEqual(asAnswer(await answer(bench, token, { k: red })), red);
  });
}

test("what is no answer costs no run, and the question says why it was refused", async () => {
  const { bench, token, jobs, contexts } = await begun(async (_, ctx) => {
    const { one, two } = await ctx.ask({ one: colour, two: colour });
    return [one, two];
  });
  const reason = "An answer is { action: accept, decline or cancel, content }";
  for (const responses of [{ one: 7 }, { one: {} }, { one: null, two: [] }, { one: "red" }, { one: [red] }]) {
    const { one, two } = asQuestion(await answer(bench, token, responses)).requests;
    strictEqual(one?.params?.["refused"], `the answer to "one" is refused: ${reason}`);
    strictEqual(one.message, colour.message);
    ok(two !== undefined);
  }
  deepStrictEqual((await jobs.get())?.memo.answers, {});
  // What is good beside it is kept.
  const rest = asQuestion(await answer(bench, token, { one: 7, two: blue }));
  deepStrictEqual(Object.keys(rest.requests), ["one"]);
  strictEqual(contexts.length, 1);
  deepStrictEqual(asAnswer(await answer(bench, token, { one: red, two: red })), [red, blue]);
  strictEqual(contexts.length, 2);
});

test("partial answers are kept, and the rest is asked for again", async () => {
  const { bench, token } = await begun(async (_, ctx) => {
    const { one, two } = await ctx.ask({ one: colour, two: colour });
    return [one, two];
  });
  deepStrictEqual(Object.keys(asQuestion(await redeem(bench, token)).requests), ["one", "two"]);
  const rest = asQuestion(await answer(bench, token, { two: blue }));
  deepStrictEqual(Object.keys(rest.requests), ["one"]);
  deepStrictEqual(asAnswer(await answer(bench, token, { one: red, two: red })), [red, blue]);
});

test("of each key the first answer counts", async () => {
  const { bench, token } = await begun(askColour);
  const both = [red, blue].map((response) => answer(bench, token, { k: response }));
  for (const settled of await Promise.all(both)) deepStrictEqual(asAnswer(settled), red);
  deepStrictEqual(asAnswer(await answer(bench, token, { k: blue })), red);
});

test("a step is kept when it ends: neither an ask nor a broken run takes it again", async () => {
  let taken = 0;
  let runs = 0;
  const { bench, clock, token, jobs } = await begun(async (_, ctx) => {
    const kept = await ctx.step("s", () => ++taken);
    if (++runs === 1) throw new Error("no luck");
    await ctx.elicit("k", colour);
    return kept;
  });
  const [entry] = await jobs.engine.readLedger((await jobs.get())!.id, 0, 1);
  deepStrictEqual([entry?.name, entry?.value], ["step s", 1]);
  await pass({ clock }, 1_000);
  asQuestion(await redeem(bench, token));
  strictEqual(asAnswer(await answer(bench, token, { k: red })), 1);
  deepStrictEqual([taken, runs], [1, 3]);
});

test("answers are kept over a broken run", async () => {
  let runs = 0;
  const { bench, clock, token } = await begun(async (_, ctx) => {
    const { action } = await ctx.elicit("k", colour);
    if (++runs === 1) throw new Error("no luck");
    return action;
  });
  asPromise(await bench.call("redeem", { promise: token }, { meta: { continuation: token, responses: { k: red } } }));
  await pass({ clock }, 0);
  strictEqual(runs, 1);
  await pass({ clock }, 1_000);
  strictEqual(asAnswer(await redeem(bench, token)), "accept");
});

test("a redeem that waits gets the question at once", async () => {
  const gates = new Gates();
  const { bench, clock, token } = await begun(async (_, ctx) => {
    await gates.wait();
    return await ctx.elicit("k", colour);
  });
  const waiting = watch(redeem(bench, token, 20_000));
  await pass({ clock }, 1_000);
  strictEqual(waiting.settled, undefined);
  await gates.end(undefined);
  strictEqual(asQuestion(waiting.settled).continuation, token);
});

test("an adopted run that asks ends as its promise's question", async () => {
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000 }).handle(async (_, ctx) => {
    await gates.wait();
    return await ctx.elicit("k", colour);
  });
  const bench = new Bench([tool], { keys: KEYS });
  const call = watch(bench.call("t"));
  await pass(bench, 1_000);
  const { token } = asPromise(call.settled);
  await gates.end(undefined);
  strictEqual(asQuestion(await redeem(bench, token)).continuation, token);
  const answered = watch(
    bench.call("redeem", { promise: token, wait_ms: 5_000 }, { meta: { continuation: token, responses: { k: red } } }),
  );
  await pass(bench, 0);
  await gates.end(undefined);
  deepStrictEqual(asAnswer(answered.settled), red);
});

test("a stream past its budget that asks ends with the question, which its promise asks, too", async () => {
  const gates = new Gates();
  const tool = t.partial(v.string()).promise({ budgetMs: 1_000 }).handle(async function* (_, ctx) {
    yield "a";
    await gates.wait();
    const answer = await ctx.elicit("k", colour);
    yield answer.action;
  });
  const bench = new Bench([tool], { keys: KEYS });
  const sink = new KeptSink();
  const call = watch(bench.call("t", {}, { sink }));
  await pass(bench, 1_000);
  const [, deferred] = sink.events;
  ok(deferred?.kind === "deferred");
  const { token } = deferred.promise;
  await gates.end(undefined);
  strictEqual(asQuestion(call.settled).continuation, token);
  strictEqual(asQuestion(await redeem(bench, token)).continuation, token);
});

test("the call itself may be repeated with the promise as continuation, and is refused for any other", async () => {
  const { bench, token } = await begun(askColour);
  const responses = { k: red };
  const repeat = (args: unknown, continuation: string) => bench.call("t", args, { meta: { continuation, responses } });
  assertRefused(await repeat({ a: 1 }, token), "invalid_continuation");
  assertRefused(await repeat({}, `${token}x`), "invalid_continuation");
  assertRefused(
    await bench.call("t", {}, { meta: { continuation: token, responses }, peer: { principal: { id: "ada" } } }),
    "invalid_continuation",
  );
  const call = watch(repeat({}, token));
  await pass({ clock: bench.clock }, 0);
  deepStrictEqual(asAnswer(call.settled), red);
});

test("a promising tool that asks within its budget is answered by its continuation, and is one call all the same", async () => {
  const gates = new Gates();
  const ids: string[] = [];
  const tool = t.promise({ budgetMs: 1_000 }).handle(async (_, ctx) => {
    ids.push(ctx.callId);
    const taken = await ctx.step("s", () => ids.length);
    const { action } = await ctx.elicit("k", colour);
    return [taken, action, await gates.wait()];
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t"));
  ok(continuation.startsWith("cont_"));
  for (const isPromiseWanted of [false, true]) {
    const call = watch(
      bench.call("t", {}, { meta: { continuation, responses: { k: { action: "decline" } }, isPromiseWanted } }),
    );
    await pass(bench, 0);
    await pass(bench, 1_000);
    const { token } = asPromise(call.settled);
    await gates.end("done");
    deepStrictEqual(asAnswer(await redeem(bench, token)), [1, "decline", "done"]);
    if (!isPromiseWanted) strictEqual(ids.length, 2);
  }
  strictEqual(new Set(ids).size, 1);
});

test("a continuation that is sent again, its first promise having been lost, promises again", async () => {
  const tool = t.promise({ budgetMs: 1_000 }).handle(async (_, ctx) => {
    await ctx.elicit("k", { message: "Sure?", schema: v.object({}) });
    return await new Promise(() => {});
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t"));
  const meta = { continuation, responses: { k: { action: "decline" } } };
  const first = watch(bench.call("t", {}, { meta }));
  await pass(bench, 0);
  await pass(bench, 1_000);
  const { token } = asPromise(first.settled);
  const second = watch(bench.call("t", {}, { meta }));
  await pass(bench, 0);
  await pass(bench, 1_000);
  strictEqual(asPromise(second.settled).token.slice(0, 5), token.slice(0, 5));
});

test("a job that asks can be cancelled", async () => {
  const { bench, token, contexts } = await begun(askColour);
  asQuestion(await redeem(bench, token));
  strictEqual(await cancel(bench, token), true);
  asFailure(await redeem(bench, token), "cancelled");
  asFailure(await answer(bench, token, { k: red }), "cancelled");
  strictEqual(contexts.length, 1);
});

test("answers are taken at any server of the engine", async () => {
  const { clock, engine } = standstill();
  const tool = t.promise().handle(askColour);
  const [a, b] = [1, 2].map(() => new Bench([tool], { keys: KEYS, clock, engine })) as [Bench, Bench];
  const { token } = asPromise(await a.call("t", {}, { meta }));
  await pass({ clock }, 0);
  asQuestion(await redeem(a, token));
  const call = watch(
    b.call("redeem", { promise: token, wait_ms: 5_000 }, { meta: { continuation: token, responses: { k: red } } }),
  );
  await pass({ clock }, 0);
  deepStrictEqual(asAnswer(call.settled), red);
});
