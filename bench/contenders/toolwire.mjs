// Toolwire: one server for all requests, asked over MCP-lite. Bun and Deno take the source, Node the built package.
import process from "node:process";
import { toHandler } from "../tools.mjs";
import { valibotKit } from "../valibot_kit.mjs";

export { decodeCall, decodeList, encode } from "./mcp_lite_http.mjs";

const takesSource = process.versions.bun !== undefined || process.versions.deno !== undefined;
const { createServer, defineTool } = await import(takesSource ? "../../mod.ts" : "../../dist/mod.js");
// Adds the adapter of valibot.
await import(takesSource ? "../../src/entries/schema.ts" : "../../dist/src/entries/schema.js");

export const createFetch = (tools) => createToolwire(tools).fetch;

export function createToolwire(tools) {
  return createServer({ name: "bench", version: "1.0.0", tools: tools.map(define) });
}

function define(tool) {
  const builder = defineTool(tool.name).describe(tool.description).input(tool.input(valibotKit));
  return builder.handle(tool.stream ?? toHandler(tool));
}
