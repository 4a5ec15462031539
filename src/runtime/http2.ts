import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureServer, createServer, type Http2SecureServer, type Settings } from "node:http2";
import type { Server } from "../server/server.ts";
import { toHttp2Handler } from "./http2_handler.ts";
import { Http2Sessions } from "./http2_sessions.ts";
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
