import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import {
  logging,
  memoryRateLimitStore,
  rateLimit,
  type RateLimitOptions,
  type RateLimitStore,
} from "../../../src/entries/middleware.ts";
import { Bench, KeptLog } from "../../core/dispatch/harness.ts";

const ping = defineTool("ping").describe("Ping").handle(() => "pong");

function limited(options: RateLimitOptions): { readonly bench: Bench; call(id?: string): Promise<string | number> } {
  const bench = new Bench([ping], { middleware: [rateLimit(options)] });
  return {
    bench,
    /** `"taken"`, or the retry delay in milliseconds. */
    async call(id) {
      const settled = await bench.call("ping", {}, id === undefined ? {} : { peer: { principal: { id } } });
      if (settled.kind !== "error") return "taken";
      strictEqual(settled.code, "rate_limited");
      return (settled.data as { readonly retry_after_ms: number }).retry_after_ms;
    },
  };
}

test("rateLimit() takes a burst, then as many a second as it says, and tells when", async () => {
  const { bench, call } = limited({ perSecond: 2, burst: 3 });
  deepStrictEqual([await call(), await call(), await call(), await call()], ["taken", "taken", "taken", 500]);
  bench.clock.tick(200);
  strictEqual(await call(), 300);
  bench.clock.tick(300);
  deepStrictEqual([await call(), await call()], ["taken", 500]);
  bench.clock.tick(60_000);
  deepStrictEqual([await call(), await call(), await call(), await call()], ["taken", "taken", "taken", 500]);
});

test("rateLimit() keeps principals apart, and those together that have none", async () => {
  const { call } = limited({ perSecond: 1 });
  deepStrictEqual([await call("ada"), await call("ada"), await call("bob"), await call(), await call()], [
    "taken",
    1000,
    "taken",
    "taken",
    1000,
  ]);
});

test("rateLimit() takes keys, and lets calls pass that have none", async () => {
  const { bench } = limited({ perSecond: 1, key: (ctx) => ctx.metadata.get("x-key") ?? undefined });
  const call = async (key?: string) => {
    const metadata = new Headers(key === undefined ? {} : { "x-key": key });
    return (await bench.call("ping", {}, { peer: { metadata } })).kind;
  };
  deepStrictEqual([await call("a"), await call("a"), await call("b"), await call(), await call()], [
    "answer",
    "error",
    "answer",
    "answer",
    "answer",
  ]);
});

test("rateLimit() keeps limits apart in one store by their names", async () => {
  const store = memoryRateLimitStore();
  const one = limited({ perSecond: 1, store, name: "one" });
  const other = limited({ perSecond: 1, store, name: "other" });
  deepStrictEqual([await one.call(), await other.call(), await one.call()], ["taken", "taken", 1000]);
});

test("rateLimit() with a name states it to callers, and logging() to operators, so that they know which limit it was", async () => {
  const log = new KeptLog();
  const limit = (name?: string) => rateLimit({ perSecond: 1, ...(name !== undefined && { name }) });
  for (const [name, stated] of [["free", { limit: "free" }], [undefined, {}]] as const) {
    log.lines.length = 0;
    const bench = new Bench([ping], { middleware: [logging({ logger: log }), limit(name)] });
    await bench.call("ping");
    const settled = await bench.call("ping");
    deepStrictEqual(settled.kind === "error" && settled.data, { retry_after_ms: 1_000, ...stated });
    const { code, limit: logged } = log.lines[1]?.fields ?? {};
    deepStrictEqual([code, logged], ["rate_limited", name]);
  }
});

test("rateLimit() refuses or allows, by ifStoreFails, while its store cannot be reached", async () => {
  const store: RateLimitStore = { take: () => Promise.reject(new Error("down")) };
  const refusing = await new Bench([ping], { middleware: [rateLimit({ perSecond: 1, store })] }).call("ping");
  ok(refusing.kind === "error" && refusing.code === "unavailable");
  const middleware = [rateLimit({ perSecond: 1, store, ifStoreFails: "allow" })];
  strictEqual((await new Bench([ping], { middleware }).call("ping")).kind, "answer");
});

test("rateLimit() that allows asks a store that is away once a second, and only that call waits", async () => {
  let asked = 0;
  let fail = (): void => {};
  let isAway = true;
  const store: RateLimitStore = {
    take() {
      asked++;
      if (!isAway) return Promise.resolve(500);
      return new Promise((_, reject) => (fail = () => reject(new Error("down"))));
    },
  };
  const { bench, call } = limited({ perSecond: 1, store, ifStoreFails: "allow" });
  const first = call();
  bench.clock.tick(1_000);
  fail();
  deepStrictEqual([await first, await call(), asked], ["taken", "taken", 1]);
  for (let second = 2; second < 5; second++) {
    bench.clock.tick(1_000);
    const waiting = call();
    deepStrictEqual([await call(), await call(), asked], ["taken", "taken", second]);
    bench.clock.tick(900);
    fail();
    strictEqual(await waiting, "taken");
  }
  isAway = false;
  bench.clock.tick(999);
  deepStrictEqual([await call(), asked], ["taken", 4]);
  bench.clock.tick(1);
  deepStrictEqual([await call(), await call(), asked], [500, 500, 6], "it holds its limit again");
});

test("rateLimit() that allows holds its limit again once its store answers at once", async () => {
  let isAway = true;
  const store: RateLimitStore = { take: () => isAway ? Promise.reject(new Error("down")) : 500 };
  const { bench, call } = limited({ perSecond: 1, store, ifStoreFails: "allow" });
  strictEqual(await call(), "taken");
  isAway = false;
  bench.clock.tick(1_000);
  deepStrictEqual([await call(), await call()], [500, 500]);
});

test("memoryRateLimitStore() forgets the bucket that was not used for longest", () => {
  const store = memoryRateLimitStore({ maxBuckets: 2 });
  const bucket = { perSecond: 1, burst: 1 };
  const take = (key: string) => store.take(key, bucket, 0);
  deepStrictEqual([take("a"), take("b"), take("a"), take("c")], [0, 0, 1000, 0]);
  deepStrictEqual([take("a"), take("c"), take("b")], [1000, 1000, 0], "b was forgotten");
});

test("memoryRateLimitStore() works with a clock that is set back", () => {
  const store = memoryRateLimitStore();
  deepStrictEqual([
    store.take("a", { perSecond: 1, burst: 1 }, 1000),
    store.take("a", { perSecond: 1, burst: 1 }, 0),
    store.take("a", { perSecond: 1, burst: 1 }, 1000),
  ], [0, 1000, 0]);
});

test("rateLimit() and memoryRateLimitStore() refuse limits that are none", () => {
  for (const perSecond of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    throws(() => rateLimit({ perSecond }), RangeError);
  }
  for (const burst of [0, 1.5]) throws(() => rateLimit({ perSecond: 1, burst }), RangeError);
  throws(() => memoryRateLimitStore({ maxBuckets: 0 }), RangeError);
});
