/** The transport over WebSocket: lost sockets, repeated calls, promises, close codes, hostile servers, heartbeats. */
import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, type Server } from "../../../mod.ts";
import { webSocket, type WebSocketClientOptions, webSocketTransport } from "../../../src/entries/websocket.ts";
import { PairedSocket, pairOpener } from "../socket_pair.ts";
import { settle } from "./raw_socket.ts";
import { eventually } from "../../eventually.ts";

interface Rejection {
  readonly code: string;
  readonly message: string;
}

function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then((value) => value, ({ code }: Rejection) => code);
}

function createFixture() {
  const runs: string[] = [];
  const gates: (() => void)[] = [];
  const gate = () => new Promise<void>((resolve) => gates.push(resolve));
  const server = createServer({
    tools: [
      defineTool("look").describe("Look").annotate({ readOnlyHint: true }).handle(async () => {
        runs.push("look");
        if (runs.length === 1) await gate();
        return "seen";
      }),
      defineTool("pay").describe("Pay").handle(async () => {
        runs.push("pay");
        await gate();
        return "paid";
      }),
      defineTool("build").describe("Build").promise({ budgetMs: 1 }).handle(async () => {
        runs.push("build");
        await gate();
        return "built";
      }),
      defineTool("count").describe("Count").handle(async function* () {
        runs.push("count");
        yield 1;
        await gate();
        yield 2;
      }),
    ],
    wires: [webSocket()],
    logger: false,
  });
  return { server, runs, release: () => gates.splice(0).forEach((open) => open()) };
}

function clientOf(server: Server, options: WebSocketClientOptions = {}) {
  const sockets: PairedSocket[] = [];
  const transport = webSocketTransport("ws://localhost", {
    open: pairOpener(server, sockets),
    fetch: (url, init) => server.fetch(new Request(url, init)),
    ...options,
  });
  return { client: createClient(transport, { retry: { baseDelayMs: 1 } }), transport, sockets };
}

test("createClient names the transport for URLs of WebSockets", () => {
  for (const url of ["ws://localhost", "wss://localhost/mcp-lite/v1", new URL("ws://localhost")]) {
    throws(() => createClient(url), {
      name: "TypeError",
      message: /pass webSocketTransport\(url\) of toolwire\/websocket, not "ws/,
    });
  }
});

test("calls share one socket, which is opened at the first of them", async () => {
  const { server, runs, release } = createFixture();
  const { client, sockets } = clientOf(server);
  strictEqual(sockets.length, 0);
  const calls = [client["look"]?.(), client["pay"]?.(), client.$.list()];
  await eventually(() => runs.length === 2);
  release();
  await Promise.all(calls);
  strictEqual(sockets.length, 1);
});

test("a call that is safe to repeat is repeated over another socket", async () => {
  const { server, runs } = createFixture();
  const { client, sockets } = clientOf(server);
  const call = client.$.call("look");
  await eventually(() => runs.length === 1);
  sockets[0]?.end(1006);
  deepStrictEqual([await call, runs, sockets.length], ["seen", ["look", "look"], 2]);
});

test("another call ends with unavailable, and does not run twice", async () => {
  const { server, runs } = createFixture();
  const { client, sockets } = clientOf(server);
  const call = codeOf(client.$.call("pay"));
  await eventually(() => runs.length === 1);
  sockets[0]?.end(1006);
  deepStrictEqual([await call, runs], ["unavailable", ["pay"]]);
});

test("a stream that was begun ends with unavailable after its pieces", async () => {
  const { server, runs } = createFixture();
  const { client, sockets } = clientOf(server);
  const pieces: unknown[] = [];
  const reading = codeOf((async () => {
    for await (const piece of client.$.stream("count")) {
      pieces.push(piece);
      sockets[0]?.end(1006);
    }
  })());
  deepStrictEqual([await reading, pieces, runs], ["unavailable", [1], ["count"]]);
});

test("a promise is redeemed over the next socket", async () => {
  const { server, runs, release } = createFixture();
  const { client, sockets } = clientOf(server);
  const call = client.$.call("build");
  // The second message of the server is not the promise only if the machine was slow.
  await eventually(() => sockets[0]?.sent.some((text) => text.includes('"redeem"')) === true);
  sockets[0]?.end(1006);
  await eventually(() => sockets.length === 2);
  release();
  deepStrictEqual([await call, runs], ["built", ["build"]]);
});

const CODES: readonly (readonly [code: number, expected: string, opensAgain: boolean])[] = [
  [1001, "unavailable", true],
  [1002, "invalid_request", false],
  [1003, "invalid_request", false],
  [1006, "unavailable", true],
  [1007, "invalid_request", false],
  [1008, "invalid_request", false],
  [1009, "payload_too_large", true],
  [1011, "unavailable", true],
  [1012, "unavailable", true],
  [1013, "unavailable", true],
  [3000, "unauthenticated", false],
  [3003, "permission_denied", false],
];

for (const [code, expected, opensAgain] of CODES) {
  test(`close code ${code} ends calls with ${expected}, and ${opensAgain ? "the next opens" : "there is no"} another socket`, async () => {
    const { server, runs } = createFixture();
    const { client, sockets } = clientOf(server);
    const call = codeOf(client.$.call("pay"));
    await eventually(() => runs.length === 1);
    sockets[0]?.end(code, "because");
    strictEqual(await call, expected);
    const next = await codeOf(client.$.list().then(() => "listed"));
    deepStrictEqual([next, sockets.length], opensAgain ? ["listed", 2] : [expected, 1]);
  });
}

test("a message that is too large ends its call alone; other calls are lost, also if it was that of a call that was given up", async () => {
  for (const isGivenUp of [false, true]) {
    const { server, runs } = createFixture();
    const { client, sockets } = clientOf(server, { maxInFlight: 2 });
    const cancelling = new AbortController();
    const small = codeOf(client.$.call("pay"));
    await eventually(() => runs.length === 1);
    // More bytes than characters.
    const large = codeOf(client.$.call("pay", { text: "é".repeat(1_000) }, { signal: cancelling.signal }));
    await eventually(() => sockets[0]?.sent.some((text) => text.includes("é")) === true);
    if (isGivenUp) cancelling.abort();
    // The longest of all waits for room, and was not sent.
    const waiting = isGivenUp ? undefined : codeOf(client.$.call("pay", { text: "x".repeat(1_900) }));
    await settle();
    sockets[0]?.end(1009, "");
    deepStrictEqual(await Promise.all([small, large, waiting]), [
      "unavailable",
      // That of an AbortError.
      isGivenUp ? DOMException.ABORT_ERR : "payload_too_large",
      isGivenUp ? undefined : "unavailable",
    ]);
  }
});

test("after 3000 a function for the token is asked for another one", async () => {
  const { server, runs } = createFixture();
  let tokens = 0;
  const { client, sockets } = clientOf(server, { token: () => `t${++tokens}` });
  const call = codeOf(client.$.call("pay"));
  await eventually(() => runs.length === 1);
  sockets[0]?.end(3000);
  strictEqual(await call, "unauthenticated");
  await client.$.list();
  deepStrictEqual([tokens, sockets.length], [2, 2]);
});

test("an aborted call is cancelled on the server, and the socket stays", async () => {
  const { server, runs } = createFixture();
  const { client, sockets } = clientOf(server);
  const controller = new AbortController();
  const call = codeOf(client.$.call("pay", {}, { signal: controller.signal }));
  await eventually(() => runs.length === 1);
  controller.abort(Object.assign(new Error("enough"), { code: "mine" }));
  strictEqual(await call, "mine");
  ok(sockets[0]?.sent.at(-1)?.includes("notifications/cancelled"));
  await client.$.list();
  strictEqual(sockets.length, 1);
});

test("close() ends calls with unavailable and closes the socket; a later call opens another", async () => {
  const { server, runs } = createFixture();
  const { client, transport, sockets } = clientOf(server);
  const call = codeOf(client.$.call("pay"));
  await eventually(() => runs.length === 1);
  transport.close();
  deepStrictEqual([await call, sockets[0]?.closeCode], ["unavailable", 1000]);
  await client.$.list();
  strictEqual(sockets.length, 2);
});

test("more calls than maxInFlight wait in the client", async () => {
  const { server, runs, release } = createFixture();
  const { client } = clientOf(server, { maxInFlight: 2 });
  const calls = Array.from({ length: 5 }, () => client.$.call("pay"));
  await eventually(() => runs.length === 2);
  await settle();
  strictEqual(runs.length, 2);
  for (let done = 0; done < 50 && runs.length < 5; done++) {
    release();
    await settle();
  }
  release();
  deepStrictEqual(await Promise.all(calls), Array.from({ length: 5 }, () => "paid"));
});

/** A server that answers a call with these messages. */
function scripted(...messages: readonly unknown[]) {
  const sockets: PairedSocket[] = [];
  const transport = webSocketTransport("ws://localhost", {
    maxResponseChars: 10_000,
    open() {
      const socket = new PairedSocket();
      sockets.push(socket);
      queueMicrotask(() => {
        socket.readyState = 1;
        socket.emit("open", {});
      });
      socket.listener = {
        message() {
          for (const data of messages) queueMicrotask(() => socket.emit("message", { data }));
        },
        active() {},
        drain() {},
        closed() {},
      };
      return socket;
    },
  });
  return { client: createClient(transport, { retry: { attempts: 0 } }), sockets };
}

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"content":"right"}}';

const SCRIPTS: Readonly<Record<string, readonly [expected: unknown, ...messages: unknown[]]>> = {
  "a right answer": ["right", ANSWER],
  "text that is not JSON": ["invalid_request", "{", ANSWER],
  "binary data": ["invalid_request", new Uint8Array([1, 2]), ANSWER],
  "a message that is too large": ["result_too_large", "x".repeat(10_001), ANSWER],
  "answers to other calls first": ["right", ANSWER.replace(":1,", ":99,"), ANSWER.replace(":1,", ':"1",'), ANSWER],
  "values that are not objects": ["right", "null", "[]", "5", '"text"', ANSWER],
  "events of other calls": [
    "right",
    '{"method":"notifications/event","params":{"id":5,"partial":1}}',
    '{"method":"notifications/event"}',
    '{"method":"notifications/event","params":[]}',
    ANSWER,
  ],
  "requests of the server": ["right", '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}', ANSWER],
  "two answers": ["right", ANSWER, ANSWER.replace("right", "wrong")],
  "an error without members": ["internal", '{"jsonrpc":"2.0","id":1,"error":{}}'],
  "neither result nor error": ["invalid_request", '{"jsonrpc":"2.0","id":1}'],
  "a result and an error": [
    "conflict",
    '{"id":1,"result":{"content":1},"error":{"code":-32000,"data":{"code":"conflict"}}}',
  ],
};

for (const [name, [expected, ...messages]] of Object.entries(SCRIPTS)) {
  test(`a server sends ${name}: ${expected}`, async () => {
    strictEqual(await codeOf(scripted(...messages).client.$.call("x")), expected);
  });
}
