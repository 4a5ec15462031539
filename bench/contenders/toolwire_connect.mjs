// Toolwire asked by the Connect protocol with JSON, as `@connectrpc/connect` asks it. Its streams are binary frames, which are not measured.
import { createServer, defineTool, grpc } from "../grpc/package.mjs";
import { toHandler } from "../tools.mjs";
import { valibotKit } from "../valibot_kit.mjs";

export function encode({ tool, args }) {
  return {
    url: "http://127.0.0.1:8000/mcplite.MCPLite/CallTool",
    headers: { "connect-protocol-version": "1" },
    message: { name: tool, arguments: args },
  };
}

export const decodeCall = (text) => ({
  value: JSON.parse(text).result.content,
  partials: [],
});

export function createToolwire(tools) {
  const define = (tool) =>
    defineTool(tool.name).describe(tool.description).input(
      tool.input(valibotKit),
    ).handle(tool.stream ?? toHandler(tool));
  return createServer({
    name: "bench",
    version: "1.0.0",
    tools: tools.map(define),
    wires: [grpc()],
  });
}
