/**
 * MCP-lite over gRPC: the wire, and the transports of clients.
 *
 * The wire has the protocol's name, {@link grpc}; a transport says that it is one: {@link connectTransport},
 * {@link grpcWebTransport}, {@link grpcTransport}.
 *
 * @module
 */
export { type ConnectOptions, grpc } from "./server/grpc.ts";
export {
  connectTransport,
  type ConnectTransportOptions,
  grpcTransport,
  type GrpcTransportOptions,
  grpcWebTransport,
} from "./client/transports.ts";
export type { HttpClientOptions } from "../../http_client/send.ts";
export type { TlsClientOptions } from "./client/tls.ts";
