/**
 * A connection of HTTP/2 whose answers have trailers: what gRPC needs, and `fetch` has not.
 *
 * @module
 */
import type * as Http2 from "node:http2";

/** One connection, made when it is needed, and made anew when it was lost. */
export class Http2Connection {
  readonly #http2: typeof Http2;
  readonly #origin: string;
  readonly #tls: TlsClientOptions | undefined;
  #session: Session | undefined = undefined;

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
  post(path: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Http2Response {
    const session = this.#connect();
    const sentMs = performance.now();
    const stream = session.request({ ...headers, ":method": "POST", ":path": path });
    const answer = new Http2Response(stream, this.#http2.constants.NGHTTP2_CANCEL, () => {
      if (session.heardMs < sentMs && this.#session === session) this.close();
    });
    stream.end(body);
    return answer;
  }

  /** Lets calls under way end, and makes the next call a new connection. */
  close(): void {
    this.#session?.closeWhenIdle();
    this.#session = undefined;
  }

  #connect(): Session {
    if (this.#session?.isOpen) return this.#session;
    const http2Session = this.#http2.connect(this.#origin, { ...this.#tls, settings: { enablePush: false } });
    const session = new Session(http2Session);
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    // Each of its streams tells of it, too.
    http2Session.on("error", forget).on("goaway", forget).on("close", forget);
    return (this.#session = session);
  }
}

/** A connection, and what is under way on it. While that is nothing, it keeps no process from its end. */
class Session {
  /** When an answer last began, by `performance.now()`. */
  heardMs = 0;
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
    stream.once("response", () => this.heardMs = performance.now());
    stream.once("close", () => {
      if (--this.#streams > 0 || this.#session.destroyed) return;
      this.#session.unref();
      if (this.#isClosing) this.#session.close();
    });
    return stream;
  }

  /** Closes it once nothing is under way: at once, Deno would end what is. */
  closeWhenIdle(): void {
    this.#isClosing = true;
    if (this.#streams === 0) this.#session.close();
  }
}

/** The answer to a request, as it comes. */
export class Http2Response {
  /** Status and headers; rejects if there will be none. */
  readonly head: Promise<Http2ResponseHeaders>;
  /** What came behind the body, once that was read. */
  trailers: Http2.IncomingHttpHeaders = {};
  readonly #stream: Http2.ClientHttp2Stream;
  readonly #cancelCode: number;
  readonly #onUnheard: () => void;
  #hasHead = false;

  /** @param onUnheard Called when nobody waits for the answer any more, before it has begun: its connection may be dead. */
  constructor(stream: Http2.ClientHttp2Stream, cancelCode: number, onUnheard: () => void) {
    this.#stream = stream;
    this.#cancelCode = cancelCode;
    this.#onUnheard = onUnheard;
    stream.on("trailers", (trailers) => void (this.trailers = trailers));
    this.head = new Promise((resolve, reject) => {
      stream.once("response", (head) => {
        this.#hasHead = true;
        resolve(head);
      });
      stream.once("error", reject);
      stream.once("close", () => reject(new Error("The connection was lost before there was an answer")));
    });
  }

  /** The body, piece by piece, no faster than it is read. Throws if it breaks off. */
  body(): AsyncIterable<Uint8Array> {
    return this.#stream;
  }

  /** Resets what has not ended. */
  cancel(): void {
    this.#stream.close(this.#cancelCode);
    if (!this.#hasHead) this.#onUnheard();
  }
}

/** What comes before the body. */
export type Http2ResponseHeaders = Http2.IncomingHttpHeaders & Http2.IncomingHttpStatusHeader;

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

/** How a connection with TLS is made. */
export interface TlsClientOptions {
  /** Certificates of the authorities that are trusted, in PEM. Default: the runtime's. */
  readonly ca?: string;
  /** The private key that is shown, in PEM. */
  readonly key?: string;
  /** The certificate that is shown, in PEM. */
  readonly cert?: string;
}
