// Bun and Deno take the source, Node the built package.
import process from "node:process";

const takesSource = process.versions.bun !== undefined ||
  process.versions.deno !== undefined;
const load = (source, built) => import(takesSource ? `../../${source}` : `../../dist/${built}`);

export const { createClient, createServer, defineTool, mcpLite } = await load(
  "mod.ts",
  "mod.js",
);
export const { grpc, connectTransport, grpcTransport } = await load(
  "src/entries/grpc.ts",
  "src/entries/grpc.js",
);
// Adds the adapter of valibot.
await load("src/entries/schema.ts", "src/entries/schema.js");
export const { serve } = await load(
  "src/runtime/serve.ts",
  "src/entries/serve.js",
);
// Generated messages are not an entry; Node strips their types.
export const { MCPLite, ToolRequestSchema } = await import(
  "../../src/wires/grpc/messages/gen/mcplite_pb.ts"
);
