/** `toolwire doctor` against peers that do not answer within the limit, and then break the connection that is being closed, too. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { runHere } from "../run_here.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";

/** What a peer does with a connection. None of them ever answers a request. */
const PEERS: Readonly<Record<string, (socket: Socket) => void>> = {
  "that says nothing": () => {},
  "that sends half of a status line": (socket) => socket.write("HTTP/1.1 20"),
  "that sends headers without an end": (socket) => socket.write("HTTP/1.1 200 OK\r\nx: "),
  "that sends the headers of a body, and no body": (socket) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"),
  "that sends the headers of a stream, and no event": (socket) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"),
  "that sends bytes of another protocol": (socket) => socket.write("\x16\x03\x01\x00\xff\x00binary"),
  "that sends headers of a megabyte": (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(1_048_576)}`),
};

for (const [name, serve] of Object.entries(PEERS)) {
  for (const end of ["stays", "breaks the connection as soon as it is being closed"]) {
    test(`doctor: a peer ${name}, and ${end}`, async () => {
      await using folder = await temporaryFolder();
      const open = new Set<Socket>();
      const peer = createServer((socket) => {
        open.add(socket);
        socket.on("error", () => {}).on("close", () => open.delete(socket));
        socket.on("end", () => end === "stays" ? socket.end() : socket.resetAndDestroy());
        socket.once("data", () => serve(socket));
      });
      await new Promise<void>((resolve) => void peer.listen(0, "127.0.0.1", resolve));
      try {
        const { port } = peer.address() as { readonly port: number };
        const { code, out, errors } = await runHere(
          { cwd: folder.path },
          "doctor",
          `http://127.0.0.1:${port}/mcp`,
          "--json",
          "--timeout",
          "300ms",
        );
        ok(code === 1 || code === 4, `${code} ${errors}`);
        const { steps } = JSON.parse(out) as { readonly steps: readonly { readonly status: string }[] };
        ok(steps.some(({ status }) => status === "failed"), out);
        deepStrictEqual([/Error:|at .*\.ts/.test(errors), errors.includes("uncaught")], [false, false], errors);
      } finally {
        for (const socket of open) socket.destroy();
        await new Promise((resolve) => peer.close(resolve));
      }
    });
  }
}
