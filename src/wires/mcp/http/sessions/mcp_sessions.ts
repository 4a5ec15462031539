/** Sessions as a value. Only servers that use it have the code of sessions in their bundle. */
import { checkOptions, type OptionRules, rule, wholeNumber } from "../../../../internal/options.ts";
import { type SessionHost, SessionHttp } from "./http.ts";
import { memorySessionStore } from "./memory_store.ts";
import { LegacySseTransport } from "./sse_transport.ts";
import type { SessionStore } from "./store.ts";

/** Options of {@link mcpSessions}. */
export interface McpSessionsOptions {
  /** Store of the sessions, such as `redisSessionStore()`. Replicas need one that they share. Default: `memorySessionStore()`. */
  readonly store?: SessionStore | undefined;
  /** Delay before a client resumes a stream, in milliseconds. Default: 1,000. */
  readonly retryMs?: number | undefined;
  /**
   * Time after which the connection of a running request is closed, in milliseconds. The client then polls for the response. For
   * 2025-11-25. Default: never.
   */
  readonly pollAfterMs?: number | undefined;
}

/** Sessions for the option `sessions` of `mcp()`. Made by {@link mcpSessions}. */
export interface McpSessions {
  /**
   * Serves sessions of the Streamable HTTP transport. `mcp()` calls it.
   *
   * @internal
   */
  serve(host: SessionHost): SessionHttp;
  /**
   * Serves the transport of 2024-11-05 at a path. `mcp()` calls it.
   *
   * @internal
   */
  serveSse(sessions: SessionHttp, path: string): LegacySseTransport;
}

const STORE_METHODS = ["put", "get", "delete", "append", "read", "publish", "subscribe"] as const;

const RULES: OptionRules<McpSessionsOptions> = {
  store: rule(`memorySessionStore(), or an object with ${STORE_METHODS.join(", ")}`, isStore),
  retryMs: wholeNumber(1, "milliseconds"),
  pollAfterMs: wholeNumber(1, "milliseconds"),
};

function isStore(value: unknown): boolean {
  const store = value as Partial<SessionStore> | null;
  return typeof store === "object" && STORE_METHODS.every((name) => typeof store?.[name] === "function");
}

/**
 * Sessions for the revisions of MCP with a handshake, for `mcp({ sessions: mcpSessions() })`. They keep a client's capabilities, log
 * level and subscriptions between its requests, and messages for streams that it resumes.
 *
 * @throws {RangeError} If a number is out of range.
 * @throws {TypeError} If another option is invalid or unknown.
 */
export function mcpSessions(options: McpSessionsOptions = {}): McpSessions {
  checkOptions("keep sessions", options, RULES);
  const { store = memorySessionStore(), retryMs = 1_000, pollAfterMs } = options;
  return {
    serve: (host) => new SessionHttp(host, { store, retryMs, pollAfterMs }),
    serveSse: (sessions, path) => new LegacySseTransport(sessions, path),
  };
}
