/** MCP-lite 2.1: a binding beside HTTP. */
import { judge, lacks, must, type ServerCheck } from "./check.ts";
import type { McpLiteServer } from "./mcp_lite_server.ts";

function otherOf({ other }: McpLiteServer): McpLiteServer {
  return other ?? lacks("MCP-lite over HTTP is not checked with this binding");
}

/** Checks of a binding other than HTTP: it lists the tools of HTTP, by name and in that order, and answers one call with the same `content`. */
export const COMPARISON_CHECKS: readonly ServerCheck<McpLiteServer>[] = [
  must(
    "2.1",
    "same-tools",
    "Each binding lists the same tools",
    "the names of HTTP, in the same order",
    async (server) => {
      const expected = await otherOf(server).tools();
      const { tools, reply } = await server.tools();
      const names = (list: typeof tools) => JSON.stringify(list.map(({ name }) => name));
      return judge(names(tools) === names(expected.tools), reply);
    },
  ),

  must("2.1", "same-answer", "Each binding gives the same answer", "the content of HTTP", async (server) => {
    const { chosen, reply: { result } } = await otherOf(server).answer();
    const reply = await server.binding.call(chosen.name, chosen.args);
    return judge(JSON.stringify(reply.result?.["content"]) === JSON.stringify(result?.["content"]), reply);
  }),
];
