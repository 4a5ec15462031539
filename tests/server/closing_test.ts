/** What `server.close()` closes: everything that the server was given and that has something open. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Middleware } from "../../mod.ts";
import { memoryRateLimitStore, rateLimit, type RateLimitStore } from "../../src/entries/middleware.ts";
import { testClient } from "../../src/entries/testing.ts";
import type { ChangeBus } from "../../src/entries/wire.ts";
import { mcp, mcpSessions, type SessionStore } from "../../src/entries/mcp.ts";
import { memorySessionStore } from "../../src/wires/mcp/http/sessions/memory_store.ts";

/** A store that counts how often it was closed. */
function countedStore(): RateLimitStore & { closed: number } {
  const store = { ...memoryRateLimitStore(), closed: 0, close: () => void store.closed++ };
  return store;
}

const answer = () => "pong";
const ping = defineTool("ping").describe("Answer").handle(answer);

function createLimited(store: RateLimitStore) {
  return createServer({ tools: [ping], middleware: [rateLimit({ perSecond: 1_000, store })] });
}

test("server.close() closes the stores of rate limits that its calls have used, of the server and of tools", async () => {
  const [ofServer, ofTool, wrapped, unused] = [countedStore(), countedStore(), countedStore(), countedStore()];
  const inner = rateLimit({ perSecond: 1_000, store: wrapped });
  const wrapping: Middleware = (ctx, next) => inner(ctx, next);
  const limited = defineTool("limited").describe("Answer").use(rateLimit({ perSecond: 1, store: ofTool })).handle(
    answer,
  );
  const server = createServer({
    tools: [
      limited,
      defineTool("other").describe("Answer").use(rateLimit({ perSecond: 1, store: unused })).handle(answer),
    ],
    middleware: [rateLimit({ perSecond: 1_000, store: ofServer }), wrapping],
  });
  strictEqual(await testClient(server).limited(), "pong");
  await server.close();
  await server.close();
  const counts = [ofServer, ofTool, wrapped, unused].map(({ closed }) => closed > 0);
  deepStrictEqual(counts, [true, true, true, false], "a store that no call has used has nothing open");
});

test("server.close() leaves a store open that another server uses; the last one closes it", async () => {
  const store = countedStore();
  const [one, two] = [createLimited(store), createLimited(store)];
  for (const server of [one, two]) strictEqual(await testClient(server).ping(), "pong");
  await one.close();
  strictEqual(store.closed, 0);
  await two.close();
  strictEqual(store.closed, 1);
});

test("server.close() closes session stores and change buses after the calls under way, and shared ones with the last server", async () => {
  const order: string[] = [];
  const store: SessionStore = Object.assign(memorySessionStore(), { close: () => void order.push("sessions") });
  const changes: ChangeBus = { publish() {}, subscribe: () => () => {}, close: () => void order.push("changes") };
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const wait = defineTool("wait").describe("Wait").handle(async () => {
    entered.resolve();
    await released.promise;
    order.push("call");
    return "done";
  });
  const create = () => createServer({ tools: [wait], changes, wires: [mcp({ sessions: mcpSessions({ store }) })] });
  const [one, two] = [create(), create()];
  await one.close();
  deepStrictEqual(order, []);
  const call = testClient(two).wait();
  await entered.promise;
  const closed = two.close();
  released.resolve();
  await Promise.all([call, closed]);
  deepStrictEqual(order, ["call", "changes", "sessions"]);
});
