/** MCP-lite 3.7: streams, on every binding. */
import { judge, must, type ServerCheck } from "./check.ts";
import type { McpLiteServer } from "./mcp_lite_server.ts";

/** Checks of streams on every binding: partial messages, one last message with `_meta`, and a client that leaves. */
export const STREAM_CHECKS: readonly ServerCheck<McpLiteServer>[] = [
  must(
    "3.7",
    "partial-messages",
    "A stream distinguishes partial messages from the complete one",
    "one or more partial messages before the last one",
    async (server) => {
      const { messages, reply } = await server.messages();
      return judge(messages.some(({ kind }) => kind === "partial") && messages.at(-1)?.kind !== "partial", reply);
    },
  ),

  must("3.7", "final-meta", "The last message of a stream has _meta", "_meta in the last message", async (server) => {
    const { messages, reply } = await server.messages();
    return judge(messages.at(-1)?.meta !== undefined, reply);
  }),

  must(
    "3.7",
    "termination",
    "A stream ends after exactly one last message",
    "one last message or error, and nothing after it",
    async (server) => {
      const { messages, reply } = await server.messages();
      const ends = messages.filter(({ kind }) => kind === "last" || kind === "error");
      return judge(ends.length === 1 && ends[0] === messages.at(-1) && reply.isComplete, reply);
    },
  ),

  must(
    "3.7",
    "client-leaves",
    "A client may leave a stream, and the server serves the next request",
    "the list of tools, after the connection of a stream was closed",
    async (server) => {
      await server.messages();
      const { chosen } = await server.stream();
      const left = await server.binding.leaveStream(chosen.name, chosen.args);
      const reply = await server.binding.list();
      return judge(reply.tools !== undefined, {
        sent: `${left.sent}\n(closed)\n${reply.sent}`,
        received: reply.received,
      });
    },
  ),
];
