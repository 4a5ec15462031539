/** Servers below a path: `basePath`, and the mounts of frameworks. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Hono } from "hono";
import { createClient, createServer, defineTool, mcpLite, mcpLiteTransport } from "../../mod.ts";
import { bearer, protectedResourcePage } from "../../src/entries/auth.ts";
import { openapiPage } from "../../src/entries/openapi.ts";
import { serve, toNodeHandler } from "../../src/entries/serve.ts";
import { healthPage } from "../../src/entries/health.ts";
import { grpc, grpcTransport } from "../../src/entries/grpc.ts";
import { mcp, mcpSessions } from "../../src/entries/mcp.ts";
import { rest } from "../../src/entries/rest.ts";
import { createCoreServer } from "../../src/server/server.ts";
import { atBasePath } from "../../src/server/base_path.ts";

const tools = [
  defineTool("greet").describe("Greet").annotate({ readOnlyHint: true }).handle(() => "Hello"),
  defineTool("report").describe("Report").promise().handle(() => "done"),
] as const;

function fixture(basePath?: string) {
  const wires = [mcp({ sessions: mcpSessions(), ssePath: "/sse" }), mcpLite(), rest(), openapiPage(), healthPage()];
  return createServer({ tools, wires, ...(basePath !== undefined && { basePath }) });
}

const ORIGIN = "http://localhost";
const POST = { method: "POST", headers: { prefer: "respond-async" } };
const LISTS = ["/mcp-lite/v1/tools", "/rest/tools", "/openapi.json"];

test("basePath: every wire answers below the path, and only there", async () => {
  for (const spelling of ["/v", "v", "/v/"]) {
    const server = fixture(spelling);
    const client = createClient<typeof server>(
      mcpLiteTransport(`${ORIGIN}/v/mcp-lite/v1`, { fetch: (url, init) => server.fetch(new Request(url, init)) }),
    );
    strictEqual(await client.greet(), "Hello");
    for (const path of LISTS) {
      strictEqual((await server.fetch(new Request(`${ORIGIN}/v${path}`))).status, 200, path);
      for (const other of [path, `/vv${path}`, `/V${path}`, `/v/v${path}`]) {
        strictEqual((await server.fetch(new Request(ORIGIN + other))).status, 404, other);
      }
    }
  }
});

test("basePath: an unknown path is answered with the full paths of the wires", async () => {
  const { error } = await (await fixture("/api/tools").fetch(new Request(`${ORIGIN}/mcp`))).json();
  match(error.message, /Nothing answers \/mcp; there are \/api\/tools\/mcp, \/api\/tools\/mcp-lite/);
});

test("basePath: Location, the instance of problems and OpenAPI documents have the path", async () => {
  const server = fixture("/v");
  const promised = await server.fetch(new Request(`${ORIGIN}/v/rest/tools/report`, POST));
  const location = promised.headers.get("location") ?? "";
  match(location, /^\/v\/rest\/tools\/report\/promises\//);
  ok([200, 202].includes((await server.fetch(new Request(ORIGIN + location))).status));
  const problem = await (await server.fetch(new Request(`${ORIGIN}/v/rest/tools/none`))).json();
  strictEqual(problem.instance, "/v/rest/tools/none");
  for (const path of ["/v/rest/openapi.json", "/v/openapi.json"]) {
    const { servers, paths } = await (await server.fetch(new Request(ORIGIN + path))).json();
    deepStrictEqual(servers, [{ url: "/v" }]);
    ok(paths["/rest/tools/greet"], path);
  }
  const { servers } = await (await fixture().fetch(new Request(`${ORIGIN}/openapi.json`))).json();
  strictEqual(servers, undefined);
});

test("basePath: the stream of MCP 2024-11-05 names an endpoint below the path", async () => {
  const server = fixture("/v");
  const headers = { accept: "text/event-stream" };
  const { body } = await server.fetch(new Request(`${ORIGIN}/v/sse`, { headers }));
  const reader = body!.getReader();
  match(new TextDecoder().decode((await reader.read()).value), /event: endpoint\ndata: \/v\/sse\//);
  await reader.cancel();
  await server.close(0);
});

test("basePath: metadata of a protected resource is at the root of the origin, and challenges name it", async () => {
  const page = (resource: string) =>
    protectedResourcePage({ resource, authorizationServers: ["https://login.example"] });
  const server = createServer({
    tools,
    basePath: "/v",
    wires: [mcpLite(), rest(), page("https://api.example/v/mcp-lite/v1"), page("https://api.example/v/rest")],
    auth: bearer(() => undefined),
  });
  for (const [path, resource] of [["/v/mcp-lite/v1/tools", "/v/mcp-lite/v1"], ["/v/rest/tools", "/v/rest"]]) {
    const refused = await server.fetch(new Request(`https://api.example${path}`, POST));
    strictEqual(refused.status, 401);
    const [, url = ""] = /resource_metadata="(.*?)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    strictEqual(url, `https://api.example/.well-known/oauth-protected-resource${resource}`);
    const metadata = await server.fetch(new Request(url));
    strictEqual((await metadata.json()).resource, `https://api.example${resource}`);
  }
});

test("basePath: the banner of serve() has the full URLs, and native gRPC answers at the root too", async () => {
  const server = createServer({ tools, basePath: "/v", wires: [mcp(), grpc()] });
  const lines: unknown[] = [];
  const { log } = console;
  console.log = (line: unknown) => void lines.push(line);
  const listening = await serve(server, { port: 0, banner: true, grpc: { port: 0 } });
  console.log = log;
  match(String(lines[0]), new RegExp(`mcp +${listening.url}/v/mcp\n`));
  const client = createClient<typeof server>(grpcTransport(listening.grpcUrl!));
  strictEqual(await client.greet(), "Hello");
  await client.$.close();
  await listening.close();
});

test("basePath: a value that is not a path is refused", () => {
  for (const basePath of ["http://a.example/v", "/v?x", 1 as never, "/v/*"]) {
    throws(() => createServer({ tools, basePath }), /basePath|base path/i);
  }
});

test("basePath: createServer of ./core takes atBasePath(path)", async () => {
  const server = createCoreServer({ tools: [tools[0]], basePath: atBasePath("/v") });
  strictEqual((await server.fetch(new Request(`${ORIGIN}/v/mcp-lite/v1/tools`))).status, 200);
});

test("a server answers inside Hono: app.all() with basePath", async () => {
  const server = fixture("/v");
  const app = new Hono().get("/", (c) => c.text("page")).all("/v/*", (c) => server.fetch(c.req.raw));
  const http = {
    fetch: async (url: string | URL | Request, init?: RequestInit) => await app.request(new Request(url, init)),
  };
  const client = createClient<typeof server>(mcpLiteTransport(`${ORIGIN}/v/mcp-lite/v1`, http));
  strictEqual(await client.greet(), "Hello");
  strictEqual(await (await app.request("/")).text(), "page");
});

/** Listens as Express does: the path of the mount is moved from `url` to `baseUrl`. */
async function express(mount: string | undefined, server: Parameters<typeof toNodeHandler>[0]) {
  const handler = toNodeHandler(server);
  const http = createHttpServer((request: IncomingMessage & { originalUrl?: string; baseUrl?: string }, response) => {
    request.originalUrl = request.url!;
    request.baseUrl = mount!;
    request.url = request.url!.slice(mount!.length) || "/";
    handler(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

test("toNodeHandler() answers below the mount of Express, without options and with basePath", async () => {
  for (
    const [mount, base, below] of [["/api", undefined, "/api"], ["/api", "/api", "/api"], [
      "/mcp-lite/v1",
      undefined,
      "",
    ]]
  ) {
    const server = fixture(base);
    await using http = await express(mount, server);
    const client = createClient<typeof server>(`${http.url}${below}/mcp-lite/v1`);
    strictEqual(await client.greet(), "Hello");
  }
});

test("toNodeHandler(): Location and OpenAPI documents have the path of the mount of Express", async () => {
  await using http = await express("/api", fixture());
  const promised = await fetch(`${http.url}/api/rest/tools/report`, POST);
  match(promised.headers.get("location") ?? "", /^\/api\/rest\/tools\/report\/promises\//);
  const { servers } = await (await fetch(`${http.url}/api/openapi.json`)).json();
  deepStrictEqual(servers, [{ url: "/api" }]);
  strictEqual((await fetch(`${http.url}/api/none`)).status, 404);
});

test("toNodeHandler(): below a mount challenges name the metadata of the resource, which the handler answers at the root", async () => {
  const page = (resource: string) =>
    protectedResourcePage({ resource, authorizationServers: ["https://login.example"] });
  const resources = ["https://api.example/api/mcp-lite/v1", "https://api.example/api/rest"];
  const server = createServer({
    tools,
    wires: [mcpLite(), rest(), ...resources.map(page)],
    auth: bearer(() => undefined),
  });
  await using http = await express("/api", server);
  for (const resource of resources) {
    const path = new URL(resource).pathname;
    const refused = await fetch(`${http.url}${path}/tools`, POST);
    strictEqual(refused.status, 401);
    const [, url = ""] = /resource_metadata="(.*?)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    strictEqual(url, `https://api.example/.well-known/oauth-protected-resource${path}`);
    await using root = await express("", server);
    strictEqual((await (await fetch(root.url + new URL(url).pathname)).json()).resource, resource);
  }
});
