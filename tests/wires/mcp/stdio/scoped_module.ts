/** A server for `toolwire stdio`: a tool and a prompt with scopes, a tool for some callers, and options of MCP. */
import { createServer, defineTool } from "../../../../mod.ts";
import { definePrompt, mcp } from "../../../../src/entries/mcp.ts";

const write = defineTool("write").describe("Write").scopes("docs:write").handle((_, { principal }) => ({
  id: principal?.id,
  scopes: principal?.scopes,
}));
const admin = defineTool("admin").describe("Administer").visibleTo((principal) =>
  principal?.scopes?.includes("admin") === true
).handle(() => "administered");
const plain = defineTool("plain").describe("Answer").handle(() => "plain");
const review = definePrompt("review").describe("Review").scopes("docs:review").handle(() => "Review this");

export const server = createServer({
  tools: [write, admin, plain],
  prompts: [review],
  wires: [mcp({ pageSize: 1 })],
});
