/** The lists of a server in this process. */
import { createClient } from "../../../../mod.ts";
import { mcpTransport } from "../../../../src/entries/mcp.ts";
import type { Contents } from "../../../../apps/cli/targets/contents.ts";

/** Reads them over MCP. */
export async function listsOf(
  server: { fetch(request: Request): Response | Promise<Response> },
  era: "modern" | "legacy" = "modern",
): Promise<Contents> {
  const fetch = async (url: string | URL | Request, init?: RequestInit) => await server.fetch(new Request(url, init));
  const transport = mcpTransport("http://localhost/mcp", { fetch, era });
  const client = createClient(transport);
  try {
    return {
      tools: await client.$.list(),
      resources: await transport.resources.list(),
      resourceTemplates: await transport.resources.templates(),
      prompts: await transport.prompts.list(),
    };
  } finally {
    client.$.close();
  }
}
