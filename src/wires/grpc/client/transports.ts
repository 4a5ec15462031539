/**
 * Transports of MCP-lite over gRPC: Connect and gRPC-Web by `fetch`, native gRPC by `node:http2`.
 *
 * The size of responses is limited. Redirects are not followed, so that credentials are not sent to another origin.
 * Source: docs/spec.md 5 and A.
 */
import { createTransport as createConnect } from "@connectrpc/connect/protocol-connect";
import { createTransport as createGrpcWeb } from "@connectrpc/connect/protocol-grpc-web";
import {
  type CallResult,
  type ErrorResult,
  invalidInputResult,
  type Sink,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool, Transport, TransportCall } from "../../../core/call/transport.ts";
import {
  DEFAULT_MAX_RESPONSE_BYTES,
  headersFor,
  type HttpClientOptions,
  toHeaders,
} from "../../../http_client/send.ts";
import { parseHttpUrl } from "../../../internal/http.ts";
import { isJsonObject } from "../../../internal/json.ts";
import {
  checkOptions,
  FUNCTION,
  HEADERS,
  OBJECT,
  oneOf,
  type OptionRules,
  wholeNumber,
} from "../../../internal/options.ts";
import { ConnectRpc } from "./connect.ts";
import { NativeRpc } from "./native/call.ts";
import type { Endpoint, Rpc } from "./rpc.ts";
import { toJsonObject } from "../messages/json.ts";
import type { TlsClientOptions } from "./tls.ts";

/** Options of {@link grpcTransport}. */
export interface GrpcTransportOptions extends Omit<HttpClientOptions, "fetch"> {
  /** Trusted authorities and client certificate. Default: the authorities of the runtime, and no client certificate. */
  readonly tls?: TlsClientOptions | undefined;
}

/** Options of {@link connectTransport}. */
export interface ConnectTransportOptions extends HttpClientOptions {
  /** Encoding of messages. Default: `json`, which is readable and, in JavaScript, not slower. */
  readonly format?: "json" | "binary" | undefined;
}

const COMMON_RULES: OptionRules<Omit<HttpClientOptions, "fetch">> = {
  headers: HEADERS,
  maxResponseBytes: wholeNumber(1),
};

const GRPC_RULES: OptionRules<GrpcTransportOptions> = { ...COMMON_RULES, tls: OBJECT };

const GRPC_WEB_RULES: OptionRules<HttpClientOptions> = { ...COMMON_RULES, fetch: FUNCTION };

const CONNECT_RULES: OptionRules<ConnectTransportOptions> = { ...GRPC_WEB_RULES, format: oneOf("json", "binary") };

/** Description of a valid address, for error messages. */
const ADDRESS = 'host and port, such as "127.0.0.1:50051", or a URL that begins with "http://" or "https://"';

/**
 * Creates a transport to a server of MCP-lite over gRPC by the protocol Connect, such as one with the wire `grpc()`.
 *
 * @example JSON over POST
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { grpc, connectTransport } from "jsr:@toolwire/toolwire/grpc";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")], wires: [grpc()] });
 * const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
 * const client = createClient<typeof server>(connectTransport("http://localhost", { fetch }));
 * console.log(await client.ping()); // → pong
 * ```
 * @param url URL prefix of the service's paths: `https://example.com`.
 * @throws {TypeError} If the URL is invalid, or not `http:` or `https:`, or an option is invalid or unknown.
 */
export function connectTransport(url: string | URL, options: ConnectTransportOptions = {}): Transport {
  checkOptions("reach a server by Connect", options, CONNECT_RULES);
  const useBinaryFormat = options.format === "binary";
  return new RpcTransport(
    parseHttpUrl("reach a server by Connect", url),
    options,
    CONNECT_TIMEOUT,
    (endpoint) => new ConnectRpc(endpoint, (common) => createConnect({ ...common, useBinaryFormat }), options.fetch),
  );
}

/**
 * Creates a transport to a server of MCP-lite over gRPC by gRPC-Web: to the wire `grpc()`, or to a proxy such as Envoy in front
 * of native gRPC.
 *
 * @param url URL prefix of the service's paths: `https://example.com`.
 * @throws {TypeError} If the URL is invalid, or not `http:` or `https:`, or an option is invalid or unknown.
 */
export function grpcWebTransport(url: string | URL, options: HttpClientOptions = {}): Transport {
  checkOptions("reach a server by gRPC-Web", options, GRPC_WEB_RULES);
  return new RpcTransport(
    parseHttpUrl("reach a server by gRPC-Web", url),
    options,
    GRPC_TIMEOUT,
    (endpoint) => new ConnectRpc(endpoint, createGrpcWeb, options.fetch),
  );
}

/**
 * Creates a transport to a server of MCP-lite over gRPC by native gRPC, on Bun, Deno and Node.
 *
 * One connection carries all calls. It is opened at the first call, and again at the next call after it was lost. Without open
 * calls it does not keep the process alive.
 *
 * @example A server and its client
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { grpc, grpcTransport } from "jsr:@toolwire/toolwire/grpc";
 * import { serve } from "jsr:@toolwire/toolwire/serve";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")], wires: [grpc()] });
 * const listening = await serve(server, { port: 0, grpc: { port: 0 } });
 * const client = createClient<typeof server>(grpcTransport(listening.grpcUrl ?? ""));
 * console.log(await client.ping()); // → pong
 * client.$.close();
 * await listening.close();
 * ```
 * @param address Host and port, `127.0.0.1:50051`, without TLS; or a URL, `https://tools.example`, with TLS.
 * @throws {TypeError} If the address is invalid, the runtime has no `node:http2`, or an option is invalid or unknown.
 */
export function grpcTransport(address: string | URL, options: GrpcTransportOptions = {}): Transport {
  checkOptions("reach a server by gRPC", options, GRPC_RULES);
  const text = String(address);
  const url = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  const base = parseHttpUrl("reach a server by gRPC", address, ADDRESS, url);
  return new RpcTransport(base, options, GRPC_TIMEOUT, (endpoint) => new NativeRpc(endpoint, options.tls));
}

/** The header that carries a deadline. */
interface TimeoutHeader {
  readonly name: string;
  format(timeoutMs: number): string;
}

/** At most ten digits. */
const CONNECT_TIMEOUT: TimeoutHeader = {
  name: "connect-timeout-ms",
  format: (timeoutMs) => String(Math.min(9_999_999_999, Math.ceil(timeoutMs))),
};

/** At most eight digits, so that long timeouts are sent in seconds. */
const GRPC_TIMEOUT: TimeoutHeader = {
  name: "grpc-timeout",
  format: (timeoutMs) =>
    timeoutMs < 99_999_999 ? `${Math.ceil(timeoutMs)}m` : `${Math.min(99_999_999, Math.ceil(timeoutMs / 1000))}S`,
};

/** Makes calls by the methods of `MCPLite`, over any protocol of the gRPC family. */
class RpcTransport implements Transport {
  readonly #headers: HttpClientOptions["headers"];
  readonly #timeout: TimeoutHeader;
  readonly #rpc: Rpc;

  constructor(
    base: URL,
    options: Omit<HttpClientOptions, "fetch">,
    timeout: TimeoutHeader,
    createRpc: (endpoint: Endpoint) => Rpc,
  ) {
    this.#headers = options.headers;
    this.#timeout = timeout;
    this.#rpc = createRpc({ base, maxBytes: options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES });
  }

  close(): void {
    this.#rpc.close?.();
  }

  async call(call: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    const { tool: name, args = {}, limit } = call;
    if (!isJsonObject(args)) return invalidInputResult("Arguments must be an object", [], "object", args);
    const { deadline_ms: deadlineMs, ...meta } = call.meta ?? {};
    const isTimed = typeof deadlineMs === "number" && deadlineMs > 0;
    const sentMeta = isTimed ? meta : call.meta ?? {};
    const request = {
      name,
      arguments: toJsonObject(args),
      ...(Object.keys(sentMeta).length > 0 && { meta: toJsonObject(sentMeta) }),
    };
    const headers = await this.#makeHeaders(limit);
    if (isTimed) headers.set(this.#timeout.name, this.#timeout.format(deadlineMs));
    return await this.#rpc.call(request, headers, limit, sink);
  }

  async list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    return await this.#rpc.list(await this.#makeHeaders(limit), limit);
  }

  async #makeHeaders(limit: ActivityMonitor): Promise<Headers> {
    const headers = this.#headers;
    return toHeaders(typeof headers === "function" ? await headersFor(headers, limit) : headers);
  }
}
