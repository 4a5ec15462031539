/** What `createClient` is given, as a transport: a URL, whose path decides the protocol, or a transport itself. */
import { connectionError, type HttpClientOptions } from "../http_client/send.ts";
import type { Transport } from "../core/call/transport.ts";
import { parseHttpUrl } from "../internal/http.ts";
import { mcpLiteTransport } from "../wires/mcp_lite/client/transport.ts";
import type { InProcessServer } from "./types.ts";

/** URL of the endpoints. The default path is that of a server with default options. */
export function toEndpoint(to: string | URL): URL {
  const isSocket = /^wss?:/i.test(`${to}`);
  const url = parseHttpUrl("create client", to, isSocket ? "webSocketTransport(url) of toolwire/websocket" : undefined);
  if (url.pathname === "/") url.pathname = "/mcp-lite/v1";
  return url;
}

/** The transport of the caller, or that to a server of this process. @throws {TypeError} If the value is neither. */
export function asTransport(to: Transport): Transport {
  const transport = (to as Partial<InProcessServer> | null)?.["~transport"]?.() ?? to;
  if (typeof transport?.call === "function") return transport;
  throw new TypeError("Cannot create client: pass a URL, or a transport such as memoryTransport(server)");
}

/** The transport to a URL: of MCP if that is certain, else of MCP-lite. */
export function transportTo(url: URL, options: HttpClientOptions): Transport {
  return isMcpUrl(url) ? mcpOnDemand(url, options) : mcpLiteTransport(url, options);
}

/** Whether MCP is certain to be at a URL: by its path, `/mcp` of Streamable HTTP or `/sse` of the older transport. */
export function isMcpUrl({ pathname }: URL): boolean {
  return /\/(mcp|sse)\/?$/.test(pathname);
}

/** An MCP transport to a URL whose code is loaded with the first request, so that clients of other protocols do not include it. */
function mcpOnDemand(url: URL, { headers, fetch, maxResponseBytes }: HttpClientOptions): Transport {
  let loading: Promise<Transport> | undefined;
  const load = () =>
    loading ??= import("../wires/mcp/http/client/transport.ts").then(
      ({ mcpTransport }) => mcpTransport(url, { headers, fetch, maxResponseBytes }),
      (thrown) => {
        loading = undefined;
        throw thrown;
      },
    );
  const failed = (thrown: unknown) => connectionError(thrown, "load the MCP client", "Cannot load the MCP client");
  return {
    async call(call, sink) {
      const transport = await load().catch(failed);
      return "kind" in transport ? transport : await transport.call(call, sink);
    },
    async list(limit) {
      const transport = await load().catch(failed);
      return "kind" in transport ? transport : await transport.list(limit);
    },
    close() {
      void loading?.then((transport) => transport.close?.(), () => {});
      loading = undefined;
    },
  };
}
