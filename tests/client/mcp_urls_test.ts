/** URLs at which MCP is certain to be: the client uses MCP, without a transport that the caller has to know of. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, mcpLite } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { mcp, mcpSessions } from "../../src/entries/mcp.ts";

const add = defineTool("add").describe("Add").annotate({ readOnlyHint: true })
  .input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) => a + b);
const ask = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
  const answer = await ctx.elicit("name", { message: "Name?", schema: v.object({ name: v.string() }) });
  return answer.action === "accept" ? answer.content.name : "";
});
const server = createServer({
  tools: [add, ask],
  wires: [mcp({ sessions: mcpSessions(), ssePath: "/sse" }), mcpLite()],
});

function fetchFrom(seen: string[]) {
  return (url: string, init: RequestInit) => {
    seen.push(new URL(url).pathname);
    return server.fetch(new Request(url, init));
  };
}

for (const path of ["/mcp", "/mcp/", "/mcp?tenant=1", "/sse"]) {
  test(`a typed client of ${path} uses MCP`, async () => {
    const seen: string[] = [];
    const client = createClient<typeof server>(`http://localhost${path}`, {
      fetch: fetchFrom(seen),
      onElicitation: () => ({ action: "accept", content: { name: "Ada" } }),
    });
    deepStrictEqual(seen, []);
    strictEqual(await client.add({ a: 1, b: 2 }), 3);
    strictEqual(await client.ask(), "Ada");
    deepStrictEqual((await client.$.list()).map(({ name }) => name), ["add", "ask"]);
    await rejects(client.$.call("ad", {}), { message: 'Tool "ad" was not found; did you mean "add"?' });
    ok(seen.every((one) => /^\/(mcp|sse)\b/.test(one)), seen.join());
    client.$.close();
  });
}

test("other paths are of MCP-lite", async () => {
  const seen: string[] = [];
  const client = createClient<typeof server>("http://localhost", { fetch: fetchFrom(seen) });
  strictEqual(await client.add({ a: 1, b: 2 }), 3);
  deepStrictEqual(seen, ["/mcp-lite/v1/calltools"]);
});

test("headers, limits and retries of the client hold for MCP, too", async () => {
  const sent: (string | null)[] = [];
  const client = createClient("http://localhost/mcp", {
    headers: ({ tool }) => ({ "x-tool": tool ?? "" }),
    fetch: (url, init) => {
      sent.push(new Headers(init.headers).get("x-tool"));
      return server.fetch(new Request(url, init));
    },
  });
  strictEqual(await client.$.call("add", { a: 1, b: 2 }), 3);
  ok(sent.includes("add"), sent.join());
  client.$.close();
});

test("what is not MCP at such a URL is an error that says so", async () => {
  const page = () => Promise.resolve(new Response("<html>", { headers: { "content-type": "text/html" } }));
  const once = { retry: { attempts: 0 } };
  await rejects(createClient("http://localhost/mcp", { fetch: page, ...once }).$.call("add"), {
    message: /not with MCP; for another protocol at this URL pass its transport, such as mcpLiteTransport\(url\)$/,
  });
  const away = () => Promise.reject(new TypeError("refused"));
  await rejects(createClient("http://localhost/mcp", { fetch: away, ...once }).$.call("add"), {
    code: "unavailable",
    message: /^Cannot reach the server; check host and port/,
  });
});
