/**
 * The RPCs of a client by Connect and gRPC-Web, with the transports of `@connectrpc/connect`.
 *
 * @module
 */
import { create } from "@bufbuild/protobuf";
import type { Transport as ConnectTransport } from "@connectrpc/connect";
import type { CommonTransportOptions } from "@connectrpc/connect/protocol";
import type { CallResult, ErrorResult, Sink, UnknownOutcome } from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { addRetryAfter } from "../../../http_client/read.ts";
import type { ToolRequestMembers } from "../messages/binary.ts";
import { Exchange, type Fetch } from "./fetch.ts";
import { type Endpoint, RECURSION_LIMIT, type Rpc, rpcErrorResult, StreamedResponses } from "./rpc.ts";
import { decodeTool, decodeUnaryResponse } from "./decode.ts";
import { MCPLite, type ToolRequest, ToolRequestSchema } from "../messages/gen/mcplite_pb.ts";

/** Creates a transport of `@connectrpc/connect`. */
export type CreateConnectTransport = (options: CommonTransportOptions) => ConnectTransport;

/** Makes RPCs with a transport of `@connectrpc/connect`. */
export class ConnectRpc implements Rpc {
  readonly #endpoint: Endpoint;
  readonly #createTransport: CreateConnectTransport;
  readonly #fetch: Fetch | undefined;

  /** @param fetch Replaces the global `fetch`. */
  constructor(endpoint: Endpoint, createTransport: CreateConnectTransport, fetch: Fetch | undefined) {
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
    });
  }

  /** Makes one RPC, and returns every failure as an error result. */
  async #exchange<Result>(
    limit: ActivityMonitor,
    work: (transport: ConnectTransport, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | ErrorResult> {
    const exchange = new Exchange(this.#endpoint, limit, this.#fetch);
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
