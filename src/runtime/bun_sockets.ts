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

/** Value of the option `websocket` of `Bun.serve`. */
export interface BunWebSocketHandlers {
  /** Maximum size of a message in bytes. */
  readonly maxPayloadLength: number;
  /** 0: the wire itself closes connections that are idle. */
  readonly idleTimeout: number;
  /** The wire sends pings. */
  readonly sendPings: boolean;
  /** Compression costs memory for each socket. */
  readonly perMessageDeflate: boolean;
  /** A socket was opened. */
  open(socket: unknown): void;
  /** A message arrived. */
  message(socket: unknown, data: unknown): void;
  /** There is room in the buffer. */
  drain(socket: unknown): void;
  /** A ping frame arrived. */
  ping(socket: unknown): void;
  /** A pong frame arrived. */
  pong(socket: unknown): void;
  /** A socket was closed. */
  close(socket: unknown): void;
}

/** Creates the handlers. @param maxPayloadLength Maximum size of a message in bytes. */
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

/** Handlers for a `Bun.serve` of the program: `Bun.serve({ fetch: server.fetch, websocket: bunWebSocket })`. `serve()` has them. */
export const bunWebSocket: BunWebSocketHandlers = /* @__PURE__ */ bunHandlers(1_048_576);

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
