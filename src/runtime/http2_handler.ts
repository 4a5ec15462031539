/**
 * A stream of HTTP/2, as wires see requests: the one way to an answer that ends in trailers.
 *
 * @module
 */
import {
  constants,
  type Http2Session,
  type Http2Stream,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Metadata, Principal } from "../core/call/call.ts";
import { pathOf } from "../server/fetch_request.ts";
import type { Server } from "../server/server.ts";
import type { Head, Reply } from "../wires/wire.ts";
import { cancel, leftSignal, NodeBody, NodeMetadata, pump } from "./node_streams.ts";

/** How long a body may take to come, in milliseconds: until then it is held, and the deadline of its call has not begun. */
const BODY_MS = 30_000;

/** Answers requests that come as streams. */
export function toHttp2Handler(
  server: Pick<Server, "handle" | "limits">,
): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void {
  return (stream, headers) => {
    // A stream that its caller resets is an error to Node; what it means is seen at its close.
    stream.on("error", () => {});
    const head = new Http2Head(stream, headers);
    const reply = server.handle(head, new NodeBody(stream, headers, server.limits.bodyBytes, BODY_MS));
    if (reply instanceof Promise) void reply.then((later) => sendOrReset(later, head, stream));
    else sendOrReset(reply, head, stream);
  };
}

/** Where HTTP/2 says by `:authority` whom a request is for, a `host` beside it says nothing (RFC 9113, 8.3.1). */
class Http2Metadata extends NodeMetadata {
  override get(name: string): string | null {
    return super.get(name.toLowerCase() === "host" ? ":authority" : name) ?? super.get(name);
  }
}

class Http2Head implements Head {
  principal: Principal | undefined = undefined;
  readonly carriesTrailers = true;
  readonly method: string;
  readonly path: string;
  readonly metadata: Metadata;
  readonly #headers: IncomingHttpHeaders;
  readonly #stream: ServerHttp2Stream;
  #signal: AbortSignal | undefined = undefined;
  /** Whether the whole answer was given to the stream: it closes after that, too. */
  isAnswered = false;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream;
    this.#headers = headers;
    this.method = headers[":method"] ?? "GET";
    this.path = pathOf(headers[":path"] ?? "/");
    this.metadata = new Http2Metadata(headers);
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
    // Nothing cuts a quiet stream.
  }
}

/** None where they cannot be had: that is an end which no protocol takes for a good one. */
function trailersOf(trailers: () => Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return trailers();
  } catch {
    return {};
  }
}

/** A reply that breaks while it is sent must not take the process with it: its caller sees the stream reset. */
function sendOrReset(reply: Reply, head: Http2Head, stream: ServerHttp2Stream): void {
  send(reply, head, stream).catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
}

async function send(reply: Reply, head: Http2Head, stream: ServerHttp2Stream): Promise<void> {
  // Its caller has gone; to answer would throw.
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
  // What is left of the request, so that the stream can close.
  stream.resume();
}

/** What waits for a connection until it takes more, told what was written; `undefined` where streams do so themselves. */
export function waitForConnection(
  { session }: Http2Stream,
): ((bytes: number) => Promise<void> | undefined) | undefined {
  if (isBun) return turnByTurn();
  return isDeno && session !== undefined ? () => drained(session) : undefined;
}

const isBun = "Bun" in globalThis;
const isDeno = "Deno" in globalThis;
const BYTES_A_TURN = 65_536;

function turnByTurn(): (bytes: number) => Promise<void> | undefined {
  let written = 0;
  return (bytes) => {
    written += bytes;
    if (written < BYTES_A_TURN) return undefined;
    written = 0;
    return new Promise((resolve) => setImmediate(resolve));
  };
}

/** All streams of a connection share one promise. */
const waits = new WeakMap<Http2Session, Promise<void>>();

function drained(session: Http2Session): Promise<void> | undefined {
  // Its socket may not be looked at once it has ended.
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
