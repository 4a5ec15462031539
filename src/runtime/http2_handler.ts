/** Adapts an HTTP/2 stream to a request of wires. It supports replies that end with trailers. */
import {
  constants,
  type Http2Session,
  type Http2Stream,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Metadata, Principal } from "../core/call/call.ts";
import { pathOf } from "../server/fetch_request.ts";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import { settleInto } from "../internal/future.ts";
import { ReplySender } from "../server/reply_sender.ts";
import type { Server } from "../server/server.ts";
import type { Head, Reply } from "../wires/wire.ts";
import { cancel, leftSignal, NodeBody, NodeMetadata, pump } from "./node_streams.ts";

/**
 * Time limit for receiving a body, in milliseconds. The body is buffered, and the deadline of its call has not started
 * yet.
 */
const BODY_MS = 30_000;

/** Creates a listener for the event `stream` of a `node:http2` server. It passes requests to the wires and sends their replies. */
export function toHttp2Handler(
  server: Pick<Server, "~server" | "limits">,
): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]) => void {
  return (stream, headers, _flags, rawHeaders) => {
    // Node reports a reset by the client as an error. It is handled when the stream closes.
    stream.on("error", () => {});
    const head = new Http2Head(stream, headers, rawHeaders);
    const { host, handle } = server["~server"];
    const reply = handle(head, new NodeBody(stream, headers, server.limits.bodyBytes, BODY_MS));
    settleInto(reply, new StreamSender(host.dispatch, head, stream));
  };
}

/** Writes the reply to a stream of HTTP/2. */
class StreamSender extends ReplySender {
  readonly #dispatch: Dispatch;
  readonly #head: Http2Head;
  readonly #stream: ServerHttp2Stream;

  constructor(dispatch: Dispatch, head: Http2Head, stream: ServerHttp2Stream) {
    super(dispatch, head);
    this.#dispatch = dispatch;
    this.#head = head;
    this.#stream = stream;
  }

  /** A reply that fails must not end the process. Its client sees the stream reset. */
  protected send(reply: Reply): void {
    send(reply, this.#head, this.#stream).catch((thrown) => {
      this.#dispatch.mask(thrown, { during: "reply", path: this.#head.path });
      this.abandon();
    });
  }

  protected abandon(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

/** `:authority` takes precedence over `host` (RFC 9113, 8.3.1). Several `Authorization` headers are joined, as in HTTP/1.1. */
class Http2Metadata extends NodeMetadata {
  readonly #rawHeaders: readonly string[];

  /** @param rawHeaders Names and values, alternately. Node keeps the first `Authorization` header only in its object. */
  constructor(headers: IncomingHttpHeaders, rawHeaders: readonly string[]) {
    super(headers);
    this.#rawHeaders = rawHeaders;
  }

  override get(name: string): string | null {
    if (name === "authorization") return this.#authorization;
    return super.get(name.toLowerCase() === "host" ? ":authority" : name) ?? super.get(name);
  }

  get #authorization(): string | null {
    const raw = this.#rawHeaders;
    const values = raw.filter((_, index) => index % 2 === 1 && raw[index - 1] === "authorization");
    return values.length === 0 ? null : values.join(", ");
  }
}

/** Head of a request over HTTP/2, read from its pseudo-headers. */
class Http2Head implements Head {
  principal: Principal | undefined;
  readonly carriesTrailers = true;
  readonly method: string;
  path: string;
  readonly metadata: Metadata;
  readonly #headers: IncomingHttpHeaders;
  readonly #stream: ServerHttp2Stream;
  #signal: AbortSignal | undefined;
  /** Whether the reply was written completely. The stream closes in that case too. */
  isAnswered = false;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]) {
    this.#stream = stream;
    this.#headers = headers;
    this.method = headers[":method"] ?? "GET";
    this.path = pathOf(headers[":path"] ?? "/");
    this.metadata = new Http2Metadata(headers, rawHeaders);
  }

  get target(): string {
    return this.#headers[":path"] ?? "/";
  }

  get authority(): string {
    return this.#headers[":authority"] ?? "";
  }

  get signal(): AbortSignal {
    return (this.#signal ??= leftSignal(this.#stream, () => this.isAnswered));
  }

  get streamAbortSignal(): AbortSignal {
    return this.signal;
  }

  disableIdleTimeout(): void {
    // Idle streams are not closed.
  }
}

/** No trailers if they cannot be computed: protocols treat such an end as an error. */
function trailersOf(trailers: () => Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return trailers();
  } catch {
    return {};
  }
}

async function send(reply: Reply, head: Http2Head, stream: ServerHttp2Stream): Promise<void> {
  // The client has disconnected; replying would throw.
  if (stream.destroyed || stream.closed) return cancel(reply);
  const { body, trailers } = reply;
  const headers = { ...reply.headers, ":status": reply.status };
  if (trailers !== undefined) {
    stream.once("wantTrailers", () => {
      if (!stream.destroyed) stream.sendTrailers(trailersOf(trailers));
    });
  }
  stream.respond(headers, { endStream: body === null, waitForTrailers: trailers !== undefined });
  if (body instanceof ReadableStream) {
    await pump(body, stream, waitForConnection(stream));
    head.isAnswered = true;
    return;
  }
  head.isAnswered = true;
  if (body !== null) stream.end(body);
  // Discards the rest of the request, so that the stream can close.
  stream.resume();
}

/** Returns a function that waits until a stream's connection accepts more data; `undefined` on Node, where streams themselves wait. */
function waitForConnection(
  { session }: Http2Stream,
): (() => Promise<void> | undefined) | undefined {
  if (isBun) return nextTurn;
  return isDeno && session !== undefined ? () => drained(session) : undefined;
}

const isBun = "Bun" in globalThis;
const isDeno = "Deno" in globalThis;
/** On Bun a write costs more than a message: those of a turn are sent as one, and other streams get their turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** All streams of a connection share one promise. */
const waits = new WeakMap<Http2Session, Promise<void>>();

function drained(session: Http2Session): Promise<void> | undefined {
  // The socket must not be read after it has ended.
  if (session.destroyed || !session.socket.writableNeedDrain) return undefined;
  const waiting = waits.get(session);
  if (waiting !== undefined) return waiting;
  const wait = new Promise<void>((resolve) => {
    const go = () => {
      session.off("close", go);
      waits.delete(session);
      resolve();
    };
    session.socket.once("drain", go);
    session.once("close", go);
  });
  waits.set(session, wait);
  return wait;
}
