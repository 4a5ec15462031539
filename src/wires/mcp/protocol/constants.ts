/** The words that revisions of MCP have for things; each is said here once. */

/** The revision without sessions: each request says all that the server needs. */
export const MODERN_VERSION = "2026-07-28";

/** A revision that begins with a handshake. */
export type LegacyVersion = "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05";

/** Revisions that begin with a handshake, newest first. */
export const LEGACY_VERSIONS: readonly [LegacyVersion, ...LegacyVersion[]] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
];

/** Whether a text names a revision that begins with a handshake, and that is spoken here. */
export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(version);
}

/** Members of `_meta` that belong to the protocol. */
export const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
/** What the caller can do, in a request's `_meta`. */
export const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** What the caller calls itself, in a request's `_meta`. */
export const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
/** From which level on the caller wants log lines, in a request's `_meta`. */
export const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
/** What the server calls itself, in a result's `_meta`. */
export const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
/** Which subscription a message belongs to, in its `_meta`. */
export const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
/** Which task a result is of, in its `_meta` (2025-11-25). */
export const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** The extension by which calls become tasks. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Levels of log lines, from the least to the worst. */
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
