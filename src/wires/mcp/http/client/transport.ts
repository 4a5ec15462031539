/**
 * The client's side of MCP over HTTP: any server, of any revision.
 *
 * What comes back is bounded in size, and redirects are not followed, so that credentials stay with their own origin.
 *
 * @module
 */
import type { HttpClientOptions } from "../../../../http_client/send.ts";
import { parseHttpUrl } from "../../../../internal/http.ts";
import { checkOptions, FUNCTION, HEADERS, type OptionRules, wholeNumber } from "../../../../internal/options.ts";
import { CLIENT_RULES } from "../../client/options.ts";
import { McpClientTransport } from "../../client/transport.ts";
import { PipeCarrier } from "../../client/duplex_transport.ts";
import type { McpClientOptions, McpTransport } from "../../client/types.ts";
import { Fetcher } from "./fetcher.ts";
import { HttpCarrier } from "./http.ts";
import { openEndpoint } from "./endpoint.ts";

/** How long a server may take to say which era it speaks, in milliseconds. */
const PROBE_MS = 30_000;

const RULES: OptionRules<McpTransportOptions> = {
  ...CLIENT_RULES,
  headers: HEADERS,
  fetch: FUNCTION,
  maxResponseBytes: wholeNumber(1),
};

/** Options of {@link mcpTransport}. */
export interface McpTransportOptions extends McpClientOptions, HttpClientOptions {}

/**
 * A transport to an MCP server over HTTP, of revision 2026-07-28 or any older: which one it speaks is found out.
 *
 * A stream of a call has no pieces over MCP, only progress; the answer is whole.
 *
 * @example Any MCP server
 * ```ts
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * // In the place of a server: it knows one tool.
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
 * deepStrictEqual(await client.add?.({ a: 1, b: 2 }), { sum: 3 });
 * ```
 * @param url The server's endpoint: `https://example.com/mcp`.
 * @throws {TypeError} If the URL is none, or not `http:` or `https:`, an option is not what it should be, or there is no such option.
 * @throws {RangeError} If a number among the options is not one that it may be.
 */
export function mcpTransport(url: string | URL, options: McpTransportOptions = {}): McpTransport {
  checkOptions("reach an MCP server", options, RULES);
  const fetcher = new Fetcher(parseHttpUrl("reach an MCP server", url), options);
  const older = () => new PipeCarrier(openEndpoint(fetcher));
  return new McpClientTransport({ carrier: new HttpCarrier(fetcher), older, probeMs: PROBE_MS }, options);
}
