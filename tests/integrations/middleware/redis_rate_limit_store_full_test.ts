/** Token buckets that replicas share, in a real Redis. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { rateLimit } from "../../../src/entries/middleware.ts";
import { redisRateLimitStore, type RedisRateLimitStoreOptions } from "../../../src/entries/redis.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { skipReason, startRedis, type TestServer } from "../../jobs/engines/programs.ts";
import { errorLogger } from "../../jobs/engines/fixture.ts";

/** Servers start slowly on a busy machine. */
const PATIENT = { timeout: 120_000 };
/** A rate so low that no token is added during a test. */
const SLOW = { perSecond: 1 / 3_600, burst: 3 };

describe("redisRateLimitStore()", { skip: skipReason("redis") }, () => {
  let starting: Promise<TestServer> | undefined;
  const redis = async () => (await (starting ??= startRedis())).url;
  after(async () => {
    await (await starting)?.stop();
  });
  const open = async (options: Partial<RedisRateLimitStoreOptions> = {}) =>
    redisRateLimitStore({ redis: await redis(), timeoutMs: 60_000, name: crypto.randomUUID(), ...options });

  test(
    "redisRateLimitStore() gives no token twice, however many take at once, from however many processes",
    PATIENT,
    async () => {
      const name = crypto.randomUUID();
      const stores = [await open({ name }), await open({ name })];
      const takes = stores.flatMap((store) => Array.from({ length: 20 }, () => store.take("a", SLOW, 0)));
      const waits = await Promise.all(takes);
      strictEqual(waits.filter((waitMs) => waitMs === 0).length, 3);
      ok(waits.every((waitMs) => waitMs === 0 || (waitMs > 3_590_000 && waitMs <= 3_600_000)), waits.join());
      strictEqual(await stores[0]?.take("b", SLOW, 0), 0, "another key, another bucket");
      for (const store of stores) store.close();
    },
  );

  test("redisRateLimitStore() fills buckets again, and forgets them once they are full", PATIENT, async () => {
    const store = await open();
    const quick = { perSecond: 20, burst: 1 };
    strictEqual(await store.take("a", quick, 0), 0);
    let waitMs = await store.take("a", quick, 0);
    for (let tries = 0; tries < 100 && waitMs > 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      waitMs = await store.take("a", quick, 0);
    }
    strictEqual(waitMs, 0);
    store.close();
  });

  test("redisRateLimitStore() limits two servers together", PATIENT, async () => {
    const name = crypto.randomUUID();
    const ping = defineTool("ping").describe("Ping").handle(() => "pong");
    const stores = [await open({ name }), await open({ name })];
    const clients = stores.map((store) =>
      testClient(createServer({ tools: [ping], middleware: [rateLimit({ ...SLOW, store })] }), {
        retry: { attempts: 0 },
      })
    );
    const codes: string[] = [];
    for (let n = 0; n < 6; n++) {
      codes.push(await clients[n % 2]?.ping().catch((error) => error.code) ?? "none");
    }
    deepStrictEqual(codes, ["pong", "pong", "pong", "rate_limited", "rate_limited", "rate_limited"]);
    for (const store of stores) store.close();
  });
});

test("redisRateLimitStore() rejects, and tells once, where there is no Redis", PATIENT, async () => {
  const errors: unknown[] = [];
  const store = redisRateLimitStore({
    redis: "redis://127.0.0.1:1",
    // A failed try to connect is the answer, not the time limit of a reply, which is longer than that of the test.
    timeoutMs: 600_000,
    logger: errorLogger((error) => errors.push(error)),
  });
  for (let n = 0; n < 2; n++) await rejects(Promise.resolve(store.take("a", SLOW, 0)));
  strictEqual(errors.length, 1);
  store.close();
});

test(
  "redisRateLimitStore() tells of a Redis behind a socket by its path, without what is secret",
  PATIENT,
  async () => {
    const errors: unknown[] = [];
    const redis = "/nowhere/redis.sock?password=secret";
    const store = redisRateLimitStore({
      redis,
      timeoutMs: 600_000,
      logger: errorLogger((error) => errors.push(error)),
    });
    await rejects(Promise.resolve(store.take("a", SLOW, 0)), /^StoreError: Redis at \/nowhere\/redis\.sock: [^?]*$/);
    strictEqual(errors.length, 1);
    store.close();
  },
);
