/**
 * MCP over the pipes of a process: the server, and the transport of clients. It is needed for servers that a host starts as a program, and
 * to call such servers.
 *
 * @example Call a server that is a program
 * ```ts fragment
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { stdioTransport } from "jsr:@toolwire/toolwire/stdio";
 *
 * const files = createClient(stdioTransport("npx", ["-y", "@modelcontextprotocol/server-filesystem", "."]));
 * console.log(await files.$.list());
 * ```
 *
 * @module
 */
export { serveStdio, type ServeStdioOptions, type StdioServer } from "../wires/mcp/stdio/server/serve_stdio.ts";
export { stdioTransport, type StdioTransportOptions } from "../wires/mcp/stdio/client/transport.ts";
export type { ProcessOptions } from "../wires/mcp/stdio/client/transport.ts";
export type { ProtocolOptions } from "../wires/mcp/server/mcp_server.ts";
export type { CacheHints } from "../wires/mcp/server/revision.ts";
export type { McpClientOptions, McpTransport } from "../wires/mcp/client/types.ts";
