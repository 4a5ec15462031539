/** WebSockets without a network: the ends of a pair pass messages by function calls, on every runtime. */
import { FetchRequest } from "../../src/server/fetch_request.ts";
import type { Server } from "../../mod.ts";
import type { ClientSocket, OpenSocket, SocketEvent } from "../../src/entries/websocket.ts";
import type { FrameListener, FramePort, Reply } from "../../src/wires/wire.ts";

/** One end of a pair, as a client has it. The other end is a port of the server. */
export class PairedSocket implements ClientSocket {
  readyState = 0;
  /** Bytes that the server sees in its buffer. */
  bufferedBytes = 0;
  /** Whether the server's messages are dropped, as by a full buffer. */
  isFull = false;
  /** Number of pings of the server. */
  pings = 0;
  /** Messages of the server. */
  readonly received: string[] = [];
  /** Messages of the client. */
  readonly sent: string[] = [];
  /** Answer to a request that was not accepted. */
  refusal: Reply | undefined;
  closeCode: number | undefined;
  /** The subprotocol that the server selected. */
  protocol: string | undefined;
  listener: FrameListener | undefined;
  readonly #listeners = new Map<string, ((event: SocketEvent) => void)[]>();

  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.set(type, [...this.#listeners.get(type) ?? [], listener]);
  }

  /** Sends a message: the client's to the server if it is called as a `ClientSocket`. */
  send(text: string): boolean {
    if (this.readyState !== 1) return false;
    this.sent.push(text);
    queueMicrotask(() => this.readyState === 1 && this.listener?.message(text));
    return true;
  }

  ping(): void {
    this.pings++;
  }

  close(code = 1005, reason = ""): void {
    this.end(code, reason);
  }

  terminate(): void {
    this.end(1006);
  }

  /** Ends the connection, as a network does. */
  end(code: number, reason = ""): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.closeCode = code;
    queueMicrotask(() => {
      this.listener?.closed();
      this.emit("close", { code, reason });
    });
  }

  /** The port of the server. */
  get port(): FramePort {
    return {
      send: (text) => {
        if (this.readyState !== 1 || this.isFull) return false;
        this.received.push(text);
        queueMicrotask(() => this.readyState === 1 && this.emit("message", { data: text }));
        return true;
      },
      buffered: () => this.bufferedBytes,
      ping: () => this.ping(),
      close: (code, reason) => this.end(code, reason),
      terminate: () => this.end(1006),
    };
  }

  emit(type: string, event: SocketEvent): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

/** Opens a WebSocket of a server in this process. */
export function openPair(
  server: Server,
  url: string,
  protocols: readonly string[],
  headers: Readonly<Record<string, string>>,
): PairedSocket {
  const socket = new PairedSocket();
  void accept(server, socket, url, { "sec-websocket-protocol": protocols.join(", "), ...headers });
  return socket;
}

async function accept(
  server: Server,
  socket: PairedSocket,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const request = new Request(url.replace(/^ws/, "http"), {
    headers: { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13", ...headers },
  });
  const head = new FetchRequest(request, undefined, undefined, 1_048_576, server["~server"].host.dispatch);
  const reply = await server["~server"].handle(head, head);
  if (reply.upgrade === undefined) {
    socket.refusal = reply;
    return socket.end(1006, `status ${reply.status}`);
  }
  socket.readyState = 1;
  socket.protocol = reply.upgrade.protocol;
  socket.listener = reply.upgrade.open(socket.port);
  socket.emit("open", {});
}

/** The same as an option of `webSocketTransport`; the sockets are added to `opened`. */
export function pairOpener(server: Server, opened: PairedSocket[] = []): OpenSocket {
  return (url, protocols, headers) => {
    const socket = openPair(server, url, protocols, headers);
    opened.push(socket);
    return socket;
  };
}
