/**
 * MCP-lite over gRPC: the wire, and the transports of clients.
 *
 * The wire has the protocol's name, {@link grpc}; a transport says that it is one: {@link connectTransport},
 * {@link grpcWebTransport}, {@link grpcTransport}.
 *
 * @module
 */
export { grpc, type GrpcOptions } from "./server/grpc.ts";
export {
  connectTransport,
  type ConnectTransportOptions,
  grpcTransport,
  type GrpcTransportOptions,
  grpcWebTransport,
  type GrpcWebTransportOptions,
  type RpcTransportOptions,
} from "./client/transports.ts";
export type { TlsClientOptions } from "./client/native/http2.ts";
