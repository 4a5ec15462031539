/**
 * A server for MCP clients of older revisions, which ask for sessions: its tool asks its caller something while it runs.
 *
 * @module
 */
import { createServer, defineTool } from "jsr:@toolwire/toolwire";
import { mcp, mcpSessions } from "jsr:@toolwire/toolwire/mcp";
import * as v from "jsr:@toolwire/toolwire/schema";
import { type KeyValues, kvSessions } from "./kv_sessions.ts";

const bookTable = defineTool("book_table")
  .describe("Book a table")
  .input(v.object({ guests: v.pipe(v.number(), v.integer(), v.minValue(1)) }))
  .output(v.string())
  .handle(async ({ guests }, ctx) => {
    const answer = await ctx.elicit("time", { message: "At what time?", schema: v.object({ time: v.string() }) });
    return answer.action === "accept" ? `A table for ${guests} at ${answer.content.time}` : "No table";
  });

/** Options of {@link createBookings}. */
export interface BookingsOptions {
  /** What questions are signed with: the same for each instance. */
  readonly keys: string;
  /** Where sessions are kept. */
  readonly sessions: KeyValues;
}

/** Makes one instance of the server. */
export function createBookings({ keys, sessions }: BookingsOptions) {
  return createServer({
    name: "bookings",
    version: "1.0.0",
    tools: [bookTable],
    keys,
    hosts: ["localhost", "127.0.0.1"],
    logger: console,
    // A minute may pass until an answer is seen that was given somewhere else.
    wires: [mcp({ sessions: mcpSessions({ store: kvSessions(sessions, { pollMs: 250 }) }), askTimeoutMs: 120_000 })],
  });
}
