// Toolwire's MCP wire in its newest revision, asked exactly as the official server is.
import process from "node:process";
import { toHandler } from "../tools.mjs";
import { valibotKit } from "../valibot_kit.mjs";

export { decodeCall, decodeList, encodeModern as encode } from "./mcp.mjs";

const takesSource = process.versions.bun !== undefined || process.versions.deno !== undefined;
const { createServer, defineTool } = await import(takesSource ? "../../mod.ts" : "../../dist/mod.js");
// Adds the adapter of valibot.
await import(takesSource ? "../../src/entries/schema.ts" : "../../dist/src/entries/schema.js");
const { mcp } = await import(takesSource ? "../../src/entries/mcp.ts" : "../../dist/src/entries/mcp.js");

export const createFetch = (tools) => createToolwire(tools).fetch;

export function createToolwire(tools) {
  return createServer({ name: "bench", version: "1.0.0", tools: tools.map(define), wires: [mcp()] });
}

/** On MCP a piece of an answer is progress with a message. */
function define(tool) {
  const builder = defineTool(tool.name).describe(tool.description).input(tool.input(valibotKit));
  if (!tool.stream) return builder.handle(toHandler(tool));
  return builder.handle(async (input, ctx) => {
    let done = 0;
    const pieces = tool.stream(input);
    while (true) {
      const next = await pieces.next();
      if (next.done) return next.value;
      ctx.progress(++done, undefined, next.value);
    }
  });
}
