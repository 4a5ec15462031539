/** Engines that fail, or do not answer: callers are asked to retry, the reason is logged, and no shutdown waits for them. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import { assertRefused, Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, changed, Gates, KEYS, pass, redeem, settledOf, standstill, watch } from "./promised.ts";
import type { CallMeta } from "../../../src/entries/wire.ts";

const t = defineTool("t").describe("T");
const wanted: CallMeta = { isPromiseWanted: true };

/** An engine all of whose questions fail while it is down. */
function down(fail: () => never | Promise<never>) {
  const made = standstill();
  const state = { isDown: false };
  const { engine } = made;
  const failIfDown = <Value>(ask: () => Value): Value | Promise<never> => (state.isDown ? fail() : ask());
  const shaky = changed(engine, {
    insert: (job, dueInMs) => failIfDown(() => engine.insert(job, dueInMs)),
    get: (id) => failIfDown(() => engine.get(id)),
    replace: (job, version) => failIfDown(() => engine.replace(job, version)),
    appendLedger: (...args) => failIfDown(() => engine.appendLedger(...args)),
    readLedger: (...args) => failIfDown(() => engine.readLedger(...args)),
    remove: (id) => failIfDown(() => engine.remove(id)),
    schedule: (id, delayMs) => failIfDown(() => engine.schedule(id, delayMs)),
    lease: (id) => failIfDown(() => engine.lease(id)),
  });
  const gates = new Gates();
  const plain = defineTool("plain").describe("P").handle(() => gates.wait());
  const tool = t.promise({ budgetMs: 1_000 }).handle(() => gates.wait());
  return { bench: new Bench([tool, plain], { keys: KEYS, clock: made.clock, engine: shaky }), gates, state };
}

const secret = "ECONNREFUSED redis:6379";

for (
  const [how, fail] of [
    ["throws", () => {
      throw new Error(secret);
    }],
    ["rejects", () => Promise.reject(new Error(secret))],
  ] as readonly (readonly [string, () => never | Promise<never>])[]
) {
  for (
    const [name, call] of [
      ["redeem", (bench, token) => redeem(bench, token)],
      ["a redeem that waits", (bench, token) => redeem(bench, token, 5_000)],
      ["cancel", (bench, token) => bench.call("cancel", { promise: token })],
      ["a promise at once", (bench) => bench.call("t", {}, { meta: wanted })],
      ["a keyed call", (bench) => bench.call("plain", {}, { meta: { idempotencyKey: "a" } })],
      ["a keyed call that may promise", (bench) => bench.call("t", {}, { meta: { idempotencyKey: "a" } })],
      ["an answer to a question", (bench, token) => {
        return bench.call("t", {}, { meta: { continuation: token, responses: { k: { action: "accept" } } } });
      }],
    ] as readonly (readonly [string, (bench: Bench, token: string) => ReturnType<Bench["call"]>])[]
  ) {
    test(`${name} is unavailable while the engine ${how}, and is good again afterwards`, async () => {
      const { bench, gates, state } = down(fail);
      const { token } = asPromise(await bench.call("t", { n: 1 }, { meta: wanted }));
      await pass(bench, 0);
      const begun = gates.begun;
      state.isDown = true;
      const refusal = assertRefused(await call(bench, token), "unavailable");
      deepStrictEqual(refusal.data, { retry_after_ms: 1_000 });
      ok(!JSON.stringify(refusal).includes("redis"), refusal.message);
      const [line, ...more] = bench.log.lines;
      ok(line?.level === "error" && (line.fields["error"] as Error).message === secret);
      deepStrictEqual(more, [], "logged once");
      strictEqual(gates.begun, begun, "nothing runs that could not be written");
      state.isDown = false;
      await gates.end("done");
      strictEqual(asAnswer(await redeem(bench, token)), "done");
    });
  }
}

test("a keyed call that the engine could not write may be repeated with its key", async () => {
  const { bench, gates, state } = down(() => {
    throw new Error(secret);
  });
  const meta = { idempotencyKey: "a" };
  state.isDown = true;
  assertRefused(await bench.call("plain", {}, { meta }), "unavailable");
  state.isDown = false;
  const call = watch(bench.call("plain", {}, { meta }));
  await pass(bench, 0);
  await gates.end("done");
  strictEqual(asAnswer(call.settled), "done");
  strictEqual(gates.begun, 1);
});

/** A promised run on an engine that from some time on never answers any question. */
async function silent() {
  const { clock, engine } = standstill();
  const state = { isSilent: false };
  const ask = <Value>(question: () => Value): Value | Promise<never> => {
    return state.isSilent ? new Promise<never>(() => {}) : question();
  };
  const deaf = changed(engine, {
    get: (id) => ask(() => engine.get(id)),
    replace: (job, version) => ask(() => engine.replace(job, version)),
  });
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000 }).handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS, clock, engine: deaf });
  const call = watch(bench.call("t"));
  await pass({ clock }, 1_000);
  const { token } = asPromise(call.settled);
  state.isSilent = true;
  return { bench, clock, gates, token };
}

for (const isRunning of [true, false]) {
  test(`close() ends 5 s after its grace where the engine never answers (${isRunning ? "a run" : "its end"})`, async () => {
    const { bench, clock, gates } = await silent();
    if (!isRunning) await gates.end("done");
    let isClosed = false;
    void bench.server.close(2_000).then(() => (isClosed = true));
    await pass({ clock }, 2_000);
    await pass({ clock }, 4_999);
    strictEqual(isClosed, false, "what is still to be written has its time");
    await pass({ clock }, 1);
    strictEqual(isClosed, true);
  });
}

test("a redeem ends at its deadline where the engine never answers", async () => {
  const { bench, clock, token } = await silent();
  const call = watch(redeem(bench, token, 5_000));
  await pass({ clock }, 29_999);
  strictEqual(call.settled, undefined);
  await pass({ clock }, 1);
  assertRefused(settledOf(call), "deadline_exceeded");
});
