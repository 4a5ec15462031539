/** A request over `limits.bodyBytes` is refused on every wire with the name of the limit and the sizes, and the next one is answered. */
import { match, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, type ToolError } from "../../mod.ts";
import { type WireRow, WIRES, wires } from "./matrix.ts";

const LIMIT = 3_000;
const LARGE = "x".repeat(9_000);

async function check(wire: WireRow): Promise<void> {
  const store = defineTool("store").describe("Store text").handle(({ text }) => `${text}`.length);
  const server = createServer({ tools: [store], wires, limits: { bodyBytes: LIMIT }, logger: false });
  const { transport, close } = await wire.open(server);
  const client = createClient(transport);
  try {
    strictEqual(await client.$.call("store", { text: "short" }), 5);
    await rejects(client.$.call("store", { text: LARGE }), (error) => {
      strictEqual((error as ToolError).code, "payload_too_large", String(error));
      const { message } = error as ToolError;
      match(message, /limits\.bodyBytes/);
      // A runtime that closes a socket by itself gives no reason: the client adds the size that it knows.
      const knowsLimit = wire.name !== "websocket, over a socket";
      if (knowsLimit) match(message, /larger than 3000 bytes/);
      // A body without a declared length, and a line, are not read to their end.
      if (wire.column === "WebSocket" || wire.name.endsWith("over a socket")) match(message, /it has 9\d\d\d/);
      return true;
    });
    strictEqual(await client.$.call("store", { text: "after" }), 5);
  } finally {
    await close();
    await server.close(0);
  }
}

for (const wire of WIRES.filter(({ column }) => column !== "memory")) {
  test(`${wire.name}: a request that is too large names the limit, and the next one is answered`, {
    skip: wire.skip ?? false,
  }, () => check(wire));
}
