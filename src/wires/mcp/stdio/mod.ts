/**
 * MCP over the pipes of a process: the server, and the transport of clients.
 *
 * @module
 */
export { serveStdio, type ServeStdioOptions, type StdioServer } from "./server/serve_stdio.ts";
export { stdioTransport, type StdioTransportOptions } from "./client/transport.ts";
export type { ProcessOptions } from "./client/transport.ts";
export type { ProtocolOptions } from "../server/mcp_server.ts";
export type { CacheHints } from "../server/revision.ts";
export type { McpClientOptions, McpTransport } from "../client/types.ts";
