/**
 * Connect and gRPC-Web, as `@connectrpc/connect` speaks them, between our heads, bodies and replies.
 *
 * Its handlers choose the protocol and write what the service answers, in its envelopes, statuses and trailers; what they get
 * to read is an empty message, because the request is read already. The one file that knows how they are driven: parts of
 * that do not follow semantic versioning.
 *
 * @module
 */
import type { Message } from "@bufbuild/protobuf";
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
import type { Body, Head, Limits, Reply } from "../../wire.ts";
import { concatBytes } from "../messages/envelope.ts";
import type { ResponseMembers } from "../messages/binary.ts";
import { encodeError } from "./encode_error.ts";
import { MCPLite, type ToolRequest } from "../messages/gen/mcplite_pb.ts";
import { refuseStruct } from "../messages/json.ts";
import {
  compressionHeader,
  emptyRequest,
  encodeText,
  parseContentType,
  readRequest,
  type RequestEncoding,
} from "./request.ts";
import { ResponseStream } from "./stream.ts";
import type { ToolService } from "./service.ts";
import { STREAM_TYPES, UNARY_TYPES, unsupportedMediaType } from "./content_type.ts";

/** A request, as the functions below see it. */
interface Rpc {
  /** What the request says before its body. */
  readonly head: Head;
  /** Its message, or why there is none. */
  readonly request: Message | ErrorResult;
  /** Aborts when nobody reads the answer any more. */
  readonly left: AbortSignal;
}

/** Where they find it. */
const rpcKey: ContextKey<Rpc | undefined> = createContextKey<Rpc | undefined>(undefined);

/** One method of the service. */
export type RpcMethod = (head: Head, body: Body) => MaybePromise<Reply>;

/** One method of the service by Connect and gRPC-Web. */
export interface ConnectMethod {
  /** Answers a request. */
  readonly handle: RpcMethod;
  /** Answers a request that is refused before it is read. */
  refuse(head: Head, refusal: ErrorResult): MaybePromise<Reply>;
}

/** What pages of other origins have to read of a gRPC-Web answer that has no body. */
export const EXPOSED_HEADERS: readonly string[] = ["grpc-status", "grpc-message", "grpc-status-details-bin"];

const BROKEN: Reply = { status: 500, headers: {}, body: null };

/** The methods of the service by Connect and gRPC-Web, by their paths. */
export function createConnectMethods(service: ToolService, limits: Limits): ReadonlyMap<string, ConnectMethod> {
  const router = createConnectRouter({ grpc: false }).service(MCPLite, implementation(service, limits.depth - 1));
  return new Map(router.handlers.map((handler) => [handler.requestPath, connectMethod(handler, limits)]));
}

/** What Connect's handlers give them to read is empty: the request is in the context. */
function implementation(service: ToolService, maxDepth: number): ServiceImpl<typeof MCPLite> {
  return {
    getTools(_, context) {
      const rpc = rpcOf(context);
      assertRead(rpc);
      return service.toolsFor(rpc.head);
    },
    getPrompts(_, context) {
      assertRead(rpcOf(context));
      return service.prompts;
    },
    async callTool(_, context) {
      const rpc = rpcOf(context);
      return await service.callTool(toolRequestOf(rpc, maxDepth), rpc.head, context.protocolName);
    },
    async *callToolStream(_, context) {
      const rpc = rpcOf(context);
      const stream = new ResponseStream(rpc.left);
      const end = (last: () => ResponseMembers) => stream.end(last);
      service.callToolStream(toolRequestOf(rpc, maxDepth), rpc.head, context.protocolName, stream, end);
      yield* stream.read();
    },
  };
}

function toolRequestOf(rpc: Rpc, maxDepth: number): ToolRequest {
  assertRead(rpc);
  const request = rpc.request as ToolRequest;
  const refusal = refuseStruct(request.arguments ?? null, maxDepth) ?? refuseStruct(request.meta ?? null, maxDepth);
  if (refusal !== undefined) throw encodeError(refusal);
  return request;
}

function assertRead({ request }: Rpc): void {
  if ("kind" in request) throw encodeError(request as ErrorResult);
}

function rpcOf({ values }: HandlerContext): Rpc {
  return values.get(rpcKey) as Rpc;
}

function connectMethod(handler: UniversalHandler, limits: Limits): ConnectMethod {
  const isStream = handler.method.methodKind !== "unary";
  const withForm = (head: Head, answer: (form: RequestEncoding) => MaybePromise<Reply>): MaybePromise<Reply> => {
    const contentType = head.metadata.get("content-type") ?? "";
    if (handler.supportedContentType(contentType)) return answer(parseContentType(contentType));
    return unsupportedMediaType(head.metadata.get("content-type"), isStream ? STREAM_TYPES : UNARY_TYPES);
  };
  const answer = (head: Head, form: RequestEncoding, request: Message | ErrorResult): MaybePromise<Reply> => {
    const call = new MethodCall(handler, head, form, request);
    return isStream ? call.stream() : call.answer();
  };
  return {
    handle: (head, body) =>
      withForm(head, (form) =>
        body.bytes()
          .then((bytes) =>
            "kind" in bytes ? bytes : readRequest(handler.method.input, bytes, form, head.metadata, limits)
          )
          .then((request) => answer(head, form, request))
          .catch(() => BROKEN)),
    refuse: (head, refusal) =>
      withForm(head, (form) => Promise.resolve(answer(head, form, refusal)).catch(() => BROKEN)),
  };
}

function textType({ contentType }: RequestEncoding): string {
  return contentType.replace("grpc-web", "grpc-web-text");
}

/** One request, and what Connect's handler makes of it. */
class MethodCall {
  readonly #handler: UniversalHandler;
  readonly #head: Head;
  readonly #form: RequestEncoding;
  readonly #request: Message | ErrorResult;
  readonly #left = new AbortController();

  constructor(handler: UniversalHandler, head: Head, form: RequestEncoding, request: Message | ErrorResult) {
    this.#handler = handler;
    this.#head = head;
    this.#form = form;
    this.#request = request;
  }

  /** The whole answer. */
  async answer(): Promise<Reply> {
    const { status, header, body = [] } = await this.#handle();
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    const whole = concatBytes(pieces);
    const headers = Object.fromEntries(header ?? []);
    if (!this.#form.isText) return { status, headers, body: whole };
    return { status, headers: { ...headers, "content-type": textType(this.#form) }, body: encodeText(whole) };
  }

  /**
   * The answer as a stream, at once: its status is always 200, what goes wrong is said in the body, and the runtime can tell
   * that the caller has gone before there is anything to send.
   */
  stream(): Reply {
    const { isText, contentType } = this.#form;
    let pieces: AsyncIterator<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        pieces ??= ((await this.#handle()).body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(isText ? encodeText(next.value) : next.value);
      },
      cancel: () => this.#left.abort(),
    });
    return { status: 200, headers: { "content-type": isText ? textType(this.#form) : contentType }, body };
  }

  async #handle(): Promise<UniversalServerResponse> {
    return await this.#handler({
      httpVersion: "2",
      method: this.#head.method,
      // Only a query would be read of it, which requests by POST have not.
      url: `http://localhost${this.#handler.requestPath}`,
      header: this.#headers(),
      body: this.#emptyBody(),
      signal: this.#left.signal,
      contextValues: createContextValues().set(rpcKey, {
        head: this.#head,
        request: this.#request,
        left: this.#left.signal,
      }),
    });
  }

  /** Deadlines are not among them: those are dispatch's. A compression that we do not read is, to be refused. */
  #headers(): Headers {
    const headers = new Headers({ "content-type": this.#form.contentType });
    const name = compressionHeader(this.#form);
    const encoding = this.#head.metadata.get(name);
    if (encoding !== null && encoding !== "gzip") headers.set(name, encoding);
    return headers;
  }

  async *#emptyBody(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    yield await Promise.resolve(emptyRequest(this.#form));
  }
}
