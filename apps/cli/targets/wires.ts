/** The wires that a URL may have: their transports, default paths, and which paths suggest them. */
import type { Transport } from "../../../src/core/call/transport.ts";
import { omitUndefined } from "../../../src/internal/json.ts";
import type { FetchFunction } from "../../../src/entries/oauth.ts";
import type { McpTransport } from "../../../src/wires/mcp/client/types.ts";
import { pinnedTools, pinnedWebtool, type WireName } from "./flags.ts";
import { mcpTransport } from "../../../src/wires/mcp/http/client/transport.ts";
import { mcpLiteTransport } from "../../../src/wires/mcp_lite/client/transport.ts";
import { restTransport } from "../../../src/wires/rest/client/transport.ts";
import { webtoolsTransport } from "../../../src/wires/webtools/client/transport.ts";

/** A wire to try, and the URL of its endpoint. */
export interface Candidate {
  readonly wire: WireName;
  readonly url: string;
}

/** Options of {@link openWire}. */
export interface WireOptions {
  /** Sends the requests, in place of the global `fetch`. */
  readonly fetch?: FetchFunction;
  readonly headers: Readonly<Record<string, string>>;
  readonly era: "auto" | "modern" | "legacy" | undefined;
  /** Content of the file of `--pin`. */
  readonly pin: unknown;
}

/** Default paths of servers, in the order in which they are tried. Webtools have no default path without a name. */
const DEFAULT_PATHS: readonly (readonly [WireName, string])[] = [
  ["mcp-lite", "/mcp-lite/v1"],
  ["mcp", "/mcp"],
  ["connect", ""],
  ["rest", "/rest"],
  ["grpc", ""],
];

/** Parts of paths that suggest a wire. */
const HINTS: readonly (readonly [WireName, RegExp])[] = [
  ["mcp-lite", /\/mcp-lite(\/|$)/],
  ["webtools", /\/webtools\//],
  ["rest", /\/rest\/?$/],
  ["mcp", /\/mcp\/?$|\/sse\/?$/],
];

/** Returns the wires to try, the likeliest first, or the given one alone. The URL's path is that of the endpoint; `/` means the defaults. */
export function candidatesOf(url: URL, wire: WireName | undefined): readonly Candidate[] {
  // Tried nowhere else: MCP-lite over HTTP answers at the same path.
  if (/^wss?:$/.test(url.protocol)) return [{ wire: wire ?? "websocket", url: url.href }];
  if (wire !== undefined) return [{ wire, url: withDefaultPath(url, wire) }];
  if (url.pathname === "/") return DEFAULT_PATHS.map(([name]) => ({ wire: name, url: withDefaultPath(url, name) }));
  const hinted = HINTS.find(([, path]) => path.test(url.pathname))?.[0];
  const others: readonly WireName[] = ["mcp", "mcp-lite", "rest", "webtools", "connect"];
  const order = hinted === undefined ? others : [hinted, ...others.filter((name) => name !== hinted)];
  return order.map((name) => ({ wire: name, url: url.href }));
}

/**
 * The URL of the server that an endpoint belongs to: without the default path of a wire, query and user, and without a slash at the end.
 * An endpoint at another path is the server itself: what is elsewhere on the host may be another tenant's.
 */
export function baseOf({ protocol, host, pathname }: URL): string {
  const [, base] = /^(.*?)(?:\/mcp-lite\/v1|\/mcp|\/sse|\/rest)?\/?$/.exec(pathname) ?? [];
  return `${protocol.replace(/^ws/, "http")}//${host}${base}`;
}

function withDefaultPath(url: URL, wire: WireName): string {
  const path = DEFAULT_PATHS.find(([name]) => name === wire)?.[1];
  if (url.pathname !== "/" || path === undefined || path === "") return url.href;
  const whole = new URL(url);
  whole.pathname = path;
  return whole.href;
}

/** Creates the client transport of a wire for the URL of its endpoint. A pin is for MCP and webtools alone. */
export async function openWire(wire: WireName, url: string, options: WireOptions): Promise<Transport> {
  const { era, pin } = options;
  const http = httpOf(options);
  switch (wire) {
    case "mcp": {
      const pinned = pin === undefined ? undefined : pinnedTools(pin);
      return mcpTransport(url, { ...http, allTools: true, ...omitUndefined({ era, pinned }) });
    }
    case "mcp-lite":
      return mcpLiteTransport(url, http);
    case "rest":
      return restTransport(url, http);
    case "webtools": {
      return webtoolsTransport(url, { ...http, ...omitUndefined({ pin: pinnedWebtool(pin) }) });
    }
    case "websocket": {
      const { webSocketTransport } = await import("../../../src/wires/mcp_lite/websocket/client/transport.ts");
      return webSocketTransport(url, http);
    }
    default:
      return await openRpc(wire, url, http);
  }
}

async function openRpc(
  wire: "connect" | "grpc-web" | "grpc",
  url: string,
  http: ReturnType<typeof httpOf>,
): Promise<Transport> {
  // Protobuf is large.
  const { connectTransport, grpcTransport, grpcWebTransport } = await import(
    "../../../src/wires/grpc/client/transports.ts"
  );
  if (wire === "grpc") return grpcTransport(new URL(url).origin, { headers: http.headers });
  return wire === "connect" ? connectTransport(url, http) : grpcWebTransport(url, http);
}

function httpOf({ headers, fetch }: WireOptions) {
  return { headers: { ...headers }, ...(fetch !== undefined && { fetch }) };
}

/** Whether a transport has resources, prompts and completion, as that of MCP has. */
export function isMcpTransport(transport: Transport): transport is McpTransport {
  return "resources" in transport;
}
