/** `fetch(request, { principal, host })`: the caller that the program around the server has identified. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, mcpLite, mcpLiteTransport, type Principal } from "../../mod.ts";
import { authenticate, bearer } from "../../src/entries/auth.ts";
import { mcp, mcpTransport } from "../../src/entries/mcp.ts";
import { rest, restTransport } from "../../src/entries/rest.ts";
import { webtools, webtoolsTransport } from "../../src/entries/webtools.ts";
import { KeptLog } from "../core/dispatch/harness.ts";

const ADA = { id: "ada", scopes: ["notes:write"] };
const tools = [
  defineTool("whoami").describe("Name the caller").handle((_, ctx) => ctx.principal?.id ?? "nameless"),
  defineTool("write").describe("Write").scopes("notes:write").handle(() => "written"),
  defineTool("region").describe("Name the region").handle((_, ctx) => ctx.env),
] as const;

const wires = [mcp(), mcpLite(), rest(), webtools({ name: "all", description: "All", version: "1.0.0" })];

type Send = (url: string, init: RequestInit) => Promise<Response>;
const TRANSPORTS = {
  "MCP-lite": (fetch: Send) => mcpLiteTransport("http://localhost/mcp-lite/v1", { fetch }),
  MCP: (fetch: Send) => mcpTransport("http://localhost/mcp", { fetch }),
  REST: (fetch: Send) => restTransport("http://localhost/rest", { fetch }),
  Webtools: (fetch: Send) => webtoolsTransport("http://localhost/webtools/all", { fetch }),
};

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`${name}: the principal is the caller, with and without auth, and handlers get the host in ctx.env`, async () => {
    for (const auth of [undefined, bearer(() => undefined)]) {
      const server = createServer({ tools, wires, ...(auth && { auth }) });
      const client = createClient<typeof server>(
        connect((url, init) => server.fetch(new Request(url, init), { principal: ADA, host: "west" })),
      );
      strictEqual(await client.whoami(), "ada");
      strictEqual(await client.write(), "written");
      strictEqual(await client.region(), "west");
    }
  });
}

/** Status and content of a call of `whoami`, with what the host passes. */
async function whoami(auth: Parameters<typeof createServer>[0]["auth"], host: unknown, headers?: HeadersInit) {
  const log = new KeptLog();
  const server = createServer({ tools, ...(auth && { auth }), logger: log });
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}';
  const response = await server.fetch(
    new Request("http://localhost/mcp-lite/v1/calltools", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    }),
    host,
  );
  const { result, error } = await response.json();
  return {
    status: response.status,
    content: result?.content ?? error.message,
    log: String(log.lines[0]?.fields["error"]),
  };
}

test("a principal that is left out is identified by auth", async () => {
  const auth = bearer(() => ({ id: "grace" }));
  for (const host of [undefined, {}, { principal: undefined }, { principal: undefined, host: "west" }]) {
    strictEqual((await whoami(auth, host)).status, 401);
    strictEqual((await whoami(auth, host, { authorization: "Bearer a" })).content, "grace");
  }
  for (const host of [undefined, {}]) strictEqual((await whoami(undefined, host)).content, "nameless");
});

test("what is not a principal is an error of the server, and runs no tool", async () => {
  const wrong = ["", "ada", {}, { id: "" }, { id: "ada", scopes: "all" }, [ADA]];
  for (const auth of [undefined, bearer(() => ADA)]) {
    for (const principal of wrong) {
      const { status, content, log } = await whoami(auth, { principal }, { authorization: "Bearer a" });
      strictEqual(status, 500, JSON.stringify(principal));
      strictEqual(/\bada\b|nameless/.test(content), false);
      match(log, /principal \{ id, tenant\?, scopes\?, claims\? \}/);
    }
  }
});

test("authenticate gets the request and the bindings of the host", async () => {
  const seen: unknown[] = [];
  const identify = ({ method, path, metadata, request, env }: Parameters<Parameters<typeof authenticate>[0]>[0]) => {
    seen.push([method, path, metadata.get("x-user"), request?.headers.get("x-user"), request?.url, env]);
    return { id: "ada" } satisfies Principal;
  };
  const auth = authenticate(identify);
  const env = { SECRET: "s" };
  strictEqual((await whoami(auth, env, { "x-user": "a" })).content, "ada");
  strictEqual((await whoami(auth, { principal: undefined, host: env }, { "x-user": "a" })).content, "ada");
  const one = ["POST", "/mcp-lite/v1/calltools", "a", "a", "http://localhost/mcp-lite/v1/calltools", env];
  deepStrictEqual(seen, [one, one]);
});
