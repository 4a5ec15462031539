/** Idempotency keys: one call for each key and principal, however often it is repeated. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import { defineCallerState, defineTool, Failure, ToolError } from "../../../../mod.ts";
import { assertMasked, assertRefused, Bench, KeptSink } from "../harness.ts";
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
  standstill,
  watch,
} from "../../../jobs/promises/promised.ts";
import type { CallMeta } from "../../../../src/entries/wire.ts";

const t = defineTool("t").describe("T");
const yes = { message: "Sure?", schema: v.object({ yes: v.boolean() }) };
const key = (idempotencyKey: string, more: CallMeta = {}): { readonly meta: CallMeta } => ({
  meta: { idempotencyKey, ...more },
});

/** A tool whose runs wait to be ended, on a separate server. */
function waiting(timeoutMs: number = 30_000) {
  const gates = new Gates();
  const signals: AbortSignal[] = [];
  const tool = t.timeout(timeoutMs).handle((_, ctx) => {
    signals.push(ctx.signal);
    return gates.wait();
  });
  return { bench: new Bench([tool], { keys: KEYS }), gates, signals };
}

test("a repeat of a key joins the call while it runs, and gets its answer after", async () => {
  const { bench, gates } = waiting();
  const calls = [1, 2, 3].map(() => watch(bench.call("t", { n: 1 }, key("a"))));
  await pass(bench, 0);
  strictEqual(gates.begun, 1);
  await gates.end("done");
  for (const call of calls) strictEqual(asAnswer(call.settled), "done");
  await pass(bench, 600_000);
  strictEqual(asAnswer(await bench.call("t", { n: 1 }, key("a"))), "done");
  strictEqual(gates.begun, 1);
});

test("other keys, no key, and other principals are other calls", async () => {
  let runs = 0;
  const bench = new Bench([t.handle(() => ++runs)], { keys: KEYS });
  const peer = (id: string) => ({ peer: { principal: { id } } });
  const calls = [key("a"), key("b"), {}, {}, { ...key("a"), ...peer("ada") }, { ...key("a"), ...peer("bob") }];
  const seen: unknown[] = [];
  for (let round = 0; round < 2; round++) {
    for (const call of calls) seen.push(asAnswer(await bench.call("t", {}, call)));
  }
  deepStrictEqual(seen, [1, 2, 3, 4, 5, 6, 1, 2, 7, 8, 5, 6]);
});

test("a key with other arguments, or for another tool, is a conflict", async () => {
  const gates = new Gates();
  const bench = new Bench([t.handle(() => gates.wait()), defineTool("u").describe("U").handle(() => 1)], {
    keys: KEYS,
  });
  const first = watch(bench.call("t", { a: 1, b: 2 }, key("a")));
  await pass(bench, 0);
  const joined = watch(bench.call("t", { b: 2, a: 1 }, key("a")));
  for (const isDone of [false, true]) {
    if (isDone) await gates.end("done");
    assertRefused(await bench.call("t", { a: 2, b: 2 }, key("a")), "conflict");
    assertRefused(await bench.call("u", { a: 1, b: 2 }, key("a")), "conflict");
  }
  for (const call of [first, joined]) strictEqual(asAnswer(call.settled), "done");
});

for (
  const [name, thrown, isKept] of [
    ["a failure", new Failure("no", "No", { a: 1 }), true],
    ["a refusal of the tool's own", new ToolError("permission_denied", "No"), false],
    ["a masked error", new Error("secret"), false],
    ["unavailable", new ToolError("unavailable", "Not now"), false],
  ] as const
) {
  test(`${name} is ${isKept ? "kept" : "not kept: the key is free again"}`, async () => {
    let runs = 0;
    const bench = new Bench([
      t.handle(() => {
        if (++runs === 1) throw thrown;
        return "second";
      }),
    ], { keys: KEYS });
    const first = await bench.call("t", {}, key("a"));
    await pass(bench, 0);
    const second = await bench.call("t", {}, key("a"));
    if (isKept) {
      deepStrictEqual([asFailure(first, "no"), asFailure(second, "no")], [{ a: 1 }, { a: 1 }]);
    } else {
      strictEqual(first.kind, "error");
      strictEqual(asAnswer(second), "second");
    }
    strictEqual(runs, isKept ? 1 : 2);
  });
}

test("arguments that do not fit are refused, and use up no key", async () => {
  const bench = new Bench([t.input(v.object({ n: v.number() })).handle(({ n }) => n)], { keys: KEYS });
  assertRefused(await bench.call("t", { n: "one" }, key("a")), "invalid_input");
  await pass(bench, 0);
  strictEqual(asAnswer(await bench.call("t", { n: 1 }, key("a"))), 1);
});

test("a deadline ends the call and releases the key; callers that joined may try again", async () => {
  const { bench, gates } = waiting(1_000);
  const first = watch(bench.call("t", {}, key("a")));
  await pass(bench, 500);
  const second = watch(bench.call("t", {}, key("a")));
  await pass(bench, 500);
  assertRefused(first.settled ?? asNothing(), "deadline_exceeded");
  assertRefused(second.settled ?? asNothing(), "unavailable");
  const third = watch(bench.call("t", {}, key("a")));
  await pass(bench, 0);
  await gates.end("done");
  strictEqual(asAnswer(third.settled), "done");
});

const asNothing = () => ({ kind: "answer", value: "nothing" }) as const;

test("a caller that joined leaves at its own deadline, and the call continues", async () => {
  const { bench, gates } = waiting();
  const first = watch(bench.call("t", {}, key("a")));
  await pass(bench, 0);
  const second = watch(bench.call("t", {}, key("a", { deadlineMs: 1_000 })));
  await pass(bench, 1_000);
  strictEqual(second.settled?.kind, "error");
  await gates.end("done");
  strictEqual(asAnswer(first.settled), "done");
  strictEqual(asAnswer(await bench.call("t", {}, key("a"))), "done");
});

for (const isStreamed of [false, true]) {
  test(`a caller that leaves does not abort a keyed call${isStreamed ? " (streamed)" : ""}`, async () => {
    const { bench, gates, signals } = waiting();
    const left = new AbortController();
    const sink = isStreamed ? { sink: new KeptSink() } : {};
    void bench.call("t", {}, { ...key("a"), signal: left.signal, ...sink });
    await pass(bench, 0);
    left.abort();
    await pass(bench, 0);
    strictEqual(signals[0]?.aborted, false);
    await gates.end("done");
    strictEqual(asAnswer(await bench.call("t", {}, key("a"))), "done");
    strictEqual(gates.begun, 1);
  });
}

test("a keyed call that asks is answered by repeating it, with the key and the continuation", async () => {
  let runs = 0;
  const bench = new Bench([
    t.handle(async (_, ctx) => {
      runs++;
      return (await ctx.elicit("k", yes)).action;
    }),
  ], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t", {}, key("a")));
  await pass(bench, 0);
  strictEqual(asQuestion(await bench.call("t", {}, key("a"))).kind, "elicitation", "a repeat is asked, too");
  strictEqual(runs, 2, "nothing is kept of a call that asks");
  const responses = { k: accept({ yes: true }) };
  const call = watch(bench.call("t", {}, key("a", { continuation, responses })));
  await pass(bench, 0);
  strictEqual(asAnswer(call.settled), "accept");
  strictEqual(asAnswer(await bench.call("t", {}, key("a"))), "accept");
  strictEqual(runs, 3);
});

test("a tool that promises gives one promise for each key: at once, or at its budget", async () => {
  for (const isPromiseWanted of [true, false]) {
    const gates = new Gates();
    const tool = t.promise({ budgetMs: 1_000 }).handle(() => gates.wait());
    const bench = new Bench([tool], { keys: KEYS });
    const calls = [1, 2].map(() => watch(bench.call("t", {}, key("a", { isPromiseWanted }))));
    await pass(bench, 0);
    await pass(bench, 1_000);
    const tokens = calls.map(({ settled }) => asPromise(settled).token);
    strictEqual(gates.begun, 1);
    await gates.end("done");
    for (const token of tokens) strictEqual(asAnswer(await redeem(bench, token)), "done");
    strictEqual(asAnswer(await bench.call("t", {}, key("a"))), "done");
    strictEqual(gates.begun, 1);
  }
});

test("a promised call of a key that breaks is begun again", async () => {
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000, retries: 1 }).handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS });
  const call = watch(bench.call("t", {}, key("a")));
  await pass(bench, 0);
  await pass(bench, 1_000);
  const { token } = asPromise(call.settled);
  await gates.fail(new Error("no luck"));
  await pass(bench, 1_000);
  strictEqual(gates.begun, 2);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("a key is good at each server of the engine", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const tool = t.handle(() => gates.wait());
  const benches = [1, 2, 3].map(() => new Bench([tool], { keys: KEYS, clock, engine }));
  const calls = benches.map((bench) => watch(bench.call("t", {}, key("a"))));
  await pass({ clock }, 0);
  strictEqual(gates.begun, 1);
  await gates.end("done");
  for (const call of calls) strictEqual(asAnswer(call.settled), "done");
});

test("a key expires after an hour, and the minute by which clocks may differ", async () => {
  let runs = 0;
  const bench = new Bench([t.handle(() => ++runs)], { keys: KEYS });
  strictEqual(asAnswer(await bench.call("t", {}, key("a"))), 1);
  await pass(bench, 3_659_999);
  strictEqual(asAnswer(await bench.call("t", {}, key("a"))), 1);
  await pass(bench, 1);
  strictEqual(asAnswer(await bench.call("t", {}, key("a"))), 2);
});

test("a stream of a key gets its pieces, a repeat the whole", async () => {
  const bench = new Bench([
    t.partial(v.string()).handle(async function* () {
      yield "a";
      yield "b";
    }),
  ], { keys: KEYS });
  const sink = new KeptSink();
  await bench.call("t", {}, { ...key("a"), sink });
  deepStrictEqual(sink.partials, ["a", "b"]);
  strictEqual(asAnswer(await bench.call("t", {}, key("a"))), "ab");
});

test("a result that is no JSON is masked, and not kept", async () => {
  let runs = 0;
  const bench = new Bench([t.handle(() => (++runs === 1 ? 1n : "second") as unknown)], { keys: KEYS });
  const first = await bench.call("t", {}, key("a"));
  await pass(bench, 0);
  // The wire masks what it cannot write.
  if (first.kind === "error") assertMasked(first, bench.log);
  else strictEqual(first.kind, "answer");
  strictEqual(asAnswer(await bench.call("t", {}, key("a"))), "second");
});

test("the context that a keyed call sets is kept with its answer, for each repeat", async () => {
  const slot = defineCallerState("n", v.number());
  const bench = new Bench([t.handle((_, ctx) => ctx.callerState.set(slot, 5))], { keys: KEYS });
  for (let n = 0; n < 2; n++) {
    const settled = await bench.call("t", {}, key("a"));
    ok(settled.kind === "answer" && settled.context?.startsWith("ctx_"), `repeat ${n}`);
  }
});

test("redeem and cancel take no key", async () => {
  const gates = new Gates();
  const bench = new Bench([t.promise().handle(() => gates.wait())], { keys: KEYS });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  asPromise(await bench.call("redeem", { promise: token }, key("r")));
  await pass(bench, 0);
  await gates.end("done");
  strictEqual(asAnswer(await bench.call("redeem", { promise: token }, key("r"))), "done");
});
