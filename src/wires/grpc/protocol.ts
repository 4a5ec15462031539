/**
 * Connect and gRPC-Web, as `@connectrpc/connect` speaks them, between our heads, bodies and replies.
 *
 * The one file that knows how its handlers are driven: parts of that do not follow semantic versioning.
 *
 * @module
 */
import {
  type ContextKey,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type ServiceImpl,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { Refusal } from "../../call/outcome.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import { concatBytes } from "./bytes.ts";
import { encodeRefusal } from "./encode_error.ts";
import { MCPLite } from "./gen/mcplite_pb.ts";
import { gzip } from "./gzip.ts";
import { decodeText, encodeText, isText, withoutText } from "./text.ts";
import type { Body, Head, Limits, Reply } from "../wire.ts";

/** A request, as the service's functions see it. */
export interface Rpc {
  /** What the request says before its body. */
  readonly head: Head;
  /** Aborts when nobody reads the answer any more. */
  readonly left: AbortSignal;
}

/** Where the service's functions find the request. */
export const rpcKey: ContextKey<Rpc | undefined> = createContextKey<Rpc | undefined>(undefined);

/** One method of the service. */
export type RpcMethod = (head: Head, body: Body) => MaybePromise<Reply>;

/** What pages of other origins have to read of a gRPC-Web answer that has no body. */
export const EXPOSED_HEADERS: readonly string[] = ["grpc-status", "grpc-message", "grpc-status-details-bin"];

const TEXT = "application/grpc-web-text+proto";

/** What the protocols say in headers, beside the type. Deadlines are not among them: those are dispatch's. */
const PROTOCOL_HEADERS: readonly string[] = [
  "content-encoding",
  "connect-protocol-version",
  "connect-content-encoding",
  "connect-accept-encoding",
  "grpc-encoding",
  "grpc-accept-encoding",
];

/** A level of JSON is up to three messages: a struct, its entry, and the entry's value. The first are the request's. */
const MESSAGES_PER_LEVEL = 3;
const MESSAGES_OF_REQUEST = 4;

/** How deep messages are read that hold JSON of this depth. */
export function recursionLimit(depth: number): number {
  return MESSAGES_PER_LEVEL * depth + MESSAGES_OF_REQUEST;
}

/** The methods of the service, by their paths. */
export function createRpcMethods(service: ServiceImpl<typeof MCPLite>, limits: Limits): ReadonlyMap<string, RpcMethod> {
  const options = { recursionLimit: recursionLimit(limits.depth) };
  const router = createConnectRouter({
    grpc: false,
    acceptCompression: [gzip],
    // Answers go out as they are: who wants them smaller has a proxy that is better at it.
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    readMaxBytes: limits.bodyBytes,
    binaryOptions: options,
    jsonOptions: options,
  }).service(MCPLite, service);
  return new Map(router.handlers.map((handler) => [handler.requestPath, rpcMethod(handler)]));
}

function rpcMethod(handler: UniversalHandler): RpcMethod {
  const isStream = handler.method.methodKind !== "unary";
  return (head, body) => {
    if (head.method !== "POST") return { status: 405, headers: { allow: "POST" }, body: null };
    const contentType = head.metadata.get("content-type") ?? "";
    if (!handler.supportedContentType(contentType)) return UNSUPPORTED;
    // Read before there is a response: some runtimes read no body after that.
    return body.bytes().then((bytes) => {
      const call = new MethodCall(handler, head, bytes, contentType);
      return isStream ? call.stream() : call.answer().catch(() => BROKEN);
    });
  };
}

const UNSUPPORTED: Reply = {
  status: 415,
  headers: {
    "accept-post":
      "application/json, application/proto, application/connect+json, application/connect+proto, application/grpc-web+proto",
  },
  body: null,
};
const BROKEN: Reply = { status: 500, headers: {}, body: null };

/** One request, and what Connect's handler makes of it. */
class MethodCall {
  readonly #handler: UniversalHandler;
  readonly #head: Head;
  readonly #body: Uint8Array<ArrayBuffer> | Refusal;
  readonly #contentType: string;
  readonly #isText: boolean;
  readonly #left = new AbortController();

  constructor(handler: UniversalHandler, head: Head, body: Uint8Array<ArrayBuffer> | Refusal, contentType: string) {
    this.#handler = handler;
    this.#head = head;
    this.#body = body;
    this.#contentType = withoutText(contentType);
    this.#isText = isText(contentType);
  }

  /** The whole answer. */
  async answer(): Promise<Reply> {
    const { status, header, body = [] } = await this.#handle();
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    const whole = concatBytes(pieces);
    const headers = Object.fromEntries(header ?? []);
    if (!this.#isText) return { status, headers, body: whole };
    return { status, headers: { ...headers, "content-type": TEXT }, body: encodeText(whole) };
  }

  /**
   * The answer as a stream, at once: its status is always 200, what goes wrong is said in the body, and the runtime can tell
   * that the caller has gone before there is anything to send.
   */
  stream(): Reply {
    let pieces: AsyncIterator<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        pieces ??= ((await this.#handle()).body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(this.#isText ? encodeText(next.value) : next.value);
      },
      cancel: () => this.#left.abort(),
    });
    return { status: 200, headers: { "content-type": this.#isText ? TEXT : this.#contentType }, body };
  }

  async #handle(): Promise<UniversalServerResponse> {
    return await this.#handler({
      httpVersion: "2",
      method: this.#head.method,
      // Only a query would be read of it, which requests by POST have not.
      url: `http://localhost${this.#handler.requestPath}`,
      header: this.#headers(),
      body: this.#messages(),
      signal: this.#left.signal,
      contextValues: createContextValues().set(rpcKey, { head: this.#head, left: this.#left.signal }),
    });
  }

  #headers(): Headers {
    const headers = new Headers({ "content-type": this.#contentType });
    for (const name of PROTOCOL_HEADERS) {
      const value = this.#head.metadata.get(name);
      if (value !== null) headers.set(name, value);
    }
    return headers;
  }

  async *#messages(): AsyncGenerator<Uint8Array, void, undefined> {
    if ("kind" in this.#body) throw encodeRefusal(this.#body);
    yield await Promise.resolve(this.#isText ? decodeText(this.#body) : this.#body);
  }
}
