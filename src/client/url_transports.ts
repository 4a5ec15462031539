/** Chooses the protocol of a URL by its path. */
import type { Transport } from "../core/call/transport.ts";
import { connectionError } from "../http_client/connection_errors.ts";
import type { HttpClientOptions } from "../http_client/send.ts";
import { mcpLiteTransport } from "../wires/mcp_lite/client/transport.ts";
import type { UrlTransports } from "./client.ts";

/** MCP where it is certain to be, else MCP-lite. */
export const URL_TRANSPORTS: UrlTransports = {
  isMcp: isMcpUrl,
  open: (url, options) => isMcpUrl(url) ? mcpOnDemand(url, options) : mcpLiteTransport(url, options),
};

/** Whether MCP is certain to be at a URL: by its path, `/mcp` of Streamable HTTP or `/sse` of the older transport. */
function isMcpUrl({ pathname }: URL): boolean {
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
