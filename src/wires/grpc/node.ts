/**
 * A connection of HTTP/2 whose answers have trailers: what gRPC needs, and `fetch` has not.
 *
 * @module
 */
import type * as Http2 from "node:http2";
import type { TlsClientOptions } from "./client_tls.ts";

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

  /**
   * Sends one request, whole.
   *
   * @throws If a header is none that may be sent.
   */
  post(path: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Http2Answer {
    const session = this.#connect();
    const stream = session.request({ ...headers, ":method": "POST", ":path": path });
    hold(session, stream);
    const sentMs = performance.now();
    const giveUp = () => {
      if ((heardMs.get(session) ?? 0) < sentMs && this.#session === session) this.close();
    };
    const answer = new Http2Answer(stream, this.#http2.constants.NGHTTP2_CANCEL, giveUp);
    answer.head.then(() => heardMs.set(session, performance.now()), () => {});
    stream.end(body);
    return answer;
  }

  /** Lets calls under way end, and makes the next call a new connection. */
  close(): void {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    // Deno would end them.
    if (openStreams.get(session)) closing.add(session);
    else session.close();
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
    // Until a request holds it: one with headers that may not be sent never does.
    session.unref();
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
    if (left > 0 || session.destroyed) return;
    session.unref();
    if (closing.has(session)) session.close();
  });
}

const openStreams = new WeakMap<Http2.ClientHttp2Session, number>();

/** Connections that are to be closed once nothing is under way. */
const closing = new WeakSet<Http2.ClientHttp2Session>();

/** When a connection last began an answer, by `performance.now()`. */
const heardMs = new WeakMap<Http2.ClientHttp2Session, number>();

/** The answer to a request, as it comes. */
export class Http2Answer {
  /** Status and headers; rejects if there will be none. */
  readonly head: Promise<Http2Head>;
  /** What came behind the body, once that was read. */
  trailers: Http2.IncomingHttpHeaders = {};
  readonly #stream: Http2.ClientHttp2Stream;
  readonly #cancelCode: number;
  /** Nobody waits for the answer any more. If nothing else came meanwhile, the connection may be dead: the next call makes another. */
  readonly giveUp: () => void;

  constructor(stream: Http2.ClientHttp2Stream, cancelCode: number, giveUp: () => void) {
    this.#stream = stream;
    this.#cancelCode = cancelCode;
    this.giveUp = giveUp;
    stream.on("trailers", (trailers) => void (this.trailers = trailers));
    this.head = new Promise((resolve, reject) => {
      stream.once("response", resolve);
      stream.once("error", reject);
      stream.once("close", () => reject(new Error("The connection was lost before there was an answer")));
    });
  }

  /** The body, piece by piece, no faster than it is read. Throws if it breaks off. */
  pieces(): AsyncIterable<Uint8Array> {
    return this.#stream;
  }

  /** Resets what has not ended. */
  leave(): void {
    this.#stream.close(this.#cancelCode);
  }
}

/** What comes before the body. */
export type Http2Head = Http2.IncomingHttpHeaders & Http2.IncomingHttpStatusHeader;

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
