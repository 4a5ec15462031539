/**
 * The client's side of MCP-lite over gRPC: Connect and gRPC-Web by `fetch`, gRPC itself by `node:http2`.
 *
 * What comes back is bounded in size, and redirects are not followed, so that credentials stay with their own origin.
 * Source: MCP-lite specification, section 5 and appendix A.
 *
 * @module
 */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport as RpcTransport } from "@connectrpc/connect";
import type { CommonTransportOptions } from "@connectrpc/connect/protocol";
import { createTransport as createConnect } from "@connectrpc/connect/protocol-connect";
import { createTransport as createGrpc } from "@connectrpc/connect/protocol-grpc";
import { createTransport as createGrpcWeb } from "@connectrpc/connect/protocol-grpc-web";
import { type Refusal, refuse, refuseInput, type Settled, type Sink, type UnknownOutcome } from "../../call/outcome.ts";
import type { RemoteTool, Transport, TransportCall, TransportLimit } from "../../call/transport.ts";
import { isJsonObject } from "../../internal/json.ts";
import {
  checkOptions,
  FUNCTION,
  HEADERS,
  OBJECT,
  oneOf,
  type OptionRules,
  wholeNumber,
} from "../../internal/options.ts";
import { Exchange, type Sending } from "./client_fetch.ts";
import { decodeAnswer, decodeError, decodeResponse, decodeTool } from "./decode_reply.ts";
import { MCPLite, type ToolRequest, ToolRequestSchema } from "./gen/mcplite_pb.ts";
import { toJsonObject } from "./json.ts";
import { Http2Connection, type TlsClientOptions } from "./node.ts";

/** Options of every transport. */
export interface RpcTransportOptions {
  /** Headers of every request, such as `authorization`; or a function that gives them, called for each request. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Largest answer that is read, in bytes; of a stream, all of it. Default: 64 MiB. */
  readonly maxResponseBytes?: number;
}

/** Options of {@link grpcWebTransport}. */
export interface GrpcWebTransportOptions extends RpcTransportOptions {
  /** Takes the place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Options of {@link grpcTransport}. */
export interface GrpcTransportOptions extends RpcTransportOptions {
  /** How servers are trusted, and what they are shown. Default: as the runtime trusts them. */
  readonly tls?: TlsClientOptions;
}

/** Options of {@link connectTransport}. */
export interface ConnectTransportOptions extends GrpcWebTransportOptions {
  /** How messages are written. Default: `json`, which is readable and, in JavaScript, no slower. */
  readonly format?: "json" | "binary";
}

const COMMON_RULES: OptionRules<RpcTransportOptions> = { headers: HEADERS, maxResponseBytes: wholeNumber(1) };

const GRPC_RULES: OptionRules<GrpcTransportOptions> = { ...COMMON_RULES, tls: OBJECT };

const GRPC_WEB_RULES: OptionRules<GrpcWebTransportOptions> = { ...COMMON_RULES, fetch: FUNCTION };

const CONNECT_RULES: OptionRules<ConnectTransportOptions> = { ...GRPC_WEB_RULES, format: oneOf("json", "binary") };

const DEFAULT_MAX_RESPONSE_BYTES = 67_108_864;

/** Deeper answers than anybody's are no answers. */
const RECURSION_LIMIT = 4_096;

/**
 * A transport to a server of MCP-lite over gRPC that speaks Connect, as the wire `connect()` does.
 *
 * @example JSON over POST
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { connect, connectTransport } from "jsr:@toolwire/toolwire/grpc";
 * import { strictEqual } from "node:assert/strict";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")], wires: [connect()] });
 * const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
 * const client = createClient<typeof server>(connectTransport("http://localhost", { fetch }));
 * strictEqual(await client.ping(), "pong");
 * ```
 * @param url What comes before the service's own paths: `https://example.com`.
 * @throws {TypeError} If the URL is none, or not `http:` or `https:`, an option is not what it should be, or there is no such option.
 */
export function connectTransport(url: string | URL, options: ConnectTransportOptions = {}): Transport {
  checkOptions("reach a server by Connect", options, CONNECT_RULES);
  const useBinaryFormat = options.format === "binary";
  return new ProtocolTransport(url, options, {
    timeout: CONNECT_TIMEOUT,
    createRpc: (common) => createConnect({ ...common, useBinaryFormat }),
    fetch: options.fetch,
  });
}

/**
 * A transport to a server of MCP-lite over gRPC that speaks gRPC-Web: the wire `connect()`, or a proxy such as Envoy in front
 * of native gRPC.
 *
 * @param url What comes before the service's own paths: `https://example.com`.
 * @throws {TypeError} If the URL is none, or not `http:` or `https:`, an option is not what it should be, or there is no such option.
 */
export function grpcWebTransport(url: string | URL, options: GrpcWebTransportOptions = {}): Transport {
  checkOptions("reach a server by gRPC-Web", options, GRPC_WEB_RULES);
  return new ProtocolTransport(url, options, { timeout: GRPC_TIMEOUT, createRpc: createGrpcWeb, fetch: options.fetch });
}

/**
 * A transport to a server of MCP-lite over gRPC, by gRPC itself: on Bun, Deno and Node. One connection carries all calls; it
 * is made at the first, made anew after it was lost, and keeps no process from its end.
 *
 * @example A server and its client
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { connect, grpcTransport } from "jsr:@toolwire/toolwire/grpc";
 * import { serve } from "jsr:@toolwire/toolwire/serve";
 * import { strictEqual } from "node:assert/strict";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")], wires: [connect()] });
 * const listening = await serve(server, { port: 0, grpc: { port: 0 } });
 * const client = createClient<typeof server>(grpcTransport(listening.grpcUrl ?? ""));
 * strictEqual(await client.ping(), "pong");
 * client.$.close();
 * await listening.close();
 * ```
 * @param address Host and port, `127.0.0.1:50051`, in the clear; or a URL, `https://tools.example`, with TLS.
 * @throws {TypeError} If the address is none, the runtime has no `node:http2`, an option is not what it should be, or there is no such
 * option.
 */
export function grpcTransport(address: string | URL, options: GrpcTransportOptions = {}): Transport {
  checkOptions("reach a server by gRPC", options, GRPC_RULES);
  const text = String(address);
  const url = new URL(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`);
  const connection = new Http2Connection(url.origin, options.tls);
  return new ProtocolTransport(url, options, {
    timeout: GRPC_TIMEOUT,
    createRpc: createGrpc,
    fetch: connection.fetch,
    close: () => connection.close(),
  });
}

/** How a deadline is said in a header. */
interface TimeoutHeader {
  readonly name: string;
  format(timeoutMs: number): string;
}

/** Ten digits at most. */
const CONNECT_TIMEOUT: TimeoutHeader = {
  name: "connect-timeout-ms",
  format: (timeoutMs) => String(Math.min(9_999_999_999, Math.ceil(timeoutMs))),
};

/** Eight digits at most, so that what is long is said in seconds. */
const GRPC_TIMEOUT: TimeoutHeader = {
  name: "grpc-timeout",
  format: (timeoutMs) =>
    timeoutMs < 99_999_999 ? `${Math.ceil(timeoutMs)}m` : `${Math.min(99_999_999, Math.ceil(timeoutMs / 1000))}S`,
};

/** What transports differ in. */
interface Protocol {
  readonly timeout: TimeoutHeader;
  readonly createRpc: (options: CommonTransportOptions) => RpcTransport;
  readonly fetch: Sending["fetch"];
  readonly close?: () => void;
}

class ProtocolTransport implements Transport {
  readonly #base: URL;
  readonly #options: RpcTransportOptions;
  readonly #protocol: Protocol;

  constructor(url: string | URL, options: RpcTransportOptions, protocol: Protocol) {
    this.#base = new URL(url);
    if (this.#base.protocol !== "http:" && this.#base.protocol !== "https:") {
      throw new TypeError(`Not an http: or https: URL: ${this.#base.href}`);
    }
    this.#options = options;
    this.#protocol = protocol;
  }

  close(): void {
    this.#protocol.close?.();
  }

  async call(call: TransportCall, sink?: Sink): Promise<Settled | UnknownOutcome> {
    const { tool, args = {}, limit } = call;
    if (!isJsonObject(args)) return refuseInput("Arguments must be an object", [], "object", args);
    const { deadline_ms: deadlineMs, ...meta } = call.meta ?? {};
    const isTimed = typeof deadlineMs === "number" && deadlineMs > 0;
    const said = isTimed ? meta : call.meta ?? {};
    const request = create(ToolRequestSchema, {
      name: tool,
      arguments: toJsonObject(args),
      ...(Object.keys(said).length > 0 && { meta: toJsonObject(said) }),
    });
    const headers = await this.#headers();
    const { timeout } = this.#protocol;
    if (isTimed) headers.set(timeout.name, timeout.format(deadlineMs));
    return await this.#exchange(limit, async (rpc, signal) => {
      if (sink !== undefined) return await readStream(rpc, signal, headers, request, sink);
      const { message } = await rpc.unary(MCPLite.method.callTool, signal, undefined, headers, request);
      return decodeAnswer(message);
    });
  }

  async list(limit: TransportLimit): Promise<readonly RemoteTool[] | Refusal> {
    const headers = await this.#headers();
    return await this.#exchange(limit, async (rpc, signal) => {
      const { message } = await rpc.unary(MCPLite.method.getTools, signal, undefined, headers, {});
      return message.tools.map(decodeTool);
    });
  }

  async #headers(): Promise<Headers> {
    const { headers } = this.#options;
    return new Headers(typeof headers === "function" ? await headers() : headers);
  }

  /** Makes one RPC, and turns whatever goes wrong on the way into a refusal. */
  async #exchange<Result>(
    limit: TransportLimit,
    work: (rpc: RpcTransport, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | Refusal> {
    const { maxResponseBytes: maxBytes = DEFAULT_MAX_RESPONSE_BYTES } = this.#options;
    const exchange = new Exchange({ fetch: this.#protocol.fetch, maxBytes, search: this.#base.search }, limit);
    // Connect's streams do not end their request when they are left.
    const left = new AbortController();
    try {
      return await work(this.#rpc(exchange, maxBytes), AbortSignal.any([limit.signal, left.signal]));
    } catch (thrown) {
      return exchange.refusal ?? refusalOf(thrown, exchange.status);
    } finally {
      left.abort();
    }
  }

  #rpc({ send }: Exchange, maxBytes: number): RpcTransport {
    const { origin, pathname } = this.#base;
    return this.#protocol.createRpc({
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
  rpc: RpcTransport,
  signal: AbortSignal,
  headers: Headers,
  request: ToolRequest,
  sink: Sink,
): Promise<Settled | UnknownOutcome> {
  const { message: messages } = await rpc.stream(
    MCPLite.method.callToolStream,
    signal,
    undefined,
    headers,
    (async function* () {
      yield request;
    })(),
  );
  let ended: Settled | UnknownOutcome | undefined;
  for await (const message of messages) {
    const said = decodeResponse(message);
    if (said === undefined) continue;
    const { kind } = said;
    // What comes after the last response is its protocol's end, which is read so that the connection can go on.
    if (kind === "partial" || kind === "progress" || kind === "deferred") await sink.push(said);
    else ended ??= said;
  }
  return ended ?? BROKEN_OFF;
}

const BROKEN_OFF: Refusal = refuse("unavailable", "Stream broke off");

/** What was thrown: an error of the server's, or what became of an answer that is none. */
function refusalOf(thrown: unknown, status: number | undefined): Refusal {
  if (!(thrown instanceof ConnectError)) return { ...BROKEN_OFF, cause: thrown };
  if (thrown.isWireError) return decodeError(thrown);
  // A message that says that it is larger than what is read.
  if (thrown.code === Code.ResourceExhausted) {
    return { ...refuse("result_too_large", "The answer is larger than what is read"), cause: thrown };
  }
  // Of an answer with an error's status, that is all there is to go by.
  if (status !== undefined && (status < 200 || status > 299)) {
    const { code } = decodeError(thrown);
    const cause = new Error(`Status ${status}`, { cause: thrown });
    return { ...refuse(code, `The server answered ${status}, but not with MCP-lite`), cause };
  }
  return { ...BROKEN_OFF, cause: thrown };
}
