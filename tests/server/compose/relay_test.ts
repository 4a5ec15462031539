/** Promises of a server elsewhere: how long they last, how they are waited for, and what ends that. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type CallResult, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { mcp } from "../../../src/entries/mcp.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { keepingLogger, listing, scripted } from "./scripted.ts";

const KEYS = "k1:a secret that the gateway's replicas know";
const DAY_MS = 86_400_000;

test("a task behind a gateway was made when it was, and lasts as long as the server says", async () => {
  const gate = Promise.withResolvers<void>();
  const job = defineTool("job").describe("Work").promise({ budgetMs: 1, ttlMs: DAY_MS }).handle(() => gate.promise);
  const remote = createServer({ tools: [job] });
  const app = createServer({
    tools: [],
    parts: [mount(await gateway("remote", memoryTransport(remote)))],
    wires: [mcp()],
    keys: KEYS,
  });
  const beforeMs = Date.now();
  const { token } = await testClient(app).$.start("job");
  const afterMs = Date.now();
  const names = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tasks/get", "mcp-name": token };
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const answered = await app.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { ...names, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/get", params: { taskId: token, _meta } }),
    }),
  );
  const { result } = await answered.json();
  const createdMs = Date.parse(result.createdAt);
  ok(createdMs >= beforeMs - 2_000 && createdMs <= afterMs, result.createdAt);
  ok(result.ttlMs > DAY_MS - 60_000 && result.ttlMs <= DAY_MS + 1_000, String(result.ttlMs));
  gate.resolve();
  await app.close(0);
  await remote.close(0);
});

const REDEEM = listing("redeem", { inputSchema: { type: "object", required: ["promise"] } });
const PROMISE: CallResult = { kind: "promise", token: "far", expiresAtMs: 0, ttlMs: DAY_MS, retryAfterMs: 1 };
const CANCELLED: CallResult = { kind: "answer", value: { cancelled: true } };

test("a server that closes gives its promise back, and waits for no server behind it", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const remote = scripted([listing("job"), REDEEM], ({ tool, limit }) => {
    if (tool === "job") return PROMISE;
    asked.resolve(limit.signal);
    return new Promise<CallResult>(() => {});
  });
  const app = createServer({ tools: [], parts: [mount(await gateway("remote", remote))], keys: KEYS });
  const client = testClient(app);
  const { token } = await client.$.start("job");
  const redeemed = client.$.outcome("redeem", { promise: token, wait_ms: 20_000 });
  const signal = await asked.promise;
  let isAborted = false;
  signal.addEventListener("abort", () => isAborted = true);
  // Who waited for that server would wait for as long as this.
  await app.close(600_000);
  const outcome = await redeemed;
  ok(outcome.kind === "promise" && outcome.token === token);
  ok(isAborted);
});

test("a promise that is asked for again and again leaves nothing behind at the call", async () => {
  let asks = 0;
  const remote = scripted([listing("job"), REDEEM], ({ tool, meta }) => {
    if (tool === "job") return PROMISE;
    reply.push(meta?.["responses"]);
    return ++asks < 4 ? PROMISE : { kind: "answer", value: "done" };
  });
  const reply: unknown[] = [];
  const counts = { added: 0, removed: 0 };
  const app = createServer({
    tools: [],
    parts: [mount(await gateway("remote", remote))],
    keys: KEYS,
    middleware: [(ctx, next) => {
      const { signal } = ctx;
      const { addEventListener, removeEventListener } = signal;
      signal.addEventListener = (...args: unknown[]) => {
        counts.added++;
        return Reflect.apply(addEventListener, signal, args);
      };
      signal.removeEventListener = (...args: unknown[]) => {
        counts.removed++;
        return Reflect.apply(removeEventListener, signal, args);
      };
      return next();
    }],
  });
  const client = testClient(app);
  const { token } = await client.$.start("job");
  const meta = { continuation: token, responses: { a: { action: "decline" } } };
  strictEqual(await client.$.call("redeem", { promise: token, wait_ms: 20_000 }, { meta }), "done");
  strictEqual(counts.added, counts.removed);
  deepStrictEqual(reply, [meta.responses, undefined, undefined, undefined]);
  await app.close(0);
});

test("config that a webtool's schema refuses goes to no server behind it", async () => {
  const remote = scripted([listing("job")]);
  const app = createServer({
    tools: [],
    parts: [mount(await gateway("remote", remote, { forwardConfig: true }))],
    wires: [
      webtools({
        name: "w",
        description: "W",
        version: "1.0.0",
        config: v.object({ units: v.picklist(["metric"]), unit: v.optional(v.string(), "m") }),
      }),
    ],
  });
  const post = (config: object) =>
    app.fetch(
      new Request("http://localhost/webtools/w", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ action: "job", request: {}, config }),
      }),
    );
  const refused = await post({ units: "imperial" });
  deepStrictEqual([refused.status, (await refused.json()).error.code], [400, "CONFIG_ERROR"]);
  strictEqual(remote.calls.length, 0);
  strictEqual((await post({ units: "metric" })).status, 200);
  deepStrictEqual(remote.calls[0]?.config, { units: "metric", unit: "m" });
  await app.close(0);
});

test("work whose promise is too long for one of ours is cancelled", async () => {
  const most = async (length: number) => {
    const token = "t".repeat(length);
    const remote = scripted([listing("job"), REDEEM], ({ tool }) => tool === "job" ? { ...PROMISE, token } : CANCELLED);
    const app = createServer({
      tools: [],
      parts: [mount(await gateway("remote", remote))],
      keys: KEYS,
      logger: keepingLogger(),
    });
    const client = testClient(app, { retry: { attempts: 0 }, principal: { id: "ada" } });
    const code = await client.$.start("job").then(() => "promised", ({ code }: { code: string }) => code);
    await app.close(0);
    return { code, calls: remote.calls.map(({ tool, args }) => [tool, args]), token };
  };
  const short = await most(1_000);
  deepStrictEqual([short.code, short.calls], ["promised", [["job", {}]]]);
  const long = await most(2_000);
  deepStrictEqual([long.code, long.calls], ["internal", [["job", {}], ["cancel", { promise: long.token }]]]);
});
