/**
 * Native gRPC, for connections that can send trailers: messages in envelopes, and a status in the trailers.
 *
 * Does not use Connect's handlers, which take several times as long as a call. Independent of any method.
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md | gRPC over HTTP/2}.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Metadata } from "../../../core/call/call.ts";
import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { MaybeFuture } from "../../../internal/future.ts";
import type { Body, Head, Reply, WireHost } from "../../wire.ts";
import { encodeError, encodeStatus, OK, type Trailers } from "./encode_error.ts";
import { type Envelope, gunzip, openEnvelope, readEnvelopes } from "../messages/envelope.ts";
import type { RpcMethod } from "./service.ts";
import { NativeStream } from "./stream.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Handles one request message, and returns the response in its envelope. Throws a {@link ConnectError}; other exceptions are masked. */
export type UnaryMethod = (message: Bytes, head: Head) => MaybeFuture<Bytes>;

/** Handles one request message, writes responses in their envelopes, and ends the stream. Throws as a {@link UnaryMethod} does. */
export type ServerStreamMethod = (message: Bytes, stream: NativeStream, head: Head) => MaybePromise<void>;

/** Handles each message of a stream, and returns its response in its envelope. Throws as a {@link UnaryMethod} does. */
export type BidiStreamMethod = (message: Bytes, head: Head) => Bytes;

const HEADERS = { "content-type": "application/grpc" };

/** Makes the reply of native gRPC for an error before any message is read: a status in the headers, without messages. */
export function encodeEarlyError(error: ErrorResult): Reply {
  return trailersOnly(encodeStatus(encodeError(error)));
}

/** A response without messages, whose status is sent in the headers ("Trailers-Only"). */
function trailersOnly(status: Trailers): Reply {
  return { status: 200, headers: { ...HEADERS, ...status }, body: null };
}

/** Adapts RPC methods to requests and replies of native gRPC. What they throw becomes the status. */
export class NativeProtocol {
  readonly #host: WireHost;

  constructor(host: WireHost) {
    this.#host = host;
  }

  /** Adapts a method with one request and one response. Its exception becomes the status. */
  unary(method: UnaryMethod): RpcMethod {
    return async (head, body) => {
      try {
        const answer = await method(await this.#readOne(head, body), head);
        return { status: 200, headers: HEADERS, body: answer, trailers: () => OK };
      } catch (thrown) {
        return this.#errorReply(thrown);
      }
    };
  }

  /** Adapts a method with one request and a stream of responses. */
  serverStream(method: ServerStreamMethod): RpcMethod {
    return async (head, body) => {
      try {
        const message = await this.#readOne(head, body);
        const stream = new NativeStream();
        const done = method(message, stream, head);
        if (done instanceof Promise) done.catch((thrown) => stream.fail(thrown));
        return this.#streamed(stream);
      } catch (thrown) {
        return this.#errorReply(thrown);
      }
    };
  }

  /** Adapts a method with a stream of requests and a stream of responses, which ends when the server closes. */
  bidiStream(method: BidiStreamMethod): RpcMethod {
    return (head, body) => {
      try {
        assertTrailersSupported(head);
      } catch (thrown) {
        return this.#errorReply(thrown);
      }
      head.disableIdleTimeout();
      const stream = new NativeStream();
      const { closeSignal } = this.#host.dispatch;
      const end = () => stream.end();
      if (closeSignal.aborted) end();
      closeSignal.addEventListener("abort", end, { once: true });
      this.#answerAll(method, stream, head, body).then(end, (thrown) => stream.fail(thrown))
        .finally(() => closeSignal.removeEventListener("abort", end));
      return this.#streamed(stream);
    };
  }

  async #answerAll(method: BidiStreamMethod, stream: NativeStream, head: Head, body: Body): Promise<void> {
    for await (const envelope of readEnvelopes(body.stream(), this.#host.limits.bodyBytes)) {
      await stream.write(method(await this.#open(envelope, head.metadata), head));
    }
  }

  async #readOne(head: Head, body: Body): Promise<Bytes> {
    assertTrailersSupported(head);
    const bytes = await body.bytes();
    const envelope = "kind" in bytes ? bytes : openEnvelope(bytes);
    const message = this.#open(envelope, head.metadata);
    return message instanceof Promise ? await message : message;
  }

  #open(envelope: Envelope | ErrorResult, metadata: Metadata): MaybePromise<Bytes> {
    if ("kind" in envelope) throw encodeError(envelope);
    if (!envelope.isCompressed) return envelope.message;
    if (metadata.get("grpc-encoding") !== "gzip") {
      throw new ConnectError("Messages may be compressed with gzip only", Code.Unimplemented, GZIP_ONLY);
    }
    return gunzip(envelope.message, this.#host.limits.bodyBytes).then((message) => {
      if ("kind" in message) throw encodeError(message);
      return message;
    });
  }

  #streamed(stream: NativeStream): Reply {
    const trailers = () => stream.thrown === undefined ? OK : this.#status(stream.thrown);
    return { status: 200, headers: HEADERS, body: stream.body, trailers };
  }

  #errorReply(thrown: unknown): Reply {
    return trailersOnly(this.#status(thrown));
  }

  #status(thrown: unknown): Trailers {
    if (thrown instanceof ConnectError) return { ...encodeStatus(thrown), ...Object.fromEntries(thrown.metadata) };
    return encodeStatus(encodeError(this.#host.dispatch.mask(thrown, { protocol: "grpc" })));
  }
}

const GZIP_ONLY = { "grpc-accept-encoding": "identity,gzip" };

/** @throws {ConnectError} If the connection cannot send trailers. A status without messages is sent in headers, so it can be. */
function assertTrailersSupported({ carriesTrailers }: Head): void {
  if (carriesTrailers) return;
  throw new ConnectError(
    "This port cannot carry gRPC, only Connect and gRPC-Web: open a port for gRPC with serve(server, { grpc: { port } })",
    Code.Unimplemented,
  );
}
