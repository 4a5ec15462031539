/** A connection that breaks while pieces arrive, over every transport with streams: the caller has the pieces, and learns their number. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { connect, createServer as createListener, type Socket } from "node:net";
import { test } from "node:test";
import { createClient, createServer, defineTool, mcp, mcpLite, mcpLiteTransport } from "../../mod.ts";
import type { Transport } from "../../src/core/call/transport.ts";
import { serve } from "../../src/entries/serve.ts";
import { connectTransport, grpc, grpcTransport, grpcWebTransport } from "../../src/entries/grpc.ts";
import { mcpTransport } from "../../src/entries/mcp.ts";
import { webSocket, webSocketTransport } from "../../src/entries/websocket.ts";
import { rest, restTransport } from "../../src/entries/rest.ts";

const PIECES = ["piece-0", "piece-1", "piece-2"];
/** Sends its pieces, and no end. */
const tick = defineTool("tick").describe("Tick").handle(async function* (_, ctx) {
  yield* PIECES;
  await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
});

/** A listener that passes bytes on to a port. `cut()` ends its connections, `close()` the listener as well. */
async function startProxy(target: number): Promise<{ readonly port: number; cut(): void; close(): void }> {
  const open = new Set<Socket>();
  const listener = createListener((caller) => {
    const server = connect(target, "127.0.0.1");
    for (const socket of [caller, server]) {
      open.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
    }
    caller.pipe(server).pipe(caller);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const cut = () => open.forEach((socket) => socket.destroy());
  const close = () => {
    cut();
    listener.close();
  };
  return { port: typeof address === "object" && address !== null ? address.port : 0, cut, close };
}

const TRANSPORTS: Readonly<Record<string, (host: string) => Transport>> = {
  "MCP-lite": (host) => mcpLiteTransport(`http://${host}/mcp-lite/v1`),
  MCP: (host) => mcpTransport(`http://${host}/mcp`),
  REST: (host) => restTransport(`http://${host}/rest`),
  Connect: (host) => connectTransport(`http://${host}`),
  "gRPC-Web": (host) => grpcWebTransport(`http://${host}`),
  gRPC: (host) => grpcTransport(host),
  WebSocket: (host) => webSocketTransport(`ws://${host}/mcp-lite/v1`),
};

for (const [name, transportTo] of Object.entries(TRANSPORTS)) {
  test(`a stream over ${name} whose connection is lost has its pieces, and their number in the error`, async () => {
    const server = createServer({
      tools: [tick],
      wires: [mcp(), mcpLite(), rest(), grpc(), webSocket()],
      logger: false,
    });
    const serving = await serve(server, { port: 0, grpc: { port: 0 } });
    const grpcPort = Number(/:(\d+)/.exec(serving.grpcUrl ?? "")?.[1]);
    const proxy = await startProxy(name === "gRPC" ? grpcPort : serving.port);
    const { $ } = createClient(transportTo(`127.0.0.1:${proxy.port}`), { retry: { attempts: 0 } });
    try {
      const seen: unknown[] = [];
      await rejects(async () => {
        for await (const piece of $.stream("tick")) {
          if (seen.push(piece) === PIECES.length) proxy.cut();
        }
      }, {
        name: "ToolError",
        code: "unavailable",
        message:
          /^Connection lost after 3 pieces(: the server closed the connection \(.*\);|:) call again; a tool with/,
      });
      deepStrictEqual(seen, PIECES);
    } finally {
      $.close();
      proxy.close();
      await serving.close();
    }
  });
}
