// Toolwire's MCP wire, asked as the official SDK and mcp-lite are: in a revision of 2025.
import { encode as encodeMcp } from "./mcp.mjs";

export { createFetch, createToolwire, decodeCall, decodeList } from "./toolwire_mcp.mjs";

export const encode = (call) =>
  encodeMcp(call, {
    accept: call.streams ? "application/json, text/event-stream" : "application/json",
    headers: () => ({ "mcp-protocol-version": "2025-06-18" }),
  });
