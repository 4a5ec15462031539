/**
 * The MCP client over HTTP, for servers of any revision.
 *
 * The size of responses is limited. Redirects are not followed, so that credentials are sent to their own origin only.
 */
import type { Principal } from "../../../../core/call/call.ts";
import type { HttpClientOptions } from "../../../../http_client/send.ts";
import { parseHttpUrl } from "../../../../internal/http.ts";
import { checkOptions, FUNCTION, HEADERS, type OptionRules, wholeNumber } from "../../../../internal/options.ts";
import { CLIENT_RULES, McpClientTransport } from "../../client/transport.ts";
import type { ServerRoute } from "../../client/connection.ts";
import { DuplexTransport } from "../../client/duplex_transport.ts";
import type { McpClientOptions, McpTransport } from "../../client/types.ts";
import { Fetcher } from "./fetcher.ts";
import { HttpTransport } from "./http_transport.ts";
import { openSseConnection } from "./sse_connection.ts";

/** Timeout of the request that detects the era, in milliseconds. */
const PROBE_TIMEOUT_MS = 30_000;

const RULES: OptionRules<McpTransportOptions> = {
  ...CLIENT_RULES,
  headers: HEADERS,
  fetch: FUNCTION,
  maxResponseBytes: wholeNumber(1),
};

/** Options of {@link mcpTransport}. */
export interface McpTransportOptions extends McpClientOptions, HttpClientOptions {
  // Repeated, because documentation shows the members of an interface, not those of its bases.
  /** Headers of every request, such as `authorization`, or a function that returns them for each request. */
  readonly headers?: HttpClientOptions["headers"] | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: HttpClientOptions["fetch"] | undefined;
  /** Maximum size of a response in bytes; of an endless stream, maximum size of one event. Default: 64 MiB. */
  readonly maxResponseBytes?: HttpClientOptions["maxResponseBytes"] | undefined;
  /** Name and version of the client; servers may show and log them. Default: name `toolwire`, version of this package. */
  readonly clientInfo?: McpClientOptions["clientInfo"] | undefined;
  /** Era of the protocol: `modern` is 2026-07-28, `legacy` is 2025-11-25 and older. Default: `auto`, which detects it with one request. */
  readonly era?: McpClientOptions["era"] | undefined;
  /** Reviewed tools, as returned by `list()`. Calls of a tool that has changed, or is not in this array, fail with `permission_denied`. */
  readonly pinned?: McpClientOptions["pinned"] | undefined;
  /** Whether to list all tools of a server that lists a selection, as with `discover()`. Default: `false`. */
  readonly allTools?: McpClientOptions["allTools"] | undefined;
  /** Receives warnings about problems of the server that do not fail a request. Default: `console`. */
  readonly logger?: McpClientOptions["logger"] | undefined;
}

/**
 * A transport to an MCP server over HTTP, of revision 2026-07-28 or older. The revision is detected.
 *
 * A stream of a call has progress, and no partial results: MCP has none.
 *
 * @example Any MCP server
 * ```ts
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
 *
 * // Replaces a server with one tool.
 * const results = new Map<unknown, unknown>([
 *   ["server/discover", { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }],
 *   ["tools/list", { tools: [{ name: "add", inputSchema: { type: "object" } }] }],
 *   ["tools/call", { content: [{ type: "text", text: "3" }], structuredContent: { sum: 3 } }],
 * ]);
 * const fetch = async (_: string, { body }: RequestInit) => {
 *   const { id, method } = JSON.parse(String(body));
 *   return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...results.get(method) as object } });
 * };
 *
 * const client = createClient(mcpTransport("https://example.com/mcp", { fetch }));
 * console.log(await client.add?.({ a: 1, b: 2 })); // → { sum: 3 }
 * ```
 * @param url The server's endpoint: `https://example.com/mcp`.
 * @throws {TypeError} If the URL is invalid or not `http:` or `https:`, or an option is unknown or invalid.
 * @throws {RangeError} If a numeric option is out of range.
 */
export function mcpTransport(url: string | URL, options: McpTransportOptions = {}): McpTransport {
  checkOptions("reach an MCP server", options, RULES);
  const parsed = parseHttpUrl("reach an MCP server", url);
  const route = routeTo(parsed, new Fetcher(parsed, options));
  if (typeof options.headers !== "function") return new McpClientTransport(route, options);
  // A session and what was listed with the headers of one principal are not used for another.
  const forPrincipal = (principal: () => Principal) => routeTo(parsed, new Fetcher(parsed, options, principal));
  return new McpClientTransport({ ...route, forPrincipal }, options);
}

function routeTo({ origin, pathname }: URL, fetcher: Fetcher): ServerRoute {
  return {
    name: origin + pathname,
    transport: new HttpTransport(fetcher),
    openLegacyTransport: () => new DuplexTransport(openSseConnection(fetcher)),
    probeTimeoutMs: PROBE_TIMEOUT_MS,
    maxUnreadChars: fetcher.maxBytes,
  };
}
