// Toolwire over MCP 2026-07-28, with all checks of headers and envelopes, asked as the official server is.
import process from "node:process";
import { valibotKit } from "../valibot_kit.mjs";

export { decodeCall, decodeList, encode } from "./mcp_server.mjs";

const takesSource = process.versions.bun !== undefined || process.versions.deno !== undefined;
const { createServer, defineTool } = await import(takesSource ? "../../mod.ts" : "../../dist/mod.js");
const { mcp } = await import(takesSource ? "../../src/wires/mcp/entry.ts" : "../../dist/src/wires/mcp/entry.js");

export function createFetch(tools) {
  const define = ({ name, description, input, run }) =>
    defineTool(name).describe(description).input(input(valibotKit)).handle(run);
  return createServer({ name: "bench", version: "1.0.0", tools: tools.map(define), wires: [mcp()] }).fetch;
}
