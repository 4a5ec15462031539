/** The `readyState` of an open WebSocket, which can send. */
export const OPEN_STATE = 1;

/** The members of a `WebSocket` that the transport uses. */
export interface ClientSocket {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  /** Number of bytes that wait to be sent. Default: 0. */
  readonly bufferedAmount?: number;
  /** Sends a text message. */
  send(text: string): void;
  /** Starts the closing handshake. */
  close(code?: number, reason?: string): void;
  /** Adds a listener for `open`, `message`, `error` or `close`. */
  addEventListener(type: string, listener: (event: SocketEvent) => void): void;
}

/** Members of the events of a {@link ClientSocket} that the transport reads. */
export interface SocketEvent {
  /** Of a message. */
  readonly data?: unknown;
  /** Of a closed socket. */
  readonly code?: number;
  /** Of a closed socket. */
  readonly reason?: string;
}
