/**
 * MCP over the pipes of a process: the server, and the transport of clients.
 *
 * @module
 */
export { serveStdio, type ServeStdioOptions, type StdioServer } from "../wires/mcp/stdio/server/serve_stdio.ts";
export { stdioTransport, type StdioTransportOptions } from "../wires/mcp/stdio/client/transport.ts";
export type { ProcessOptions } from "../wires/mcp/stdio/client/transport.ts";
export type { ProtocolOptions } from "../wires/mcp/server/mcp_server.ts";
export type { CacheHints } from "../wires/mcp/server/revision.ts";
export type { McpClientOptions, McpTransport } from "../wires/mcp/client/types.ts";
