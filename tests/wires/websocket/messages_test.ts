/** MCP-lite over WebSocket, message by message: ids, cancellation, limits, heartbeats, slow readers, shutdown. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Server } from "../../../mod.ts";
import { webSocket, type WebSocketOptions } from "../../../src/entries/websocket.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { callText, messagesOf, openRaw, settle } from "./raw_socket.ts";

interface Fixture {
  readonly server: Server;
  readonly clock: FakeClock;
  readonly seen: string[];
  /** Ends the calls of `hold`. */
  release(): void;
}

function createFixture(options: WebSocketOptions = {}, limits = {}): Fixture {
  const clock = new FakeClock();
  const seen: string[] = [];
  const gates: (() => void)[] = [];
  const tools = [
    defineTool("echo").describe("Return the text").handle(({ text }: { text?: unknown }) => text),
    defineTool("hold").describe("Wait until it is released").handle(async ({ name }: { name?: unknown }, ctx) => {
      seen.push(`start ${name}`);
      ctx.signal.addEventListener("abort", () => seen.push(`abort ${name}`));
      await new Promise<void>((resolve) => gates.push(resolve));
      return name;
    }),
    defineTool("count").describe("Count without end").handle(async function* () {
      for (let at = 0;; at++) {
        seen.push(`piece ${at}`);
        yield "x".repeat(1_000);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }),
  ] as const;
  const server = createServer({ tools, wires: [webSocket(options)], clock, limits, logger: false });
  return { server, clock, seen, release: () => gates.splice(0).forEach((open) => open()) };
}

test("calls are answered in any order, each with its id", async () => {
  const { server, release } = createFixture();
  const socket = await openRaw(server);
  for (const id of [1, "two", 3]) socket.send(callText(id, "hold", { name: `n${id}` }));
  socket.send(callText(4, "echo", { text: "first" }));
  await settle();
  release();
  await settle();
  const ends = messagesOf(socket).map(({ id, result }) => [id, result.content]);
  deepStrictEqual(ends[0], [4, "first"]);
  deepStrictEqual(ends.slice(1).sort(), [[1, "n1"], [3, "n3"], ["two", "ntwo"]].sort());
});

test("a second call with the id of a running one is refused, and the first is answered once", async () => {
  const { server, seen, release } = createFixture();
  const socket = await openRaw(server);
  socket.send(callText(7, "hold", { name: "first" }));
  socket.send(callText(7, "hold", { name: "second" }));
  await settle();
  deepStrictEqual(messagesOf(socket).map(({ id, error }) => [id, error?.code]), [[7, -32600]]);
  release();
  await settle();
  deepStrictEqual(messagesOf(socket).slice(1).map(({ id, result }) => [id, result.content]), [[7, "first"]]);
  deepStrictEqual(seen, ["start first"]);
});

test("a cancelled call is aborted and has no answer; its id can be used again", async () => {
  const { server, seen, release } = createFixture();
  const socket = await openRaw(server);
  socket.send(callText(1, "hold", { name: "a" }));
  await settle();
  socket.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  socket.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}');
  socket.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}');
  await settle();
  deepStrictEqual(seen, ["start a", "abort a"]);
  release();
  await settle();
  deepStrictEqual(messagesOf(socket), []);
  socket.send(callText(1, "echo", { text: "again" }));
  await settle();
  deepStrictEqual(messagesOf(socket).map(({ id, result }) => [id, result.content]), [[1, "again"]]);
});

test("the calls of a socket that is lost are aborted", async () => {
  const { server, seen } = createFixture();
  const socket = await openRaw(server);
  socket.send(callText(1, "hold", { name: "a" }));
  socket.send(callText(2, "hold", { name: "b" }));
  await settle();
  socket.end(1006);
  await settle();
  deepStrictEqual(seen.sort(), ["abort a", "abort b", "start a", "start b"]);
});

test("more calls than maxInFlight are rate_limited; the others are answered", async () => {
  const { server, release } = createFixture({ maxInFlight: 2 });
  const socket = await openRaw(server);
  for (const id of [1, 2, 3]) socket.send(callText(id, "hold", { name: id }));
  await settle();
  deepStrictEqual(messagesOf(socket).map(({ id, error }) => [id, error?.data?.code]), [[3, "rate_limited"]]);
  release();
  await settle();
  deepStrictEqual(messagesOf(socket).slice(1).map(({ id }) => id).sort(), [1, 2]);
});

const REFUSED: Readonly<Record<string, readonly [text: string, id: unknown, number: number]>> = {
  "text that is not JSON": ["{", null, -32700],
  "an empty message": ["", null, -32700],
  "a batch": [`[${callText(1, "echo")}]`, null, -32600],
  "a number": ["5", null, -32600],
  "a request without jsonrpc": ['{"id":1,"method":"ping"}', 1, -32600],
  "a request with the id null": ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
  "a request with a fraction as id": ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
  "a response": ['{"jsonrpc":"2.0","id":1,"result":{}}', 1, -32600],
  "an unknown method": ['{"jsonrpc":"2.0","id":1,"method":"nope"}', 1, -32601],
  "a call without params": ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 1, -32602],
  "a call of an unknown tool": [callText(1, "nope"), 1, -32601],
  "arguments that are nested too deep": [
    callText(1, "echo").replace("{}", `${'{"a":'.repeat(600)}1${"}".repeat(600)}`),
    null,
    -32600,
  ],
};

for (const [name, [text, id, number]] of Object.entries(REFUSED)) {
  test(`${name} is answered with an error, and the socket stays open`, async () => {
    const { server } = createFixture();
    const socket = await openRaw(server);
    socket.send(text);
    socket.send('{"jsonrpc":"2.0","id":"after","method":"ping"}');
    await settle();
    const [refused, after] = messagesOf(socket);
    deepStrictEqual([refused?.id, refused?.error?.code, after?.id, socket.readyState], [id, number, "after", 1]);
  });
}

test("binary messages close with 1003, messages over the limit with 1009", async () => {
  const { server } = createFixture({}, { bodyBytes: 1_000 });
  const binary = await openRaw(server);
  binary.listener?.message(new Uint8Array([1]));
  strictEqual(binary.closeCode, 1003);
  for (const text of ["x".repeat(1_001), "é".repeat(501), "日".repeat(334)]) {
    const long = await openRaw(server);
    long.listener?.message(text);
    strictEqual(long.closeCode, 1009);
  }
  const fits = await openRaw(server);
  fits.listener?.message("日".repeat(333));
  strictEqual(fits.closeCode, undefined);
});

test("100,000 tiny messages are answered one by one, and nothing is kept of them", async () => {
  const { server } = createFixture();
  const socket = await openRaw(server);
  for (let id = 0; id < 100_000; id++) socket.listener?.message(`{"jsonrpc":"2.0","id":${id},"method":"p"}`);
  await settle();
  strictEqual(socket.received.length, 100_000);
  strictEqual(socket.readyState, 1);
});

test("heartbeats are sent every 20 s while nothing else is, with a ping each time", async () => {
  const { server, clock } = createFixture();
  const socket = await openRaw(server);
  clock.tick(19_999);
  strictEqual(socket.received.length, 0);
  clock.tick(500);
  deepStrictEqual(messagesOf(socket), [{ jsonrpc: "2.0", method: "notifications/heartbeat" }]);
  strictEqual(socket.pings, 1);
  socket.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await settle();
  clock.tick(20_000);
  deepStrictEqual([socket.received.length, socket.pings], [2, 2]);
});

test("a client that is silent for 60 s is closed; pongs, heartbeats and calls are signs of it", async () => {
  const { server, clock } = createFixture();
  const [silent, alive] = [await openRaw(server), await openRaw(server)];
  for (let turn = 0; turn < 4; turn++) {
    clock.tick(20_000);
    alive.listener?.active();
  }
  await settle();
  deepStrictEqual([silent.closeCode, alive.closeCode], [1013, undefined]);
});

test("a client that does not read waits with its calls, gets all answers when it reads, and is closed after 30 s", async () => {
  const { server, clock, seen } = createFixture();
  const socket = await openRaw(server);
  socket.send(callText(1, "count", {}, { stream: true }));
  await settle();
  socket.bufferedBytes = 2_000_000;
  await settle();
  const started = seen.length;
  await settle();
  ok(seen.length <= started + 1, "the handler does not wait");
  // Calls that arrive meanwhile wait, too.
  socket.send(callText(2, "echo", { text: "later" }));
  await settle();
  ok(!messagesOf(socket).some(({ id }) => id === 2));
  socket.bufferedBytes = 0;
  clock.tick(25);
  await settle();
  ok(messagesOf(socket).some(({ id, result }) => id === 2 && result.content === "later"));
  ok(seen.length > started, "the handler continues");
  socket.bufferedBytes = 2_000_000;
  await settle();
  clock.tick(30_500);
  strictEqual(socket.closeCode, 1013);
});

test("a message that the runtime drops is sent again when there is room, in order", async () => {
  const { server, clock } = createFixture();
  const socket = await openRaw(server);
  socket.isFull = true;
  for (const id of [1, 2, 3]) socket.send(callText(id, "echo", { text: id }));
  await settle();
  deepStrictEqual(socket.received, []);
  socket.isFull = false;
  socket.listener?.drain();
  await settle();
  clock.tick(25);
  await settle();
  deepStrictEqual(messagesOf(socket).map(({ id }) => id), [1, 2, 3]);
});

test("a client that sends without reading is closed with 1008 when more than limits.bodyBytes wait", async () => {
  const { server } = createFixture({}, { bodyBytes: 10_000 });
  const socket = await openRaw(server);
  socket.bufferedBytes = 2_000_000;
  for (let id = 0; id < 500 && socket.closeCode === undefined; id++) {
    socket.listener?.message(callText(id, "echo", { text: id }));
  }
  strictEqual(socket.closeCode, 1008);
});

test("a shutdown answers the calls under way, refuses others, and closes with 1012", async () => {
  const { server, release } = createFixture();
  const [busy, idle] = [await openRaw(server), await openRaw(server)];
  busy.send(callText(1, "hold", { name: "a" }));
  await settle();
  const closed = server.close(60_000);
  await settle();
  deepStrictEqual([busy.closeCode, idle.closeCode], [undefined, 1012]);
  busy.send(callText(2, "echo"));
  await settle();
  release();
  await closed;
  await settle();
  deepStrictEqual(messagesOf(busy).map(({ id, error, result }) => [id, error?.data?.code ?? result.content]), [
    [2, "unavailable"],
    [1, "a"],
  ]);
  strictEqual(busy.closeCode, 1012);
  const late = await openRaw(server);
  strictEqual(late.refusal?.status, 503);
});
