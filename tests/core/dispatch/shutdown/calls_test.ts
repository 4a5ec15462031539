import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type ToolError } from "../../../../mod.ts";
import { assertRefused, Bench, KeptSink, settle } from "../harness.ts";

/** A server with one call under way, and what ends it. */
function busy() {
  const gate = Promise.withResolvers<string>();
  const seen: { signal?: AbortSignal; calls: number } = { calls: 0 };
  const bench = new Bench([
    defineTool("wait").describe("Wait").handle(async (_, ctx) => {
      seen.calls++;
      seen.signal = ctx.signal;
      return await gate.promise;
    }),
    defineTool("now").describe("Now").handle(() => 1),
  ]);
  return { bench, gate, seen };
}

test("close() refuses new calls, with a hint when to try again", async () => {
  const { bench, seen } = busy();
  await bench.server.close();
  for (const tool of ["wait", "now", "none"]) {
    const refusal = assertRefused(await bench.call(tool), "unavailable");
    deepStrictEqual(refusal.data, { retry_after_ms: 1_000 });
  }
  strictEqual(seen.calls, 0);
});

test("close() lets running calls finish, and resolves then", async () => {
  const { bench, gate } = busy();
  const call = bench.call("wait");
  let isClosed = false;
  const closing = bench.server.close().then(() => (isClosed = true));
  assertRefused(await bench.call("now"), "unavailable");
  bench.clock.tick(5_000);
  await settle();
  strictEqual(isClosed, false);
  gate.resolve("done");
  deepStrictEqual(await call, { kind: "answer", value: "done", meta: undefined });
  await closing;
});

test("close() ends what is left after the grace: unavailable, and ctx.signal aborts", async () => {
  const { bench, seen } = busy();
  const call = bench.call("wait");
  const closing = bench.server.close(2_000);
  bench.clock.tick(1_999);
  await settle();
  strictEqual(seen.signal?.aborted, false);
  bench.clock.tick(1);
  assertRefused(await call, "unavailable");
  await closing;
  strictEqual(seen.signal?.aborted, true);
  strictEqual((seen.signal?.reason as ToolError).code, "unavailable");
});

test("close() gives 10 s by default", async () => {
  const { bench } = busy();
  const call = bench.call("wait");
  const closing = bench.server.close();
  bench.clock.tick(10_000);
  assertRefused(await call, "unavailable");
  await closing;
});

test("a call whose own deadline expires within the grace period ends as deadline_exceeded", async () => {
  const { bench } = busy();
  const call = bench.call("wait", {}, { meta: { deadlineMs: 500 } });
  const closing = bench.server.close(2_000);
  bench.clock.tick(500);
  assertRefused(await call, "deadline_exceeded");
  await closing;
});

test("close() ends streams after the grace too, and their generators", async () => {
  let isCleanedUp = false;
  const bench = new Bench([
    defineTool("tick").describe("Tick").handle(async function* (_, ctx) {
      try {
        yield 1;
        await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)));
      } finally {
        isCleanedUp = true;
      }
    }),
  ]);
  const sink = new KeptSink();
  const call = bench.call("tick", {}, { sink });
  await settle();
  const closing = bench.server.close(100);
  bench.clock.tick(100);
  assertRefused(await call, "unavailable");
  await closing;
  await settle();
  deepStrictEqual([sink.partials, isCleanedUp], [[1], true]);
});

test("close() may be called again, with a shorter grace, and after it is closed", async () => {
  const { bench } = busy();
  const call = bench.call("wait");
  const closings = [bench.server.close(60_000), bench.server.close(100)];
  bench.clock.tick(100);
  assertRefused(await call, "unavailable");
  await Promise.all([...closings, bench.server.close(), bench.server.close(0)]);
});

test("close() resolves at once when nothing runs, also after calls that ended in every way", async () => {
  const bench = new Bench([
    defineTool("answer").describe("A").handle(async () => await Promise.resolve(1)),
    defineTool("throw").describe("T").handle(async () => await Promise.reject(new Error("x"))),
    defineTool("hang").describe("H").timeout(10).handle(() => new Promise(() => {})),
    defineTool("gone").describe("G").handle(async (_, ctx) => await Promise.resolve(ctx.signal.aborted)),
    defineTool("stream").describe("S").handle(async function* () {
      yield 1;
    }),
  ]);
  const calls = ["answer", "throw", "hang", "stream"].map((tool) => bench.call(tool, {}, { sink: new KeptSink() }));
  calls.push(bench.call("gone", {}, { signal: AbortSignal.abort() }));
  bench.clock.tick(10);
  await Promise.all(calls);
  let isClosed = false;
  void bench.server.close(1e9).then(() => (isClosed = true));
  await settle();
  strictEqual(isClosed, true);
});
