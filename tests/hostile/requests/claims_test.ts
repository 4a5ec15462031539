/** Claims of docs/security.md that no other test is about. */
import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { mcp, mcpSessions } from "../../../src/entries/mcp.ts";
import type { RequestWire } from "../../../src/entries/wire.ts";

const tools = [defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id ?? "nobody")];
const JSON_TYPE = { "content-type": "application/json" };

test('the origin "null" cannot be listed, as any sandboxed page has it', () => {
  throws(() => createServer({ tools, origins: ["null"] }), TypeError);
});

test("CORS is answered without credentials, and to listed origins alone", async () => {
  const server = createServer({ logger: false, tools, origins: ["https://app.example"], cors: true });
  const ask = (method: string, origin: string) =>
    server.fetch(
      new Request("https://api.example/mcp-lite/v1/tools", {
        method,
        headers: { ...JSON_TYPE, origin, "access-control-request-headers": "authorization" },
        ...(method === "POST" && { body: "{}" }),
      }),
    );
  for (const method of ["OPTIONS", "POST"]) {
    const listed = await ask(method, "https://app.example");
    deepStrictEqual([listed.status, listed.headers.get("access-control-allow-origin")], [
      method === "POST" ? 200 : 204,
      "https://app.example",
    ]);
    strictEqual(listed.headers.get("access-control-allow-credentials"), null);
    const foreign = await ask(method, "https://evil.example");
    deepStrictEqual([foreign.status, foreign.headers.get("access-control-allow-origin")], [403, null]);
  }
});

test("a preflight is 405 where CORS is off, and says what is allowed", async () => {
  const server = createServer({ logger: false, tools, wires: [mcpLite(), mcp({ sessions: mcpSessions() })] });
  for (const [path, allow] of [["/mcp-lite/v1/call", "POST"], ["/mcp", "POST, GET, DELETE"]] as const) {
    const url = `https://api.example${path}`;
    const headers = { origin: "https://api.example", "access-control-request-method": "POST" };
    const response = await server.fetch(new Request(url, { method: "OPTIONS", headers }));
    deepStrictEqual([response.status, response.headers.get("allow")], [405, allow]);
  }
});

test("a path goes to the wire that has just it, else to the one that has the most of it", async () => {
  const wire = (...paths: readonly string[]): RequestWire => ({
    name: paths[0] ?? "",
    mount: () => ({ paths, handle: () => ({ status: 200, headers: {}, body: paths.join() }) }),
  });
  const server = createServer({ tools, wires: [wire("/a/*"), wire("/a/b/c"), wire("/a/b/*", "/d"), wire("/*")] });
  const ask = async (path: string) => await (await server.fetch(new Request(`https://api.example${path}`))).text();
  for (
    const [path, want] of [
      ["/a/x", "/a/*"],
      ["/a/b", "/a/*"],
      ["/a/b/x/y", "/a/b/*,/d"],
      ["/a/b/c", "/a/b/c"],
      ["/a/b/c/d", "/a/b/*,/d"],
      ["/d", "/a/b/*,/d"],
      ["/d/x", "/*"],
      ["/a", "/*"],
      ["/".repeat(60_000), "/*"],
    ] as const
  ) strictEqual(await ask(path), want, path.slice(0, 64));
});

test("a session of MCP is refused to other callers that know its id", async () => {
  const server = createServer({
    logger: false,
    tools,
    wires: [mcp({ sessions: mcpSessions() })],
    auth: bearer((token) => {
      const [id = "", tenant] = token.split("~");
      return { id, tenant };
    }),
  });
  const ask = (token: string, method: string, params: object, session: string | null = null) =>
    server.fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          ...JSON_TYPE,
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${token}`,
          ...(session !== null && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
    );
  const begun = await ask("ada", "initialize", { protocolVersion: "2025-11-25", capabilities: {} });
  const session = begun.headers.get("mcp-session-id");
  const call = { name: "whoami", arguments: {} };
  const own = await (await ask("ada", "tools/call", call, session)).json();
  strictEqual(own.result.content[0].text, "ada");
  for (const other of ["bob", "ada~north"]) strictEqual((await ask(other, "tools/call", call, session)).status, 404);
  for (const method of ["GET", "DELETE"]) {
    const headers = { accept: "text/event-stream", authorization: "Bearer bob", "mcp-session-id": session ?? "" };
    const response = await server.fetch(new Request("http://localhost/mcp", { method, headers }));
    strictEqual(response.status, 404, method);
  }
  strictEqual((await ask("ada", "ping", {}, session)).status, 200);
  await server.close();
});
