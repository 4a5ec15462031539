/**
 * MCP-lite over gRPC: the wire {@link grpc}, and the transports {@link connectTransport}, {@link grpcWebTransport} and {@link
 * grpcTransport} for clients. It is needed where callers have gRPC, Connect or gRPC-Web, or generate clients of a `.proto` file.
 *
 * @example A server over Connect, gRPC-Web and gRPC
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { grpc } from "jsr:@toolwire/toolwire/grpc";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * console.log(createServer({ tools: [ping], wires: [grpc()] }).wires); // → ["connect"]
 * ```
 *
 * @module
 */
export { grpc, type GrpcOptions, type TypedGrpcOptions } from "../wires/grpc/server/grpc.ts";
export {
  connectTransport,
  type ConnectTransportOptions,
  grpcTransport,
  type GrpcTransportOptions,
  grpcWebTransport,
} from "../wires/grpc/client/transports.ts";
export type { HeadersFunction, HeaderValues, HttpClientOptions } from "../http_client/send.ts";
export type { OutgoingCall } from "../core/call/transport.ts";
export type { TlsClientOptions } from "../wires/grpc/client/tls.ts";
