import { createPrivateKey, X509Certificate } from "node:crypto";
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Session,
  type Http2Stream,
  type Settings,
} from "node:http2";
import type { Server } from "../server/server.ts";
import { toHttp2Handler } from "./http2_handler.ts";
import type { Listener, ListenOptions, TlsOptions } from "./listener.ts";
import { startListening, trackSockets } from "./node.ts";
import { toNodeHandler } from "./node_handler.ts";

const SETTINGS: Settings = {
  /** Maximum number of concurrent streams of a connection. Each may buffer a body. */
  maxConcurrentStreams: 256,
  /**
   * Maximum size of a request's headers in bytes, as Node has it for HTTP/1.1. The default is four times as large. With
   * header compression, a few bytes then made Deno, which does not count them as buffered, allocate gigabytes.
   */
  maxHeaderListSize: 16_384,
};

/**
 * Listens with `node:http2`. Without TLS, clients need prior knowledge of HTTP/2, as gRPC clients have. With TLS,
 * HTTP/1.1 is accepted too.
 */
export async function listenOnHttp2(server: Server, options: ListenOptions, tls?: TlsOptions): Promise<Listener> {
  if (tls !== undefined) assertFits(tls);
  const http2 = tls === undefined
    ? createServer({ settings: SETTINGS })
    : answeringHttp1(createSecureServer({ ...tls, allowHTTP1: true, settings: SETTINGS }), server);
  http2.on("stream", toHttp2Handler(server));
  const sessions = new Http2Sessions();
  http2.on("session", (session) => sessions.add(session));
  http2.on("stream", (stream) => sessions.hold(stream));
  const endSockets = trackSockets(http2);
  // Streams report the failure of their connection.
  http2.on("sessionError", () => {});
  const port = await startListening(http2, options);
  const ended = Promise.withResolvers<void>();
  http2.once("close", ended.resolve);
  return {
    port,
    stopAccepting() {
      sessions.close();
      http2.close();
      return ended.promise;
    },
    close() {
      endSockets();
      return ended.promise;
    },
  };
}

/**
 * Validates key and certificate. Some runtimes read them at the first connection only, and then all connections fail.
 */
function assertFits({ key, cert }: TlsOptions): void {
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    throw new TypeError("Cannot serve with TLS: key and cert must be PEM text", { cause });
  }
  if (!fits) throw new TypeError("Cannot serve with TLS: the key does not match the certificate");
}

/** Handles HTTP/1.1 requests. Without its own `stream` listener, Node does not create requests from HTTP/2 streams too. */
function answeringHttp1(http2: Http2SecureServer, server: Server): Http2SecureServer {
  const handle = toNodeHandler(server);
  http2.on("request", (request, response) => {
    if (request.httpVersionMajor < 2) handle(request, response);
  });
  return http2.removeAllListeners("stream");
}

/** State of a connection. */
interface ConnectionState {
  /** Number of open streams. */
  open: number;
  /** Whether there were any streams. */
  hasServed: boolean;
  /** Whether to close it after its last stream. */
  isClosing: boolean;
}

/** The HTTP/2 connections of a server, with their open streams, for its shutdown. */
export class Http2Sessions {
  readonly #uses = new Map<Http2Session, ConnectionState>();

  add(session: Http2Session): void {
    const use: ConnectionState = { open: 0, hasServed: false, isClosing: false };
    this.#uses.set(session, use);
    session.once("close", () => this.#uses.delete(session));
    if (isDeno) ignoreGoaway(session);
    // The event also occurs for a GOAWAY of the client.
    else if (isBun) session.close = () => endAfterStreams(session, use);
  }

  /** Counts a stream of an added connection until the stream closes. */
  hold(stream: Http2Stream): void {
    const { session } = stream;
    const use = session && this.#uses.get(session);
    if (session === undefined || use === undefined) return;
    use.open++;
    use.hasServed = true;
    stream.once("close", () => {
      use.open--;
      if (use.isClosing) endAfterStreams(session, use);
    });
  }

  /** Closes each connection once its open streams have ended, an idle one at once. Returns without waiting. */
  close(): void {
    for (const [session, use] of this.#uses) {
      // Node does this itself.
      if (isDeno || isBun) endAfterStreams(session, use);
      else session.close();
    }
  }
}

const isDeno = "Deno" in globalThis;
const isBun = "Bun" in globalThis;

function endAfterStreams(session: Http2Session, use: ConnectionState): void {
  use.isClosing = true;
  if (use.open > 0 || session.destroyed) return;
  // Bun would drop unsent data of a reply whose stream has closed. An answered ping means that all data was sent.
  if (isBun && use.hasServed) session.ping(() => session.destroy());
  else session.destroy();
}

/**
 * Deno's HTTP/2 aborts the process if a session that has served streams sends GOAWAY, which `close` does, also in reply
 * to that of the client (an assertion in nghttp2, seen with Deno 2.9.6). Without it the connection ends when the client
 * closes it, or by `destroy`, which must be called or the session stays open.
 */
function ignoreGoaway(session: Http2Session): void {
  session.close = () => {};
  session.socket.once("close", () => session.destroy());
}
