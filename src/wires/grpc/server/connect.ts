/**
 * The tool service by Connect and gRPC-Web, with the handlers of `@connectrpc/connect`.
 *
 * The handlers select the protocol and encode the responses, with envelopes, statuses and trailers. The request is read before,
 * by `request.ts`, and they are given an empty message instead. Only this file calls them: parts of their API do not follow
 * semantic versioning.
 */
import { JSON_HEADERS } from "../../framing/http.ts";
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
import { encodeEnvelope } from "../messages/envelope.ts";
import { joinChunks } from "../../../internal/chunks.ts";
import { MCPLite } from "../messages/gen/mcplite_pb.ts";
import {
  compressionHeader,
  encodeBase64Text,
  parseContentType,
  readRequest,
  type RequestEncoding,
  type RequestType,
  STREAM_TYPES,
  UNARY_TYPES,
  unsupportedMediaType,
} from "./request.ts";
import { encodeError } from "./encode_error.ts";
import type { RpcMethod, ToolService } from "./service.ts";
import { ResponseStream } from "./stream.ts";

/** A request of Connect or gRPC-Web whose body was read. */
interface ReadRequest {
  readonly head: Head;
  readonly encoding: RequestEncoding;
  /** The message, or the error if it could not be read. */
  readonly message: ToolRequestMembers | ErrorResult;
  /** Aborted when the client has disconnected. */
  readonly closed: AbortController;
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
export function createConnectMethods(service: ToolService, limits: Limits): Readonly<Record<string, ConnectMethod>> {
  const router = createConnectRouter({ grpc: false }).service(MCPLite, implementation(service));
  return Object.fromEntries(router.handlers.map((handler) => [handler.requestPath, connectMethod(handler, limits)]));
}

/** The first argument of each method is the empty message; the request is in the context. */
function implementation(service: ToolService): ServiceImpl<typeof MCPLite> {
  return {
    async getTools(_, context) {
      const request = requestOf(context);
      messageOf(request);
      return await service.toolsFor(request.head, context.protocolName);
    },
    async getPrompts(_, context) {
      const request = requestOf(context);
      messageOf(request);
      return await service.promptsFor(request.head, context.protocolName);
    },
    async callTool(_, context) {
      const request = requestOf(context);
      return await service.unary(messageOf(request), request.head, context.protocolName);
    },
    async *callToolStream(_, context) {
      const request = requestOf(context);
      const stream = new ResponseStream(request.closed.signal);
      const end = (last: () => ResponseMembers) => stream.end(last);
      service.stream(messageOf(request), request.head, context.protocolName, stream, end);
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
  const reply = isStream ? streamReply : unaryReply;
  const answer = (
    head: Head,
    read: (encoding: RequestEncoding) => Promise<ToolRequestMembers | ErrorResult>,
  ): MaybePromise<Reply> => {
    const contentType = head.metadata.get("content-type");
    if (!handler.supportedContentType(contentType ?? "")) {
      return unsupportedMediaType(contentType, isStream ? STREAM_TYPES : UNARY_TYPES);
    }
    const encoding = parseContentType(contentType ?? "");
    return read(encoding)
      .then((message) => reply(handler, { head, encoding, message, closed: new AbortController() }))
      .catch(() => INTERNAL_ERROR);
  };
  return {
    handle: (head, body) =>
      answer(head, async (encoding) => {
        const bytes = await body.bytes();
        return "kind" in bytes ? bytes : await readRequest(type, bytes, encoding, head.metadata, limits);
      }),
    refuse: (head, error) => answer(head, () => Promise.resolve(error)),
  };
}

/** The complete response of a unary method. */
async function unaryReply(handler: UniversalHandler, request: ReadRequest): Promise<Reply> {
  const { status, header, body = [] } = await callHandler(handler, request);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = joinChunks(chunks);
  const headers = { ...JSON_HEADERS, ...Object.fromEntries(header ?? []) };
  if (!request.encoding.isText) return { status, headers, body: bytes };
  return { status, headers: { ...headers, ...contentTypeOf(request) }, body: encodeBase64Text(bytes) };
}

/**
 * The response of a streaming method, returned at once: its status is always 200, because errors are sent in the body, and the
 * runtime can report that the client has disconnected before the first message.
 */
function streamReply(handler: UniversalHandler, request: ReadRequest): Reply {
  const { isText } = request.encoding;
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      chunks ??= ((await callHandler(handler, request)).body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(isText ? encodeBase64Text(next.value) : next.value);
    },
    cancel: () => request.closed.abort(),
  });
  return { status: 200, headers: contentTypeOf(request), body };
}

function contentTypeOf({ encoding: { isText, contentType } }: ReadRequest): { readonly "content-type": string } {
  return { "content-type": isText ? contentType.replace("grpc-web", "grpc-web-text") : contentType };
}

async function callHandler(handler: UniversalHandler, request: ReadRequest): Promise<UniversalServerResponse> {
  return await handler({
    httpVersion: "2",
    method: request.head.method,
    // The handler reads only the query, which requests by POST do not have.
    url: `http://localhost${handler.requestPath}`,
    header: handlerHeaders(request),
    body: emptyBody(request.encoding),
    signal: request.closed.signal,
    contextValues: createContextValues().set(requestKey, request),
  });
}

/** Headers for the handler. Without the deadline, which dispatch enforces; with a compression only if it is to be rejected. */
function handlerHeaders({ head, encoding }: ReadRequest): Headers {
  const headers = new Headers({ "content-type": encoding.contentType });
  const name = compressionHeader(encoding);
  const compression = head.metadata.get(name);
  if (compression !== null && compression !== "gzip") headers.set(name, compression);
  return headers;
}

/** An empty message in the encoding of the request. */
async function* emptyBody(encoding: RequestEncoding): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const message = new TextEncoder().encode(encoding.isJson ? "{}" : "");
  yield await Promise.resolve(encoding.isEnveloped ? encodeEnvelope(message) : message);
}
