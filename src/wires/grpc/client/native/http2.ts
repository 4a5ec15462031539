/** An HTTP/2 connection whose responses have trailers, which gRPC needs and `fetch` does not support. */
import type { TlsClientOptions } from "../tls.ts";
import type * as Http2 from "node:http2";

/** One HTTP/2 connection of a client, opened at the first request, and again at the next request after it was lost. */
export class Http2Connection {
  readonly #http2: typeof Http2;
  readonly #origin: string;
  readonly #tls: TlsClientOptions | undefined;
  #session: Session | undefined;

  /** @throws {TypeError} If the runtime has no `node:http2`. */
  constructor(origin: string, tls: TlsClientOptions | undefined) {
    this.#http2 = loadHttp2();
    this.#origin = origin;
    this.#tls = tls;
  }

  /**
   * Sends a POST request with a complete body, over the open connection or a new one.
   *
   * @throws If a header is invalid.
   */
  post(path: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Http2Response {
    const session = this.#connect();
    const sentMs = performance.now();
    const stream = session.request({ ...headers, ":method": "POST", ":path": path });
    const response = new Http2Response(stream, this.#http2.constants.NGHTTP2_CANCEL, () => {
      if (session.lastResponseMs < sentMs && this.#session === session) this.close();
    });
    stream.end(body);
    return response;
  }

  /** Closes the connection when its open calls have ended. The next call opens another one. */
  close(): void {
    this.#session?.closeWhenIdle();
    this.#session = undefined;
  }

  #connect(): Session {
    if (this.#session?.isOpen) return this.#session;
    const http2Session = this.#http2.connect(this.#origin, { ...this.#tls, settings: { enablePush: false } });
    const session = new Session(http2Session);
    const clear = () => {
      if (this.#session === session) this.#session = undefined;
    };
    // The errors of a connection are reported by each of its streams as well.
    http2Session.on("error", clear).on("goaway", clear).on("close", clear);
    return (this.#session = session);
  }
}

/** A connection and the number of its open streams. Without open streams it does not keep the process alive. */
class Session {
  /** Time of the last response headers, by `performance.now()`. */
  lastResponseMs = 0;
  readonly #session: Http2.ClientHttp2Session;
  #streams = 0;
  #isClosing = false;

  constructor(session: Http2.ClientHttp2Session) {
    this.#session = session;
    session.unref();
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  request(headers: Http2.OutgoingHttpHeaders): Http2.ClientHttp2Stream {
    const stream = this.#session.request(headers);
    this.#streams++;
    this.#session.ref();
    stream.once("response", () => this.lastResponseMs = performance.now());
    stream.once("close", () => {
      if (--this.#streams > 0 || this.#session.destroyed) return;
      this.#session.unref();
      if (this.#isClosing) this.#session.close();
    });
    return stream;
  }

  /** Closes the connection when no stream is open. `close` does not wait for open streams on Deno. */
  closeWhenIdle(): void {
    this.#isClosing = true;
    if (this.#streams === 0) this.#session.close();
  }
}

/** The response to a request, as it is received. */
export class Http2Response {
  /** Status and headers. Rejects if the request fails. */
  readonly headers: Promise<Http2ResponseHeaders>;
  /** Trailers. Set when the body was read. */
  trailers: Http2.IncomingHttpHeaders = {};
  readonly #stream: Http2.ClientHttp2Stream;
  readonly #cancelCode: number;
  readonly #onUnanswered: () => void;
  #hasHeaders = false;

  /** @param onUnanswered Called if the request is cancelled before the headers are received: the connection may be dead. */
  constructor(stream: Http2.ClientHttp2Stream, cancelCode: number, onUnanswered: () => void) {
    this.#stream = stream;
    this.#cancelCode = cancelCode;
    this.#onUnanswered = onUnanswered;
    stream.on("trailers", (trailers) => void (this.trailers = trailers));
    this.headers = new Promise((resolve, reject) => {
      stream.once("response", (headers) => {
        this.#hasHeaders = true;
        resolve(headers);
      });
      stream.once("error", reject);
      stream.once("close", () => reject(new Error("The connection was lost before a response was received")));
    });
  }

  /** The chunks of the body, with backpressure. Throws if the body is incomplete. */
  body(): AsyncIterable<Uint8Array> {
    return this.#stream;
  }

  /** Resets the stream, unless it has ended. Without response headers so far, it also calls `onUnanswered`. */
  cancel(): void {
    this.#stream.close(this.#cancelCode);
    if (!this.#hasHeaders) this.#onUnanswered();
  }
}

export type Http2ResponseHeaders = Http2.IncomingHttpHeaders & Http2.IncomingHttpStatusHeader;

/** Loads `node:http2` where it exists, without an import that bundlers would follow. */
interface BuiltinLoader {
  readonly process?: { getBuiltinModule?(name: "node:http2"): typeof Http2 | undefined };
}

/** Loaded at run time: bundles for browsers and Workers cannot import it. */
function loadHttp2(): typeof Http2 {
  const http2 = (globalThis as BuiltinLoader).process?.getBuiltinModule?.("node:http2");
  if (http2 === undefined) {
    throw new TypeError(
      "grpcTransport() needs node:http2, which this runtime lacks: use connectTransport() or grpcWebTransport()",
    );
  }
  return http2;
}
