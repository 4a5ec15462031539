/** Refusals over MCP: only one that names the scopes that are missing asks the client for another token. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Server, ToolError } from "../../../../mod.ts";
import { bearer } from "../../../../src/entries/auth.ts";
import { definePrompt, defineResource, mcp } from "../../../../src/entries/mcp.ts";
import { legacy, modern, type Reply } from "./client.ts";

type Send = (server: Server, method: string, params: Readonly<Record<string, unknown>>) => Promise<Reply>;

const headers = { authorization: "Bearer ada" };
const ERAS: Readonly<Record<string, Send>> = {
  "2026-07-28": (server, method, params) => modern(server, method, params, { headers }),
  "2025-11-25": (server, method, params) => legacy(server, method, params, { headers }),
  "2025-03-26": (server, method, params) => legacy(server, method, params, { headers, version: "2025-03-26" }),
};

function refuse(): never {
  throw new ToolError("permission_denied", "admins only");
}

function createRefusing(): Server {
  return createServer({
    tools: [
      defineTool("refuse").describe("Refuse").handle(refuse),
      defineTool("read").describe("Read").scopes("docs:read").handle(() => "read"),
      defineTool("step_up").describe("Name the scope that is missing").handle(() => {
        throw new ToolError("permission_denied", "Of another team", { details: { required_scopes: ["team:red"] } });
      }),
    ],
    prompts: [definePrompt("refuse").describe("Refuse").handle(refuse)],
    resources: [defineResource("docs://refuse").read(refuse)],
    wires: [mcp()],
    auth: bearer((token) => token === "ada" ? { id: "ada" } : undefined),
    logger: false,
  });
}

for (const [era, send] of Object.entries(ERAS)) {
  test(`${era}: a refusal of the handler is a result that the model reads, without a challenge`, async () => {
    const { status, headers, last } = await send(createRefusing(), "tools/call", { name: "refuse" });
    strictEqual(status, 200);
    strictEqual(headers.get("www-authenticate"), null);
    strictEqual(last.result?.["isError"], true);
    deepStrictEqual(last.result?.["content"], [{ type: "text", text: "admins only" }]);
  });

  test(`${era}: a refusal of a prompt or a reader keeps its message`, async () => {
    const requests = { "prompts/get": { name: "refuse" }, "resources/read": { uri: "docs://refuse" } };
    for (const [method, params] of Object.entries(requests)) {
      const { status, headers, last } = await send(createRefusing(), method, params);
      deepStrictEqual([status, headers.get("www-authenticate")], [200, null], method);
      deepStrictEqual([last.error?.code, last.error?.message], [-32603, "admins only"], method);
      strictEqual(last.error?.data?.["code"], "permission_denied");
    }
  });

  test(`${era}: a refusal that names scopes is 403, with a challenge for them`, async () => {
    for (const [name, scope] of [["read", "docs:read"], ["step_up", "team:red"]] as const) {
      const { status, headers } = await send(createRefusing(), "tools/call", { name });
      strictEqual(status, 403);
      match(String(headers.get("www-authenticate")), new RegExp(`error="insufficient_scope".*scope="${scope}"`));
    }
  });
}

test("the challenge names the scopes also if the app around the server has identified the caller", async () => {
  const read = defineTool("read").describe("Read").scopes("docs:read", "docs:list").handle(() => "read");
  const server = createServer({ tools: [read], wires: [mcp()], logger: false });
  const fetch = (request: Request) => server.fetch(request, { principal: { id: "ada" } });
  const { status, headers } = await modern({ fetch }, "tools/call", { name: "read" });
  strictEqual(status, 403);
  strictEqual(headers.get("www-authenticate"), 'Bearer error="insufficient_scope", scope="docs:read docs:list"');
});
