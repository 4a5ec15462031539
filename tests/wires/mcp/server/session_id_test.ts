/** `ctx.sessionId` over MCP: the id of the session that the server has found, and nothing that a caller only claims. */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../../../mod.ts";
import { definePrompt, mcp, mcpSessions, mcpTransport } from "../../../../src/entries/mcp.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { callModern, initialize, type Json, legacy } from "./client.ts";

function createAsking(hasSessions: boolean) {
  const which = defineTool("which").describe("Name the session").handle((_, ctx) => ({ id: ctx.sessionId ?? null }));
  const seen: (string | undefined)[] = [];
  const prompt = definePrompt("which").describe("Name the session").handle((_, ctx) => {
    seen.push(ctx.sessionId);
    return "done";
  });
  const wire = mcp(hasSessions ? { sessions: mcpSessions(), ssePath: "/sse" } : {});
  return { server: createServer({ tools: [which], prompts: [prompt], wires: [wire], logger: false }), seen };
}

const call = { name: "which", arguments: {} };
const idIn = ({ structuredContent }: Json) => (structuredContent as Json)["id"];

for (const version of ["2025-11-25", "2025-06-18"]) {
  test(`${version}: tools and prompts see the id of their session`, async () => {
    const { server, seen } = createAsking(true);
    const [one, other] = [await initialize(server, version), await initialize(server, version)];
    for (const { session } of [one, other]) {
      ok(session !== undefined);
      const { last } = await legacy(server, "tools/call", call, { version, session });
      strictEqual(idIn(last.result ?? {}), session);
      await legacy(server, "prompts/get", { name: "which" }, { version, session });
      strictEqual(seen.at(-1), session);
    }
    notStrictEqual(one.session, other.session);
  });
}

test("without sessions ctx.session is undefined, whatever the caller sends", async () => {
  const { server } = createAsking(false);
  const { last } = await legacy(server, "tools/call", call, { session: "claimed" });
  strictEqual(idIn(last.result ?? {}), null);
  const headers = { "mcp-session-id": "claimed" };
  strictEqual(idIn(await callModern(createAsking(true).server, "which", {}, { headers })), null);
});

test("the transport of 2024-11-05 has one as well", { skip: runtime === "workerd" }, async () => {
  const { server } = createAsking(true);
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  const client = createClient<typeof server>(mcpTransport("http://localhost/sse", { fetch }));
  try {
    const { id } = await client.which({});
    ok(id !== null && id.length > 8);
    deepStrictEqual(await client.which({}), { id });
  } finally {
    await client.$.close();
    await server.close(0);
  }
});

test("in a session, too, handlers have the bindings that the runtime passed", async () => {
  const which = defineTool("which").describe("Read a binding").handle((_, ctx) => (ctx.env as { name: string }).name);
  const server = createServer({ tools: [which], wires: [mcp({ sessions: mcpSessions() })], logger: false });
  const fetch = (request: Request) => server.fetch(request, { name: "bound" });
  const { session } = await initialize({ fetch });
  const { last } = await legacy({ fetch }, "tools/call", call, { session });
  deepStrictEqual((last.result?.["content"] as readonly Json[])[0]?.["text"], "bound");
});
