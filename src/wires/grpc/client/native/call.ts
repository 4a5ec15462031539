/**
 * The RPCs of a client by native gRPC: a request message in an envelope, response messages, and a status in the trailers.
 *
 * Does not use Connect's transport, which takes several times as long as a call.
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md | gRPC over HTTP/2}.
 */
import { fromBinary } from "@bufbuild/protobuf";
import type { CallResult, ErrorResult, Sink, UnknownOutcome } from "../../../../core/call/outcome.ts";
import { MAX_ANSWER_DEPTH, tooDeepError } from "../../../../core/call/parse_answer.ts";
import type { ActivityMonitor, ListedTool } from "../../../../core/call/transport.ts";
import { ToolError } from "../../../../core/errors/tool_error.ts";
import {
  decodeToolResponseBytes,
  encodeRequestEnvelope,
  type ResponseMembers,
  type ToolRequestMembers,
} from "../../messages/binary.ts";
import {
  decodeTool,
  decodeUnaryResponse,
  type Endpoint,
  readPrefix,
  RECURSION_LIMIT,
  type Rpc,
  rpcErrorResult,
  STREAM_INTERRUPTED,
  StreamedResponses,
  unexpectedResponse,
} from "../rpc.ts";
import { connectionError } from "../../../../http_client/connection_errors.ts";
import { redirectError } from "../../../../http_client/send.ts";
import { encodeEnvelope, type Envelope, readEnvelopes } from "../../messages/envelope.ts";
import { ARGUMENTS_TOO_DEEP } from "../../messages/json.ts";
import { ToolsListSchema } from "../../messages/gen/mcplite_pb.ts";
import type { TlsClientOptions } from "../tls.ts";
import { Http2Connection, type Http2Response, type Http2ResponseHeaders } from "./http2.ts";
import { validateResponseWithCompression, validateTrailer } from "@connectrpc/connect/protocol-grpc";

type Bytes = Uint8Array<ArrayBuffer>;

/** Handles a message of a response. The next message is read when the promise resolves. */
type MessageHandler = (message: Bytes) => void | Promise<void>;

const HEADERS = { "content-type": "application/grpc", te: "trailers" };

const EMPTY = encodeEnvelope(new Uint8Array());

/** Makes RPCs by native gRPC, over one connection. */
export class NativeRpc implements Rpc {
  readonly #endpoint: Endpoint;
  readonly #connection: Http2Connection;
  readonly #path: string;

  /** @throws {TypeError} If the runtime has no `node:http2`. */
  constructor(endpoint: Endpoint, tls: TlsClientOptions | undefined) {
    const { origin, pathname } = endpoint.base;
    this.#endpoint = endpoint;
    this.#connection = new Http2Connection(origin, tls);
    this.#path = `${pathname.replace(/\/$/, "")}/mcplite.MCPLite/`;
  }

  close(): void {
    this.#connection.close();
  }

  async call(
    request: ToolRequestMembers,
    headers: Headers,
    limit: ActivityMonitor,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const body = encodeRequestEnvelope(request);
    if (sink === undefined) {
      return await this.#unary(
        "CallTool",
        body,
        headers,
        limit,
        (message) => decodeUnaryResponse(readResponse(message)),
      );
    }
    const responses = new StreamedResponses(sink);
    const onMessage = (message: Bytes) => responses.add(readResponse(message));
    return await this.#exchange("CallToolStream", body, headers, limit, onMessage) ?? responses.result;
  }

  list(headers: Headers, limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    return this.#unary("GetTools", EMPTY, headers, limit, (message) => {
      return fromBinary(ToolsListSchema, message, { recursionLimit: RECURSION_LIMIT }).tools.map(decodeTool);
    });
  }

  /** Makes an RPC whose response is one message. */
  async #unary<Result>(
    method: string,
    body: Bytes,
    headers: Headers,
    limit: ActivityMonitor,
    decode: (message: Bytes) => Result,
  ): Promise<Result | ErrorResult> {
    let result: Result | undefined;
    const onMessage = (message: Bytes): void => {
      if (result !== undefined) throw new Error("The response to a unary RPC has more than one message");
      result = decode(message);
    };
    return await this.#exchange(method, body, headers, limit, onMessage) ?? result ?? STREAM_INTERRUPTED;
  }

  /** Makes one RPC. Returns an error result for every failure, and `undefined` for a status of OK. */
  async #exchange(
    method: string,
    body: Bytes,
    headers: Headers,
    limit: ActivityMonitor,
    onMessage: MessageHandler,
  ): Promise<ErrorResult | undefined> {
    const { base: { origin, search }, maxBytes } = this.#endpoint;
    const path = this.#path + method + search;
    let response: Http2Response | undefined;
    let head: Http2ResponseHeaders;
    const cancel = () => response?.cancel();
    try {
      limit.signal.throwIfAborted();
      response = this.#connection.post(path, { ...Object.fromEntries(headers), ...HEADERS }, body);
      limit.signal.addEventListener("abort", cancel, { once: true });
      head = await response.headers;
    } catch (thrown) {
      limit.signal.removeEventListener("abort", cancel);
      return connectionError(withHint(thrown), `POST ${origin}${path}`);
    }
    try {
      limit.markActive();
      if (isRedirect(head)) return redirectError(`POST ${origin}${path}`, head.location);
      if (isUnexpected(head)) {
        const text = await readPrefix(readBody(response, limit, maxBytes));
        return unexpectedResponse({ url: origin + path, status: head[":status"] ?? 0, text });
      }
      assertResponse(head);
      for await (const envelope of readEnvelopes(readBody(response, limit, maxBytes), maxBytes)) {
        const handled = onMessage(open(envelope, maxBytes));
        if (handled !== undefined) await handled;
      }
      assertOk(response.trailers, head);
      return undefined;
    } catch (thrown) {
      return rpcErrorResult(thrown);
    } finally {
      limit.signal.removeEventListener("abort", cancel);
      cancel();
    }
  }
}

/** Adds a hint to the error that `node:http2` throws for a response in HTTP/1.1. */
function withHint(thrown: unknown): unknown {
  if (!(thrown instanceof Error && /protocol error/i.test(thrown.message))) return thrown;
  return new Error(`${thrown.message}. The port may not support HTTP/2: gRPC may have another port`, { cause: thrown });
}

function isRedirect({ ":status": status = 0 }: Http2ResponseHeaders): boolean {
  return status >= 300 && status < 400;
}

/** Whether status or content type show that a response is not gRPC. */
function isUnexpected({ ":status": status, "content-type": type = "" }: Http2ResponseHeaders): boolean {
  return status !== undefined && (status !== 200 || !/^application\/grpc\b(?!-web)/i.test(type));
}

async function* readBody(
  response: Http2Response,
  limit: ActivityMonitor,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  for await (const chunk of response.body()) {
    limit.suspend();
    length += chunk.length;
    if (length > maxBytes) throw tooLargeError(maxBytes);
    yield chunk;
    limit.markActive();
  }
}

function tooLargeError(maxBytes: number): ToolError {
  return new ToolError("result_too_large", `The answer is larger than ${maxBytes} bytes`);
}

function open(envelope: Envelope | ErrorResult, maxBytes: number): Bytes {
  if ("kind" in envelope) {
    throw envelope.code === "payload_too_large"
      ? tooLargeError(maxBytes)
      : new Error("The response ends within a message");
  }
  if (envelope.isCompressed) throw new Error("A message is compressed, but the request does not accept compression");
  return envelope.message;
}

function readResponse(message: Bytes): ResponseMembers {
  const response = decodeToolResponseBytes(message, MAX_ANSWER_DEPTH);
  if (!("kind" in response)) return response;
  throw response.message === ARGUMENTS_TOO_DEEP.message ? tooDeepError() : new Error(response.message);
}

type Fields = Omit<Http2ResponseHeaders, ":status">;

/**
 * Checks the headers of a response. Only unusual ones are passed to `@connectrpc/connect`: creating `Headers` takes longer than
 * reading the response.
 *
 * @throws {ConnectError} If the HTTP status is an error, the response is not gRPC or is compressed, or the headers have a gRPC status.
 */
function assertResponse(head: Http2ResponseHeaders): void {
  const { ":status": status = 0, "content-type": type = "" } = head;
  const isUsual = head["grpc-status"] === undefined && head["grpc-encoding"] === undefined;
  if (isUsual && status === 200 && /^application\/grpc(\+proto)?$/.test(type)) return;
  const { headerError } = validateResponseWithCompression([], status, toHeaders(head));
  if (headerError !== undefined) throw headerError;
}

/** @throws {ConnectError} If the gRPC status is absent or not OK. */
function assertOk(trailers: Fields, head: Fields): void {
  const isUsual = trailers["grpc-status"] === "0" && trailers["grpc-status-details-bin"] === undefined;
  if (!isUsual) validateTrailer(toHeaders(trailers), toHeaders(head));
}

function toHeaders(fields: Fields): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    if (name.startsWith(":") || value === undefined) continue;
    headers.set(name, typeof value === "string" ? value : value.join(", "));
  }
  return headers;
}
