/** Engines and stores whose optional package is really absent: the log has the command that installs it, and calls end at once. */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import type { Logger } from "../../../mod.ts";
import { copyPackage } from "../../serve/copy_of_package.ts";

type Front = typeof import("../../../mod.ts");
type BullmqEntry = typeof import("../../../src/entries/engines/bullmq.ts");
type RedisEntry = typeof import("../../../src/entries/redis.ts");

/** A logger that keeps the text of each line, and that of its error. */
function keepLines() {
  const lines: string[] = [];
  const first = Promise.withResolvers<void>();
  const keep = (message: string, { error }: { readonly error?: unknown } = {}): void => {
    lines.push(`${message} ${error instanceof Error ? error.message : ""}`);
    first.resolve();
  };
  return { lines, first: first.promise, logger: { debug() {}, info() {}, warn: keep, error: keep } satisfies Logger };
}

for (
  const [absent, options, command] of [
    ["bullmq", { redis: "redis://127.0.0.1:1" }, /npm install bullmq ioredis/],
    ["ioredis", { redis: "redis://127.0.0.1:1" }, /npm install bullmq ioredis/],
    ["bullmq", { postgres: "postgres://127.0.0.1:1/none" }, /npm install bullmq pg/],
    ["pg", { postgres: "postgres://127.0.0.1:1/none" }, /npm install bullmq pg/],
  ] as const
) {
  test(`bullmq(${Object.keys(options)}) without ${absent}: the log names the command once, and promised calls are unavailable`, async () => {
    await using copy = await copyPackage([absent]);
    const { createClient, createServer, defineTool } = await copy.load<Front>("mod.ts");
    const { bullmqEngine } = await copy.load<BullmqEntry>("src/jobs/engines/bullmq/bullmq_engine.ts");
    const { lines, first, logger } = keepLines();
    const runs: string[] = [];
    const report = defineTool("report").describe("Report").promise().handle(() => void runs.push("report"));
    const ping = defineTool("ping").describe("Answer").handle(() => "pong");
    const engine = bullmqEngine({ ...options, logger });
    const server = createServer({
      tools: [report, ping],
      engine,
      keys: `key:${"k".repeat(32)}`,
      logger,
    });
    try {
      const client = createClient<typeof server>(server, { retry: { attempts: 0 } });
      await first;
      const codes: unknown[] = [];
      for (const call of [() => client.report(), () => client.report.start(), () => client.report()]) {
        await call().catch(({ code }: { code: unknown }) => codes.push(code));
      }
      deepStrictEqual(codes, ["unavailable", "unavailable", "unavailable"]);
      deepStrictEqual(runs, []);
      strictEqual(await client.ping(), "pong");
      // Programs that use the engine read it, too. Redis is read without bullmq.
      if (absent !== "bullmq" || "postgres" in options) await rejects(async () => await engine.get("none"), command);
      const named = lines.filter((line) => command.test(line));
      strictEqual(named.length, 1, lines.join("\n"));
      deepStrictEqual(lines.filter((line) => /cannot reach|retries/i.test(line)), [], "it is not an outage");
    } finally {
      await server.close(0);
    }
  });
}

test("a job's changes are listened to once without pg: nothing tries again", async () => {
  await using copy = await copyPackage(["pg"]);
  const { bullmqEngine } = await copy.load<BullmqEntry>("src/jobs/engines/bullmq/bullmq_engine.ts");
  const { lines, first, logger } = keepLines();
  const engine = bullmqEngine({ postgres: "postgres://127.0.0.1:1/none", logger });
  const own = globalThis.setTimeout;
  let timers = 0;
  // Pauses end at once.
  globalThis.setTimeout = ((callback: () => void) => {
    timers++;
    return own(callback, 0);
  }) as typeof setTimeout;
  try {
    const unsubscribe = engine.subscribe("none", () => {});
    await first;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => own(resolve, 0));
    strictEqual(timers, 0, lines.join("\n"));
    unsubscribe();
  } finally {
    globalThis.setTimeout = own;
    await engine.close();
  }
});

test("redisRateLimitStore() without ioredis: the log names the command, and calls are refused as unavailable at once", async () => {
  await using copy = await copyPackage(["ioredis"]);
  const { createClient, createServer, defineTool } = await copy.load<Front>("mod.ts");
  const { redisRateLimitStore } = await copy.load<RedisEntry>("src/entries/redis.ts");
  const { rateLimit } = await copy.load<typeof import("../../../src/entries/middleware.ts")>(
    "src/entries/middleware.ts",
  );
  const { lines, first, logger } = keepLines();
  const server = createServer({
    tools: [defineTool("ping").describe("Answer").handle(() => "pong")],
    middleware: [rateLimit({ perSecond: 1, store: redisRateLimitStore({ redis: "redis://127.0.0.1:1", logger }) })],
    logger,
  });
  try {
    const client = createClient<typeof server>(server, { retry: { attempts: 0 } });
    const code = await client.ping().catch(({ code }: { code: unknown }) => code);
    strictEqual(code, "unavailable");
    await first;
    match(lines.join("\n"), /npm install ioredis/);
  } finally {
    await server.close(0);
  }
});
