/** A client for a URL at which something other than MCP-lite answers says what was found, and which transport to pass. */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server as SocketServer } from "node:net";
import { test } from "node:test";
import { createClient, createServer, defineTool, mcpLite, ToolError } from "../../mod.ts";
import { mcp, mcpTransport } from "../../src/entries/mcp.ts";
import { serve } from "../../src/entries/serve.ts";

const greet = defineTool("greet").describe("Greet").handle(() => "Hello");

/** Runs `work` against a server on a free port. */
async function at(server: SocketServer, work: (origin: string) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    if ("closeAllConnections" in server) (server as ReturnType<typeof createHttpServer>).closeAllConnections();
  }
}

/** What a call and a list reject with: code and message. */
async function errorsAt(url: string): Promise<(readonly [code: string, message: string])[]> {
  const { $ } = createClient(url, { retry: { attempts: 0 } });
  const caught = await Promise.all([$.call("greet"), $.list()].map((work) => work.catch((error: unknown) => error)));
  $.close();
  return caught.map((error) => error instanceof ToolError ? [error.code, error.message] : ["none", String(error)]);
}

/** A reply to everything. */
function reply(status: number, type: string, text: string): RequestListener {
  return (_, response) => void response.writeHead(status, { "content-type": type }).end(text);
}

/** As the official server behind a router: JSON-RPC on its path alone, an error without a session. */
const officialMcp: RequestListener = (request, response) => {
  if (request.url !== "/mcp" && request.url !== "/rpc") {
    return reply(404, "text/html", `<pre>Cannot POST ${request.url}</pre>`)(request, response);
  }
  const error = { code: -32000, message: "Bad Request: Server not initialized" };
  reply(400, "application/json", JSON.stringify({ jsonrpc: "2.0", error, id: null }))(request, response);
};

for (
  const [name, listener, path, code, hint] of [
    [
      "an MCP server",
      officialMcp,
      "/rpc",
      "method_not_found",
      'MCP is at /rpc: pass mcpTransport(url) of "toolwire/mcp"',
    ],
    [
      "an MCP server, at its default path",
      officialMcp,
      "",
      "method_not_found",
      "MCP is at /mcp: pass mcpTransport(url)",
    ],
    [
      "a page",
      reply(200, "text/html", "<!doctype html>"),
      "/app",
      "invalid_request",
      "text/html is at /app: check the URL",
    ],
    [
      "an API of JSON",
      reply(404, "application/json", '{"detail":"Not Found"}'),
      "",
      "method_not_found",
      "application/json is at /mcp-lite/v1",
    ],
    [
      "an empty reply",
      (_, response) => void response.writeHead(405).end(),
      "/x",
      "invalid_request",
      "nothing is at /x",
    ],
  ] as readonly (readonly [string, RequestListener, string, string, string])[]
) {
  test(`createClient(url) names ${name}`, async () => {
    await at(createHttpServer(listener), async (origin) => {
      for (const [found, message] of await errorsAt(origin + path)) {
        deepStrictEqual([found, message.includes(hint)], [code, true], message);
        match(message, /^The server answered \d+, not with MCP-lite; /);
        strictEqual(message.includes(origin), false);
      }
    });
  });
}

test("createClient(url) names a gRPC server", async () => {
  const grpc = createHttp2Server();
  grpc.on("sessionError", () => {});
  await at(grpc, async (origin) => {
    for (const [code, message] of await errorsAt(origin)) {
      strictEqual(code, "unavailable");
      match(message, /; for gRPC pass grpcTransport\(address\) of "toolwire\/grpc"$/);
    }
  });
});

test("createClient(url) says where nothing listens", async () => {
  let free = "";
  await at(createHttpServer(), (origin) => Promise.resolve(void (free = origin)));
  for (const [code, message] of await errorsAt(free)) {
    deepStrictEqual([code, message], ["unavailable", "Cannot reach the server; check host and port"]);
  }
});

test("createClient(url) lists the paths of a Toolwire server without MCP-lite, and names its other wire", async () => {
  const running = await serve(createServer({ tools: [greet], wires: [mcp()] }), { port: 0 });
  for (const [code, message] of await errorsAt(running.url)) {
    strictEqual(code, "method_not_found");
    match(
      message,
      /^Nothing answers \/mcp-lite\/v1\/(calltools|tools); there are \/mcp; MCP is at \/mcp: pass mcpTransport/,
    );
  }
  await running.close();
});

test("createClient(url) with the URL of MCP uses MCP, where MCP-lite has another path", async () => {
  const running = await serve(createServer({ tools: [greet] }), { port: 0 });
  deepStrictEqual((await errorsAt(`${running.url}/mcp`)).map(([code]) => code), ["none", "none"]);
  for (const [, message] of await errorsAt(`${running.url}/api`)) match(message, /calltools$/);
  await running.close();
});

test("createClient(url) without a path calls /mcp-lite/v1, and leaves errors of the server as they are", async () => {
  const broken = defineTool("broken").describe("Break").handle(() => {
    throw new ToolError("invalid_request", "Not today");
  });
  const running = await serve(createServer({ tools: [greet, broken], wires: [mcpLite(), mcp()] }), { port: 0 });
  const { $ } = createClient(new URL(running.url).origin);
  strictEqual(await $.call("greet"), "Hello");
  await rejects($.call("broken"), { code: "invalid_request", message: "Not today" });
  await running.close();
});

test("createClient(url) with a wrong path leaves the error of a server that lists MCP-lite as it is", async () => {
  for (const path of ["/mcp-lite/v1", "/v2"]) {
    const { fetch } = createServer({ tools: [greet], wires: [mcp(), mcpLite({ path })] });
    const { $ } = createClient("http://localhost/x", { fetch: (url, init) => fetch(new Request(url, init)) });
    const message = await $.call("greet").catch(({ message }: Error) => message);
    strictEqual(message, `Nothing answers /x/calltools; there are /mcp, ${path}/calltools`);
  }
});

test("mcpTransport(url) without a path says that MCP is usually at /mcp", async () => {
  const fetch = () => Promise.resolve(new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } }));
  const messageAt = (url: string) =>
    createClient(mcpTransport(url, { fetch })).$.call("greet").catch(({ message }: Error) => message);
  strictEqual(await messageAt("http://localhost/mcp"), "The server answered 200, not with MCP");
  strictEqual(
    await messageAt("http://localhost"),
    "The server answered 200, not with MCP: the URL has no path, and most servers have MCP at /mcp",
  );
});
