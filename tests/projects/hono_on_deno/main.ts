/** A service of notes: pages and a JSON API by Hono, and the same notes as tools for agents, on one port. */
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { createServer, defineTool, ToolError } from "toolwire";
import { rest } from "toolwire/rest";
import { mcp } from "toolwire/mcp";
import { z } from "zod";

const notes = new Map<number, { id: number; text: string; at: Date }>();

const addNote = defineTool("add_note")
  .describe("Add a note")
  .input(z.object({ text: z.string().min(1), pinned: z.boolean().default(false) }))
  .handle(({ text, pinned }) => {
    const note = { id: notes.size + 1, text: pinned ? `* ${text}` : text, at: new Date() };
    notes.set(note.id, note);
    return note;
  });

const getNote = defineTool("get_note")
  .describe("Read a note")
  .input(z.object({ id: z.int() }))
  .annotate({ readOnlyHint: true })
  .handle(({ id }) => {
    const note = notes.get(id);
    if (note === undefined) throw new ToolError("resource_not_found", `There is no note ${id}`);
    return note;
  });

const exportNotes = defineTool("export_notes")
  .describe("All notes, one a piece")
  .annotate({ readOnlyHint: true })
  .handle(() =>
    new ReadableStream<string>({
      start(controller) {
        for (const { id, text } of notes.values()) controller.enqueue(`${id},${text}\n`);
        controller.close();
      },
    })
  );

export const server = createServer({
  name: "notes",
  version: "1.0.0",
  tools: [addNote, getNote, exportNotes],
  wires: [mcp(), rest()],
  basePath: "/agents",
});

export const app = new Hono();
app.get("/", (c) => c.text(`${notes.size} notes`));
app.use("/agents/*", bearerAuth({ token: "a-token-of-this-service" }));
app.all("/agents/*", (c) => server.fetch(c.req.raw));

if (import.meta.main) Deno.serve({ hostname: "127.0.0.1", port: 8000 }, app.fetch);
