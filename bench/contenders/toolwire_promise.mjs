// Toolwire with handlers that may promise, with a budget that is never spent: what `.promise()` costs on the way.
import process from "node:process";
import { toHandler } from "../tools.mjs";
import { valibotKit } from "../valibot_kit.mjs";

export { decodeCall, decodeList, encode } from "./mcp_lite_http.mjs";

const takesSource = process.versions.bun !== undefined || process.versions.deno !== undefined;
const { createServer, defineTool } = await import(takesSource ? "../../mod.ts" : "../../dist/mod.js");
// Adds the adapter of valibot.
await import(takesSource ? "../../src/entries/schema.ts" : "../../dist/src/entries/schema.js");

export function createFetch(tools) {
  return createServer({ name: "bench", version: "1.0.0", tools: tools.map(define) }).fetch;
}

function define(tool) {
  const { name, description, input } = tool;
  const builder = defineTool(name).describe(description).input(input(valibotKit)).promise({ budgetMs: 20_000 });
  return builder.handle(toHandler(tool));
}
