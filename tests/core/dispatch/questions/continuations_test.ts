/** Calls that continue after a question: what comes back with the continuation, however it is sent, and how often. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import {
  type CallResult,
  createClient,
  createServer,
  defineTool,
  memoryTransport,
  type QuestionsResult,
} from "../../../../mod.ts";
import { assertMasked, assertRefused, Bench, KeptSink } from "../harness.ts";
import {
  accept,
  asAnswer,
  asPromise,
  asQuestion,
  changed,
  Gates,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
} from "../../../jobs/promises/promised.ts";
import type { CallMeta } from "../../../../src/entries/wire.ts";
import type { Engine } from "../../../../src/entries/engines.ts";

const t = defineTool("t").describe("T");
const sure = { message: "Sure?", schema: v.object({}) };
const text = { message: "What?", schema: v.object({ text: v.string() }) };
const yes = accept({});

/** A stream with a question in its middle. */
const asking = t.partial(v.string()).handle(async function* (_, ctx) {
  yield "a";
  yield "b";
  await ctx.elicit("k", sure);
  yield "c";
});

for (
  const [name, isAskedStreamed, isAnsweredStreamed, pieces, whole] of [
    ["not streamed, then streamed: all pieces come", false, true, ["a", "b", "c"], undefined],
    ["streamed, then not: the answer is the whole", true, false, [], "abc"],
    ["streamed twice: only the rest comes", true, true, ["c"], undefined],
    ["never streamed: the answer is the whole", false, false, [], "abc"],
  ] as const
) {
  test(`a stream that asks, ${name}`, async () => {
    const bench = new Bench([asking], { keys: KEYS });
    const first = isAskedStreamed ? { sink: new KeptSink() } : {};
    const { continuation } = asQuestion(await bench.call("t", {}, first));
    const sink = new KeptSink();
    const meta = { continuation, responses: { k: yes } };
    const settled = await bench.call("t", {}, { meta, ...(isAnsweredStreamed && { sink }) });
    strictEqual(asAnswer(settled), whole);
    deepStrictEqual(sink.partials, pieces);
  });
}

/** Two questions, one after the other, and a step before them. */
const twoQuestions = (stepChars: number) =>
  t.handle(async (_, ctx) => {
    await ctx.step("s", () => "x".repeat(stepChars));
    await ctx.elicit("one", text);
    await ctx.elicit("two", text);
    return "done";
  });

test("answers too long for the next continuation are payload_too_large, and nothing is logged", async () => {
  const bench = new Bench([twoQuestions(0)], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t"));
  const answered = (chars: number) => {
    return bench.call("t", {}, { meta: { continuation, responses: { one: accept({ text: "x".repeat(chars) }) } } });
  };
  assertRefused(await answered(40_000), "payload_too_large");
  deepStrictEqual(bench.log.lines, []);
  deepStrictEqual(Object.keys(asQuestion(await answered(1_000)).requests), ["two"], "a shorter one is good");
});

test("steps too long for a continuation are the tool's fault: masked, and logged with their names", async () => {
  const bench = new Bench([twoQuestions(40_000)], { keys: KEYS });
  assertMasked(await bench.call("t"), bench.log);
  deepStrictEqual(bench.log.lines[0]?.fields["steps"], ["s"]);
});

for (const key of ["__proto__", "constructor", "toString"]) {
  for (const isPromised of [false, true]) {
    test(`a question may have the key ${key}${isPromised ? " (promised)" : ""}`, async () => {
      const tool = t.promise().handle(async (_, ctx) => [
        await ctx.step(key, () => 1),
        (await ctx.elicit(key, text)).action,
      ]);
      const bench = new Bench([tool], { keys: KEYS });
      // As a wire reads them: names of members, and nothing else.
      const responses: Record<string, unknown> = JSON.parse(`{"${key}":{"action":"accept","content":{"text":"x"}}}`);
      if (!isPromised) {
        const asked = asQuestion(await bench.call("t"));
        deepStrictEqual(Object.keys(asked.requests), [key]);
        const { continuation } = asked;
        deepStrictEqual(asAnswer(await bench.call("t", {}, { meta: { continuation, responses } })), [1, "accept"]);
        return;
      }
      const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
      await pass(bench, 0);
      deepStrictEqual(Object.keys(asQuestion(await redeem(bench, token)).requests), [key]);
      await bench.call("redeem", { promise: token }, { meta: { continuation: token, responses } });
      await pass(bench, 0);
      deepStrictEqual(asAnswer(await redeem(bench, token)), [1, "accept"]);
    });
  }
}

test("an answer counts with the promise itself as its continuation, and with no other", async () => {
  const bench = new Bench([t.promise().handle(async (_, ctx) => (await ctx.elicit("k", sure)).action)], { keys: KEYS });
  const [token, other] = await Promise.all(["one", "other"].map(async (name) => {
    return asPromise(await bench.call("t", { name }, { meta: { isPromiseWanted: true } })).token;
  }));
  await pass(bench, 0);
  const answer = async (meta: CallMeta): Promise<CallResult> => {
    await bench.call("redeem", { promise: token }, { meta: { responses: { k: yes }, ...meta } });
    await pass(bench, 0);
    return await redeem(bench, token ?? "");
  };
  for (const continuation of [other, "garbage", ""]) asQuestion(await answer({ continuation }));
  asQuestion(await answer({}));
  asQuestion(await redeem(bench, other ?? ""));
  strictEqual(asAnswer(await answer({ continuation: token })), "accept");
});

/** A tool that asks on request, with a budget of 1 s, on an engine whose method waits to be released. */
function askingWhile(method: "insert" | "hold") {
  const { clock, engine } = standstill();
  const writes = new Gates<void>();
  const slow = changed(
    engine,
    method === "hold"
      ? {
        async lease(id) {
          await writes.wait();
          return await engine.lease(id);
        },
      }
      : {
        async insert(job, dueInMs) {
          await writes.wait();
          return await engine.insert(job, dueInMs);
        },
      },
  );
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000 }).handle(async (_, ctx) => {
    await gates.wait();
    return (await ctx.elicit("k", sure)).action;
  });
  return { bench: new Bench([tool], { keys: KEYS, clock, engine: slow }), clock, gates, writes };
}

/** The promise may be of the run that asked: it then asks once more, as a client would answer once more. */
async function answerAgain(
  { continuation: promise }: QuestionsResult,
  gates: Gates,
  bench: Bench,
): Promise<CallResult> {
  await bench.call("redeem", { promise }, { meta: { continuation: promise, responses: { k: yes } } });
  await pass(bench, 0);
  await gates.end(undefined);
  return await redeem(bench, promise);
}

/** A call that has asked while it was being adopted and is still running, and the same call with the answer. */
async function answeredMeanwhile(method: "insert" | "hold") {
  const made = askingWhile(method);
  const { bench, clock, gates, writes } = made;
  const first = watch(bench.call("t"));
  await pass({ clock }, 1_000);
  strictEqual(writes.begun, 1);
  await gates.end(undefined);
  const { continuation } = asQuestion(first.settled);
  const second = watch(bench.call("t", {}, { meta: { continuation, responses: { k: yes } } }));
  await pass({ clock }, 0);
  return { ...made, second };
}

for (const method of ["insert", "hold"] as const) {
  test(`a call that asks while it is adopted may be answered before that has ended: ${method}()`, async () => {
    const { gates, writes, second } = await answeredMeanwhile(method);
    await writes.end(undefined);
    await gates.end(undefined);
    strictEqual(asAnswer(second.settled), "accept");
  });

  test(`a call that asks while it is adopted promises when it is answered before that has ended: ${method}()`, async () => {
    const { bench, clock, gates, writes, second } = await answeredMeanwhile(method);
    await pass({ clock }, 1_000);
    for (let index = 0; index < writes.begun; index++) await writes.end(undefined, index);
    const { token } = asPromise(second.settled);
    await gates.end(undefined);
    const settled = await redeem(bench, token);
    const end = settled.kind === "elicitation" ? await answerAgain(settled, gates, bench) : settled;
    strictEqual(asAnswer(end), "accept");
  });
}

test("a call promises whose earlier run's job was there, and is gone when it is joined", async () => {
  const { clock, engine } = standstill();
  let inserts = 0;
  const late = changed(engine, { insert: (job, dueInMs) => ++inserts > 1 && engine.insert(job, dueInMs) });
  const gates = new Gates();
  const bench = new Bench([t.promise({ budgetMs: 1_000 }).handle(() => gates.wait())], {
    keys: KEYS,
    clock,
    engine: late,
  });
  const call = watch(bench.call("t"));
  await pass({ clock }, 1_000);
  const { token } = asPromise(call.settled);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
  strictEqual(gates.begun, 1);
});

test("an answer that comes while the asking run is still being written is not asked for twice, nor acted on twice", async () => {
  const { clock, engine } = standstill();
  const held = Promise.withResolvers<void>();
  let holds = 0;
  const slow: Engine = {
    ...engine,
    processId: engine.processId,
    async lease(id) {
      if (++holds === 1) await held.promise;
      return await engine.lease(id);
    },
  };
  let runs = 0;
  let charged = 0;
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000 }).handle(async (_, ctx) => {
    if (++runs === 1) await gates.wait();
    const { action } = await ctx.elicit("k", { message: "?", schema: v.object({}) });
    await ctx.step("charge", () => ++charged);
    await gates.wait();
    return action;
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: slow });
  const first = watch(bench.call("t"));
  await pass({ clock }, 1_000);
  await gates.end(undefined);
  const { continuation } = asQuestion(settledOf(first));
  const second = watch(
    bench.call("t", {}, { meta: { continuation, responses: { k: { action: "accept", content: {} } } } }),
  );
  await pass({ clock }, 0);
  await pass({ clock }, 1_000);
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(second));
  held.resolve();
  await pass({ clock }, 0);
  await gates.end(undefined);
  strictEqual(asAnswer(await redeem(bench, token)), "accept");
  strictEqual(charged, 1);
});

/** A tool that charges after each of two questions, and what it has charged. */
function charging() {
  const charges: string[] = [];
  const tool = t.input(v.object({})).handle(async (_, ctx) => {
    await ctx.elicit("first", sure);
    await ctx.step("deposit", () => void charges.push("deposit"));
    const { action } = await ctx.elicit("second", sure);
    await ctx.step("rest", () => void charges.push(action));
    return charges.length;
  });
  return { tool, charges };
}

test("a continuation is an idempotency key: sent again at once and later, it gives the result of the first time", async () => {
  const { tool, charges } = charging();
  const bench = new Bench([tool], { keys: KEYS });
  const asked = asQuestion(await bench.call("t"));
  const first = { continuation: asked.continuation, responses: { first: yes } };
  const send = (meta: CallMeta) => bench.call("t", {}, { meta });
  const again = await Promise.all([send(first), send(first), send(first)]);
  again.push(await send(first));
  deepStrictEqual(charges, ["deposit"]);
  const continuations = again.map((result) => asQuestion(result).continuation);
  strictEqual(new Set(continuations).size, 1);
  const second = { continuation: continuations[0] ?? "", responses: { second: yes } };
  const answers = await Promise.all([send(second), send(second), send(second)]);
  answers.push(await send(second));
  deepStrictEqual(answers.map(asAnswer), [2, 2, 2, 2]);
  deepStrictEqual(charges, ["deposit", "accept"]);
});

const no = { action: "decline" };

test("the questions of a continuation are answered once: other answers are a conflict, at once and later", async () => {
  const { tool, charges } = charging();
  const bench = new Bench([tool], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t"));
  const send = (continuation: string, responses: CallMeta["responses"]) =>
    bench.call("t", {}, { meta: { continuation, responses } });
  const atOnce = await Promise.all([send(continuation, { first: yes }), send(continuation, { first: no })]);
  const second = asQuestion(atOnce[0]).continuation;
  match(assertRefused(atOnce[1], "conflict").message, /answered already.*repeat the call without the continuation/);
  strictEqual(asAnswer(await send(second, { second: yes })), 2);
  for (const changed of [no, accept({ other: true })]) {
    assertRefused(await send(second, { second: changed }), "conflict");
    assertRefused(await send(continuation, { first: changed }), "conflict");
  }
  deepStrictEqual(charges, ["deposit", "accept"]);
  strictEqual(asAnswer(await send(second, { second: yes, unknown: no })), 2, "answers to other questions are ignored");
});

test("a refusal counts as the answer of a continuation, too: a later yes is a conflict", async () => {
  const { tool, charges } = charging();
  const bench = new Bench([tool], { keys: KEYS });
  let { continuation } = asQuestion(await bench.call("t"));
  ({ continuation } = asQuestion(await bench.call("t", {}, { meta: { continuation, responses: { first: yes } } })));
  strictEqual(asAnswer(await bench.call("t", {}, { meta: { continuation, responses: { second: no } } })), 2);
  assertRefused(await bench.call("t", {}, { meta: { continuation, responses: { second: yes } } }), "conflict");
  deepStrictEqual(charges, ["deposit", "decline"]);
});

test("a continuation without an answer, or with a malformed one, may still be answered", async () => {
  const { tool, charges } = charging();
  const bench = new Bench([tool], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t"));
  for (const responses of [undefined, {}, { first: { action: "perhaps" } }, { other: yes }] as const) {
    asQuestion(await bench.call("t", {}, { meta: { continuation, responses } }));
  }
  deepStrictEqual(charges, []);
  asQuestion(await bench.call("t", {}, { meta: { continuation, responses: { first: yes } } }));
  deepStrictEqual(charges, ["deposit"]);
});

test("a replica refuses other answers to what another one continues", async () => {
  const { clock, engine } = standstill();
  const { tool, charges } = charging();
  const [a, b] = [1, 2].map(() => new Bench([tool], { keys: KEYS, clock, engine })) as [Bench, Bench];
  const { continuation } = asQuestion(await a.call("t"));
  asQuestion(await a.call("t", {}, { meta: { continuation, responses: { first: yes } } }));
  assertRefused(await b.call("t", {}, { meta: { continuation, responses: { first: no } } }), "conflict");
  deepStrictEqual(charges, ["deposit"]);
});

test("an answer that is refused is given again, within the same second too", async () => {
  const tool = t.handle(async (_, ctx) => {
    const answer = await ctx.elicit("k", text);
    return answer.action === "accept" ? answer.content : undefined;
  });
  const bench = new Bench([tool], { keys: KEYS });
  let { continuation } = asQuestion(await bench.call("t"));
  for (const refused of [1, 1]) {
    const meta = { continuation, responses: { k: accept({ text: refused }) } };
    ({ continuation } = asQuestion(await bench.call("t", {}, { meta })));
  }
  const meta = { continuation, responses: { k: accept({ text: "good" }) } };
  deepStrictEqual(asAnswer(await bench.call("t", {}, { meta })), { text: "good" });
});

test("a replica joins the call that another one continues", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  let runs = 0;
  const tool = t.handle(async (_, ctx) => {
    await ctx.elicit("k", sure);
    runs++;
    return await gates.wait();
  });
  const [a, b] = [1, 2].map(() => new Bench([tool], { keys: KEYS, clock, engine })) as [Bench, Bench];
  const meta = { continuation: asQuestion(await a.call("t")).continuation, responses: { k: yes } };
  const calls = [a, b].map((bench) => watch(bench.call("t", {}, { meta })));
  await pass({ clock }, 0);
  await gates.end("done");
  await pass({ clock }, 0);
  deepStrictEqual(calls.map(({ settled }) => asAnswer(settled as CallResult)), ["done", "done"]);
  strictEqual(runs, 1);
});

test("a call with an idempotency key that asks twice gets its answer", async () => {
  const order = defineTool("order").describe("Order").handle(async (_, ctx) => {
    const name = await ctx.elicit("name", { message: "Whose?", schema: v.object({ name: v.string() }) });
    await ctx.requestMore("credits", { amount: 1 });
    return name.action === "accept" ? name.content.name : "";
  });
  const client = createClient(memoryTransport(createServer({ tools: [order], logger: false })), {
    onElicitation: () => ({ action: "accept", content: { name: "Ada" } }),
    onMoreRequested: () => ({ action: "accept" }),
  });
  for (let repeats = 0; repeats < 2; repeats++) {
    strictEqual(await client.$.call("order", {}, { idempotencyKey: "k" }), "Ada");
  }
});
