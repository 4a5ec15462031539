/**
 * MCP over the pipes of a process: the server, and the transport of clients.
 *
 * @module
 */
export { serveStdio, type ServeStdioOptions, type StdioServer } from "./serve_stdio.ts";
export { stdioTransport, type StdioTransportOptions } from "./client.ts";
export type { ProcessOptions } from "./client_process.ts";
export type { ProtocolOptions } from "../../mcp/options.ts";
export type { CacheHints } from "../../mcp/dialect.ts";
export type { McpClientOptions, McpTransport } from "../../mcp_client/types.ts";
