/**
 * MCP-lite over gRPC: the wire {@link grpc}, and the transports {@link connectTransport}, {@link grpcWebTransport} and
 * {@link grpcTransport} for clients.
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
