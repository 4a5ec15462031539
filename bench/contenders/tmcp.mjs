// tmcp 1.20: one server and one `HttpTransport` for all requests, as its README starts. Asked in its newest revision,
// where no session is made for a caller; it answers with an event stream whatever the Accept.
import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { HttpTransport } from "@tmcp/transport-http";
import { McpServer } from "tmcp";
import { valibotKit } from "../valibot_kit.mjs";
import { toMcpHandler } from "./mcp.mjs";

export { decodeCall, decodeList, encodeModern as encode } from "./mcp.mjs";

export function createFetch(tools) {
  const server = new McpServer(
    { name: "bench", version: "1.0.0", description: "bench" },
    { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
  );
  for (const tool of tools) {
    const { name, description } = tool;
    server.tool(
      { name, description, schema: tool.input(valibotKit) },
      toMcpHandler(tool, ({ progress, message }) => server.progress(progress, undefined, message)),
    );
  }
  const transport = new HttpTransport(server, { path: "/mcp" });
  return (request) => transport.respond(request);
}
