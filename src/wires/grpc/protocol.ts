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
import { concatBytes } from "./bytes.ts";
import { encodeRefusal } from "./encode_error.ts";
import { MCPLite } from "./gen/mcplite_pb.ts";
import { gzip } from "./gzip.ts";
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
export type RpcMethod = (head: Head, body: Body) => Reply | Promise<Reply>;

/** What pages of other origins have to read of a gRPC-Web answer that has no body. */
export const EXPOSED_HEADERS: readonly string[] = ["grpc-status", "grpc-message", "grpc-status-details-bin"];

/** What the protocols say in headers. Deadlines are not among them: those are dispatch's. */
const PROTOCOL_HEADERS: readonly string[] = [
  "content-type",
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
  return (head, body) => {
    if (head.method !== "POST") return { status: 405, headers: { allow: "POST" }, body: null };
    if (!handler.supportedContentType(head.metadata.get("content-type") ?? "")) return UNSUPPORTED;
    return answer(handler, head, body).catch(() => BROKEN);
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

async function answer(handler: UniversalHandler, head: Head, body: Body): Promise<Reply> {
  const left = new AbortController();
  const response = await handler({
    httpVersion: "2",
    method: head.method,
    // Only a query would be read of it, which requests by POST have not.
    url: `http://localhost${handler.requestPath}`,
    header: protocolHeaders(head),
    body: messagesOf(body),
    signal: left.signal,
    contextValues: createContextValues().set(rpcKey, { head, left: left.signal }),
  });
  const headers = Object.fromEntries(response.header ?? []);
  const isStream = handler.method.methodKind !== "unary";
  return { status: response.status, headers, body: isStream ? streamOf(response, left) : await bytesOf(response) };
}

function protocolHeaders({ metadata }: Head): Headers {
  const headers = new Headers();
  for (const name of PROTOCOL_HEADERS) {
    const value = metadata.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}

async function* messagesOf(body: Body): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const bytes = await body.bytes();
  if ("kind" in bytes) throw encodeRefusal(bytes);
  yield bytes;
}

async function bytesOf({ body }: UniversalServerResponse): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === undefined) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return concatBytes(pieces);
}

function streamOf({ body }: UniversalServerResponse, left: AbortController): ReadableStream<Uint8Array> | null {
  if (body === undefined) return null;
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: () => left.abort(),
  });
}
