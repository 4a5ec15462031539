// Toolwire over MCP 2025-11-25, without sessions, asked as a client asks that has begun.
import { encode as encodeMcp } from "./mcp.mjs";

export { createFetch } from "./toolwire_mcp.mjs";
export { decodeCall, decodeList } from "./mcp.mjs";

const headers = () => ({ "mcp-protocol-version": "2025-11-25" });

export const encode = (call) => encodeMcp(call, { accept: "application/json, text/event-stream", headers });
