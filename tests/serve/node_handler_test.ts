import { match, ok, strictEqual, throws } from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../mod.ts";
import { serve, toNodeHandler } from "../../src/entries/serve.ts";
import { mcp, mcpSessions } from "../../src/entries/mcp.ts";

const BODY = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}';

function fixture() {
  return createServer({ tools: [defineTool("t").describe("T").handle(() => "ok")] });
}

test("toNodeHandler() says of a body that a parser has read what to do about it, and does not wait for it", async () => {
  const handler = toNodeHandler(fixture());
  const http = createHttpServer(async (request, response) => {
    request.resume();
    await once(request, "end");
    handler(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp-lite/v1/calltools`;
  const response = await fetch(url, { method: "POST", body: BODY, headers: { "content-type": "application/json" } });
  strictEqual(response.status, 400);
  match((await response.json()).error.message, /put toNodeHandler\(\) before what reads it/);
  http.closeAllConnections();
  http.close();
});

test("serve() answers to its own address, whichever of the loopback's it is", async () => {
  const server = fixture();
  const listening = await serve(server, { port: 0, hostname: "127.0.0.2" });
  strictEqual(await createClient<typeof server>(`${listening.url}/mcp-lite/v1`).t(), "ok");
  await listening.close();
});

/** Opens the stream of notifications of a new MCP session. */
async function openStream(url: string): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const begun = await fetch(url, { method: "POST", headers: common, body });
  await begun.text();
  const session = { "mcp-session-id": String(begun.headers.get("mcp-session-id")) };
  const stream = await fetch(url, { headers: { ...common, ...session, "mcp-protocol-version": "2025-11-25" } });
  ok(stream.status === 200 && stream.body !== null);
  const reader = stream.body.getReader();
  await reader.read();
  return reader;
}

test("toNodeHandler() closes the server with the listener, so that an open stream does not keep the process", async () => {
  for (const mounts of [1, 2]) {
    const server = createServer({ tools: [], wires: [mcp({ sessions: mcpSessions() })], logger: false });
    const handlers = Array.from({ length: mounts }, () => toNodeHandler(server, { closeWithListener: true }));
    let requests = 0;
    const http = createHttpServer((request, response) => handlers[requests++ % mounts]!(request, response));
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const reader = await openStream(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
    const closed = new Promise((resolve) => http.close(resolve));
    while (!(await reader.read()).done);
    http.closeIdleConnections();
    await closed;
    strictEqual(server["~server"].host.dispatch.isClosed, true);
  }
});

test("without the option a server outlives its listener", async () => {
  const server = fixture();
  const http = createHttpServer(toNodeHandler(server));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/mcp-lite/v1/tools`, { method: "POST", body: "{}" })).text();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
  strictEqual(server["~server"].host.dispatch.isClosed, false);
  throws(() => toNodeHandler(server, { closeWithListener: "yes" as never }), /closeWithListener/);
});
