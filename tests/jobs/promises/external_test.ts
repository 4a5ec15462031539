/** Work in another system: its state is in the token, and nowhere else. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type Ctx, defineTool, memoryEngine, type Pending } from "../../../mod.ts";
import { assertMasked, assertRefused, Bench, KeptSink } from "../../core/dispatch/harness.ts";
import {
  accept,
  asAnswer,
  asFailure,
  asPromise,
  asQuestion,
  cancel,
  changed,
  KEYS,
  pass,
  redeem,
  watch,
} from "./promised.ts";

const t = defineTool("t").describe("T");
const number = v.object({ n: v.number() });

/** An engine that must not be asked for anything. */
const untouchable = changed(memoryEngine(), {
  get: () => {
    throw new Error("touched");
  },
  insert: () => {
    throw new Error("touched");
  },
});

test("an external tool gives a promise at once, and keeps nothing: any server redeems it", async () => {
  const tool = t.input(number).output(v.number()).external({
    start: ({ n }) => ({ n, job: "abc" }),
    check: ({ n, job }) => (job === "abc" ? n * 2 : -1),
  });
  const [a, b] = [1, 2].map(() => new Bench([tool], { keys: KEYS, engine: untouchable })) as [Bench, Bench];
  const { token, ttlMs } = asPromise(await a.call("t", { n: 4 }));
  strictEqual(ttlMs, 3_600_000);
  for (let n = 0; n < 2; n++) strictEqual(asAnswer(await redeem(b, token)), 8);
  assertRefused(await a.call("t", { n: "x" }), "invalid_input");
  asPromise(await a.call("t", { n: 4 }, { meta: { isPromiseWanted: true } }));
});

test("a redeem that waits looks at external work a bounded number of times, whatever delay the work gives", async () => {
  for (const retryAfterMs of [0, 1e-9, -1, NaN]) {
    let looks = 0;
    const tool = t.external({
      start: () => 1,
      check: (_, ctx) => {
        looks++;
        return ctx.pending({ retryAfterMs });
      },
    });
    const bench = new Bench([tool], { keys: KEYS });
    const { token } = asPromise(await bench.call("t"));
    const redeemed = redeem(bench, token, 2_000);
    for (let ms = 0; ms < 2_000; ms += 10) await pass(bench, 10);
    strictEqual(asPromise(await redeemed).token, token);
    ok(looks >= 2 && looks <= 41, `${looks} looks in 2 s after ${retryAfterMs}`);
  }
});

test("ctx.pending() gives the same promise again, with what is known", async () => {
  const bench = new Bench([
    t.external({
      start: () => 1,
      check: (_, ctx) =>
        ctx.pending({ retryAfterMs: 7_000, progress: { done: 1, total: 3 }, estimatedMs: 1_767_226_000_000 }),
    }),
    defineTool("u").describe("U").external({ start: () => 1, check: (_, ctx) => ctx.pending() }),
  ], { keys: KEYS });
  const { token, expiresAtMs } = asPromise(await bench.call("t"));
  await pass(bench, 5_000);
  deepStrictEqual(await redeem(bench, token), {
    kind: "promise",
    token,
    // A token says whole seconds.
    expiresAtMs,
    ttlMs: 3_595_000,
    retryAfterMs: 7_000,
    progress: { done: 1, total: 3 },
    estimatedMs: 1_767_226_000_000,
  });
  const other = asPromise(await bench.call("u"));
  strictEqual(asPromise(await redeem(bench, other.token)).retryAfterMs, 1_000);
});

for (
  const [name, state] of [["nothing", undefined], ["null", null], ["text", "abc"], ["0", 0], ["a list", [1, [
    2,
  ]]]] as const
) {
  test(`a state of ${name} comes back as JSON makes it`, async () => {
    const bench = new Bench([t.external({ start: () => state, check: (kept) => ({ kept }) })], { keys: KEYS });
    const { token } = asPromise(await bench.call("t"));
    deepStrictEqual(asAnswer(await redeem(bench, token)), { kept: state ?? null });
  });
}

test("a state that is too large for a token is masked; the log says why", async () => {
  const bench = new Bench([t.external({ start: () => "x".repeat(2_000), check: () => 1 })], { keys: KEYS });
  match(String(assertMasked(await bench.call("t"), bench.log)), /more than 2048/);
  strictEqual(bench.log.lines[0]?.fields["tool"], "t");
});

for (
  const [name, ask] of [
    ["elicit", (ctx: Ctx) => ctx.elicit("k", { message: "?", schema: number })],
    ["ask", (ctx: Ctx) => ctx.ask({ k: { more: "credits" } })],
    ["requestMore", (ctx: Ctx) => ctx.requestMore("credits")],
  ] as const
) {
  for (const where of ["start", "cancel"] as const) {
    test(`only check asks: ctx.${name}() in ${where} is masked, and logged`, async () => {
      const work = {
        start: async (_: unknown, ctx: Ctx): Promise<number> => {
          if (where === "start") await ask(ctx);
          return 1;
        },
        check: () => 1,
        cancel: async (_: number, ctx: Ctx): Promise<void> => void await ask(ctx),
      };
      const bench = new Bench([t.external(work)], { keys: KEYS });
      const started = await bench.call("t");
      const settled = where === "start" ? started : await bench.call("cancel", { promise: asPromise(started).token });
      match(String(assertMasked(settled, bench.log)), /only the check of \.external\(\) asks/);
    });
  }
}

/** Work elsewhere that asks two questions, and keeps the answers. */
function askingWork() {
  const open = new Map([["size", "Which size?"], ["colour", "Which colour?"]]);
  const answered: unknown[] = [];
  const schema = v.object({ n: v.number() });
  const tool = t.external({
    start: () => 1,
    async check(_, ctx): Promise<Pending | string> {
      const asked = [...open].map(async ([key, message]) => {
        const { action } = await ctx.elicit(key, { message, schema });
        open.delete(key);
        answered.push([key, action]);
      });
      await Promise.allSettled(asked);
      return answered.length < 2 ? ctx.pending({ retryAfterMs: 10 }) : "done";
    },
  });
  return { tool, answered, open };
}

const answerWith = (token: string, responses: Readonly<Record<string, unknown>>) => ({
  meta: { continuation: token, responses },
});

test("check asks through the promise, on any server; each answer reaches one check", async () => {
  const { tool, answered } = askingWork();
  const [a, b] = [1, 2].map(() => new Bench([tool], { keys: KEYS, engine: untouchable })) as [Bench, Bench];
  const { token } = asPromise(await a.call("t"));
  const asked = asQuestion(await redeem(b, token));
  deepStrictEqual([Object.keys(asked.requests), asked.continuation], [["size", "colour"], token]);
  const args = { promise: token };
  const wrong = await a.call("redeem", args, answerWith(token, { size: accept({ n: "x" }) }));
  match(String(asQuestion(wrong).requests["size"]?.params?.["refused"]), /content\.n/);
  const next = asQuestion(await a.call("redeem", args, answerWith(token, { size: accept({ n: 1 }), other: accept() })));
  deepStrictEqual(Object.keys(next.requests), ["colour"]);
  const late = asQuestion(await b.call("redeem", args, answerWith(token, { size: accept({ n: 2 }) })));
  deepStrictEqual(Object.keys(late.requests), ["colour"], "an answer that came first counts");
  strictEqual(asAnswer(await b.call("redeem", args, answerWith(token, { colour: { action: "decline" } }))), "done");
  deepStrictEqual(answered, [["size", "accept"], ["colour", "decline"]]);
});

test("an answer counts for one look, not for the same question asked later", async () => {
  let looks = 0;
  const tool = t.external({
    start: () => 1,
    async check(_, ctx): Promise<Pending> {
      looks++;
      if (looks !== 2) await ctx.elicit("k", { message: `Look ${looks}`, schema: number });
      return ctx.pending({ retryAfterMs: 1_000 });
    },
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { token } = asPromise(await bench.call("t"));
  const answer = answerWith(token, { k: accept({ n: 1 }) });
  const waiting = watch(bench.call("redeem", { promise: token, wait_ms: 20_000 }, answer));
  for (const byMs of [0, 1_000, 1_000]) await pass(bench, byMs);
  strictEqual(asQuestion(waiting.settled).requests["k"]?.message, "Look 3");
});

test("answers of another caller, or with another token, reach no check", async () => {
  const { tool, answered } = askingWork();
  const bench = new Bench([tool], { keys: KEYS });
  const peer = { principal: { id: "ada" } };
  const { token } = asPromise(await bench.call("t", {}, { peer }));
  const answer = answerWith(token, { size: accept({ n: 1 }), colour: accept({ n: 1 }) });
  assertRefused(await bench.call("redeem", { promise: token }, answer), "invalid_promise");
  const other = answerWith(`${token}x`, { size: accept({ n: 1 }), colour: accept({ n: 1 }) });
  asQuestion(await bench.call("redeem", { promise: token }, { ...other, peer }));
  deepStrictEqual(answered, []);
});

test("what start and check throw ends the call, as a handler's does", async () => {
  const failing = (code: string) =>
    t.errors({ no: null }).external({
      start: (_, ctx) => {
        if (code === "start") throw ctx.fail("no", "No");
        return 1;
      },
      check: (_, ctx) => {
        if (code === "check") throw ctx.fail("no", "No");
        throw new Error("secret");
      },
    });
  const starting = new Bench([failing("start")], { keys: KEYS });
  asFailure(await starting.call("t"), "no");
  const checking = new Bench([failing("check")], { keys: KEYS });
  asFailure(await redeem(checking, asPromise(await checking.call("t")).token), "no");
  const breaking = new Bench([failing("")], { keys: KEYS });
  assertMasked(await redeem(breaking, asPromise(await breaking.call("t")).token), breaking.log);
});

test("the output of check is validated", async () => {
  const bench = new Bench([t.output(v.number()).external({ start: () => 1, check: () => "two" as never })], {
    keys: KEYS,
  });
  const { token } = asPromise(await bench.call("t"));
  match(String(assertMasked(await redeem(bench, token), bench.log)), /does not fit the declared schema/);
});

test("check has the callId of start, the tool's name, and the tool's middleware around it", async () => {
  const seen: unknown[] = [];
  const tool = t.use((ctx, next) => {
    seen.push(["middleware", ctx.call.tool]);
    return next();
  }).external({
    start: (_, ctx) => void seen.push(["start", ctx.callId]),
    check: (_, ctx) => {
      seen.push(["check", ctx.callId]);
      return ctx.pending();
    },
    cancel: (_, ctx) => void seen.push(["cancel", ctx.callId]),
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { token } = asPromise(await bench.call("t"));
  await redeem(bench, token);
  strictEqual(await cancel(bench, token), true);
  const [, start] = seen as [unknown, [string, string]];
  const id = start[1];
  deepStrictEqual(seen, [
    ["middleware", "t"],
    ["start", id],
    ["middleware", "t"],
    ["check", id],
    ["middleware", "t"],
    ["cancel", id],
  ]);
});

for (const [reply, want] of [[undefined, true], [true, true], [false, false]] as const) {
  test(`cancel that gives ${reply} answers ${want}`, async () => {
    const bench = new Bench([t.external({ start: () => 5, check: () => 1, cancel: () => reply })], { keys: KEYS });
    const { token } = asPromise(await bench.call("t"));
    strictEqual(await cancel(bench, token), want);
  });
}

test("an external tool without cancel is not_cancellable", async () => {
  const bench = new Bench([t.external({ start: () => 5, check: () => 1 })], { keys: KEYS });
  const { token } = asPromise(await bench.call("t"));
  asFailure(await bench.call("cancel", { promise: token }), "not_cancellable");
});

test("redeem looks again, at the pace of the work, as long as it may wait", async () => {
  const looks: number[] = [];
  const tool = t.external({
    start: () => 1,
    check: (_, ctx): string | Pending => {
      looks.push(ctx.state === undefined ? 0 : 1);
      return looks.length < 4 ? ctx.pending({ retryAfterMs: 2_000, progress: { done: looks.length } }) : "done";
    },
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { token } = asPromise(await bench.call("t"));
  const short = watch(redeem(bench, token, 3_000));
  await pass(bench, 0);
  await pass(bench, 2_000);
  strictEqual(short.settled, undefined);
  await pass(bench, 1_000);
  asPromise(short.settled);
  strictEqual(looks.length, 3, "at 0, 2 and 3 s");
  const sink = new KeptSink();
  looks.length = 1;
  const long = watch(bench.call("redeem", { promise: token }, { sink }));
  for (const byMs of [0, 2_000, 2_000]) await pass(bench, byMs);
  strictEqual(asAnswer(long.settled), "done");
  deepStrictEqual(sink.progress, [2, 3]);
});

test("a redeem of external work that waits gives the promise when the server closes", async () => {
  const bench = new Bench([t.external({ start: () => 1, check: (_, ctx) => ctx.pending({ retryAfterMs: 9_000 }) })], {
    keys: KEYS,
  });
  const { token } = asPromise(await bench.call("t"));
  const waiting = watch(redeem(bench, token, 20_000));
  await pass(bench, 1_000);
  const closed = bench.server.close();
  await pass(bench, 0);
  strictEqual(asPromise(waiting.settled).token, token);
  await closed;
});

test("an external promise lasts as long as its ttlMs says, and is its caller's alone", async () => {
  const bench = new Bench([t.external({ start: () => 1, check: () => 2, ttlMs: 5_000 })], { keys: KEYS });
  const peer = { principal: { id: "ada" } };
  const { token, ttlMs } = asPromise(await bench.call("t", {}, { peer }));
  strictEqual(ttlMs, 5_000);
  assertRefused(await redeem(bench, token), "invalid_promise");
  strictEqual(asAnswer(await bench.call("redeem", { promise: token }, { peer })), 2);
  await pass(bench, 64_000);
  strictEqual(asAnswer(await bench.call("redeem", { promise: token }, { peer })), 2, "a minute for clocks that differ");
  await pass(bench, 2_000);
  assertRefused(await bench.call("redeem", { promise: token }, { peer }), "expired_promise");
});

test("ctx.pending() is for the check of an external tool alone", async () => {
  const bench = new Bench([t.handle((_, ctx) => ctx.pending())], { keys: KEYS });
  ok(assertMasked(await bench.call("t"), bench.log) instanceof TypeError);
});
