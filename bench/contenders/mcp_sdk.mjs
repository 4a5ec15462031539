// @modelcontextprotocol/sdk 1.32: a server and a stateless transport for each request, as its own Hono example does (a
// transport refuses a second request). `enableJsonResponse` spares it the stream where none is needed. Its schemas are
// zod's, since it takes no others.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { zodKit } from "../zod_kit.mjs";
import { toMcpHandler } from "./mcp.mjs";

export { decodeCall, decodeList, encodeLegacy as encode } from "./mcp.mjs";

export function createFetch(tools) {
  // The schemas are made once; only the objects that belong to one server are made again.
  const prepared = prepare(tools);
  const enableJsonResponse = !tools.some((tool) => tool.stream);
  return async (request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse });
    await createServer(prepared).connect(transport);
    return transport.handleRequest(request);
  };
}

/** The tools with schemas in zod, and handlers as the SDK wants them. */
export function prepare(tools) {
  return tools.map((tool) => ({
    ...tool,
    inputSchema: tool.input(zodKit),
    handler: toMcpHandler(tool, sendProgress),
  }));
}

/** A server with the tools that `prepare` made. */
export function createServer(tools) {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (const { name, description, inputSchema, handler } of tools) {
    server.registerTool(name, { description, inputSchema }, handler);
  }
  return server;
}

function sendProgress(update, { sendNotification, _meta }) {
  const params = { progressToken: _meta.progressToken, ...update };
  return sendNotification({ method: "notifications/progress", params });
}
