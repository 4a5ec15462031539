/** WebSockets of `node:http`, by the package `ws`. */
import { type IncomingMessage, type Server as HttpServer, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket as Socket, WebSocketServer } from "ws";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import { settleInto } from "../internal/future.ts";
import { ReplySender } from "../server/reply_sender.ts";
import type { Server } from "../server/server.ts";
import type { FramePort, Head, Reply, Upgrade } from "../wires/wire.ts";
import { sendReply } from "./node_handler.ts";
import { NodeHead } from "./node_request.ts";
import { NodeBody } from "./node_streams.ts";

/**
 * Accepts WebSockets on an HTTP server: passes its upgrade requests to the wires, and opens a socket or sends their reply.
 *
 * @returns A function that destroys the connections that are open.
 * @throws {TypeError} If the package `ws` is not installed.
 */
export async function acceptSockets(http: HttpServer, server: Server): Promise<() => void> {
  const { WebSocketServer } = await loadLibrary();
  const sockets = new Set<Duplex>();
  const { bodyBytes } = server.limits;
  const accepting: WebSocketServer = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: bodyBytes,
    perMessageDeflate: false,
    // The wire has selected one.
    handleProtocols: (_, request) => (request as UpgradeRequest).selected ?? false,
  });
  http.on("upgrade", (request: UpgradeRequest, stream: Duplex, first: Buffer) => {
    sockets.add(stream);
    stream.once("close", () => sockets.delete(stream));
    // Without a listener an error would end the process.
    stream.on("error", () => stream.destroy());
    const response = new ServerResponse(request);
    const head = new NodeHead(request, response, server["~server"]);
    const reply = server["~server"].handle(head, new NodeBody(request, request.headers, bodyBytes));
    const { dispatch } = server["~server"].host;
    const sender = new SocketSender(dispatch, head, (later) => {
      if (later.upgrade === undefined) return refuse(later, response, stream);
      request.selected = later.upgrade.protocol;
      accept(accepting, request, stream, first, later.upgrade);
    }, () => stream.destroy());
    settleInto(reply, sender);
  });
  return () => sockets.forEach((stream) => stream.destroy());
}

class SocketSender extends ReplySender {
  protected readonly send: (reply: Reply) => void;
  protected readonly abandon: () => void;

  constructor(dispatch: Dispatch, head: Head, send: (reply: Reply) => void, abandon: () => void) {
    super(dispatch, head);
    this.send = send;
    this.abandon = abandon;
  }
}

interface UpgradeRequest extends IncomingMessage {
  selected?: string;
}

/** Not a literal: a bundle of a program without WebSockets neither needs nor has the package. */
const LIBRARY: string = "ws";

async function loadLibrary(): Promise<typeof import("ws")> {
  try {
    return await import(LIBRARY) as typeof import("ws");
  } catch (cause) {
    throw new TypeError("Cannot serve WebSockets on Node: install the package ws, npm install ws", { cause });
  }
}

function accept(
  accepting: WebSocketServer,
  request: IncomingMessage,
  stream: Duplex,
  first: Buffer,
  upgrade: Upgrade,
): void {
  accepting.handleUpgrade(request, stream, first, (socket) => {
    // It is followed by `close`.
    socket.on("error", () => {});
    const listener = upgrade.open(nodePort(socket, stream));
    socket.on("message", (data, isBinary) => listener.message(isBinary ? data : String(data)));
    socket.on("ping", () => listener.active());
    socket.on("pong", () => listener.active());
    socket.on("close", () => listener.closed());
    stream.on("drain", () => listener.drain());
  });
}

/** Answers a request that is not accepted, and closes its connection. */
function refuse(reply: Reply, response: ServerResponse, stream: Duplex): void {
  response.assignSocket(stream as Parameters<ServerResponse["assignSocket"]>[0]);
  response.once("finish", () => stream.end());
  sendReply({ ...reply, headers: { ...reply.headers, connection: "close" } }, response);
}

function nodePort(socket: Socket, stream: Duplex): FramePort {
  return {
    send(text) {
      // The stream of a client that has disconnected is destroyed before its socket is notified.
      if (socket.readyState !== socket.OPEN || !stream.writable) return false;
      socket.send(text);
      return true;
    },
    buffered: () => socket.bufferedAmount,
    ping: () => socket.readyState === socket.OPEN && socket.ping(),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
}
