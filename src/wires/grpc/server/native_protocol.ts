/**
 * gRPC itself, where answers can end in trailers: messages in envelopes, and a status behind them.
 *
 * Not by Connect's handlers, which cost several times what a call does. Knows no methods.
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md | gRPC over HTTP/2}.
 *
 * @module
 */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Metadata } from "../../../core/call/call.ts";
import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { Body, Head, Reply, WireHost } from "../../wire.ts";
import { encodeRefusal } from "./encode_error.ts";
import { encodeStatus, OK, type Trailers } from "./encode_status.ts";
import { type Envelope, openEnvelope, readEnvelopes } from "../messages/envelope.ts";
import { gunzip } from "./gzip.ts";
import { NativeStream } from "./native_stream.ts";
import type { RpcMethod } from "./protocol.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Answers one message with one, in its envelope. Throws a {@link ConnectError} for what is not OK. */
export type UnaryMethod = (message: Bytes, head: Head) => MaybePromise<Bytes>;

/** Answers one message with any number of them, in their envelopes, and ends the stream. Throws likewise. */
export type ServerStreamMethod = (message: Bytes, stream: NativeStream, head: Head) => MaybePromise<void>;

/** Answers messages as they come, each with one, in its envelope. Throws likewise. */
export type BidiStreamMethod = (message: Bytes) => Bytes;

/** Whether a request speaks gRPC itself, and neither gRPC-Web nor Connect. */
export function isNative({ metadata }: Head): boolean {
  return /^application\/grpc(\+proto)?\s*(;|$)/i.test(metadata.get("content-type") ?? "");
}

const HEADERS = { "content-type": "application/grpc" };

/** The answer to a request that is refused before its messages are read: a status, and nothing in front of it. */
export function refuseUnread(refusal: ErrorResult): Reply {
  return statusAlone(encodeStatus(encodeRefusal(refusal)));
}

function statusAlone(status: Trailers): Reply {
  return { status: 200, headers: { ...HEADERS, ...status }, body: null };
}

/** Carries methods. */
export class NativeProtocol {
  readonly #host: WireHost;

  constructor(host: WireHost) {
    this.#host = host;
  }

  /** A method that answers one message with one. */
  unary(method: UnaryMethod): RpcMethod {
    return async (head, body) => {
      try {
        const answer = await method(await this.#readOne(head, body), head);
        return { status: 200, headers: HEADERS, body: answer, trailers: () => OK };
      } catch (thrown) {
        return this.#statusAlone(thrown);
      }
    };
  }

  /** A method that answers one message with many. */
  serverStream(method: ServerStreamMethod): RpcMethod {
    return async (head, body) => {
      try {
        const message = await this.#readOne(head, body);
        const stream = new NativeStream();
        const done = method(message, stream, head);
        if (done instanceof Promise) done.catch((thrown) => stream.fail(thrown));
        return this.#streamed(stream);
      } catch (thrown) {
        return this.#statusAlone(thrown);
      }
    };
  }

  /** A method that answers each message with one, for as long as there are any. */
  bidiStream(method: BidiStreamMethod): RpcMethod {
    return (head, body) => {
      try {
        assertCarried(head);
      } catch (thrown) {
        return this.#statusAlone(thrown);
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
      await stream.write(method(await this.#open(envelope, head.metadata)));
    }
  }

  async #readOne(head: Head, body: Body): Promise<Bytes> {
    assertCarried(head);
    const bytes = await body.bytes();
    const envelope = "kind" in bytes ? bytes : openEnvelope(bytes);
    const message = this.#open(envelope, head.metadata);
    return message instanceof Promise ? await message : message;
  }

  #open(envelope: Envelope | ErrorResult, metadata: Metadata): MaybePromise<Bytes> {
    if ("kind" in envelope) throw encodeRefusal(envelope);
    if (!envelope.isCompressed) return envelope.message;
    if (metadata.get("grpc-encoding") !== "gzip") {
      throw new ConnectError("Messages may be compressed by gzip alone", Code.Unimplemented, GZIP_ALONE);
    }
    return gunzip(envelope.message, this.#host.limits.bodyBytes).then((message) => {
      if ("kind" in message) throw encodeRefusal(message);
      return message;
    });
  }

  #streamed(stream: NativeStream): Reply {
    const trailers = () => stream.thrown === undefined ? OK : this.#status(stream.thrown);
    return { status: 200, headers: HEADERS, body: stream.body, trailers };
  }

  #statusAlone(thrown: unknown): Reply {
    return statusAlone(this.#status(thrown));
  }

  #status(thrown: unknown): Trailers {
    if (thrown instanceof ConnectError) return { ...encodeStatus(thrown), ...Object.fromEntries(thrown.metadata) };
    return encodeStatus(encodeRefusal(this.#host.dispatch.mask(thrown, { protocol: "grpc" })));
  }
}

const GZIP_ALONE = { "grpc-accept-encoding": "identity,gzip" };

/** A status without a message in front can be said in headers, even where answers cannot end in trailers. */
function assertCarried({ carriesTrailers }: Head): void {
  if (carriesTrailers) return;
  throw new ConnectError(
    "This port cannot carry gRPC, only Connect and gRPC-Web: gRPC has a port of its own, serve(server, { grpc: { port } })",
    Code.Unimplemented,
  );
}
