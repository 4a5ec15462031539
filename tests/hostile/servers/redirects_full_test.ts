/**
 * Redirects to another origin, from real servers: no client follows them, so that neither credentials nor a body arrive there. What a program
 * sends by `fetch` itself, with a function of ours, is followed without the token.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, createServer, mcpLiteTransport, type ToolError } from "../../../mod.ts";
import { bearerFetch, clientCredentials, oauthFetch } from "../../../src/entries/oauth.ts";
import { toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { connectTransport, grpcTransport, grpcWebTransport } from "../../../src/entries/grpc.ts";
import { resolveWait } from "../../../src/entries/waits.ts";
import { webSocketTransport } from "../../../src/entries/websocket.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import type { Transport } from "../../../src/entries/wire.ts";
import { restTransport } from "../../../src/entries/rest.ts";
import { webtoolsTransport } from "../../../src/entries/webtools.ts";
import { runHere } from "../../apps/cli/run_here.ts";

const STATUSES = [301, 302, 303, 307, 308] as const;
const SECRET = "s3cret-token";
const HEADERS = { authorization: `Bearer ${SECRET}`, "x-api-key": SECRET, cookie: `session=${SECRET}` };

/** A server that redirects every request, and one at another origin that notes what arrives there. */
interface Pair extends AsyncDisposable {
  /** URL of the server that redirects. */
  readonly from: string;
  /** Status of the redirects from now on. */
  status: number;
  /** What arrived at the server that redirects. */
  readonly asked: Request[];
  /** What arrived at the other origin. */
  readonly arrived: Request[];
}

interface Request {
  readonly method: string | undefined;
  readonly headers: IncomingMessage["headers"];
}

type Handler = (request: Pick<IncomingMessage, "method" | "headers" | "url">, response: ServerResponse) => void;

async function listen(handler: Handler, isHttp2: boolean = false) {
  const sockets = new Set<Socket>();
  const server = isHttp2 ? createHttp2(handler as never) : createHttpServer(handler);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function openPair(isHttp2: boolean = false): Promise<Pair> {
  const asked: Request[] = [];
  const arrived: Request[] = [];
  const to = await listen(({ method, headers }, response) => {
    arrived.push({ method, headers });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }, isHttp2);
  const from = await listen(({ method, headers, url }, response) => {
    asked.push({ method, headers });
    response.writeHead(pair.status, { location: `${to.url}${url}` }).end();
  }, isHttp2);
  const pair: Pair = {
    from: from.url,
    status: 302,
    asked,
    arrived,
    async [Symbol.asyncDispose]() {
      await from.close();
      await to.close();
    },
  };
  return pair;
}

const CLIENTS: Readonly<Record<string, (url: string) => Transport>> = {
  "MCP-lite": (url) => mcpLiteTransport(`${url}/mcp-lite/v1`, { headers: HEADERS }),
  MCP: (url) => mcpTransport(`${url}/mcp`, { headers: HEADERS }),
  "MCP of the older eras": (url) => mcpTransport(`${url}/mcp`, { headers: HEADERS, era: "legacy" }),
  REST: (url) => restTransport(url, { headers: HEADERS }),
  Webtools: (url) => webtoolsTransport(`${url}/w`, { headers: HEADERS, config: { key: SECRET } }),
  "Webtools without metadata": (url) => webtoolsTransport(`${url}/w`, { headers: HEADERS, validate: false }),
  Connect: (url) => connectTransport(url, { headers: HEADERS }),
  "gRPC-Web": (url) => grpcWebTransport(url, { headers: HEADERS }),
};

for (const [name, open] of Object.entries(CLIENTS)) {
  test(`a redirect of a call, a stream or a list over ${name} is not followed`, async () => {
    await using pair = await openPair();
    for (pair.status of STATUSES) {
      const { $ } = createClient(open(pair.from), { retry: { attempts: 0 } });
      try {
        for (const send of [() => $.call("t"), () => $.stream("t").result, () => $.list()]) {
          const before = pair.asked.length;
          await rejects(send(), (error: ToolError) => {
            strictEqual(error.code, "invalid_request", `${pair.status}: ${error.message}`);
            match(error.message, /Redirects are not followed: use the final URL/);
            return true;
          });
          ok(pair.asked.length > before && pair.asked.every(({ headers }) => headers["x-api-key"] === SECRET));
        }
      } finally {
        $.close();
      }
    }
    deepStrictEqual(pair.arrived, []);
  });
}

test("a redirect of a call or a list over gRPC is not followed", async () => {
  await using pair = await openPair(true);
  for (pair.status of STATUSES) {
    const { $ } = createClient(grpcTransport(new URL(pair.from).host, { headers: HEADERS }), {
      retry: { attempts: 0 },
    });
    try {
      for (const send of [() => $.call("t"), () => $.stream("t").result, () => $.list()]) {
        await rejects(send(), { code: "invalid_request" });
      }
    } finally {
      $.close();
    }
  }
  deepStrictEqual(pair.arrived, []);
});

test("a redirect of a WebSocket is not followed", async () => {
  await using pair = await openPair();
  for (pair.status of STATUSES) {
    const url = `${pair.from.replace("http", "ws")}/mcp-lite/v1/ws`;
    const { $ } = createClient(webSocketTransport(url, { headers: HEADERS }), { retry: { attempts: 0 } });
    try {
      await rejects($.call("t"), { name: "ToolError" }, String(pair.status));
    } finally {
      $.close();
    }
  }
  deepStrictEqual(pair.arrived, []);
});

test("a redirect of an imported API and of a resolver is not followed", async () => {
  await using pair = await openPair();
  const tools = toolsFromOpenApi({
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    paths: {
      "/a": {
        get: { operationId: "read" },
        post: {
          operationId: "write",
          requestBody: { content: { "application/json": { schema: { type: "object" } } } },
        },
      },
    },
  }, { baseUrl: pair.from, headers: HEADERS });
  const { $ } = testClient(createServer({ tools, logger: false }), { retry: { attempts: 0 } });
  for (pair.status of STATUSES) {
    await rejects($.call("read"), { code: "redirected" });
    await rejects($.call("write", { body: { secret: SECRET } }), { code: "redirected" });
    await rejects(resolveWait(`${pair.from}/res_x`, 1), { code: "unavailable" });
  }
  deepStrictEqual(pair.arrived, []);
});

test("a redirect of an OAuth server's metadata or tokens is not followed", async () => {
  await using elsewhere = await openPair();
  let [redirected, status, redirects] = ["", 0, 0];
  const server = await listen(({ url = "", headers }, response) => {
    const reply = (code: number, body: object, others: Readonly<Record<string, string>> = {}) =>
      response.writeHead(code, { "content-type": "application/json", ...others }).end(JSON.stringify(body));
    if (url === redirected) {
      redirects++;
      response.writeHead(status, { location: `${elsewhere.from}${url}` }).end();
    } else if (url.startsWith("/.well-known/oauth-protected-resource")) {
      reply(200, { resource: `${server.url}/mcp`, authorization_servers: [server.url] });
    } else if (url.startsWith("/.well-known/")) {
      reply(200, { issuer: server.url, token_endpoint: `${server.url}/token` });
    } else if (url === "/token") reply(200, { access_token: "good", token_type: "Bearer" });
    else if (headers.authorization === "Bearer good") reply(200, {});
    else reply(401, {}, { "www-authenticate": "Bearer" });
  });
  const send = async () => {
    const grant = clientCredentials({ clientId: "a", clientSecret: SECRET, issuer: server.url });
    const response = await oauthFetch(`${server.url}/mcp`, { grant })(`${server.url}/mcp`, { method: "POST" });
    await response.text();
    return response.status;
  };
  try {
    strictEqual(await send(), 200);
    const paths = ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/token"];
    for (redirected of paths) {
      for (status of STATUSES) {
        const before: number = redirects;
        await send().catch(() => {});
        ok(redirects > before, `${redirected} was not requested`);
      }
    }
    deepStrictEqual(elsewhere.asked, []);
  } finally {
    await server.close();
  }
});

test("a redirect that the runtime follows for a program is without the token, and 307 and 308 keep the body", async () => {
  await using pair = await openPair();
  const send = bearerFetch(SECRET);
  for (pair.status of STATUSES) {
    const response = await send(pair.from, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    await response.text();
    const { method, headers } = pair.arrived.at(-1) ?? {};
    strictEqual(method, pair.status >= 307 ? "POST" : "GET", String(pair.status));
    strictEqual(headers?.authorization, undefined, String(pair.status));
  }
  strictEqual(pair.arrived.length, STATUSES.length);
});

test("the command line follows no redirect", async () => {
  await using pair = await openPair();
  const cwd = await mkdtemp(join(tmpdir(), "toolwire-"));
  const flags = ["--bearer-env", "T", "--header", `x-api-key: ${SECRET}`, "--timeout", "5s"];
  const runAt = (verb: string, target: string, ...words: readonly string[]) =>
    runHere({ cwd, env: { T: SECRET } }, verb, target, ...words, ...flags);
  try {
    for (pair.status of STATUSES) {
      for (const path of ["/mcp-lite/v1", "/mcp", "/rest", ""]) {
        for (const [verb, ...words] of [["list"], ["types"], ["call", "t"]] as const) {
          const { code, errors } = await runAt(verb, `${pair.from}${path}`, ...words);
          const which = `${pair.status} ${verb} ${path}: ${errors}`;
          ok(code !== 0, which);
          match(errors, /redirect/i, which);
        }
      }
      for (const [verb, path] of [["list", "/tools.json"], ["pin", "/w"], ["doctor", "/mcp"]] as const) {
        const { code } = await runAt(verb, `${pair.from}${path}`);
        ok(code !== 0, `${pair.status} ${verb}`);
      }
    }
    deepStrictEqual(pair.arrived, []);
  } finally {
    await rm(cwd, { recursive: true });
  }
});
