// The clients that are measured: of each the file in `contenders/` of its server, and the server's way onto a port (http/server.mjs).
// Without `streams` a client has none, or needs another package for them. It loads no library: those may not be installed yet.
export const libraries = {
  toolwire: { file: "toolwire", way: "toolwire", streams: true },
  "toolwire, MCP": {
    file: "toolwire_mcp_2025",
    way: "toolwire",
    streams: true,
  },
  "@modelcontextprotocol/client": {
    file: "toolwire_mcp_2025",
    way: "toolwire",
    streams: true,
  },
  "@modelcontextprotocol/sdk": {
    file: "toolwire_mcp_2025",
    way: "toolwire",
    streams: true,
  },
  "toolwire, Connect": { file: "toolwire_connect", way: "toolwire" },
  "@connectrpc/connect": { file: "toolwire_connect", way: "toolwire" },
  tRPC: { file: "trpc", way: "fetch" },
  oRPC: { file: "orpc", way: "fetch", streams: true },
  "hono RPC": { file: "hono_rpc", way: "fetch" },
};
