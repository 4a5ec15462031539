/** WebSockets in an HTTP server that is not ours: `http.on("upgrade", toNodeHandler(server).upgrade)`. */
import { match, rejects, strictEqual } from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { test } from "node:test";
import { createClient, createServer, defineTool, ToolError } from "../../mod.ts";
import { authenticate } from "../../src/entries/auth.ts";
import { toNodeHandler } from "../../src/entries/serve.ts";
import { webSocket, webSocketTransport } from "../../src/entries/websocket.ts";
import { KeptLog } from "../core/dispatch/harness.ts";

/** A request whose user an application has read from its session. */
interface SessionRequest extends IncomingMessage {
  user?: string;
}

const whoami = defineTool("whoami").describe("Name the caller").handle((_, ctx) => ctx.principal?.id ?? "a stranger");

function createMounted(log = new KeptLog()) {
  const auth = authenticate(() => undefined, { allowAnonymous: true });
  return createServer({ tools: [whoami], wires: [webSocket()], basePath: "/v", auth, logger: log });
}

/** Listens for upgrades as an application does. */
async function listen(...upgrades: readonly ((request: SessionRequest, socket: Duplex, head: Uint8Array) => void)[]) {
  const http = createHttpServer((_, response) => void response.end("page"));
  const sockets = new Set<Duplex>();
  http.on("connection", (socket) => sockets.add(socket));
  for (const upgrade of upgrades) http.on("upgrade", upgrade);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    host: `127.0.0.1:${(http.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Asks for a socket, and returns the status of the refusal. */
async function refusalOf(host: string, path: string): Promise<number | undefined> {
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": "mcp-lite.v1",
  };
  const asked = send(`http://${host}${path}`, { headers, agent: false });
  asked.end();
  const [response] = await once(asked, "response") as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

async function whoAsks(host: string): Promise<string> {
  const transport = webSocketTransport(`ws://${host}/v/mcp-lite/v1`);
  try {
    return await createClient<[typeof whoami]>(transport).whoami();
  } finally {
    transport.close();
  }
}

test("a client of a plain HTTP server calls over a WebSocket", async () => {
  await using http = await listen(toNodeHandler(createMounted()).upgrade);
  strictEqual(await whoAsks(http.host), "a stranger");
});

test("the caller of a socket is the user of the session", async () => {
  const handler = toNodeHandler(createMounted(), {
    principal: (request: SessionRequest) => request.user === undefined ? undefined : { id: request.user },
  });
  // As a session's middleware, which is called by hand because no framework runs it for an upgrade.
  const readSession = (request: SessionRequest, next: () => void): void => {
    request.user = "ada";
    next();
  };
  await using http = await listen((request, socket, head) =>
    readSession(request, () => handler.upgrade(request, socket, head))
  );
  strictEqual(await whoAsks(http.host), "ada");
});

test("a caller whom the application refuses gets no socket, and an exception is logged", async () => {
  const refused = toNodeHandler(createMounted(), {
    principal: () => Promise.reject(new ToolError("unauthenticated", "Sign in")),
  });
  await using http = await listen(refused.upgrade);
  strictEqual(await refusalOf(http.host, "/v/mcp-lite/v1"), 401);

  const log = new KeptLog();
  const broken = toNodeHandler(createMounted(log), { principal: () => ({ id: JSON.parse("{") }) });
  await using other = await listen(broken.upgrade);
  strictEqual(await refusalOf(other.host, "/v/mcp-lite/v1"), 500);
  match(JSON.stringify(log.lines), /Server broke/);
});

test("a caller whom the application does not know gets a socket only with allowAnonymous", async () => {
  const create = () => createServer({ tools: [whoami], wires: [webSocket()], basePath: "/v", logger: false });
  for (const unknown of [undefined, null]) {
    await using refused = await listen(toNodeHandler(create(), { principal: () => unknown }).upgrade);
    strictEqual(await refusalOf(refused.host, "/v/mcp-lite/v1"), 401);
    await using open = await listen(
      toNodeHandler(create(), { principal: () => unknown, allowAnonymous: true }).upgrade,
    );
    strictEqual(await whoAsks(open.host), "a stranger");
  }
});

test("a path that the server does not answer is 404, or left to the other listeners", async () => {
  const { upgrade } = toNodeHandler(createMounted());
  await using alone = await listen(upgrade);
  strictEqual(await refusalOf(alone.host, "/mcp-lite/v1"), 404);
  const others = (request: IncomingMessage, socket: Duplex): void => {
    if (request.url === "/reload") {
      socket.end("HTTP/1.1 418 I'm a teapot\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
  };
  await using shared = await listen(upgrade, others);
  strictEqual(await refusalOf(shared.host, "/reload"), 418);
  strictEqual(await whoAsks(shared.host), "a stranger");
});

test("a closed server ends the sockets of an application", async () => {
  const server = createMounted();
  await using http = await listen(toNodeHandler(server).upgrade);
  const transport = webSocketTransport(`ws://${http.host}/v/mcp-lite/v1`);
  const client = createClient<[typeof whoami]>(transport, { retry: { attempts: 1 } });
  strictEqual(await client.whoami(), "a stranger");
  await server.close();
  await rejects(client.whoami(), { code: "unavailable" });
  transport.close();
});
