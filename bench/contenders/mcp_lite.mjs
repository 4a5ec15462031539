// mcp-lite 0.10: one server and one stateless transport for all requests, as its README starts. It implements 2025-06-18
// at most; asked with an Accept of JSON only it answers without a stream, which is its fastest way.
import { toJsonSchema } from "@valibot/to-json-schema";
import { McpServer, StreamableHttpTransport } from "mcp-lite";
import { valibotKit } from "../valibot_kit.mjs";
import { encode as encodeMcp, toMcpHandler } from "./mcp.mjs";

export { decodeCall, decodeList } from "./mcp.mjs";

export const encode = (call) =>
  encodeMcp(call, {
    accept: call.streams ? "application/json, text/event-stream" : "application/json",
    headers: () => ({ "mcp-protocol-version": "2025-06-18" }),
  });

export function createFetch(tools) {
  const server = new McpServer({ name: "bench", version: "1.0.0", schemaAdapter: (schema) => toJsonSchema(schema) });
  for (const tool of tools) {
    server.tool(tool.name, {
      description: tool.description,
      inputSchema: tool.input(valibotKit),
      handler: toMcpHandler(tool, (update, ctx) => ctx.progress(update)),
    });
  }
  return new StreamableHttpTransport().bind(server);
}
