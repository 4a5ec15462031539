/**
 * gRPC itself, where answers can end in trailers: messages in envelopes, and a status behind them.
 *
 * Not by Connect's handlers, which cost several times what a call does. Knows no methods.
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md | gRPC over HTTP/2}.
 *
 * @module
 */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Metadata } from "../../call/call.ts";
import type { Refusal } from "../../call/outcome.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import type { Body, Head, Reply, WireHost } from "../wire.ts";
import { encodeRefusal } from "./encode_error.ts";
import { encodeStatus, OK, type Trailers } from "./encode_status.ts";
import { type Envelope, openEnvelope, readEnvelopes } from "./envelope.ts";
import { gunzip } from "./gzip.ts";
import type { RpcMethod } from "./protocol.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Envelopes = AsyncGenerator<Bytes, void, undefined>;

/** Answers one message with one, in its envelope. Throws a {@link ConnectError} for what is not OK. */
export type UnaryMethod = (message: Bytes, head: Head) => MaybePromise<Bytes>;

/** Answers one message with any number of them, in their envelopes. Throws likewise. */
export type ServerStreamMethod = (message: Bytes, head: Head, left: AbortSignal) => Envelopes;

/** Answers messages as they come, in their envelopes. Throws likewise. */
export type BidiStreamMethod = (messages: AsyncIterable<Bytes>) => Envelopes;

/** Whether a request speaks gRPC itself, and neither gRPC-Web nor Connect. */
export function isNative({ metadata }: Head): boolean {
  return /^application\/grpc(\+proto)?\s*(;|$)/i.test(metadata.get("content-type") ?? "");
}

const HEADERS = { "content-type": "application/grpc" };

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
        return this.#stream((left) => method(message, head, left));
      } catch (thrown) {
        return this.#statusAlone(thrown);
      }
    };
  }

  /** A method that answers many messages with many. */
  bidiStream(method: BidiStreamMethod): RpcMethod {
    return (head, body) => {
      try {
        assertCarried(head);
        head.keepOpen();
        return this.#stream(() => method(this.#readAll(head, body)));
      } catch (thrown) {
        return this.#statusAlone(thrown);
      }
    };
  }

  async #readOne(head: Head, body: Body): Promise<Bytes> {
    assertCarried(head);
    const bytes = await body.bytes();
    const envelope = "kind" in bytes ? bytes : openEnvelope(bytes);
    const message = this.#open(envelope, head.metadata);
    return message instanceof Promise ? await message : message;
  }

  async *#readAll(head: Head, body: Body): AsyncGenerator<Bytes, void, undefined> {
    for await (const envelope of readEnvelopes(body.stream(), this.#host.limits.bodyBytes)) {
      yield await this.#open(envelope, head.metadata);
    }
  }

  #open(envelope: Envelope | Refusal, metadata: Metadata): MaybePromise<Bytes> {
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

  #stream(open: (left: AbortSignal) => Envelopes): Reply {
    const left = new AbortController();
    const envelopes = open(left.signal);
    let trailers = OK;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const next = await envelopes.next();
          if (left.signal.aborted) return;
          if (!next.done) return controller.enqueue(next.value);
        } catch (thrown) {
          if (left.signal.aborted) return;
          trailers = this.#status(thrown);
        }
        controller.close();
      },
      cancel: () => {
        left.abort();
        void envelopes.return().catch(() => {});
      },
    }, { highWaterMark: 0 });
    return { status: 200, headers: HEADERS, body, trailers: () => trailers };
  }

  #statusAlone(thrown: unknown): Reply {
    return { status: 200, headers: { ...HEADERS, ...this.#status(thrown) }, body: null };
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
