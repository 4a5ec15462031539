// @hono/mcp 0.3: one McpServer of the official SDK and one transport for all requests, as its README has it. Each call here
// has a distinct id: with that shared transport, callers who use the same id at once get each other's answers.
import { StreamableHTTPTransport } from "@hono/mcp";
import { Hono } from "hono";
import { createServer, prepare } from "./mcp_sdk.mjs";

export { decodeCall, decodeList, encodeLegacy as encode } from "./mcp.mjs";

export function createFetch(tools) {
  const mcpServer = createServer(prepare(tools));
  const transport = new StreamableHTTPTransport({ enableJsonResponse: !tools.some((tool) => tool.stream) });
  const app = new Hono();
  app.all("/mcp", async (context) => {
    if (!mcpServer.isConnected()) await mcpServer.connect(transport);
    return transport.handleRequest(context);
  });
  return app.fetch;
}
