/** WebSockets of `node:http`, by the package `ws`. */
import { type IncomingMessage, type Server as HttpServer, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket as Socket, WebSocketServer } from "ws";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import { settleInto } from "../internal/future.ts";
import { ReplySender } from "../server/reply_sender.ts";
import type { Server } from "../server/server.ts";
import type { FramePort, Head, Reply, Upgrade } from "../wires/wire.ts";
import { sendReply } from "./node_reply.ts";
import { NodeHead } from "./node_request.ts";
import { NodeBody } from "./node_streams.ts";

/** Sets the caller of a request to a path, and calls `answer`; calls `fail` for exceptions that are not for the caller. */
export type IdentifyUpgrade = (
  request: IncomingMessage,
  head: NodeHead,
  answer: () => void,
  fail: (thrown: unknown) => void,
) => void;

/** A listener for the event `upgrade` of `node:http`. */
export type UpgradeListener = (request: IncomingMessage, stream: Duplex, first: Buffer) => void;

/**
 * Accepts WebSockets on an HTTP server.
 *
 * @returns A function that destroys the connections that are open.
 * @throws {TypeError} If the package `ws` is not installed.
 */
export async function acceptSockets(http: HttpServer, server: Server): Promise<() => void> {
  await loadLibrary();
  const sockets = new Set<Duplex>();
  const upgrade = createUpgrade(server, (_request, _head, answer) => answer());
  http.on("upgrade", (request: IncomingMessage, stream: Duplex, first: Buffer) => {
    sockets.add(stream);
    stream.once("close", () => sockets.delete(stream));
    upgrade(request, stream, first);
  });
  return () => sockets.forEach((stream) => stream.destroy());
}

/**
 * Creates a listener that passes upgrade requests to the wires, and opens a socket or sends their reply. A path that the server does not
 * answer is left to the other listeners, if there are any. Without the package `ws`, requests are answered with 500, and the log says so.
 */
export function createUpgrade(server: Pick<Server, "~server" | "limits">, identify: IdentifyUpgrade): UpgradeListener {
  const { bodyBytes } = server.limits;
  let accepting: Promise<WebSocketServer> | undefined;
  return (request: UpgradeRequest, stream, first) => {
    const { host: { dispatch }, handle, answers, resumeMounted } = server["~server"];
    const response = new ServerResponse(request);
    const head = new NodeHead(request, response, server["~server"]);
    if (!answers(head.path) && hasOtherListeners(stream)) return;
    // Without a listener an error would end the process.
    stream.on("error", () => stream.destroy());
    resumeMounted();
    const open = (sockets: WebSocketServer): void => {
      const sender = new SocketSender(dispatch, head, (reply) => {
        if (reply.upgrade === undefined) return refuse(reply, response, stream);
        request.selected = reply.upgrade.protocol;
        accept(sockets, request, stream, first, reply.upgrade);
      }, () => stream.destroy());
      const answer = (): void => settleInto(handle(head, new NodeBody(request, request.headers, bodyBytes)), sender);
      identify(request, head, answer, (thrown) => sender.fail(thrown));
    };
    const fail = (thrown: unknown): void => {
      accepting = undefined;
      new SocketSender(dispatch, head, (reply) => refuse(reply, response, stream), () => stream.destroy()).fail(thrown);
    };
    accepting ??= createAcceptor(bodyBytes);
    accepting.then(open).catch(fail);
  };
}

/** Whether others listen for upgrades of this connection's server: a development server for its pages, or a library for other sockets. */
function hasOtherListeners(stream: Duplex): boolean {
  const { server } = stream as Duplex & { readonly server?: HttpServer };
  return server !== undefined && server.listenerCount("upgrade") > 1;
}

/** @throws {TypeError} If the package `ws` is not installed. */
async function createAcceptor(maxPayload: number): Promise<WebSocketServer> {
  const { WebSocketServer } = await loadLibrary();
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    perMessageDeflate: false,
    // The wire has selected one.
    handleProtocols: (_, request) => (request as UpgradeRequest).selected ?? false,
  });
}

/** Writes the reply to a request for an upgrade, before there is a WebSocket. */
class SocketSender extends ReplySender {
  protected readonly send: (reply: Reply) => void;
  protected readonly abandon: () => void;

  constructor(dispatch: Dispatch, head: Head, send: (reply: Reply) => void, abandon: () => void) {
    super(dispatch, head);
    this.send = send;
    this.abandon = abandon;
  }
}

/** A request for an upgrade, with the subprotocol that the wire has selected. */
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
