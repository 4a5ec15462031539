/** A tool that is not there is named in the answer: bounded, and with nothing in it that a reader could be tricked by. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { mcp } from "../../src/wires/mcp/mod.ts";
import { webtools } from "../../src/wires/webtools/mod.ts";
import { mcpLite } from "../../mod.ts";

const search = defineTool("search_documents").describe("Search").handle(() => []);
const server = createServer({
  tools: [search],
  wires: [mcpLite(), mcp(), webtools({ name: "docs", description: "Documents", version: "1.0.0" })],
});

interface Told {
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const WAYS: Readonly<Record<string, readonly [path: string, body: (name: string) => unknown]>> = {
  "MCP-lite": ["/mcp-lite/v1/calltools", (name) => rpc(name)],
  MCP: ["/mcp", (name) => rpc(name)],
  Webtools: ["/webtools/docs", (action) => ({ action, request: {} })],
};

function rpc(name: string) {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } };
}

async function call(way: string, name: string): Promise<Told> {
  const [path, body] = WAYS[way] ?? ["", () => ({})];
  const response = await server.fetch(
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body(name)),
    }),
  );
  return (await response.json() as { error: Told }).error;
}

test("MCP-lite answers word for word as A.5 has it", async () => {
  const { message, data } = await call("MCP-lite", "serch_documents");
  strictEqual(message, "Tool not found");
  deepStrictEqual(data, {
    requested_tool: "serch_documents",
    available_tools: ["search_documents"],
    suggestion: "Did you mean 'search_documents'?",
    code: "tool_not_found",
  });
});

for (const way of ["MCP", "Webtools"]) {
  test(`${way} names the tool in its message, and the one that may be meant`, async () => {
    const { message, data } = await call(way, "serch_documents");
    strictEqual(message, "Tool not found: serch_documents. Did you mean 'search_documents'?");
    strictEqual(data["requested_tool"], "serch_documents");
    strictEqual(data["suggestion"], "Did you mean 'search_documents'?");
  });

  test(`${way} tells back no more of a name than fits, and nothing that is not shown`, async () => {
    const { message } = await call(way, "x".repeat(100_000));
    ok(message.length < 256, message);
    ok(message.startsWith(`Tool not found: ${"x".repeat(128)}…`));
    const tricky = await call(way, "a\r\nb\u0000\u202e\u2028\ud800c");
    ok(tricky.message.startsWith("Tool not found: a??b????c"), JSON.stringify(tricky.message));
  });
}
