/** Many callers that wait for one job: the engine is asked once for each change, however many they are. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Ctx, defineTool } from "../../mod.ts";
import { Bench, KeptSink } from "./harness.ts";
import { asAnswer, asPromise, changed, Gates, KEYS, pass, redeem, settledOf, standstill, watch } from "./promised.ts";

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
