/** Progress of a job: each state once, although several redemptions report it; a later attempt is named, as it begins again. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryEngine, type Progress, ToolError } from "../../mod.ts";
import { FakeClock, testClient } from "../../src/entries/testing.ts";
import type { Transport } from "../../src/entries/wire.ts";

test("a state that is reported again, as by the next redemption, reaches the caller once", async () => {
  const states = [{ done: 1 }, { done: 1 }, { done: 1, total: 2 }, { done: 1, total: 2 }, {
    done: 1,
    total: 2,
    message: "a",
  }];
  const events = states.map((progress) => `event: message\ndata: ${JSON.stringify({ progress })}\n\n`);
  const body = `${events.join("")}event: done\ndata: {"content":"whole","_meta":{"response_type":"answer"}}\n\n`;
  const { $ } = createClient("http://example.com", {
    fetch: () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
  });
  const seen: Progress[] = [];
  strictEqual(await $.call("t", {}, { onProgress: (progress) => void seen.push(progress) }), "whole");
  deepStrictEqual(seen, [states[0], states[2], states[4]]);
});

test("progress of a later attempt has its number", async () => {
  const clock = new FakeClock();
  const gate = Promise.withResolvers<void>();
  const attempts: string[] = [];
  const job = defineTool("job").describe("J").promise({ budgetMs: 10, retries: 2 }).handle(async (_, ctx) => {
    attempts.push(`attempt ${ctx.attempt}`);
    ctx.progress(1, 3, ctx.attempt === 2 ? "loading" : undefined);
    if (ctx.attempt < 3) throw new ToolError("unavailable", "Away");
    await gate.promise;
    return "done";
  });
  const reported: (Progress | undefined)[] = [];
  const engine = memoryEngine({ clock });
  const server = createServer({
    tools: [job],
    engine,
    clock,
    logger: false,
    jobMiddleware: [(ctx, next) => {
      ctx.onEvent((event) => event.kind === "progress" && reported.push(event.progress));
      return next();
    }],
  });
  try {
    const promised = await testClient(server).job.start();
    while (attempts.length < 3) await clock.advance(1_000);
    gate.resolve();
    strictEqual(await promised.result(), "done");
    deepStrictEqual(reported.slice(-2), [
      { done: 1, total: 3, message: "attempt 2: loading" },
      { done: 1, total: 3, message: "attempt 3" },
    ]);
  } finally {
    gate.resolve();
    await server.close(0);
  }
});

/** A transport of a protocol without streams, to a job that reports these states one after the other, then ends. */
function unstreamed(states: readonly (Progress | undefined)[]): Transport {
  const left = [...states];
  const promise = { kind: "promise", token: "prom_1", expiresAtMs: Infinity, ttlMs: 1_000, retryAfterMs: 1 } as const;
  return {
    call: () => left.length === 0 ? { kind: "answer", value: "done" } : { ...promise, progress: left.shift() },
    list: () => [],
  };
}

test("progress of a job reaches the caller over a protocol without streams, from each look at the promise", async () => {
  const states = [undefined, { done: 1 }, { done: 1 }, { done: 2, message: "Sleeping" }];
  const seen: Progress[] = [];
  const onProgress = (progress: Progress) => void seen.push(progress);
  strictEqual(await createClient(unstreamed(states)).$.call("t", {}, { onProgress }), "done");
  deepStrictEqual(seen, [states[1], states[3]]);
  const work = createClient(unstreamed(states)).$.redeem("prom_1");
  deepStrictEqual(await Array.fromAsync(work.updates()), [states[1], states[3]]);
});
