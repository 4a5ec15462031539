import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import { timeout } from "../../../src/entries/middleware.ts";
import { assertRefused, Bench, KeptSink, settle } from "../../core/dispatch/harness.ts";
import { asAnswer } from "../../jobs/promises/promised.ts";

const t = defineTool("t").describe("T");

for (const place of ["server", "tool"] as const) {
  test(`timeout() of the ${place} ends what takes longer, and aborts it`, async () => {
    const limit = timeout(500);
    let code: string | undefined;
    const tool = (place === "tool" ? t.use(limit) : t).handle((_, ctx) => {
      ctx.signal.addEventListener("abort", () => (code = ctx.signal.reason.code));
      return new Promise(() => {});
    });
    const bench = new Bench([tool], { middleware: place === "server" ? [limit] : [] });
    const call = bench.call("t");
    await settle();
    bench.clock.tick(499);
    strictEqual(code, undefined);
    bench.clock.tick(1);
    assertRefused(await call, "deadline_exceeded");
    strictEqual(code, "deadline_exceeded");
  });
}

test("timeout() limits streams in all, whatever happens on them", async () => {
  const bench = new Bench([
    t.use(timeout(500)).handle(async function* (_, ctx) {
      for (let n = 0;; n++) {
        yield n;
        await new Promise<void>((resolve) => void bench.clock.after(200, resolve));
        if (ctx.signal.aborted) return;
      }
    }),
  ]);
  const sink = new KeptSink();
  const call = bench.call("t", {}, { sink });
  for (let n = 0; n < 3; n++) {
    await settle();
    bench.clock.tick(200);
  }
  assertRefused(await call, "deadline_exceeded");
  deepStrictEqual(sink.partials, [0, 1, 2]);
});

test("timeout() leaves what is quick alone, and no timer behind", async () => {
  const bench = new Bench([t.use(timeout(500)).handle(async () => await Promise.resolve(1))]);
  strictEqual(asAnswer(await bench.call("t")), 1);
  bench.clock.tick(1_000);
  ok(!(new Bench([t.use(timeout(500)).handle(() => 1)]).call("t") instanceof Promise));
});

test("timeout() refuses an invalid limit", () => {
  for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) throws(() => timeout(ms), RangeError);
});
