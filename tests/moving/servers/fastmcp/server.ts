/** A library of notes: FastMCP over HTTP with sessions and keys, and over stdio. */
import { Buffer } from "node:buffer";
import { createServer } from "node:net";
import process from "node:process";
import { audioContent, type Context, FastMCP, imageContent, UserError } from "fastmcp";
import { z } from "zod";

interface Caller extends Record<string, unknown> {
  name: string;
  role: "reader" | "editor";
}

interface Note {
  title: string;
  text: string;
}

const notes = new Map<string, Note>([
  ["n1", { title: "Shopping", text: "Milk and bread" }],
  ["n2", { title: "Travel", text: "Trains to Ghent" }],
]);
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CALLERS: Record<string, Caller> = {
  "key-ada": { name: "ada", role: "editor" },
  "key-eve": { name: "eve", role: "reader" },
};

const server = new FastMCP<Caller>({
  name: "Notes",
  version: "1.2.0",
  instructions: "Find a note before you change it.",
  authenticate: async (request) => {
    if (request === undefined) return { name: "local", role: "editor" };
    const key = request.headers["x-api-key"];
    const caller = CALLERS[String(key)];
    if (caller === undefined) throw new Response(null, { status: 401, statusText: "Unauthorized" });
    return caller;
  },
  health: { enabled: true, message: "up", path: "/health" },
  ping: { enabled: false },
});

server.addTool({
  name: "find_notes",
  description: "Find notes by a word",
  parameters: z.object({ word: z.string().min(2), limit: z.number().int().max(20).default(5) }),
  annotations: { readOnlyHint: true, openWorldHint: false, title: "Find notes" },
  execute: async ({ word, limit }) => {
    const found = [...notes].filter(([, { text }]) => text.toLowerCase().includes(word.toLowerCase()));
    return found.slice(0, limit).map(([id, { title }]) => `${id}: ${title}`).join("\n") || "Nothing";
  },
});

server.addTool({
  name: "read_note",
  description: "Read a note",
  parameters: z.object({ id: z.string() }),
  execute: async ({ id }) => {
    const note = notes.get(id);
    if (note === undefined) throw new UserError(`There is no note ${id}`, { id });
    return { content: [{ type: "text", text: note.title }, { type: "text", text: note.text }] };
  },
});

async function writeNote({ id, text }: { id: string; text: string }, { log, session }: Context<Caller>) {
  log.info("writing", { id });
  log.warn(`by ${session?.name}`);
  notes.set(id, { title: id, text });
  return `Written by ${session?.name}`;
}

server.addTools([
  {
    name: "count_notes",
    description: "Count the notes",
    outputSchema: z.object({ count: z.number() }),
    execute: async () => ({ count: notes.size }),
  },
  // Only editors write.
  {
    name: "write_note",
    description: "Write a note",
    parameters: z.object({ id: z.string(), text: z.string().max(50) }),
    annotations: { destructiveHint: true },
    canAccess: (caller) => caller.role === "editor",
    timeoutMs: 5000,
    execute: writeNote,
  },
]);

server.addTool({
  name: "drop_note",
  description: "Drop a note",
  parameters: z.object({ id: z.string() }),
  execute: async ({ id }, ctx) => {
    const answer = await ctx.elicit({
      message: `Drop ${id}?`,
      requestedSchema: { type: "object", properties: { sure: { type: "boolean", title: "Sure" } }, required: ["sure"] },
    });
    if (answer.action !== "accept" || answer.content?.["sure"] !== true) return `kept: ${answer.action}`;
    return "dropped";
  },
});

server.addTool({
  name: "index_notes",
  description: "Index the notes, with progress",
  parameters: z.object({ steps: z.number().int().min(1).max(5) }),
  execute: async ({ steps }, { reportProgress }) => {
    for (let step = 1; step <= steps; step++) await reportProgress({ progress: step, total: steps });
    return "indexed";
  },
});

server.addTool({
  name: "cover",
  description: "The cover of the library",
  execute: async () => imageContent({ buffer: Buffer.from(PIXEL, "base64") }),
});

server.addTool({
  name: "jingle",
  description: "The sound of the library",
  execute: async () =>
    audioContent({ buffer: Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=", "base64") }),
});

server.addTool({
  name: "shelf",
  description: "The shelf as blocks",
  execute: async () => ({
    content: [
      { type: "text", text: "Two notes" },
      { type: "resource_link", uri: "note://n1", name: "n1", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "notes://rules", mimeType: "text/plain", text: "Be brief" } },
    ],
  }),
});

server.addTool({
  name: "who_am_i",
  description: "The caller",
  execute: async (_args, { session, sessionId, client }) =>
    `${session?.name} ${session?.role} ${sessionId === undefined ? "-" : "session"} ${client.version?.name}`,
});

server.addTool({
  name: "fail",
  description: "Fails",
  execute: async () => {
    throw new Error("The library is closed");
  },
});

server.addTool({
  name: "refuse",
  description: "Gives an error as its result",
  execute: async () => ({ content: [{ type: "text", text: "Not today" }], isError: true }),
});

server.addTool({ name: "nothing", description: "Gives nothing", execute: async () => {} });

server.addResource({
  uri: "notes://rules",
  name: "Rules",
  description: "Rules of the library",
  mimeType: "text/markdown",
  async load() {
    return { text: "# Rules\n\nBe brief." };
  },
});

server.addResource({
  uri: "notes://cover",
  name: "Cover",
  mimeType: "image/png",
  load: async () => ({ blob: PIXEL }),
});

server.addResourceTemplate({
  uriTemplate: "note://{id}",
  name: "Note",
  description: "One note",
  mimeType: "text/plain",
  arguments: [{
    name: "id",
    description: "Id of the note",
    required: true,
    complete: async (value) => ({ values: [...notes.keys()].filter((id) => id.startsWith(value)) }),
  }],
  async load({ id }) {
    const note = notes.get(id);
    if (note === undefined) throw new UserError(`There is no note ${id}`);
    return { text: note.text };
  },
});

server.addPrompt({
  name: "summary",
  description: "Sums a note up",
  arguments: [
    { name: "id", description: "Which note", required: true },
    { name: "tone", enum: ["dry", "warm"] },
  ],
  load: async ({ id, tone }) => `Sum up ${id}, ${tone ?? "dry"}`,
});

server.addPrompt({
  name: "compare",
  description: "Compares two notes",
  arguments: [{ name: "first", required: true, complete: async (value) => ({ values: [`${value}1`, `${value}2`] }) }],
  load: async ({ first }) => ({
    messages: [
      { role: "user", content: { type: "text", text: `Compare ${first}` } },
      { role: "assistant", content: { type: "text", text: "With what?" } },
    ],
  }),
});

server.getApp().get("/version", (c) => c.json({ version: "1.2.0" }));

/** FastMCP needs a number: one that is free. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 8080;
}

if (process.argv.includes("--stdio")) await server.start({ transportType: "stdio" });
else {
  const port = await freePort();
  await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1" } });
  console.log(`The library is at http://127.0.0.1:${port}/mcp`);
}
