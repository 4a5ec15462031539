// FastMCP (TypeScript) 4.20, in process by its `EdgeFastMCP`, the only one of its classes with a `fetch` (`FastMCP` itself opens
// a separate port). It implements 2025-era MCP, without a session, without progress and without structured results: the answer is
// a text block only. Its schemas are zod's, since it lists no others.
import { EdgeFastMCP } from "fastmcp/edge";
import { toHandler } from "../tools.mjs";
import { zodKit } from "../zod_kit.mjs";
import { decodeResult } from "./mcp.mjs";

export { decodeList, encodeLegacy as encode } from "./mcp.mjs";

export function createFetch(tools) {
  const server = new EdgeFastMCP({ name: "bench", version: "1.0.0" });
  for (const tool of tools) {
    const { name, description, input } = tool;
    server.addTool({ name, description, parameters: input(zodKit), execute: toHandler(tool, JSON.stringify) });
  }
  return (request) => server.fetch(request);
}

export function decodeCall(text, call) {
  const { content } = decodeResult(text, call).result;
  return { value: JSON.parse(content[0].text), partials: [] };
}
