import { match, strictEqual } from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../mod.ts";
import { serve, toNodeHandler } from "../../src/runtime/serve.ts";

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
