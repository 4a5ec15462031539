/**
 * A server that is called a million times: it prints its URL, and for each line that it reads its memory after garbage collection.
 */
import { existsSync, readdirSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, defineTool, mcpLite, memoryEngine } from "../../mod.ts";
import { type Clock, systemClock } from "../../src/internal/time.ts";
import { serve } from "../../src/entries/serve.ts";
import * as v from "../../src/entries/schema.ts";
import { mcp, mcpSessions } from "../../src/entries/mcp.ts";

const add = defineTool("add").describe("Add two numbers").input(v.object({ a: v.number(), b: v.number() }))
  .output(v.number()).handle(({ a, b }) => a + b);

const pieces = defineTool("pieces").describe("Stream ten pieces").partial(v.string()).output(v.string())
  .handle(async function* () {
    for (let at = 0; at < 10; at++) yield `piece ${at}\n`;
  });

const later = defineTool("later").describe("Promise").promise({ ttlMs: 3_000 }).input(v.object({ n: v.number() }))
  .output(v.number()).handle(async ({ n }) => await Promise.resolve(n * 2));

const sure = defineTool("sure").describe("Ask").input(v.object({ text: v.string() })).handle(async (_, ctx) => {
  const { action } = await ctx.elicit("sure", { message: "Sure?", schema: v.object({ yes: v.boolean() }) });
  return action;
});

/** With this option jobs are deleted as soon as their promises expire, not a minute later: their number soon stays the same. */
const ahead: Clock = { ...systemClock, now: () => systemClock.now() + 60_000 };

const server = createServer({
  tools: [add, pieces, later, sure],
  wires: [mcpLite(), mcp({ sessions: mcpSessions() })],
  keys: "k1:a secret that is long enough for all the soaks",
  engine: memoryEngine({ clock: ahead, maxJobs: 100_000 }),
});

/** What the process holds. */
async function holds() {
  const runtime = globalThis as { readonly Bun?: { gc(force: boolean): void }; readonly gc?: () => void };
  let heap = Number.POSITIVE_INFINITY;
  let rss = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 5; times++) {
    runtime.Bun?.gc(true);
    runtime.gc?.();
    await sleep(20);
    const usage = process.memoryUsage();
    heap = Math.min(heap, usage.heapUsed);
    rss = Math.min(rss, usage.rss);
  }
  const descriptors = existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : null;
  return { heap, rss, descriptors };
}

const listening = await serve(server, { port: 0, graceMs: 0 });
console.log(`Listening on ${listening.url}`);
for await (const line of process.stdin.setEncoding("utf8")) {
  for (const word of String(line).trim().split("\n")) console.log(`holds ${word} ${JSON.stringify(await holds())}`);
}
await listening.close();
process.exit(0);
