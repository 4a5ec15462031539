/** The RPCs of a client by Connect and gRPC-Web, with the transports of `@connectrpc/connect`. */
import { create } from "@bufbuild/protobuf";
import type { Transport as ConnectTransport } from "@connectrpc/connect";
import {
  type CommonTransportOptions,
  createAsyncIterable,
  type UniversalClientFn,
  type UniversalClientResponse,
} from "@connectrpc/connect/protocol";
import {
  type CallResult,
  type ErrorResult,
  type Sink,
  toToolError,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import { isTooDeep } from "../../../core/call/parse_answer.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { addRetryAfter, readBytes } from "../../../http_client/read.ts";
import type { ToolRequestMembers } from "../messages/binary.ts";
import {
  decodeTool,
  decodeUnaryResponse,
  type Endpoint,
  readPrefix,
  type ReceivedResponse,
  RECURSION_LIMIT,
  type Rpc,
  rpcErrorResult,
  StreamedResponses,
  unexpectedResponse,
} from "./rpc.ts";
import { MCPLite, type ToolRequest, ToolRequestSchema } from "../messages/gen/mcplite_pb.ts";
import { type HttpClientOptions, sendRequest } from "../../../http_client/send.ts";
import { joinChunks } from "../../../internal/chunks.ts";
import { isJsonObject } from "../../../internal/json.ts";

/** The constructor of a transport of `@connectrpc/connect-web`. */
export type CreateConnectTransport = (options: CommonTransportOptions) => ConnectTransport;

/** Calls and lists tools by Connect or gRPC-Web, over transports that `@connectrpc/connect` makes. */
export class ConnectRpc implements Rpc {
  readonly #endpoint: Endpoint;
  readonly #createTransport: CreateConnectTransport;
  readonly #fetch: HttpClientOptions["fetch"];

  /** @param fetch Replaces the global `fetch`. */
  constructor(endpoint: Endpoint, createTransport: CreateConnectTransport, fetch: HttpClientOptions["fetch"]) {
    this.#endpoint = endpoint;
    this.#createTransport = createTransport;
    this.#fetch = fetch;
  }

  call(
    request: ToolRequestMembers,
    headers: Headers,
    limit: ActivityMonitor,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { name, arguments: args = {}, meta } = request;
    const message = create(ToolRequestSchema, { name, arguments: args, ...(meta !== undefined && { meta }) });
    return this.#exchange(limit, async (transport, signal) => {
      if (sink !== undefined) return await readStream(transport, signal, headers, message, sink);
      const response = await transport.unary(MCPLite.method.callTool, signal, undefined, headers, message);
      return decodeUnaryResponse(response.message);
    });
  }

  list(headers: Headers, limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    return this.#exchange(limit, async (transport, signal) => {
      const { message } = await transport.unary(MCPLite.method.getTools, signal, undefined, headers, {});
      return message.tools.map(decodeTool);
    }, isList);
  }

  /**
   * Makes one RPC, and returns every failure as an error result.
   *
   * @param isExpected Whether a response of JSON is of this RPC. The library takes any object, and ignores what it does not know.
   */
  async #exchange<Result>(
    limit: ActivityMonitor,
    work: (transport: ConnectTransport, signal: AbortSignal) => Promise<Result>,
    isExpected?: (json: unknown) => boolean,
  ): Promise<Result | ErrorResult> {
    const exchange = new Exchange(this.#endpoint, limit, this.#fetch, isExpected);
    // A stream of Connect does not abort its request when its reader stops early.
    const done = new AbortController();
    try {
      return await work(this.#transport(exchange), AbortSignal.any([limit.signal, done.signal]));
    } catch (thrown) {
      return addRetryAfter(rpcErrorResult(thrown, exchange.errorResponse), exchange.headers);
    } finally {
      done.abort();
    }
  }

  #transport({ send }: Exchange): ConnectTransport {
    const { base: { origin, pathname }, maxBytes } = this.#endpoint;
    return this.#createTransport({
      baseUrl: `${origin}${pathname}`,
      httpClient: send,
      useBinaryFormat: true,
      interceptors: [],
      acceptCompression: [],
      sendCompression: null,
      compressMinBytes: Number.MAX_SAFE_INTEGER,
      readMaxBytes: maxBytes,
      writeMaxBytes: 0xffff_ffff,
      binaryOptions: { recursionLimit: RECURSION_LIMIT },
      jsonOptions: { recursionLimit: RECURSION_LIMIT },
    });
  }
}

async function readStream(
  transport: ConnectTransport,
  signal: AbortSignal,
  headers: Headers,
  request: ToolRequest,
  sink: Sink,
): Promise<CallResult | UnknownOutcome> {
  const { message: messages } = await transport.stream(
    MCPLite.method.callToolStream,
    signal,
    undefined,
    headers,
    (async function* () {
      yield request;
    })(),
  );
  const responses = new StreamedResponses(sink);
  for await (const message of messages) await responses.add(message);
  return responses.result;
}

/** Sends one request. Its errors below the protocol are thrown as `ToolError`. */
class Exchange {
  /** Headers of the response; a proxy states there when to send the request again. */
  headers: Headers = new Headers();
  /** The response, if its status is an error. */
  errorResponse: ReceivedResponse | undefined;
  readonly #endpoint: Endpoint;
  readonly #options: HttpClientOptions;
  readonly #limit: ActivityMonitor;
  readonly #isExpected: ((json: unknown) => boolean) | undefined;

  constructor(
    endpoint: Endpoint,
    limit: ActivityMonitor,
    fetch: HttpClientOptions["fetch"],
    isExpected?: (json: unknown) => boolean,
  ) {
    this.#isExpected = isExpected;
    this.#endpoint = endpoint;
    this.#options = fetch === undefined ? {} : { fetch };
    this.#limit = limit;
  }

  /** The HTTP client of Connect's transports. */
  readonly send: UniversalClientFn = async ({ url, method, header, body, signal }) => {
    // Connect's client is not the caller. In a browser the header would need the server's permission.
    if (header.get("user-agent")?.startsWith("connect-es/")) header.delete("user-agent");
    const monitor = signal === undefined ? this.#limit : monitorWith(this.#limit, signal);
    const { base, maxBytes } = this.#endpoint;
    const whole = body && await readAll(body);
    const request = { url: url + base.search, method, headers: header, body: whole };
    const response = await sendRequest(request, this.#options, monitor);
    if ("kind" in response) throw toToolError(response);
    const { status } = response;
    this.headers = response.headers;
    const chunks = readBytes(response, monitor, maxBytes);
    if (!isOfProtocol(response, header)) {
      throw toToolError(unexpectedResponse({ url, status, text: await readPrefix(chunks) }));
    }
    const head = { status, header: headersOf(response), trailer: new Headers() };
    const isChecked = this.#isExpected !== undefined && header.get("content-type") === "application/json";
    if (response.ok && !isChecked) return { ...head, body: chunks };
    const bytes = await readAll(chunks);
    if (response.ok) {
      this.#check(bytes, url, status);
      return { ...head, body: createAsyncIterable([bytes]) };
    }
    this.errorResponse = { url, status, text: new TextDecoder().decode(bytes) };
    return { ...head, body: createAsyncIterable([bytes]) };
  };

  /** Text that cannot be parsed is left to the library, which bounds its depth. */
  #check(bytes: Uint8Array, url: string, status: number): void {
    const text = new TextDecoder().decode(bytes);
    if (isTooDeep(text) || this.#isExpected?.(parseOr(text, {})) !== false) return;
    throw toToolError(unexpectedResponse({ url, status, text }));
  }
}

/** Whether JSON is a list of tools: a server of something else may answer every path with some object. */
function isList(json: unknown): boolean {
  return isJsonObject(json) && (Object.keys(json).length === 0 || Array.isArray(json["tools"]));
}

function parseOr<Other>(text: string, other: Other): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return other;
  }
}

/** The same monitor, with another signal. */
function monitorWith(limit: ActivityMonitor, signal: AbortSignal): ActivityMonitor {
  return { signal, markActive: () => limit.markActive(), suspend: () => limit.suspend() };
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return joinChunks(chunks);
}

/** Whether a response may be of the protocol: its content type is that of the request, or JSON for an error of Connect. */
function isOfProtocol({ ok, headers }: Response, requestHeaders: Headers): boolean {
  const want = requestHeaders.get("content-type") ?? "";
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  if (ok) return type.startsWith(want.replace("+proto", "")) || headers.has("grpc-status");
  return /^application\/(json|proto)$/.test(want) && type.startsWith("application/json");
}

/** The headers, without those that are wrong after `fetch` has decompressed the body. */
function headersOf(response: Response): UniversalClientResponse["header"] {
  const headers = new Headers(response.headers);
  if (headers.get("content-encoding") === null) return headers;
  headers.delete("content-encoding");
  headers.delete("content-length");
  return headers;
}
