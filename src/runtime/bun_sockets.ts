/** WebSockets of `Bun.serve`, which receives the events of all sockets in one object. */
import type { FrameListener, FramePort, Upgrade } from "../wires/wire.ts";

/** A socket of `Bun.serve`. */
interface BunSocket {
  readonly data: BunSocketData;
  readonly readyState: number;
  /** Number of bytes sent, -1 if they wait, 0 if they were dropped. */
  send(text: string): number;
  getBufferedAmount(): number;
  ping(): number;
  close(code: number, reason: string): void;
  terminate(): void;
}

/** What `server.upgrade` attaches to a socket. */
interface BunSocketData extends Upgrade {
  listener?: FrameListener;
}

/** Value of the option `websocket` of `Bun.serve`: limits, and handlers that receive the events of all sockets. */
export interface BunWebSocketHandlers {
  /** Maximum size of a message in bytes. */
  readonly maxPayloadLength: number;
  /** Bun's idle timeout in seconds: 0, which disables it. The wire itself closes connections that are idle. */
  readonly idleTimeout: number;
  /** Whether Bun sends pings: `false`, because the wire sends them. */
  readonly sendPings: boolean;
  /** Whether messages are compressed: `false`, because compression costs memory for each socket. */
  readonly perMessageDeflate: boolean;
  /** A socket was opened. */
  open(socket: unknown): void;
  /** A message arrived. */
  message(socket: unknown, data: unknown): void;
  /** The send buffer of a socket has room again. */
  drain(socket: unknown): void;
  /** A ping frame arrived. */
  ping(socket: unknown): void;
  /** A pong frame arrived. */
  pong(socket: unknown): void;
  /** A socket was closed. */
  close(socket: unknown): void;
}

/** Creates the handlers, which pass a socket's events to the wire that upgraded it. @param maxPayloadLength Maximum size of a message in bytes. */
export function bunHandlers(maxPayloadLength: number): BunWebSocketHandlers {
  const listenerOf = (socket: unknown): FrameListener | undefined => (socket as BunSocket).data.listener;
  return {
    maxPayloadLength,
    idleTimeout: 0,
    sendPings: false,
    perMessageDeflate: false,
    open: (socket) => {
      const { data } = socket as BunSocket;
      data.listener = data.open(new BunPort(socket as BunSocket));
    },
    message: (socket, data) => listenerOf(socket)?.message(data),
    drain: (socket) => listenerOf(socket)?.drain(),
    ping: (socket) => listenerOf(socket)?.active(),
    pong: (socket) => listenerOf(socket)?.active(),
    close: (socket) => listenerOf(socket)?.closed(),
  };
}

/** Handlers for your `Bun.serve({ fetch: server.fetch, websocket: bunWebSocket })`; messages up to 1 MiB. `serve()` has them built in. */
export const bunWebSocket: BunWebSocketHandlers = /* @__PURE__ */ bunHandlers(1_048_576);

/** A WebSocket of Bun, as a connection reads and writes it. */
class BunPort implements FramePort {
  readonly #socket: BunSocket;

  constructor(socket: BunSocket) {
    this.#socket = socket;
  }

  send(text: string): boolean {
    // 0 means that the message was dropped: the buffer is full, or the socket is closed.
    return this.#socket.send(text) !== 0;
  }

  buffered(): number {
    return this.#socket.getBufferedAmount();
  }

  ping(): void {
    this.#socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}
