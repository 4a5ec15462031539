/**
 * The server of one replica. What makes it one of many, for MCP: the same keys, and one Redis for sessions and for news.
 *
 * @module
 */
import { createServer, defineTool } from "jsr:@toolwire/toolwire";
import { defineResource, mcp, mcpSessions } from "jsr:@toolwire/toolwire/mcp";
import { redisChangeBus, redisSessionStore } from "jsr:@toolwire/toolwire/redis";
import * as v from "jsr:@toolwire/toolwire/schema";
import { keysFromEnv } from "jsr:@toolwire/toolwire/serve";

/** The resource that changes. */
export const MENU = "cafe://menu";

/**
 * Makes the server of one replica.
 *
 * @param name What it calls itself.
 * @param redis Where Redis is: `redis://127.0.0.1:6379`.
 */
export function createReplica(name: string, redis: string) {
  const order = defineTool("order")
    .describe("Order something, and be asked how")
    .input(v.object({ what: v.string() }))
    .output(v.object({ said: v.string(), served_by: v.string() }))
    .handle(async ({ what }, ctx) => {
      const answer = await ctx.elicit("size", { message: "Which size?", schema: v.object({ size: v.string() }) });
      const size = answer.action === "accept" ? answer.content.size : "no";
      return { said: `One ${size} ${what}`, served_by: name };
    });
  const changeMenu = defineTool("change_menu").describe("Change the menu").handle(() => {
    server.notify.resourceUpdated(MENU);
    return name;
  });
  const server = createServer({
    name: "cafe",
    version: "1.0.0",
    tools: [order, changeMenu],
    resources: [defineResource(MENU).mimeType("text/plain").read(() => "Coffee, tea")],
    // Whatever one replica has asked a caller of 2026-07-28, the others take the answer to.
    keys: keysFromEnv(),
    // A change at one replica reaches the subscribers of the others.
    changes: redisChangeBus({ redis }),
    // A session of an older client that one replica started continues at the others.
    wires: [mcp({ sessions: mcpSessions({ store: redisSessionStore({ redis }) }) })],
    logger: console,
  });
  return server;
}
