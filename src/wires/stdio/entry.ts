/**
 * MCP over the pipes of a process.
 *
 * @module
 */
export { serveStdio, type ServeStdioOptions, type StdioServer } from "./serve_stdio.ts";
export type { ProtocolOptions } from "../../mcp/options.ts";
export type { CacheHints } from "../../mcp/dialect.ts";
