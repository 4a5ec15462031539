/** Many callers that wait for one job: the engine is asked once for each change, however many they are. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Ctx, defineTool, keyRing } from "../../../mod.ts";
import { Bench, KeptSink } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, changed, Gates, KEYS, pass, redeem, settledOf, standstill, watch } from "./promised.ts";
import type { TokenKeys } from "../../../src/entries/keys.ts";

/** A run that is under way, `callers` that wait for it, and how often the engine is asked for its job. */
async function waitedFor(callers: number) {
  const { clock, engine } = standstill();
  const asked = { count: 0 };
  const counting = changed(engine, {
    get(id) {
      asked.count++;
      return engine.get(id);
    },
  });
  const gates = new Gates();
  const contexts: Ctx[] = [];
  const tool = defineTool("t").describe("T").promise().handle((_, ctx) => {
    contexts.push(ctx);
    return gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: counting });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  const sinks = Array.from({ length: callers }, () => new KeptSink());
  const waits = sinks.map((sink) => {
    return watch(bench.call("redeem", { promise: token, wait_ms: 20_000 }, { sink }));
  });
  await pass({ clock }, 0);
  /** How often the engine is asked while something happens. */
  const during = async (happens: () => void | Promise<void>): Promise<number> => {
    asked.count = 0;
    await happens();
    await pass({ clock }, 300);
    return asked.count;
  };
  return { bench, gates, contexts, waits, sinks, during, token };
}

test("waiting redeems share one look at the job for each change", async () => {
  const counts: number[][] = [];
  for (const callers of [1, 100]) {
    const { gates, contexts, waits, sinks, during } = await waitedFor(callers);
    const ofOne: number[] = [];
    for (let done = 1; done <= 3; done++) ofOne.push(await during(() => contexts[0]?.progress(done, 4)));
    for (const sink of sinks) deepStrictEqual(sink.progress, [1, 2, 3]);
    ofOne.push(await during(() => gates.end("done")));
    for (const wait of waits) strictEqual(asAnswer(settledOf(wait)), "done");
    counts.push(ofOne);
  }
  const [one, hundred] = counts;
  deepStrictEqual(hundred, one);
  ok(one?.every((count) => count <= 4), `${one}`);
});

test("how a run ends is written without a look at its job, also after progress", async () => {
  const { contexts, gates, during } = await waitedFor(0);
  strictEqual(await during(() => gates.end("done")), 0);
  const other = await waitedFor(0);
  await other.during(() => other.contexts[0]?.progress(1, 4));
  strictEqual(await other.during(() => other.gates.end("done")), 0);
  strictEqual(contexts.length, 1);
});

test("a promise that is redeemed before its end is not signed again", async () => {
  const ring = keyRing(KEYS);
  let signed = 0;
  const sign: TokenKeys["sign"] = (kind, claims) => {
    signed++;
    return ring.sign(kind, claims);
  };
  const keys: TokenKeys = { sign, verify: ring.verify.bind(ring) };
  const gates = new Gates();
  const bench = new Bench([defineTool("t").describe("T").promise().handle(() => gates.wait())], { keys });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  for (let n = 0; n < 3; n++) strictEqual(asPromise(await redeem(bench, token)).token, token);
  strictEqual(signed, 1);
  await gates.end("done");
});

test("callers that wait equally long share a timer", async () => {
  const { clock, engine } = standstill();
  const timers = { count: 0 };
  const after = clock.after.bind(clock);
  clock.after = (delayMs, callback) => {
    timers.count++;
    return after(delayMs, callback);
  };
  const gates = new Gates();
  const tool = defineTool("t").describe("T").promise().handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  timers.count = 0;
  const waits = Array.from({ length: 100 }, () => {
    return watch(bench.call("redeem", { promise: token, wait_ms: 10_000 }));
  });
  await pass({ clock }, 0);
  // One for the turn, one for the deadlines of the calls, one for the waits.
  ok(timers.count <= 3, `${timers.count} timers`);
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 1_000) await pass({ clock }, 1_000);
  for (const wait of waits) strictEqual(asPromise(settledOf(wait)).token, token);
  await gates.end("done");
});

test("a look that the engine fails is failed for all who share it, and the next one is another", async () => {
  const { clock, engine } = standstill();
  let isDown = false;
  const shaky = changed(engine, {
    get: (id) => isDown ? Promise.reject(new Error("the disk is full")) : engine.get(id),
  });
  const gates = new Gates();
  const tool = defineTool("t").describe("T").promise().handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS, clock, engine: shaky });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  isDown = true;
  for (const settled of await Promise.all([1, 2, 3].map(() => redeem(bench, token)))) {
    ok(settled.kind === "error" && settled.code === "unavailable");
  }
  isDown = false;
  asPromise(await redeem(bench, token));
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});
