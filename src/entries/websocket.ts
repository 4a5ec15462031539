/**
 * MCP-lite over WebSocket: the wire {@link webSocket}, and the transport {@link webSocketTransport} of clients, also in browsers. It is
 * needed where many calls of one client, or streams in both directions, are to share one connection.
 *
 * @example A server over WebSocket
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { webSocket } from "jsr:@toolwire/toolwire/websocket";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * console.log(createServer({ tools: [ping], wires: [webSocket()] }).wires); // → ["websocket"]
 * ```
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
