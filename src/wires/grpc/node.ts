/**
 * A connection of HTTP/2 that looks like `fetch`, and whose answers have trailers: what gRPC needs, and `fetch` has not.
 *
 * @module
 */
import type * as Http2 from "node:http2";
import type { TrailedResponse } from "./client_fetch.ts";

/** How a connection with TLS is made. */
export interface TlsClientOptions {
  /** Certificates of the authorities that are trusted, in PEM. Default: the runtime's. */
  readonly ca?: string;
  /** The private key that is shown, in PEM. */
  readonly key?: string;
  /** The certificate that is shown, in PEM. */
  readonly cert?: string;
}

/** One connection, made when it is needed, and made anew when it was lost. */
export class Http2Connection {
  readonly #http2: typeof Http2;
  readonly #origin: string;
  readonly #tls: TlsClientOptions | undefined;
  #session: Http2.ClientHttp2Session | undefined = undefined;

  /**
   * @param origin Scheme, host and port.
   * @throws {TypeError} If the runtime has no `node:http2`.
   */
  constructor(origin: string, tls: TlsClientOptions | undefined) {
    this.#http2 = loadHttp2();
    this.#origin = origin;
    this.#tls = tls;
  }

  /** As the global one, for POST. */
  readonly fetch = (url: string, init: RequestInit): Promise<TrailedResponse> => {
    const { pathname, search } = new URL(url);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), te: "trailers" };
    const session = this.#connect();
    const stream = session.request({ ...headers, ":method": "POST", ":path": `${pathname}${search}` });
    hold(session, stream);
    const signal = init.signal ?? undefined;
    const leave = () => stream.close(this.#http2.constants.NGHTTP2_CANCEL);
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    stream.once("close", () => signal?.removeEventListener("abort", leave));
    stream.end(init.body as Uint8Array);
    return responseOf(stream, leave);
  };

  /** Lets calls under way end, and makes the next call a new connection. */
  close(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  #connect(): Http2.ClientHttp2Session {
    const known = this.#session;
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = this.#http2.connect(this.#origin, { ...this.#tls, settings: { enablePush: false } });
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    // Each of its streams tells of it, too.
    session.on("error", forget).on("goaway", forget).on("close", forget);
    return (this.#session = session);
  }
}

/** A connection on which nothing is under way must not keep the process from its end. */
function hold(session: Http2.ClientHttp2Session, stream: Http2.ClientHttp2Stream): void {
  const streams = openStreams.get(session) ?? 0;
  openStreams.set(session, streams + 1);
  session.ref();
  stream.once("close", () => {
    const left = (openStreams.get(session) ?? 1) - 1;
    openStreams.set(session, left);
    if (left === 0 && !session.destroyed) session.unref();
  });
}

const openStreams = new WeakMap<Http2.ClientHttp2Session, number>();

function responseOf(stream: Http2.ClientHttp2Stream, leave: () => void): Promise<TrailedResponse> {
  return new Promise((resolve, reject) => {
    const trailer = new Headers();
    stream.on("trailers", (trailers) => copyHeaders(trailers, trailer));
    stream.once("error", reject);
    stream.once("close", () => reject(new Error("The connection was lost before there was an answer")));
    stream.once("response", (received) => {
      try {
        resolve(Object.assign(toResponse(stream, received, leave), { trailer }));
      } catch (thrown) {
        reject(thrown);
        leave();
      }
    });
  });
}

/** Throws for a status that no answer may have. */
function toResponse(
  stream: Http2.ClientHttp2Stream,
  received: Http2.IncomingHttpHeaders & Http2.IncomingHttpStatusHeader,
  leave: () => void,
): Response {
  const { ":status": status = 502 } = received;
  const body = WITHOUT_BODY.has(status) ? null : bodyOf(stream, leave);
  return new Response(body, { status, headers: copyHeaders(received, new Headers()) });
}

/** Statuses with which a `Response` has no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function copyHeaders(from: Http2.IncomingHttpHeaders, to: Headers): Headers {
  for (const [name, value] of Object.entries(from)) {
    if (name.startsWith(":") || value === undefined) continue;
    to.set(name, typeof value === "string" ? value : value.join(", "));
  }
  return to;
}

/** The pieces of an answer, no faster than they are read. */
function bodyOf(stream: Http2.ClientHttp2Stream, leave: () => void): ReadableStream<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: leave,
  }, { highWaterMark: 0 });
}

interface BuiltinLoader {
  readonly process?: { getBuiltinModule?(name: "node:http2"): typeof Http2 | undefined };
}

/** Not imported: what is bundled for pages and Workers must do without. */
function loadHttp2(): typeof Http2 {
  const http2 = (globalThis as BuiltinLoader).process?.getBuiltinModule?.("node:http2");
  if (http2 === undefined) {
    throw new TypeError(
      "gRPC needs node:http2, which this runtime lacks: use connectTransport() or grpcWebTransport()",
    );
  }
  return http2;
}
