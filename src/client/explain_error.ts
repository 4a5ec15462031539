/**
 * Explains errors of a client whose URL belongs to a server of another protocol.
 *
 * Messages contain paths, but no hosts: a handler may pass them on to its own caller.
 */
import type { ErrorResult } from "../core/call/outcome.ts";
import type { ActivityMonitor } from "../core/call/transport.ts";
import type { exchange, HttpClientOptions } from "../http_client/send.ts";
import type { readText } from "../http_client/read.ts";

/** Functions that the client has, so that a bundler can put this file alone into a file that is loaded on demand. */
export interface ClientFunctions {
  readonly exchange: typeof exchange;
  readonly readText: typeof readText;
}

/** Request that every MCP server answers with JSON-RPC, even if only with an error. It does not open a session. */
const PING = {
  method: "POST",
  headers: { "content-type": "application/json", accept: "text/event-stream, application/json" },
  body: '{"jsonrpc":"2.0","id":0,"method":"ping"}',
};

/** Message of the transport for a reply that is not MCP-lite, with the status of a wrong path, method or media type. */
const NOT_MCP_LITE = /d (2..|40.|415), not with/;

/** Message of a Toolwire server for an unknown path, if it has MCP-lite at another one. */
const LISTS_MCP_LITE = /rs \/.* are .*calltools/;

/**
 * Adds to an error what answers at the URL, and which transport to use for it.
 *
 * Error results of MCP-lite servers are returned unchanged: none of them has the code `method_not_found`.
 */
export async function explainError(
  error: ErrorResult,
  url: URL,
  options: HttpClientOptions,
  limit: ActivityMonitor,
  isMcp: boolean,
  { exchange, readText }: ClientFunctions,
): Promise<ErrorResult> {
  const { code, message } = error;
  const cause = error.cause as Error | undefined;
  let hint: string | undefined;
  if (code === "unavailable" && cause) {
    // Error messages of Node, Deno and Bun for a response that is not HTTP/1.1.
    const isHttp2 = /HTTP(.1| v|_R)/.test(`${(cause.cause as Error | undefined)?.cause}${cause}`);
    // Browsers do not show a page why its request to another origin failed.
    const { location } = globalThis as { readonly location?: { readonly origin: string } };
    const isForeign = location && location.origin !== url.origin;
    hint = isHttp2
      ? 'for gRPC pass grpcTransport(address) of "toolwire/grpc"'
      : `check host and port${isForeign ? ", and CORS: origins and cors of the server" : ""}`;
  } else if (isMcp) {
    if (cause && NOT_MCP_LITE.test(message)) {
      hint = "for another protocol at this URL pass its transport, such as mcpLiteTransport(url)";
    }
  } else if (code === "method_not_found" && !LISTS_MCP_LITE.test(message) || NOT_MCP_LITE.test(message)) {
    for (const path of pathsToAsk(url, options)) {
      const request = { ...PING, url: url.origin + path };
      const found = await exchange(request, withoutCredentials(options), limit, async ({ status, headers }, pieces) => {
        const isMcp = (await readText(pieces)).includes('"jsonrpc"') && status !== 404;
        return isMcp ? undefined : headers.get("content-type") ?? "nothing";
      });
      if (!found) {
        hint = `MCP is at ${path}: pass mcpTransport(url) of "toolwire/mcp"`;
        break;
      }
      if (cause && typeof found === "string") hint ??= `${found} is at ${path}: check the URL`;
    }
  }
  return hint ? { ...error, message: `${message}; ${hint}` } : error;
}

/** The paths that are asked: the URL's, and that of MCP at the same base. Another path of the host may be another tenant's. */
function pathsToAsk({ pathname }: URL, { fetch }: HttpClientOptions): readonly string[] {
  const base = pathname.replace(/(\/mcp-lite\/v1)?\/?$/, "");
  // The caller's function may add credentials, which are for the given URL alone.
  return fetch ? [pathname] : [pathname, `${base}/mcp`];
}

/** The options without headers. The global `fetch` sends no cookies either; Workers have none, and refuse the option. */
function withoutCredentials({ fetch: send, maxResponseBytes }: HttpClientOptions): HttpClientOptions {
  const omit: RequestInit = "credentials" in Request.prototype ? { credentials: "omit" } : {};
  return {
    fetch: send ?? ((url, init) => fetch(url, { ...init, ...omit })),
    ...(maxResponseBytes !== undefined && { maxResponseBytes }),
  };
}
