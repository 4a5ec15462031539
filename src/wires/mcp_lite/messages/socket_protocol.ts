/** Names, intervals and close codes of MCP-lite over WebSocket, for both sides. */

/** WebSocket subprotocol whose messages are those of MCP-lite. */
export const LITE_SUBPROTOCOL = "mcp-lite.v1";

/** WebSocket subprotocol whose messages are those of MCP. */
export const MCP_SUBPROTOCOL = "mcp";

/** Start of an offered subprotocol that has a bearer token in base64url: pages can send no headers. It is never selected. */
export const BEARER_SUBPROTOCOL = "mcp-lite.bearer.";

/** Path of the WebSocket endpoint. */
export const SOCKET_PATH = "/mcp-lite/v1";

/** Interval of heartbeats in milliseconds. */
export const BEAT_MS = 20_000;

/** Time without any message or pong after which a connection is closed, in milliseconds. */
export const SILENCE_MS = 60_000;

/** The message that either side sends when it sent nothing else during {@link BEAT_MS}. */
export const HEARTBEAT_MESSAGE = '{"jsonrpc":"2.0","method":"notifications/heartbeat"}';

/** Close codes (RFC 6455, section 7.4, and the IANA registry). */
export const CLOSE = {
  done: 1000,
  binary: 1003,
  policy: 1008,
  tooBig: 1009,
  restart: 1012,
  tryLater: 1013,
  unauthorized: 3000,
  forbidden: 3003,
} as const;
