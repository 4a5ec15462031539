/**
 * MCP-lite over WebSocket: the wire {@link webSocket}, and the transport {@link webSocketTransport} of clients, also in browsers.
 *
 * All calls share one connection: any number at once, streams, answers to questions, cancellation.
 *
 * @module
 */
export { webSocket, type WebSocketOptions } from "../wires/mcp_lite/websocket/server/web_socket.ts";
export {
  type OpenSocket,
  type WebSocketClientOptions,
  type WebSocketTransport,
  webSocketTransport,
} from "../wires/mcp_lite/websocket/client/transport.ts";
export type { ClientSocket, SocketEvent } from "../wires/mcp_lite/websocket/client/client_socket.ts";
export { bunWebSocket, type BunWebSocketHandlers } from "../runtime/bun_sockets.ts";
export type { OutgoingCall } from "../core/call/transport.ts";
