/** Duplex wires without pipes: frames over a pair of ports, and a wire with its own protocol. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { mcpDuplex } from "../../src/wires/mcp/server/duplex.ts";
import type { DuplexWire } from "../../src/wires/wire.ts";
import { MemoryConnection } from "./memory_connection.ts";

const add = defineTool("add").describe("Add two numbers")
  .input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) => a + b);
const wait = defineTool("wait").describe("Wait until cancelled").handle((_, ctx) => {
  return new Promise<string>((resolve) => ctx.signal.addEventListener("abort", () => resolve("cancelled")));
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

function callOf(id: number, name: string, args: Readonly<Record<string, unknown>>): string {
  const params = { name, arguments: args, _meta: META };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

test("MCP over frames: a pair of ports, one message a frame", async () => {
  const server = createServer({ tools: [add] });
  const { port1: client, port2: frames } = new MessageChannel();
  const connection = new MemoryConnection(mcpDuplex(), server["~server"].host, (text) => frames.postMessage(text));
  frames.onmessage = ({ data }) => data === null ? void connection.end() : connection.receive(data);
  const response = new Promise<string>((resolve) => {
    client.onmessage = ({ data }) => resolve(data);
  });
  client.postMessage(callOf(1, "add", { a: 1, b: 2 }));
  const { id, result } = JSON.parse(await response);
  deepStrictEqual([id, result.structuredContent], [1, 3]);
  client.postMessage(null);
  await connection.closed;
  client.close();
  frames.close();
  await server.close();
});

test("a connection is closed after its last response; an abort cancels what is still running", async () => {
  const server = createServer({ tools: [add, wait] });
  const sent: string[] = [];
  const connection = new MemoryConnection(mcpDuplex(), server["~server"].host, (text) => void sent.push(text));
  connection.receive(callOf(1, "wait", {}));
  let isClosed = false;
  const closed = connection.end().then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  ok(!isClosed, "closed before the response");
  connection.abort();
  await closed;
  deepStrictEqual(sent, [], "a cancelled request has no response");
  await server.close();
});

test("connections of one mounted wire are independent", async () => {
  const server = createServer({ tools: [add] });
  const mounted = mcpDuplex().mount(server["~server"].host);
  const shared: DuplexWire = { name: "mcp", mount: () => mounted };
  const [first, second]: [string[], string[]] = [[], []];
  const one = new MemoryConnection(shared, server["~server"].host, (text) => void first.push(text));
  const other = new MemoryConnection(shared, server["~server"].host, (text) => void second.push(text));
  const listen = { notifications: { toolsListChanged: true }, _meta: META };
  one.receive(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: listen }));
  other.receive(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: listen }));
  await one.end();
  strictEqual(JSON.parse(first.at(-1) ?? "").id, 1, "its stream has ended");
  server.notify.listChanged("tools");
  strictEqual(JSON.parse(second.at(-1) ?? "").method, "notifications/tools/list_changed");
  await other.end();
  await server.close();
});

/** A wire that is not MCP: `tool argument` in, the result as text out, in the order of the calls. */
const words: DuplexWire = {
  name: "words",
  mount: ({ dispatch }) => ({
    connect(connection) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let last: Promise<void> = Promise.resolve();
      const peer = {
        wire: "words",
        requestId: undefined,
        client: {},
        principal: connection.principal,
        metadata: { get: () => null },
        signal: connection.signal,
      };
      connection.onMessage((message) => {
        const [tool = "", name = ""] = typeof message === "string" ? message.split(" ") : [];
        const result = Promise.resolve(dispatch.call({ tool, args: { name }, meta: undefined, peer }));
        last = last.then(async () => {
          const outcome = await result;
          await connection.send(outcome.kind === "answer" ? String(outcome.value) : outcome.kind);
        });
      });
      connection.onClose(() => void last.then(resolve));
      return promise;
    },
  }),
};

test("another duplex wire needs the contract only", async () => {
  const greet = defineTool("greet").describe("Greet").input(v.object({ name: v.string() }))
    .handle(({ name }) => `Hello, ${name}!`);
  const server = createServer({ tools: [greet] });
  const sent: string[] = [];
  const connection = new MemoryConnection(words, server["~server"].host, (text) => void sent.push(text));
  connection.receive("greet Ada");
  connection.receive("leave now");
  await connection.end();
  deepStrictEqual(sent, ["Hello, Ada!", "error"]);
  await server.close();
});
