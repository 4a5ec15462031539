/** Promises of a server elsewhere: how long they last, how they are waited for, and what ends that. */
import { ok } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memory } from "../../mod.ts";
import { gateway, mount } from "../../src/compose/mod.ts";
import { mcp } from "../../src/wires/mcp/entry.ts";
import { testClient } from "../../src/testing/mod.ts";

const KEYS = "k1:a secret that the gateway's replicas know";
const DAY_MS = 86_400_000;

test("a task behind a gateway was made when it was, and lasts as long as the server says", async () => {
  const gate = Promise.withResolvers<void>();
  const job = defineTool("job").describe("Work").promise({ budgetMs: 1, ttlMs: DAY_MS }).handle(() => gate.promise);
  const remote = createServer({ tools: [job] });
  const app = createServer({
    tools: [],
    parts: [mount(await gateway("remote", memory(remote)))],
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
