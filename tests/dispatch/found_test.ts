/** What dispatch does not do (yet) that it should: each test is red until it is mended, and then moves to its topic. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../mod.ts";
import { Bench, KeptSink } from "./harness.ts";
import { asPromise, changed, KEYS, pass, standstill, watch } from "./promised.ts";

const t = defineTool("t").describe("T");

for (const isStreamed of [false, true]) {
  const how = isStreamed ? " (streamed)" : "";
  test(`close() ends a call of a promising tool that has not yet promised, when the grace is over${how}`, async () => {
    const bench = new Bench([t.promise({ budgetMs: 1_000 }).handle(() => new Promise(() => {}))], { keys: KEYS });
    const call = watch(bench.call("t", {}, isStreamed ? { sink: new KeptSink() } : {}));
    let isClosed = false;
    void bench.server.close(200).then(() => (isClosed = true));
    await pass(bench, 200);
    // Refused as any other call, or promised and handed over.
    ok(call.settled !== undefined, "the caller has heard nothing");
    await pass(bench, 60_000);
    strictEqual(isClosed, true, "close() hangs until the promise has expired");
  });
}

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
