/** What `.render()` of a tool behind a gateway shows reaches the gateway's callers. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { openaiTools } from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { mcp, mcpTransport } from "../../../src/entries/mcp.ts";
import type { Transport } from "../../../src/entries/wire.ts";

const IMAGE = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;

const far = createServer({
  name: "far",
  version: "1.0.0",
  wires: [mcp()],
  tools: [
    defineTool("chart").describe("Draw a chart").output(v.object({ points: v.number() }))
      .render(({ points }) => [{ type: "text", text: `${points} points` }, IMAGE])
      .handle(() => ({ points: 3 })),
  ],
});

const farFetch = async (url: string | URL | Request, init?: RequestInit) => await far.fetch(new Request(url, init));

/** A far server that says that it has rendered what it has not. */
function claiming(content: unknown): Transport {
  return mcpTransport("http://localhost/mcp", {
    fetch: async (url: string | URL | Request, init?: RequestInit) => {
      const response = await farFetch(url, init);
      // The stream of changes ends when its reader cancels it.
      if (response.headers.get("content-type") !== "application/json") return response;
      const text = await response.text();
      const claimed = text.replace(
        /"content":\[.*?\],"structuredContent"/,
        `"content":${JSON.stringify(content)},"structuredContent"`,
      );
      return new Response(claimed, { status: response.status, headers: { "content-type": "application/json" } });
    },
  });
}

async function openNear(transport: Transport) {
  const tools = mount(await gateway("far", transport));
  return createServer({ name: "near", version: "1.0.0", tools: [], parts: [tools], wires: [mcp()] });
}

async function listen(server: Awaited<ReturnType<typeof openNear>>): Promise<Record<string, unknown>> {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "chart", arguments: {} } };
  const headers = { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" };
  const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(body) });
  return (await (await server.fetch(request)).json() as { result: Record<string, unknown> }).result;
}

const TRANSPORTS: Readonly<Record<string, () => Transport>> = {
  memory: () => memoryTransport(far),
  MCP: () => mcpTransport("http://localhost/mcp", { fetch: farFetch }),
};

describe("over", () => {
  for (const [name, open] of Object.entries(TRANSPORTS)) {
    test(name, async () => {
      const near = await openNear(open());
      const { content, structuredContent } = await listen(near);
      deepStrictEqual(content, [{ type: "text", text: "3 points" }, IMAGE]);
      deepStrictEqual(structuredContent, { points: 3 });
      deepStrictEqual(await createClient(memoryTransport(near)).$.call("chart", {}), { points: 3 });
      const { run } = await openaiTools(near);
      const [message] = await run([{ type: "function", id: "1", function: { name: "chart", arguments: "{}" } }]);
      strictEqual(message?.content, "3 points\n[image/png, 8 bytes]");
      await near.close();
    });
  }
});

for (const content of [7, "text", [], [{}], [{ type: "image" }], { type: "square" }]) {
  test(`a server that claims to have rendered ${JSON.stringify(content)}`, async () => {
    const near = await openNear(claiming(content));
    const { structuredContent, isError } = await listen(near);
    deepStrictEqual([structuredContent, isError], [{ points: 3 }, undefined]);
    await near.close();
  });
}
