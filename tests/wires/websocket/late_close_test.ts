/** Connections that the runtime cannot end without their client, as on Deno: they count as open until they are closed. */
import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { webSocket } from "../../../src/entries/websocket.ts";
import type { FrameListener, FramePort, Upgrade } from "../../../src/entries/wire.ts";

for (const closesLate of [true, false]) {
  test(`an ended connection ${closesLate ? "counts until" : "no longer counts before"} the runtime has closed it`, async () => {
    const clock = new FakeClock();
    const ping = defineTool("ping").describe("Answer").handle(() => "pong");
    const server = createServer({ tools: [ping], wires: [webSocket({ maxConnections: 1 })], clock });
    const port: FramePort = { send: () => true, buffered: () => 0, close() {}, terminate() {}, closesLate };
    const opened: { listener?: FrameListener } = {};
    const runtime = {
      upgrade: (_: Request, { data }: { data: Upgrade }) => (opened.listener = data.open(port)) !== undefined,
    };
    const open = async (): Promise<boolean> => {
      const headers = { upgrade: "websocket", "sec-websocket-protocol": "mcp-lite.v1" };
      // On Bun the runtime itself sends the response of an accepted socket.
      const response = await server.fetch(new Request("http://localhost/mcp-lite/v1", { headers }), runtime);
      return response === undefined;
    };
    strictEqual(await open(), true);
    const { listener } = opened;
    strictEqual(await open(), false);
    listener?.message(new Uint8Array(1));
    clock.tick(75_000);
    strictEqual(await open(), !closesLate);
    if (!closesLate) return;
    listener?.closed();
    listener?.closed();
    strictEqual(await open(), true);
    strictEqual(await open(), false);
  });
}
