/** A server that is a program: notes, over the pipes of its process. */
import { createServer, defineTool } from "jsr:@toolwire/toolwire";
import { defineResource, mcp } from "jsr:@toolwire/toolwire/mcp";
import { serveStdio } from "jsr:@toolwire/toolwire/stdio";
import * as v from "jsr:@toolwire/toolwire/schema";

const notes = new Map([["milk", "Buy milk"], ["call", "Call Grace"]]);

const list = defineTool("list").describe("List the notes").annotate({ readOnlyHint: true })
  .output(v.array(v.string())).handle(() => [...notes.keys()]);

const remove = defineTool("remove").describe("Remove a note, once its owner agrees").input(v.object({ id: v.string() }))
  .output(v.string()).handle(async ({ id }, ctx) => {
    const said = await ctx.elicit("confirm", { message: `Remove "${id}"?`, schema: v.object({ sure: v.boolean() }) });
    if (said.action !== "accept" || !said.content.sure) return "kept";
    return notes.delete(id) ? "removed" : "not there";
  });

const all = defineResource("notes://all").describe("All notes").read(() => [...notes.values()].join("\n"));

/** The server; its type is all that the gateway imports. */
export const server = createServer({
  name: "notes",
  tools: [list, remove],
  resources: [all],
  wires: [mcp()],
  keys: "k1:what only the notes themselves may know",
});

if (import.meta.main) await serveStdio(server);
