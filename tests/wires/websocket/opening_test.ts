/** What is checked before a WebSocket is accepted: the handshake, hosts, origins, callers, numbers of connections. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, ToolError } from "../../../mod.ts";
import { authenticate, bearer } from "../../../src/entries/auth.ts";
import { webSocket, type WebSocketOptions, webSocketTransport } from "../../../src/entries/websocket.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { createClient } from "../../../mod.ts";
import { pairOpener } from "../socket_pair.ts";
import { callText, messagesOf, openRaw, settle } from "./raw_socket.ts";

const TOKEN = "a.token-with_every~kind+of/character==";

const whoami = defineTool("whoami").describe("Say who calls").handle((_, { principal }) =>
  principal?.id ?? "anonymous"
);

/** Servers of the test that runs: what keeps a connection would also keep the process. */
const open = new Set<{ close(graceMs: number): Promise<void> }>();

function testThenClose(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    try {
      await run();
    } finally {
      await Promise.all(Array.from(open, (server) => server.close(0)));
      open.clear();
    }
  });
}

function createFixture(options: WebSocketOptions = {}, more = {}) {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const server = createServer({
    tools: [whoami],
    wires: [webSocket(options)],
    logger: { debug: write, info: write, warn: write, error: write },
    ...more,
  });
  open.add(server);
  return { server, lines };
}

function statusOf({ refusal }: { readonly refusal: { readonly status: number } | undefined }): number | undefined {
  return refusal?.status;
}

function bearerProtocol(token: string): string {
  const bytes = new TextEncoder().encode(token);
  const base64 = btoa(String.fromCharCode(...bytes));
  return `mcp-lite.bearer.${base64.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

testThenClose(
  "a request that is not an upgrade is answered with 426, one without our subprotocol with 400",
  async () => {
    const { server } = createFixture();
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await server.fetch(new Request("http://localhost/mcp-lite/v1", { method }));
      deepStrictEqual([response.status, response.headers.get("upgrade")], [426, "websocket"]);
    }
    for (const protocols of [[], ["chat"], ["mcp"], ["MCP-LITE.V1"]]) {
      strictEqual(statusOf(await openRaw(server, {}, protocols)), 400);
    }
    strictEqual(statusOf(await openRaw(server, {}, ["chat", "mcp-lite.v1"])), undefined);
  },
);

testThenClose("pages of other origins and other hosts are refused with 403, whatever the credentials", async () => {
  const { server } = createFixture({}, { hosts: ["localhost"], origins: ["https://app.example"] });
  for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "https://app.example.evil"]) {
    strictEqual(statusOf(await openRaw(server, { origin })), 403, origin);
  }
  for (const origin of ["http://localhost", "https://app.example"]) {
    strictEqual(statusOf(await openRaw(server, { origin, host: "localhost" })), undefined, origin);
  }
  strictEqual(statusOf(await openRaw(server, { host: "evil.example" })), 403);
});

testThenClose(
  "callers are authenticated before the socket is accepted, by a header or by a subprotocol that is not selected",
  async () => {
    const { server, lines } = createFixture({}, {
      auth: bearer((token) => token === TOKEN ? { id: "ada" } : undefined),
    });
    for (
      const protocols of [["mcp-lite.v1"], ["mcp-lite.v1", bearerProtocol("wrong")], [
        "mcp-lite.v1",
        "mcp-lite.bearer.%%",
      ]]
    ) {
      strictEqual(statusOf(await openRaw(server, {}, protocols)), 401);
    }
    strictEqual(statusOf(await openRaw(server, {}, [bearerProtocol(TOKEN)])), 400);
    const socket = await openRaw(server, {}, ["mcp-lite.v1", bearerProtocol(TOKEN)]);
    socket.send(callText(1, "whoami"));
    await settle();
    strictEqual(messagesOf(socket)[0]?.result.content, "ada");
    strictEqual(socket.protocol, "mcp-lite.v1");
    ok(!JSON.stringify(lines).includes(bearerProtocol(TOKEN)) && !JSON.stringify(lines).includes(TOKEN));
  },
);

testThenClose("handlers see no token in the subprotocols, and cookies of pages of the same origin only", async () => {
  const seen: unknown[] = [];
  const look = defineTool("look").describe("Look at the headers").handle((_, { metadata }) => {
    seen.push([metadata.get("sec-websocket-protocol"), metadata.get("cookie")]);
  });
  const server = createServer({ tools: [look], wires: [webSocket()], origins: "*", logger: false });
  open.add(server);
  for (const origin of ["http://localhost", "https://other.example", undefined]) {
    const headers = { cookie: "a=b", host: "localhost", ...(origin !== undefined && { origin }) };
    const socket = await openRaw(server, headers, ["mcp-lite.v1", bearerProtocol(TOKEN)]);
    socket.send(callText(1, "look"));
    await settle();
  }
  deepStrictEqual(seen, [["mcp-lite.v1", "a=b"], ["mcp-lite.v1", null], ["mcp-lite.v1", "a=b"]]);
});

testThenClose("authentication by cookie ignores the cookies of pages of other origins", async () => {
  const auth = authenticate(({ metadata }) => {
    if (metadata.get("cookie") !== "session=ada") throw new ToolError("unauthenticated", "Sign in");
    return { id: "ada" };
  });
  const { server } = createFixture({}, { auth, origins: "*" });
  const cookie = "session=ada";
  strictEqual(statusOf(await openRaw(server, { cookie, host: "localhost", origin: "https://evil.example" })), 401);
  strictEqual(statusOf(await openRaw(server, { cookie, host: "localhost", origin: "http://localhost" })), undefined);
});

testThenClose("connections are bounded, in all and of one caller; a closed one makes room", async () => {
  const auth = bearer((token) => {
    const [id = "", tenant] = token.split("~");
    return { id, tenant };
  });
  const { server } = createFixture({ maxConnections: 3, maxConnectionsPerCaller: 2 }, { auth });
  const connect = (who: string) => openRaw(server, { authorization: `Bearer ${who}` });
  const first = await connect("ada");
  strictEqual(statusOf(await connect("ada")), undefined);
  strictEqual(statusOf(await connect("ada")), 429);
  strictEqual(statusOf(await connect("ada~north")), undefined);
  strictEqual(statusOf(await connect("eve")), 503);
  first.end(1000);
  await settle();
  strictEqual(statusOf(await connect("ada")), undefined);
  strictEqual(statusOf(await connect("eve")), 503);
});

testThenClose("many requests at once do not exceed the bound", async () => {
  const auth = bearer(async (token) => {
    await Promise.resolve();
    return { id: token };
  });
  const { server } = createFixture({ maxConnections: 5 }, { auth });
  const sockets = await Promise.all(Array.from({ length: 50 }, () => openRaw(server, { authorization: "Bearer ada" })));
  await settle();
  strictEqual(sockets.filter(({ readyState }) => readyState === 1).length, 5);
});

testThenClose(
  "a socket is closed with 3000 a minute after the token of its caller has ended, as HTTP accepts it",
  async () => {
    const clock = new FakeClock();
    const exp = clock.now() / 1000 + 30;
    const auth = bearer(() => ({ id: "ada", claims: { exp } }));
    const { server } = createFixture({}, { auth, clock });
    const socket = await openRaw(server, { authorization: "Bearer x" });
    for (let turn = 0; turn < 8; turn++) {
      clock.tick(10_000);
      socket.listener?.active();
    }
    strictEqual(socket.closeCode, undefined);
    clock.tick(10_000);
    strictEqual(socket.closeCode, 3000);
  },
);

testThenClose("a client sees why it was refused", async () => {
  const { server } = createFixture({ maxConnections: 1 }, {
    auth: bearer((token) => token === "t" ? { id: "ada" } : undefined),
  });
  const clientOf = (token: string | undefined) =>
    createClient(
      webSocketTransport("ws://localhost", {
        open: pairOpener(server),
        fetch: (url, init) => server.fetch(new Request(url, init)),
        ...(token !== undefined && { token }),
      }),
      { retry: { attempts: 0 } },
    );
  const codeOf = (token?: string) =>
    clientOf(token).$.call("whoami").then((value) => value, ({ code }: { readonly code: string }) => code);
  deepStrictEqual([await codeOf(), await codeOf("wrong"), await codeOf("t"), await codeOf("t")], [
    "unauthenticated",
    "unauthenticated",
    "ada",
    "unavailable",
  ]);
});
