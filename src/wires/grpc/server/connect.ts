/**
 * The tool service by Connect and gRPC-Web, with the handlers of `@connectrpc/connect`.
 *
 * The handlers select the protocol and encode the responses, with envelopes, statuses and trailers. The request is read before,
 * by `request.ts`, and they are given an empty message instead. Only this file calls them: parts of their API do not follow
 * semantic versioning.
 *
 * @module
 */
import {
  type ContextKey,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { Head, Limits, Reply } from "../../wire.ts";
import type { ResponseMembers, ToolRequestMembers } from "../messages/binary.ts";
import { concatBytes, encodeEnvelope } from "../messages/envelope.ts";
import { MCPLite } from "../messages/gen/mcplite_pb.ts";
import {
  compressionHeader,
  parseContentType,
  type RequestEncoding,
  STREAM_TYPES,
  UNARY_TYPES,
  unsupportedMediaType,
} from "./content_type.ts";
import { encodeError } from "./encode_error.ts";
import { encodeBase64Text, readRequest, type RequestType } from "./request.ts";
import type { RpcMethod, ToolService } from "./service.ts";
import { ResponseStream } from "./stream.ts";

/** A request that was read. */
interface ReadRequest {
  /** The head of the request. */
  readonly head: Head;
  /** The message, or the error if it could not be read. */
  readonly message: ToolRequestMembers | ErrorResult;
  /** Aborts when the client has disconnected. */
  readonly closed: AbortSignal;
}

/** Key of the request in the context of Connect's handlers. */
const requestKey: ContextKey<ReadRequest | undefined> = createContextKey<ReadRequest | undefined>(undefined);

/** One method of the service by Connect and gRPC-Web. */
export interface ConnectMethod {
  /** Answers a request. */
  readonly handle: RpcMethod;
  /** Answers a request with an error, before its body is read. */
  refuse(head: Head, error: ErrorResult): MaybePromise<Reply>;
}

/** Headers that pages of other origins need to read a gRPC-Web response without a body. */
export const EXPOSED_HEADERS: readonly string[] = ["grpc-status", "grpc-message", "grpc-status-details-bin"];

const INTERNAL_ERROR: Reply = { status: 500, headers: {}, body: null };

/** The methods of the service by Connect and gRPC-Web, by their paths. */
export function createConnectMethods(service: ToolService, limits: Limits): ReadonlyMap<string, ConnectMethod> {
  const router = createConnectRouter({ grpc: false }).service(MCPLite, implementation(service));
  return new Map(router.handlers.map((handler) => [handler.requestPath, connectMethod(handler, limits)]));
}

/** The first argument of each method is the empty message; the request is in the context. */
function implementation(service: ToolService): ServiceImpl<typeof MCPLite> {
  return {
    getTools(_, context) {
      const request = requestOf(context);
      messageOf(request);
      return service.toolsFor(request.head);
    },
    getPrompts(_, context) {
      messageOf(requestOf(context));
      return service.prompts;
    },
    async callTool(_, context) {
      const request = requestOf(context);
      return await service.callTool(messageOf(request), request.head, context.protocolName);
    },
    async *callToolStream(_, context) {
      const request = requestOf(context);
      const stream = new ResponseStream(request.closed);
      const end = (last: () => ResponseMembers) => stream.end(last);
      service.callToolStream(messageOf(request), request.head, context.protocolName, stream, end);
      yield* stream.read();
    },
  };
}

/** @throws {ConnectError} If there is no message. */
function messageOf({ message }: ReadRequest): ToolRequestMembers {
  if ("kind" in message) throw encodeError(message);
  return message;
}

function requestOf({ values }: HandlerContext): ReadRequest {
  return values.get(requestKey) as ReadRequest;
}

function connectMethod(handler: UniversalHandler, limits: Limits): ConnectMethod {
  const isStream = handler.method.methodKind !== "unary";
  const type = handler.method.input.typeName as RequestType;
  const withEncoding = (head: Head, reply: (encoding: RequestEncoding) => Promise<Reply>): MaybePromise<Reply> => {
    const contentType = head.metadata.get("content-type") ?? "";
    if (handler.supportedContentType(contentType)) {
      return reply(parseContentType(contentType)).catch(() => INTERNAL_ERROR);
    }
    return unsupportedMediaType(head.metadata.get("content-type"), isStream ? STREAM_TYPES : UNARY_TYPES);
  };
  const answer = (
    head: Head,
    encoding: RequestEncoding,
    message: ToolRequestMembers | ErrorResult,
  ): MaybePromise<Reply> => {
    const exchange = new ConnectExchange(handler, head, encoding, message);
    return isStream ? exchange.stream() : exchange.unary();
  };
  return {
    handle: (head, body) =>
      withEncoding(head, async (encoding) => {
        const bytes = await body.bytes();
        const message = "kind" in bytes ? bytes : await readRequest(type, bytes, encoding, head.metadata, limits);
        return await answer(head, encoding, message);
      }),
    refuse: (head, error) => withEncoding(head, async (encoding) => await answer(head, encoding, error)),
  };
}

/** One request, answered by a handler of Connect. */
class ConnectExchange {
  readonly #handler: UniversalHandler;
  readonly #head: Head;
  readonly #encoding: RequestEncoding;
  readonly #message: ToolRequestMembers | ErrorResult;
  readonly #abort = new AbortController();

  constructor(
    handler: UniversalHandler,
    head: Head,
    encoding: RequestEncoding,
    message: ToolRequestMembers | ErrorResult,
  ) {
    this.#handler = handler;
    this.#head = head;
    this.#encoding = encoding;
    this.#message = message;
  }

  /** The complete response of a unary method. */
  async unary(): Promise<Reply> {
    const { status, header, body = [] } = await this.#handle();
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const bytes = concatBytes(chunks);
    const headers = Object.fromEntries(header ?? []);
    if (!this.#encoding.isText) return { status, headers, body: bytes };
    return { status, headers: { ...headers, "content-type": this.#contentType }, body: encodeBase64Text(bytes) };
  }

  /**
   * The response of a streaming method, returned at once: its status is always 200, because errors are sent in the body, and
   * the runtime can report that the client has disconnected before the first message.
   */
  stream(): Reply {
    const { isText } = this.#encoding;
    let chunks: AsyncIterator<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        chunks ??= ((await this.#handle()).body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(isText ? encodeBase64Text(next.value) : next.value);
      },
      cancel: () => this.#abort.abort(),
    });
    return { status: 200, headers: { "content-type": this.#contentType }, body };
  }

  get #contentType(): string {
    const { isText, contentType } = this.#encoding;
    return isText ? contentType.replace("grpc-web", "grpc-web-text") : contentType;
  }

  async #handle(): Promise<UniversalServerResponse> {
    return await this.#handler({
      httpVersion: "2",
      method: this.#head.method,
      // The handler reads only the query, which requests by POST do not have.
      url: `http://localhost${this.#handler.requestPath}`,
      header: this.#headers(),
      body: this.#emptyBody(),
      signal: this.#abort.signal,
      contextValues: createContextValues().set(requestKey, {
        head: this.#head,
        message: this.#message,
        closed: this.#abort.signal,
      }),
    });
  }

  /** Headers for the handler. Without the deadline, which dispatch enforces; with a compression only if it is to be rejected. */
  #headers(): Headers {
    const headers = new Headers({ "content-type": this.#encoding.contentType });
    const name = compressionHeader(this.#encoding);
    const compression = this.#head.metadata.get(name);
    if (compression !== null && compression !== "gzip") headers.set(name, compression);
    return headers;
  }

  /** An empty message in the encoding of the request. */
  async *#emptyBody(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    const { isJson, isEnveloped } = this.#encoding;
    const message = new TextEncoder().encode(isJson ? "{}" : "");
    yield await Promise.resolve(isEnveloped ? encodeEnvelope(message) : message);
  }
}
