/** Who meets the limit of a body or of arguments reads which option sets it. */
import { rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { group } from "../../src/entries/compose.ts";
import { testClient } from "../../src/entries/testing.ts";

const store = defineTool("store").describe("Store a text").input(v.object({ text: v.string() })).handle(() => "stored");
const limits = { bodyBytes: 100 };

test("a body over the limit is refused with the option that sets it", async () => {
  const server = createServer({ tools: [store], limits });
  const request = new Request("http://localhost/mcp-lite/v1/rpc", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "x".repeat(200) }),
  });
  const response = await server.fetch(request);
  strictEqual(response.status, 413);
  strictEqual(
    (await response.json()).error.message,
    "The body is larger than 100 bytes, the server's limits.bodyBytes",
  );
});

test("the limit is in bytes, also for a request whose program declares a wrong length", async () => {
  const server = createServer({ tools: [store], limits: { bodyBytes: 300 } });
  const send = async (text: string, declared: string) => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "store", arguments: { text } } };
    const response = await server.fetch(
      new Request("http://localhost/mcp-lite/v1/rpc", {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": declared },
        body: JSON.stringify(message),
      }),
    );
    await response.text();
    return response.status;
  };
  for (const declared of ["10", "300"]) {
    strictEqual(await send("x".repeat(100), declared), 200);
    strictEqual(await send("€".repeat(100), declared), 413, "about 200 characters, and 400 bytes");
    strictEqual(await send("😀".repeat(60), declared), 413, "about 220 characters, and 340 bytes");
  }
});

test("arguments over the limit of a part are refused with the option that sets it", async () => {
  const server = createServer({ tools: [], parts: [group("in", createServer({ tools: [store], limits }))] });
  await rejects(testClient(server).$.call("in_store", { text: "x".repeat(200) }), {
    code: "payload_too_large",
    message: 'The arguments are larger than 100 bytes, the limits.bodyBytes of group "in"',
  });
});
