/**
 * HTTP/1.1 and HTTP/2 without TLS on one port, for development.
 *
 * The first bytes of a connection determine the protocol, and the connection is proxied to a listener for it on
 * loopback. No runtime supports both on one port, and their APIs for handing over a connection differ and are
 * unreliable.
 */
import { Buffer } from "node:buffer";
import { connect, createServer, type Socket } from "node:net";
import type { Server } from "../server/server.ts";
import { listenOnHttp2 } from "./http2.ts";
import { discard, type Listener, type ListenOptions } from "./listener.ts";
import { startListening, trackSockets } from "./node.ts";

const LOOPBACK = { port: 0, hostname: "127.0.0.1" };

/** Connection preface of HTTP/2. */
const PREFACE = "PRI";

/** Listens on one port for HTTP/1 and HTTP/2 without TLS; connections are passed on to two inner listeners. */
export async function listenOnOnePort(
  listen: (options: ListenOptions) => Promise<Listener>,
  server: Server,
  options: ListenOptions,
): Promise<Listener> {
  const inner = [await listen(LOOPBACK), await listenOnHttp2(server, LOOPBACK)] as const;
  const [http1, http2] = inner;
  // A client that half-closes may still wait for its reply.
  const front = createServer({ allowHalfOpen: true }, (socket) => {
    passOn(socket, (isHttp2) => (isHttp2 ? http2 : http1).port);
  });
  const endSockets = trackSockets(front);
  const port = await startListening(front, options).catch(async (thrown) => {
    await Promise.all(inner.map(discard));
    throw thrown;
  });
  return {
    port,
    async stopAccepting() {
      front.close();
      await Promise.all(inner.map((listener) => listener.stopAccepting()));
    },
    async close() {
      endSockets();
      await Promise.all(inner.map((listener) => listener.close()));
    },
  };
}

/** Time limit for the first bytes of a connection, in milliseconds. */
const SILENCE_MS = 10_000;

function passOn(socket: Socket, portOf: (isHttp2: boolean) => number): void {
  const pieces: Uint8Array[] = [];
  const leave = () => void socket.destroy();
  const timer = setTimeout(leave, SILENCE_MS);
  socket.once("close", () => clearTimeout(timer));
  socket.on("error", leave).on("end", leave);
  const read = (piece: Uint8Array): void => {
    pieces.push(piece);
    const begun = Buffer.concat(pieces).toString("latin1", 0, PREFACE.length);
    if (begun.length < PREFACE.length && PREFACE.startsWith(begun)) return;
    clearTimeout(timer);
    socket.off("data", read).off("end", leave).pause();
    splice(socket, portOf(begun === PREFACE), pieces);
  };
  socket.on("data", read);
}

function splice(socket: Socket, port: number, begun: readonly Uint8Array[]): void {
  const inner = connect({ port, host: LOOPBACK.hostname, allowHalfOpen: true });
  inner.on("error", () => socket.destroy());
  // Remaining data is sent first, however slow the reader is.
  inner.on("close", () => socket.end(() => socket.destroy()));
  socket.on("close", () => inner.destroy());
  for (const piece of begun) inner.write(piece);
  socket.pipe(inner).pipe(socket);
}
