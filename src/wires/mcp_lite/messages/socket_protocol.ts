/** Names, intervals and close codes of MCP-lite over WebSocket, for both sides. */

/** WebSocket subprotocol whose messages are those of MCP-lite. */
export const LITE_SUBPROTOCOL = "mcp-lite.v1";

/** WebSocket subprotocol whose messages are those of MCP. */
export const MCP_SUBPROTOCOL = "mcp";

/** Start of an offered subprotocol that has a bearer token in base64url: pages can send no headers. It is never selected. */
export const BEARER_SUBPROTOCOL = "mcp-lite.bearer.";

/** Default path of the WebSocket endpoint, for servers, and for clients whose URL has no path. */
export const SOCKET_PATH = "/mcp-lite/v1";

/** Interval at which each side sends a heartbeat if it sent nothing else, in milliseconds. */
export const BEAT_MS = 20_000;

/** Time without any received message, ping or pong after which a side closes the connection, in milliseconds. */
export const SILENCE_MS = 60_000;

/** The message that either side sends when it sent nothing else during {@link BEAT_MS}. */
export const HEARTBEAT_MESSAGE = '{"jsonrpc":"2.0","method":"notifications/heartbeat"}';

/** WebSocket close codes of MCP-lite, by reason (RFC 6455, section 7.4, and the IANA registry). */
export const CLOSE = {
  done: 1000,
  binary: 1003,
  policy: 1008,
  tooBig: 1009,
  broken: 1011,
  restart: 1012,
  tryLater: 1013,
  unauthorized: 3000,
  forbidden: 3003,
} as const;
