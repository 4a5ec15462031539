// @modelcontextprotocol/server 2.4, the official server: `createMcpHandler` with a factory that makes a server for each
// request, the only mode it has for HTTP. Asked the way that was fastest when this was written: in its newest revision,
// where it answers JSON unless the handler reports progress (2025-era requests get a stream each), and with valibot
// schemas (with zod, listing 100 tools took 2 to 4 times as long).
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { valibotKit } from "../valibot_kit.mjs";
import { toMcpHandler } from "./mcp.mjs";

export { decodeCall, decodeList, encodeModern as encode } from "./mcp.mjs";

export function createFetch(tools) {
  // The schemas are made once; only the objects that belong to one server are made again.
  const prepared = tools.map((tool) => ({
    ...tool,
    inputSchema: toStandardJsonSchema(tool.input(valibotKit)),
    handler: toMcpHandler(tool, sendProgress),
  }));
  return createMcpHandler(() => createServer(prepared)).fetch;
}

function createServer(tools) {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (const { name, description, inputSchema, handler } of tools) {
    server.registerTool(name, { description, inputSchema }, handler);
  }
  return server;
}

function sendProgress(update, { mcpReq }) {
  const params = { progressToken: mcpReq._meta.progressToken, ...update };
  return mcpReq.notify({ method: "notifications/progress", params });
}
