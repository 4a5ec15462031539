/** Names that the revisions of MCP define: protocol versions, members of `_meta`, extensions and log levels. */

/** The newest revision of MCP, without handshake and sessions: every request carries its version and the client's capabilities. */
export const MODERN_VERSION = "2026-07-28";

/** A revision of MCP that begins with the handshake `initialize`. */
export type LegacyVersion = "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05";

/** Supported revisions of MCP with a handshake, newest first. */
export const LEGACY_VERSIONS: readonly [LegacyVersion, ...LegacyVersion[]] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
];

/** Whether a value is the version of a supported revision with a handshake. */
export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(version);
}

/** Member of a request's `_meta`: the protocol version. */
export const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
/** Member of a request's `_meta`: the capabilities of the client. */
export const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** Member of a request's `_meta`: name and version of the client. */
export const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
/** Member of a request's `_meta`: the lowest level of log messages that the client wants. */
export const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
/** Member of a result's `_meta`: name and version of the server. */
export const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
/** Member of a message's `_meta`: id of the request `subscriptions/listen` that it belongs to. */
export const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
/** Member of a result's `_meta`: an object with the `taskId` of the task that it belongs to (2025-11-25). */
export const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** Member of `_meta`: in a call, whether the client takes pieces of the answer; in its result, how many the server has sent. */
export const PIECES_SENT = "toolwire/pieces";

/** Notification with one piece of a streamed answer, for clients that take pieces: MCP has none. */
export const PIECE_NOTIFICATION = "notifications/toolwire/piece";

/** Notification with the promise that a call has become, for clients that take pieces: the call continues, and they can cancel or redeem it. */
export const PROMISE_NOTIFICATION = "notifications/toolwire/promise";

/** Identifier of the tasks extension of 2026-07-28, with which the result of a tool call can be a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Levels of log messages, least severe first. */
export const LOG_LEVELS: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];
/** Member of `_meta` in `tools/list`: `true` requests all tools of a Toolwire server that lists a selection, as with `discover()`. */
export const ALL_TOOLS = "toolwire/all-tools";

/**
 * Members of a result's `_meta` by which servers of ours state how to restore the returned value: that it is wrapped in `{ result }`, that
 * `.render()` made the content, that the value is the one block, or which other form it had; how the call ended, the code and the data of
 * a failure or an error, and a promise.
 */
export const RESULT_META = {
  wrapped: "toolwire/wrapped",
  rendered: "toolwire/rendered",
  single: "toolwire/single",
  shape: "toolwire/shape",
  type: "toolwire/response-type",
  code: "toolwire/code",
  data: "toolwire/data",
  promise: "toolwire/promise",
} as const;
