// Toolwire: gRPC on one port, JSON over HTTP on the other.
import { createServer, defineTool, grpc, mcpLite, serve } from "./package.mjs";
import { valibotKit } from "../valibot_kit.mjs";
import { tools } from "./tools.mjs";

const server = createServer({
  tools: tools.map((tool) =>
    defineTool(tool.name).describe(tool.description).input(
      tool.input(valibotKit),
    ).handle(tool.stream ?? tool.run)
  ),
  wires: [mcpLite(), grpc()],
});
const { url, grpcUrl } = await serve(server, { port: 0, grpc: { port: 0 } });
console.log(JSON.stringify({ grpc: grpcUrl, http: url }));
