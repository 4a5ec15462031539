/**
 * Everything that MCP has, on one server: the fixture of the official conformance suites.
 *
 * @module
 */
import { createServer, defineTool, mcpLite, type Server } from "jsr:@toolwire/toolwire";
import { content, mcp, mcpSessions } from "jsr:@toolwire/toolwire/mcp";
import * as v from "jsr:@toolwire/toolwire/schema";
import { askingTools } from "./asking_tools.ts";
import { contentTools } from "./content_tools.ts";
import { prompts, resources } from "./offers.ts";
import { taskTools } from "./task_tools.ts";

/** What a fixture can do without. */
export interface EverythingOptions {
  /** Whether older revisions have sessions. */
  readonly hasSessions: boolean;
}

/** Makes the server. */
export function createEverything({ hasSessions }: EverythingOptions): Server {
  const changeTools = defineTool("test_trigger_tool_change")
    .describe("Tells listeners that tools have changed")
    .input(v.object({}))
    .handle(() => {
      server.notify.listChanged("tools");
      return content.text("Told");
    });
  const changePrompts = defineTool("test_trigger_prompt_change")
    .describe("Tells listeners that prompts have changed")
    .input(v.object({}))
    .handle(() => {
      server.notify.listChanged("prompts");
      return content.text("Told");
    });
  const server: Server = createServer({
    name: "everything",
    version: "1.0.0",
    title: "Everything",
    instructions: "A server to test clients with",
    tools: [...contentTools, ...askingTools, ...taskTools, changeTools, changePrompts],
    resources,
    prompts,
    keys: "test:a secret that everybody knows is good for tests",
    wires: [
      mcp({
        logging: true,
        cache: { ttlMs: 60_000, scope: "public" },
        // Connections are closed early, so that clients show whether they come back.
        ...(hasSessions &&
          { sessions: mcpSessions({ retryMs: 200, pollAfterMs: 400 }), ssePath: "/sse" }),
      }),
      mcpLite(),
    ],
  });
  return server;
}
