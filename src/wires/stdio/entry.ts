/**
 * MCP over the pipes of a process: the transport of clients.
 *
 * @module
 */
export { stdioTransport, type StdioTransportOptions } from "./client.ts";
export type { ProcessOptions } from "./client_process.ts";
export type { McpClientOptions, McpTransport } from "../../mcp_client/types.ts";
