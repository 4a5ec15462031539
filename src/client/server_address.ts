/** What `createClient` is given: a URL, a transport, or a server of this process. */
import type { Transport } from "../core/call/transport.ts";
import { parseHttpUrl } from "../internal/http.ts";
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
  const { url = (to as { transport?: { url?: unknown } } | null)?.transport?.url } = (to ?? {}) as { url?: unknown };
  throw new TypeError(
    `Cannot create client: pass a URL, or a transport such as memoryTransport(server)${
      url === undefined ? "" : `. Write: createClient(${JSON.stringify(`${url}`)}, { headers })`
    }`,
  );
}
