/** Answers nested far deeper than any value: each client ends the call in one error that says so, at once and without a crash. */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, mcpLiteTransport } from "../../../mod.ts";
import type { Transport } from "../../../src/entries/wire.ts";
import { connectTransport, grpcWebTransport } from "../../../src/entries/grpc.ts";
import { webSocketTransport } from "../../../src/entries/websocket.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { restTransport } from "../../../src/entries/rest.ts";
import { webtoolsTransport } from "../../../src/entries/webtools.ts";
import { resolveWait } from "../../../src/entries/waits.ts";
import { clientCredentials } from "../../../src/entries/oauth.ts";
import { toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { quiet } from "./foreign.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { createNetwork, ISSUER_METADATA, RESOURCE_METADATA, SERVER } from "../../integrations/oauth/network.ts";
import { deepResponse } from "../../wires/grpc/deep_response.ts";
import { frame } from "../../wires/grpc/frames.ts";
import { events, legacy, modern, OpenStream, Scripted, TOOL } from "../../wires/mcp/client/scripted.ts";
import { runtime } from "../../runtime/runtime.ts";
import { PairedSocket } from "../../wires/socket_pair.ts";

const LEVELS = 50_000;
const deepJson = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
/** As JSON text: a program cannot write it from a value. */
const DEEP = deepJson(LEVELS);
/** For what reads less than a megabyte. */
const SHORT = deepJson(10_000);
const URL_OF = "https://evil.example/x";
const TOO_DEEP = { name: "ToolError", code: "result_too_large", message: /nested deeper than 1024 levels/ } as const;

type Bodies = Readonly<Record<string, readonly [body: string, type: string]>>;

/** A server that answers each request with the same body. */
const answering = ([body, type]: readonly [string, string], status: number = 200) => ({
  fetch: () => Promise.resolve(new Response(body, { status, headers: { "content-type": type } })),
});

const callOf = (transport: Transport, isStreamed: boolean): Promise<unknown> => {
  const { $ } = createClient(transport, { retry: { attempts: 0 } });
  return (isStreamed ? $.stream("t").result : $.call("t")).finally(() => $.close());
};

const JSON_TYPE = "application/json";
const STREAM = "text/event-stream";

const LITE: Bodies = {
  answer: [`{"jsonrpc":"2.0","id":1,"result":{"content":${DEEP}}}`, JSON_TYPE],
  meta: [`{"jsonrpc":"2.0","id":1,"result":{"content":1,"_meta":${DEEP}}}`, JSON_TYPE],
  error: [`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"No","data":${DEEP}}}`, JSON_TYPE],
  brackets: ["[".repeat(LEVELS), JSON_TYPE],
  piece: [`event: message\ndata: {"partial":${DEEP}}\n\n`, STREAM],
  end: [`event: done\ndata: {"content":${DEEP}}\n\n`, STREAM],
  failure: [`event: error\ndata: {"code":-32000,"message":"No","data":${DEEP}}\n\n`, STREAM],
};

const REST: Bodies = {
  answer: [`{"content":${DEEP}}`, "application/vnd.toolwire+json"],
  piece: [`event: message\ndata: {"partial":${DEEP}}\n\n`, STREAM],
  end: [`event: done\ndata: {"content":${DEEP}}\n\n`, STREAM],
};

const WIRES: Readonly<Record<string, readonly [(server: ReturnType<typeof answering>) => Transport, Bodies]>> = {
  "MCP-lite": [(server) => mcpLiteTransport(URL_OF, server), LITE],
  REST: [(server) => restTransport(URL_OF, server), REST],
  Webtools: [
    (server) => webtoolsTransport(URL_OF, { ...server, validate: false }),
    { answer: [`{"status":"ok","data":${DEEP}}`, JSON_TYPE] },
  ],
  "metadata of Webtools": [
    (server) => webtoolsTransport(URL_OF, server),
    { answer: [`{"name":"w","description":"W","version":"1.0.0","actions":[${DEEP}]}`, JSON_TYPE] },
  ],
  Connect: [
    (server) => connectTransport(URL_OF, server),
    { answer: [`{"result":{"content":${DEEP}}}`, JSON_TYPE] },
  ],
};

for (const [wire, [open, bodies]] of Object.entries(WIRES)) {
  for (const [part, body] of Object.entries(bodies)) {
    test(`a deep ${part} over ${wire} ends the call`, async () => {
      for (const isStreamed of [false, true]) {
        // An answer of Connect to a stream is framed, and of the type that says so.
        if (isStreamed && wire === "Connect") continue;
        await rejects(callOf(open(answering(body)), isStreamed), TOO_DEEP);
      }
    });
  }
}

test("a deep message of protobuf ends the call, over Connect and gRPC-Web", async () => {
  const binary = deepResponse(LEVELS);
  const types = { "application/proto": binary, "application/grpc-web+proto": frame(binary) };
  const [connect, web] = Object.entries(types).map(([type, body]) => ({
    fetch: () => Promise.resolve(new Response(body, { headers: { "content-type": type } })),
  }));
  await rejects(callOf(connectTransport(URL_OF, { ...connect, format: "binary" }), false), TOO_DEEP);
  for (const isStreamed of [false, true]) await rejects(callOf(grpcWebTransport(URL_OF, web), isStreamed), TOO_DEEP);
});

test("the deep error of a refused request is that error", async () => {
  for (const body of [`{"error":${DEEP}}`, `{"code":"unavailable","message":"No","details":[{"debug":${DEEP}}]}`]) {
    // Connect reads such an error by its status.
    await rejects(callOf(connectTransport(URL_OF, answering([body, JSON_TYPE], 503)), false), { code: "unavailable" });
    await rejects(callOf(mcpLiteTransport(URL_OF, answering([body, JSON_TYPE], 503)), false), TOO_DEEP);
  }
});

test("deep lists end the listing, over each wire", async () => {
  const list = `[{"name":"t","description":"T","inputSchema":${DEEP}}]`;
  for (const open of [mcpLiteTransport, restTransport]) {
    const { $ } = createClient(open(URL_OF, answering([list, JSON_TYPE])), { retry: { attempts: 0 } });
    await rejects($.list(), TOO_DEEP);
    await rejects(gateway("evil", open(URL_OF, answering([list, JSON_TYPE]))), { code: "result_too_large" });
  }
});

const rpc = (id: number | undefined, members: string) => `{"jsonrpc":"2.0","id":${id},${members}}`;
const json = (text: string) => new Response(text, { headers: { "content-type": JSON_TYPE } });
const RESULT = `"result":{"resultType":"complete","content":[],"structuredContent":${DEEP}}`;

/** What an MCP server sends, in place of the answer to the call with that id. */
const MCP: Readonly<Record<string, (id: number | undefined) => Response>> = {
  answer: (id) => json(rpc(id, RESULT)),
  error: (id) => json(rpc(id, `"error":{"code":-32000,"message":"No","data":${DEEP}}`)),
  "answer without an id": () => json(`{"jsonrpc":"2.0",${RESULT}}`),
  brackets: () => json("[".repeat(LEVELS)),
  "streamed answer": (id) => events(`data: ${rpc(id, RESULT)}\n\n`),
  "notification in a stream": () =>
    events(`data: {"jsonrpc":"2.0","method":"notifications/message","params":${DEEP}}\n\n`),
  "question in a stream": () => events(`data: ${rpc(7, `"method":"elicitation/create","params":${DEEP}`)}\n\n`),
};

for (const [part, respond] of Object.entries(MCP)) {
  test(`a deep ${part} over MCP ends the call`, async () => {
    for (const [era, make] of Object.entries({ modern, legacy })) {
      for (const isStreamed of [false, true]) {
        const server = make({ "tools/call": ({ id }) => respond(id) });
        await rejects(callOf(server.transport(), isStreamed), TOO_DEEP, era);
      }
    }
  });
}

test("deep lists and greetings of MCP servers end what asked for them, also of a gateway", async () => {
  const list = (id: number | undefined) => json(rpc(id, `"result":{"tools":[{"name":"t","inputSchema":${DEEP}}]}`));
  for (const make of [modern, legacy]) {
    await rejects(make({ "tools/list": ({ id }) => list(id) }).client().$.list(), TOO_DEEP);
    await rejects(gateway("evil", make({ "tools/list": ({ id }) => list(id) }).transport({ logger: quiet })), {
      code: "result_too_large",
      message: /"evil".*nested deeper/,
    });
  }
  const greeting = new Scripted({ "server/discover": ({ id }) => json(rpc(id, `"result":${DEEP}`)) });
  await rejects(greeting.client().$.list(), TOO_DEEP);
});

test("a deep answer through a gateway is an error of its server, and the next call is answered", async () => {
  let isDeep = true;
  const server = modern({
    "tools/call": ({ id }) => isDeep ? json(rpc(id, RESULT)) : { resultType: "complete", structuredContent: { n: 1 } },
  });
  const app = createServer({
    tools: [],
    parts: [mount(await gateway("far", server.transport({ logger: quiet })))],
    logger: false,
  });
  const client = testClient(app, { retry: { attempts: 0 } });
  await rejects(client.$.call("t"), { code: "result_too_large" });
  isDeep = false;
  deepStrictEqual(await client.$.call("t"), { n: 1 });
  await app.close(0);
});

/** A server of 2024-11-05: one stream for all answers. `respond` writes what a call gets. */
function oldServer(respond: (write: (data: string) => void, id: number) => void) {
  const streams: OpenStream[] = [];
  const write = (data: string) => streams.at(-1)?.write(`event: message\ndata: ${data}\n\n`);
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    if (init.method === "GET") {
      const stream = new OpenStream();
      streams.push(stream);
      stream.write("event: endpoint\ndata: /messages\n\n");
      return Promise.resolve(stream.response);
    }
    if (new URL(url).pathname === "/x") return Promise.resolve(new Response("No", { status: 405 }));
    const { id, method } = JSON.parse(String(init.body));
    if (method === "initialize") {
      write(
        rpc(id, '"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"o","version":"0"}}'),
      );
    } else if (method === "tools/list") write(rpc(id, `"result":{"tools":[${JSON.stringify(TOOL)}]}`));
    else if (method === "tools/call") respond(write, id);
    return Promise.resolve(new Response(null, { status: 202 }));
  };
  return { fetch, streams };
}

const skip = runtime === "workerd" && "calls at once detect the era separately, so that they do not share a stream";

test(
  "over the one stream of 2024-11-05, a deep answer ends its call, and the other calls are answered",
  { skip },
  async () => {
    const ids: number[] = [];
    const server = oldServer((write, id) => {
      if (ids.push(id) < 2) return;
      write(rpc(ids[0], RESULT));
      write(rpc(ids[1], '"result":{"content":[{"type":"text","text":"fine"}]}'));
    });
    const { $ } = createClient(mcpTransport(URL_OF, { fetch: server.fetch }), { retry: { attempts: 0 } });
    const first = rejects($.call("t"), TOO_DEEP);
    const second = $.call("t");
    await first;
    strictEqual(await second, "fine");
    strictEqual(server.streams.length, 1);
    $.close();
  },
);

test("over the one stream of 2024-11-05, a deep message without a known id ends the connection and all its calls", {
  skip,
}, async () => {
  for (
    const message of [
      "[".repeat(LEVELS),
      `[${rpc(1, RESULT)}]`,
      `{"jsonrpc":"2.0",${RESULT}}`,
      rpc(7, `"method":"sampling/createMessage","params":${DEEP}`),
      `{"jsonrpc":"2.0","method":"notifications/message","params":${DEEP}}`,
    ]
  ) {
    let calls = 0;
    const server = oldServer((write, id) => {
      if (++calls === 2) write(message);
      if (calls > 2) write(rpc(id, '"result":{"content":[{"type":"text","text":"fine"}]}'));
    });
    const { $ } = createClient(mcpTransport(URL_OF, { fetch: server.fetch }), { retry: { attempts: 0 } });
    await Promise.all([rejects($.call("t"), TOO_DEEP), rejects($.call("t"), TOO_DEEP)]);
    strictEqual(server.streams[0]?.isCancelled, true);
    strictEqual(await $.call("t"), "fine");
    strictEqual(server.streams.length, 2);
    $.close();
  }
});

/** Opens sockets of a server that keeps the ids of calls, and sends the messages that `respond` returns. */
function scriptedSockets(respond: (ids: readonly number[]) => readonly string[]) {
  const sockets: PairedSocket[] = [];
  const ids: number[] = [];
  const open = () => {
    const socket = new PairedSocket();
    sockets.push(socket);
    socket.listener = {
      message(text) {
        const { id, method } = JSON.parse(String(text));
        if (method !== "tools/call") return;
        ids.push(id);
        for (const data of respond(ids)) socket.emit("message", { data });
      },
      active() {},
      drain() {},
      closed() {},
    };
    queueMicrotask(() => {
      socket.readyState = 1;
      socket.emit("open", {});
    });
    return socket;
  };
  const { $ } = createClient(webSocketTransport("ws://evil.example/ws", { open }), { retry: { attempts: 0 } });
  return { $, sockets };
}

const fine = (id: number | undefined) => rpc(id, '"result":{"content":"fine"}');

test("over a WebSocket, a deep answer or event ends its call, and the other calls are answered", async () => {
  const event = (id: number | undefined) =>
    `{"jsonrpc":"2.0","method":"notifications/event","params":{"id":${id},"partial":${DEEP}}}`;
  for (const deep of [(id: number | undefined) => rpc(id, `"result":{"content":${DEEP}}`), event]) {
    const { $, sockets } = scriptedSockets(([first, second]) =>
      second === undefined ? [] : [deep(first), fine(second)]
    );
    try {
      const ended = rejects($.stream("t").result, TOO_DEEP);
      const answered = $.call("t");
      await ended;
      strictEqual(await answered, "fine");
      strictEqual(sockets.length, 1);
    } finally {
      $.close();
    }
  }
});

test("over a WebSocket, a deep message of no call ends the connection and all its calls", async () => {
  for (const data of ["[".repeat(LEVELS), `{"jsonrpc":"2.0","result":${DEEP}}`, DEEP]) {
    const { $, sockets } = scriptedSockets((ids) => ids.length === 2 ? [data] : ids.length === 3 ? [fine(ids[2])] : []);
    try {
      await Promise.all([rejects($.call("t"), TOO_DEEP), rejects($.call("t"), TOO_DEEP)]);
      strictEqual(await $.call("t"), "fine");
      strictEqual(sockets.length, 2);
    } finally {
      $.close();
    }
  }
});

test("deep metadata of an authorization server, and deep errors of a server that asks for a token", async () => {
  const deep = () => json(SHORT);
  for (const address of [RESOURCE_METADATA, ISSUER_METADATA]) {
    const network = createNetwork({ [address]: deep });
    const fetch = network.fetch(clientCredentials({ clientId: "a", clientSecret: "b", issuer: "*" }));
    await rejects(Promise.resolve(fetch(SERVER, { method: "POST", body: "{}" })), TOO_DEEP, address);
  }
});

test("the deep answer of an API that was imported, and of a resolver", async () => {
  const tools = toolsFromOpenApi({
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    paths: { "/a": { get: { operationId: "read" } } },
  }, { baseUrl: URL_OF, ...answering([DEEP, JSON_TYPE]) });
  const client = testClient(createServer({ tools, logger: false }), { retry: { attempts: 0 } });
  await rejects(client.$.call("read"), (error: Error) => (match(error.message, /nest/), true));
  await rejects(resolveWait(`${URL_OF}/res_x`, 1, answering([`{"resolved":${SHORT}}`, JSON_TYPE])), TOO_DEEP);
});
