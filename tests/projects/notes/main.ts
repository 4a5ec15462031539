/** A service of notes: pages and sign-in by Hono, and the same notes as tools for agents, on one port. */
import { Hono } from "hono";
import { jwt, type JwtVariables, sign } from "hono/jwt";
import { createServer, defineTool, type Principal, ToolError } from "toolwire";
import { rest } from "toolwire/rest";
import { mcp } from "toolwire/mcp";
import { z } from "zod";

const SECRET = Deno.env.get("SECRET") ?? "a secret of a developer, of 32 bytes or more";

interface Note {
  id: number;
  text: string;
  at: Date;
}

/** Notes by user. In memory: use Deno KV or a database before you have two replicas. */
const notes = new Map<string, Note[]>();

function notesOf({ id }: Principal): Note[] {
  const own = notes.get(id) ?? [];
  notes.set(id, own);
  return own;
}

// Hono's middleware finds out who calls; no tool runs without it.
const tool = defineTool.for<{ principal: Principal }>();

const addNote = tool("add_note")
  .describe("Add a note")
  .input(z.object({ text: z.string().min(1), pinned: z.boolean().default(false) }))
  .handle(({ text, pinned }, { principal }) => {
    const own = notesOf(principal);
    const note = { id: own.length + 1, text: pinned ? `* ${text}` : text, at: new Date() };
    own.push(note);
    return note;
  });

const getNote = tool("get_note")
  .describe("Read a note")
  .input(z.object({ id: z.int() }))
  .annotate({ readOnlyHint: true })
  .handle(({ id }, { principal }) => {
    const note = notesOf(principal)[id - 1];
    if (note === undefined) throw new ToolError("resource_not_found", `There is no note ${id}`);
    return note;
  });

const exportNotes = tool("export_notes")
  .describe("All notes, one a piece")
  .annotate({ readOnlyHint: true })
  .handle((_, { principal }) =>
    new ReadableStream<string>({
      start(controller) {
        for (const { id, text } of notesOf(principal)) controller.enqueue(`${id},${text}\n`);
        controller.close();
      },
    })
  );

const summarize = tool("summarize")
  .describe("Summarize all notes: takes a while")
  .output(z.object({ notes: z.int(), words: z.int() }))
  .promise({ budgetMs: 20 })
  .handle(async (_, { principal, sleep, progress }) => {
    const own = notesOf(principal);
    let words = 0;
    for (const [at, { text }] of own.entries()) {
      words += text.split(/\s+/).length;
      progress(at + 1, own.length);
      await sleep(`after ${at}`, 50);
    }
    return { notes: own.length, words };
  });

export const server = createServer({
  name: "notes",
  version: "1.0.0",
  tools: [addNote, getNote, exportNotes, summarize],
  wires: [mcp(), rest()],
  basePath: "/agents",
});

// Work that is due begins when the function is read, without a request.
const handle = server.fetch;

export const app = new Hono<{ Variables: JwtVariables }>();
app.get("/", (c) => c.text("The tools are at /agents/mcp and /agents/rest; POST /login first"));
// A real service asks for a password here.
app.post("/login", async (c) => {
  const { user } = await c.req.json();
  return c.json({ token: await sign({ sub: user, exp: Math.floor(Date.now() / 1000) + 3_600 }, SECRET, "HS256") });
});
app.use("/agents/*", jwt({ secret: SECRET, alg: "HS256" }));
app.all("/agents/*", (c) => handle(c.req.raw, { principal: { id: c.get("jwtPayload").sub } }));

if (import.meta.main) {
  const port = Number(Deno.env.get("PORT") ?? 8000);
  const onListen = (address: Deno.NetAddr) => console.log(`listening http://127.0.0.1:${address.port}`);
  const listening = Deno.serve({ hostname: "127.0.0.1", port, onListen }, app.fetch);
  Deno.addSignalListener("SIGTERM", async () => {
    await server.close();
    await listening.shutdown();
    console.log("closed");
    Deno.exit();
  });
}
