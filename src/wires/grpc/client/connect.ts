/**
 * The RPCs of a client by Connect and gRPC-Web, as `@connectrpc/connect` speaks them.
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
import { type Endpoint, RECURSION_LIMIT, refusalOf, type Rpc, StreamedResponses } from "./rpc.ts";
import { decodeAnswer, decodeTool } from "./decode_reply.ts";
import { MCPLite, type ToolRequest, ToolRequestSchema } from "../messages/gen/mcplite_pb.ts";

/** One of the library's transports. */
export type CreateConnectTransport = (options: CommonTransportOptions) => ConnectTransport;

/** Makes RPCs by one of the library's transports. */
export class ConnectRpc implements Rpc {
  readonly #endpoint: Endpoint;
  readonly #createTransport: CreateConnectTransport;
  readonly #fetch: Fetch | undefined;

  /** @param fetch Takes the place of the global `fetch`. */
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
      const answer = await transport.unary(MCPLite.method.callTool, signal, undefined, headers, message);
      return decodeAnswer(answer.message);
    });
  }

  list(headers: Headers, limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    return this.#exchange(limit, async (transport, signal) => {
      const { message } = await transport.unary(MCPLite.method.getTools, signal, undefined, headers, {});
      return message.tools.map(decodeTool);
    });
  }

  /** Makes one RPC, and turns whatever goes wrong on the way into a refusal. */
  async #exchange<Result>(
    limit: ActivityMonitor,
    work: (transport: ConnectTransport, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | ErrorResult> {
    const exchange = new Exchange(this.#endpoint, limit, this.#fetch);
    // Connect's streams do not end their request when they are left.
    const left = new AbortController();
    try {
      return await work(this.#transport(exchange), AbortSignal.any([limit.signal, left.signal]));
    } catch (thrown) {
      return addRetryAfter(refusalOf(thrown, exchange.refused), exchange.headers);
    } finally {
      left.abort();
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
  for await (const message of messages) await responses.take(message);
  return responses.ended;
}
