/** Sockets whose client has disconnected, or reads fast, while a handler yields without waiting: other callers are answered meanwhile. */
import { strictEqual } from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { createClient } from "../../../mod.ts";
import { command, runtimes, startProgram, testWith } from "../../serve/programs.ts";

const PROGRAM = "tests/wires/websocket/flood_program.ts";
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood","stream":true}}';

/** A masked text frame of at most 125 bytes, as clients send it. */
function frameOf(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array([0x81, 0x80 | bytes.length, 0, 0, 0, 0, ...bytes]);
}

function nextBytes(socket: Socket): Promise<Uint8Array> {
  return new Promise((resolve) => socket.once("data", resolve));
}

/** Opens a WebSocket and calls the tool, or calls it over Server-Sent Events. Resolves when pieces arrive. */
async function openStream(port: number, wire: "WebSocket" | "SSE"): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const host = `host: 127.0.0.1:${port}`;
  if (wire === "SSE") {
    socket.write(
      `POST /mcp-lite/v1/rpc HTTP/1.1\r\n${host}\r\ncontent-type: application/json\r\naccept: text/event-stream\r\n` +
        `content-length: ${CALL.length}\r\n\r\n${CALL}`,
    );
  } else {
    socket.write(
      `GET /mcp-lite/v1 HTTP/1.1\r\n${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${btoa("sixteen bytes...")}\r\n` +
        `sec-websocket-protocol: mcp-lite.v1\r\n\r\n`,
    );
    await nextBytes(socket);
    socket.write(frameOf(CALL));
  }
  await nextBytes(socket);
  return socket;
}

for (const runtime of runtimes) {
  for (const wire of ["WebSocket", "SSE"] as const) {
    const run = async (path: string, flood: (socket: Socket) => void): Promise<string> => {
      await using program = await startProgram(command(runtime, path, PROGRAM));
      const { port } = new URL(program.url);
      const { $ } = createClient(`${program.url}/mcp-lite/v1`);
      const socket = await openStream(Number(port), wire);
      flood(socket);
      strictEqual(await $.call("is_flooding"), true, "the caller was answered after all pieces were sent");
      socket.destroy();
      const [how] = await program.printed(/flood .*/);
      return how;
    };

    testWith(
      `${runtime.name}: a stream by ${wire} that is dropped ends a handler that yields without waiting`,
      [runtime.program],
      async (path) => strictEqual(await run(path, (socket) => void socket.resetAndDestroy()), "flood ended early"),
    );

    testWith(
      `${runtime.name}: a stream by ${wire} that is read fast delays no other caller of a handler that yields without waiting`,
      [runtime.program],
      async (path) => strictEqual(await run(path, (socket) => void socket.resume()), "flood ended early"),
    );
  }
}
