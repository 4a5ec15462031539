import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type CallResult, defineTool } from "../../../../mod.ts";
import { Bench, BlockableClock, settle } from "../harness.ts";

const t = defineTool("t").describe("T");
const never = () => new Promise<never>(() => {});
const TOO_LATE: CallResult = {
  kind: "error",
  code: "deadline_exceeded",
  message: "The call took longer than its deadline",
};

function watch(call: unknown): { result?: unknown } {
  const watched: { result?: unknown } = {};
  void Promise.resolve(call).then((result) => (watched.result = result));
  return watched;
}

test("calls that end within their turn set one timer together, and no deadline", async () => {
  const clock = new BlockableClock();
  const bench = new Bench([t.handle(async () => await Promise.resolve(1))], { clock });
  const results = await Promise.all(Array.from({ length: 1_000 }, () => bench.call("t")));
  strictEqual(results.filter((result) => result.kind === "answer").length, 1_000);
  clock.turn();
  strictEqual(clock.timersSet, 1);
});

test("calls of many turns set one timer", async () => {
  const clock = new BlockableClock();
  const bench = new Bench([t.handle(async () => await Promise.resolve(1))], { clock });
  for (let turn = 0; turn < 100; turn++) {
    await bench.call("t");
    clock.turn();
  }
  strictEqual(clock.timersSet, 1);
});

for (const timeoutMs of [1, 2, 3, 5, 11, 12, 13, 20]) {
  test(`a deadline of ${timeoutMs} ms is exact`, async () => {
    const bench = new Bench([t.timeout(timeoutMs).handle(never)]);
    const call = watch(bench.call("t"));
    bench.clock.tick(timeoutMs - 1);
    await settle();
    strictEqual(call.result, undefined);
    bench.clock.tick(1);
    await settle();
    deepStrictEqual(call.result, TOO_LATE);
  });
}

test("a deadline that passed while the loop was blocked expires in the next turn", async () => {
  const clock = new BlockableClock();
  const bench = new Bench([t.timeout(1_000).handle(never)], { clock });
  const late = watch(bench.call("t"));
  clock.block(600);
  const inTime = watch(bench.call("t"));
  clock.block(500);
  clock.turn();
  clock.turn();
  await settle();
  deepStrictEqual(late.result, TOO_LATE);
  strictEqual(inTime.result, undefined);
  clock.block(499);
  clock.turn();
  await settle();
  strictEqual(inTime.result, undefined);
  clock.block(1);
  clock.turn();
  await settle();
  deepStrictEqual(inTime.result, TOO_LATE);
});

test("a call that has its deadline at once does not delay one that gets it later", async () => {
  const clock = new BlockableClock();
  const live = t.timeout(1_000).handle((_, ctx) => (ctx.signal, never()));
  const bench = new Bench([live, defineTool("plain").describe("P").timeout(1_000).handle(never)], { clock });
  const first = watch(bench.call("plain"));
  clock.block(900);
  const second = watch(bench.call("t"));
  clock.block(100);
  clock.turn();
  await settle();
  deepStrictEqual(first.result, TOO_LATE);
  strictEqual(second.result, undefined);
});

test("a signal that is read after a wait aborts at the deadline of the call", async () => {
  const signals: AbortSignal[] = [];
  const bench = new Bench([
    t.timeout(1_000).handle(async (_, ctx) => {
      await Promise.resolve();
      signals.push(ctx.signal);
      return await never();
    }),
  ]);
  const call = watch(bench.call("t"));
  await settle();
  bench.clock.tick(999);
  await settle();
  strictEqual(signals[0]?.aborted, false);
  bench.clock.tick(1);
  await settle();
  strictEqual(signals[0]?.aborted, true);
  deepStrictEqual(call.result, TOO_LATE);
});

test("a caller who leaves ends a call whose signal is read in its first turn", async () => {
  const caller = new AbortController();
  const bench = new Bench([t.handle(async (_, ctx) => {
    await Promise.resolve();
    ok(!ctx.signal.aborted);
    return await never();
  })]);
  const call = watch(bench.call("t", {}, { signal: caller.signal }));
  await Promise.resolve();
  await Promise.resolve();
  caller.abort();
  await settle();
  strictEqual((call.result as { code?: string }).code, "cancelled");
});

test("a shutdown ends a call in its first turn", async () => {
  const bench = new Bench([t.handle(never)]);
  const call = watch(bench.call("t"));
  const closed = bench.server.close(0);
  await settle();
  bench.clock.tick(0);
  await closed;
  await settle();
  strictEqual((call.result as { code?: string }).code, "unavailable");
});

test("10,000 calls that are pending at once all end at their own deadlines", async () => {
  const clock = new BlockableClock();
  const bench = new Bench([t.timeout(1_000).handle(never)], { clock });
  let ended = 0;
  for (let index = 0; index < 10_000; index++) {
    // A quarter of a millisecond apart, all in one turn.
    clock.block(0.25);
    void Promise.resolve(bench.call("t")).then((result) => void (ended += result.kind === "error" ? 1 : 0));
  }
  clock.turn();
  clock.turn();
  await settle();
  strictEqual(ended, 6_000);
  clock.block(999);
  for (let turn = 0; turn < 3; turn++) clock.turn();
  await settle();
  strictEqual(ended, 9_996);
  clock.block(1);
  clock.turn();
  await settle();
  strictEqual(ended, 10_000);
});
