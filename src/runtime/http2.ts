import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureServer, createServer, type Http2SecureServer, type Settings } from "node:http2";
import type { Server } from "../server/server.ts";
import { toHttp2Handler } from "./http2_handler.ts";
import { Http2Sessions } from "./http2_sessions.ts";
import type { Listener, ListenOptions, TlsOptions } from "./listener.ts";
import { startListening, trackSockets } from "./node.ts";
import { toNodeHandler } from "./node_handler.ts";

const SETTINGS: Settings = {
  /** How many streams one connection may have open at once; each may hold a body. */
  maxConcurrentStreams: 256,
  /**
   * Largest headers of a request, in bytes, as HTTP/1.1 has it on Node. By default it is four times that, and compression makes
   * so much of a few bytes that Deno, which does not count it as held, was brought to gigabytes.
   */
  maxHeaderListSize: 16_384,
};

/**
 * Listens with `node:http2`: in the clear for callers that know they speak HTTP/2, as gRPC's do; with TLS for HTTP/1.1 as well.
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
  // Of a connection that breaks, its streams tell.
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

/** Not every runtime looks at them before the first connection, which then fails, as do all. */
function assertFits({ key, cert }: TlsOptions): void {
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    throw new TypeError("Cannot serve with TLS: key and cert have to be texts in PEM", { cause });
  }
  if (!fits) throw new TypeError("Cannot serve with TLS: the key is not that of the certificate");
}

/** Requests of HTTP/1.1 come as such; with a listener for them Node would make ones of HTTP/2's streams, too. */
function answeringHttp1(http2: Http2SecureServer, server: Server): Http2SecureServer {
  const handle = toNodeHandler(server);
  http2.on("request", (request, response) => {
    if (request.httpVersionMajor < 2) handle(request, response);
  });
  return http2.removeAllListeners("stream");
}
