/** `createClient` of the front door: URLs of MCP and of MCP-lite. */
import type { Transport } from "../core/call/transport.ts";
import type { AnyTool } from "../core/tool/definition.ts";
import { clientOf, type ClientOptions } from "./client.ts";
import { URL_TRANSPORTS } from "./url_transports.ts";
import type { Client, InProcessServer, ToolSource, UntypedClient } from "./types.ts";

// Both overloads take all that can be connected to: otherwise a mistake in the options would be reported as one of the server.
/**
 * Creates a client: one function for each tool, with types from the server and no code generation.
 *
 * @example Typed by the server
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const shout = defineTool("shout").describe("Say it loud").input(v.object({ text: v.string() })).handle(({ text }) => text.toUpperCase());
 * const server = createServer({ tools: [shout] });
 *
 * const client = createClient<typeof server>("http://localhost/mcp-lite/v1", { fetch: (url, init) => server.fetch(new Request(url, init)) });
 * console.log(await client.shout({ text: "hey" })); // → HEY
 * ```
 * @typeParam Source Type of the server, or of a list of its tools. Without it the client accepts any tool name.
 * @param to A server of this process (of the front door; one of `./core` needs `memoryTransport`), a transport, or a URL: of MCP if its path
 * ends in `/mcp` or `/sse`, else of MCP-lite over HTTP, with the default path `/mcp-lite/v1`. If another protocol answers at the URL, errors name it and the transport to use.
 * @throws {TypeError} If the URL or server is invalid, or an option is unknown. HTTP options require a URL.
 */
export function createClient<Source extends ToolSource | readonly AnyTool[]>(
  to: string | URL | Transport | (Source & InProcessServer),
  options?: ClientOptions,
): Client<Source>;
/**
 * Creates a client of a server whose tools are not known to the type checker.
 *
 * @param to A transport, or a URL: of MCP if its path ends in `/mcp` or `/sse`, else of MCP-lite over HTTP, with the default path
 * `/mcp-lite/v1`. If another protocol answers at the URL, errors name it and the transport to use.
 * @throws {TypeError} If the URL or transport is invalid, or an option is unknown. HTTP options require a URL.
 */
export function createClient(to: string | URL | Transport | InProcessServer, options?: ClientOptions): UntypedClient;
export function createClient(
  to: string | URL | Transport | InProcessServer,
  options: ClientOptions = {},
): UntypedClient {
  return clientOf(to, options, URL_TRANSPORTS);
}
