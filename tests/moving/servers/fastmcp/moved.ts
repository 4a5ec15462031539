/** The library of notes after `toolwire migrate` and its todos. */
import { Hono } from "hono";
import process from "node:process";
import { createServer, defineTool, Failure, type Principal, ToolError } from "toolwire";
import { authenticate } from "toolwire/auth";
import { jsonSchema } from "toolwire/json-schema";
import { content, definePrompt, defineResource, mcp, mcpSessions } from "toolwire/mcp";
import { serveStdio } from "toolwire/stdio";
import { z } from "zod";

interface Note {
  title: string;
  text: string;
}

const notes = new Map<string, Note>([
  ["n1", { title: "Shopping", text: "Milk and bread" }],
  ["n2", { title: "Travel", text: "Trains to Ghent" }],
]);
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CALLERS: Record<string, Principal> = {
  "key-ada": { id: "ada", claims: { role: "editor" } },
  "key-eve": { id: "eve", claims: { role: "reader" } },
};

const findNotes = defineTool("find_notes")
  .describe("Find notes by a word")
  .input(z.object({ word: z.string().min(2), limit: z.number().int().max(20).default(5) }))
  .annotate({ readOnlyHint: true, openWorldHint: false, title: "Find notes" })
  .handle(async ({ word, limit }) => {
    const found = [...notes].filter(([, { text }]) => text.toLowerCase().includes(word.toLowerCase()));
    return content.text(found.slice(0, limit).map(([id, { title }]) => `${id}: ${title}`).join("\n") || "Nothing");
  });

const readNote = defineTool("read_note")
  .describe("Read a note")
  .input(z.object({ id: z.string() }))
  .handle(async ({ id }) => {
    const note = notes.get(id);
    if (note === undefined) throw new Failure("failed", `There is no note ${id}`, { id });
    return { content: [{ type: "text", text: note.title }, { type: "text", text: note.text }] };
  });

const countNotes = defineTool("count_notes")
  .describe("Count the notes")
  .output(z.object({ count: z.number() }))
  .handle(async () => ({ count: notes.size }));

const writeNote = defineTool("write_note")
  .describe("Write a note")
  .input(z.object({ id: z.string(), text: z.string().max(50) }))
  .timeout(5000)
  .visibleTo((caller) => caller?.claims?.["role"] === "editor")
  .annotate({ destructiveHint: true })
  .handle(async ({ id, text }, ctx) => {
    ctx.log("info", "writing", { id });
    ctx.log("warn", `by ${ctx.principal?.id}`);
    notes.set(id, { title: id, text });
    return content.text(`Written by ${ctx.principal?.id}`);
  });

const dropNote = defineTool("drop_note")
  .describe("Drop a note")
  .input(z.object({ id: z.string() }))
  .handle(async ({ id }, ctx) => {
    const answer = await ctx.elicit("question", {
      message: `Drop ${id}?`,
      schema: jsonSchema<Record<string, any>>({
        type: "object",
        properties: { sure: { type: "boolean", title: "Sure" } },
        required: ["sure"],
      }),
    });
    if (answer.action !== "accept" || answer.content?.["sure"] !== true) return content.text(`kept: ${answer.action}`);
    return content.text("dropped");
  });

const indexNotes = defineTool("index_notes")
  .describe("Index the notes, with progress")
  .input(z.object({ steps: z.number().int().min(1).max(5) }))
  .handle(async ({ steps }, ctx) => {
    for (let step = 1; step <= steps; step++) ctx.progress(step, steps);
    return content.text("indexed");
  });

const cover = defineTool("cover")
  .describe("The cover of the library")
  .handle(async () => content.image(PIXEL, "image/png"));

const jingle = defineTool("jingle")
  .describe("The sound of the library")
  .handle(async () => content.audio("UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=", "audio/wav"));

const shelf = defineTool("shelf")
  .describe("The shelf as blocks")
  .handle(async () => ({
    content: [
      { type: "text", text: "Two notes" },
      { type: "resource_link", uri: "note://n1", name: "n1", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "notes://rules", mimeType: "text/plain", text: "Be brief" } },
    ],
  }));

const whoAmI = defineTool("who_am_i")
  .describe("The caller")
  .handle(async (_args, ctx) =>
    content.text(
      `${ctx.principal?.id} ${ctx.principal?.claims?.["role"]} ${
        ctx.sessionId === undefined ? "-" : "session"
      } ${ctx.client.name}`,
    )
  );

const fail = defineTool("fail")
  .describe("Fails")
  .handle(async () => {
    throw new Failure("failed", "The library is closed");
  });

const refuse = defineTool("refuse")
  .describe("Gives an error as its result")
  .handle(() => {
    throw new Failure("failed", "Not today");
  });

const nothing = defineTool("nothing")
  .describe("Gives nothing")
  .handle(() => {});

const rules = defineResource("notes://rules")
  .name("Rules")
  .describe("Rules of the library")
  .mimeType("text/markdown")
  .read(async function load() {
    return { text: "# Rules\n\nBe brief." };
  });

const coverResource = defineResource("notes://cover")
  .name("Cover")
  .mimeType("image/png")
  .read(async () => ({ blob: PIXEL }));

const noteResource = defineResource("note://{id}")
  .name("Note")
  .describe("One note")
  .mimeType("text/plain")
  .complete({
    "id": async (value) =>
      (await (async (value: string) => ({ values: [...notes.keys()].filter((id) => id.startsWith(value)) }))(value))
        .values,
  })
  .read(async function load({ id }) {
    const note = notes.get(id);
    if (note === undefined) throw new ToolError("resource_not_found", `There is no note ${id}`);
    return { text: note.text };
  });

const summary = definePrompt("summary")
  .describe("Sums a note up")
  .input(
    jsonSchema<{ id: string; tone?: string }>({
      type: "object",
      properties: {
        id: { type: "string", description: "Which note" },
        tone: { type: "string", enum: ["dry", "warm"] },
      },
      required: ["id"],
    }),
  )
  .complete({ tone: (value) => ["dry", "warm"].filter((tone) => tone.startsWith(value)) })
  .handle(async ({ id, tone }) => `Sum up ${id}, ${tone ?? "dry"}`);

const compare = definePrompt("compare")
  .describe("Compares two notes")
  .input(
    jsonSchema<{ first: string }>({ type: "object", properties: { first: { type: "string" } }, required: ["first"] }),
  )
  .complete({
    "first": async (value) => (await (async (value: string) => ({ values: [`${value}1`, `${value}2`] }))(value)).values,
  })
  .handle(async ({ first }) => [
    { role: "user", content: { type: "text", text: `Compare ${first}` } },
    { role: "assistant", content: { type: "text", text: "With what?" } },
  ]);

const server = createServer({
  name: "Notes",
  version: "1.2.0",
  instructions: "Find a note before you change it.",
  tools: [
    findNotes,
    readNote,
    countNotes,
    writeNote,
    dropNote,
    indexNotes,
    cover,
    jingle,
    shelf,
    whoAmI,
    fail,
    refuse,
    nothing,
  ],
  resources: [rules, coverResource, noteResource],
  prompts: [summary, compare],
  timeoutMs: 3_600_000,
  auth: authenticate(({ metadata }) => CALLERS[metadata.get("x-api-key") ?? ""]),
  wires: [mcp({ logging: "unnamed", sessions: mcpSessions() })],
});

if (process.argv.includes("--stdio")) {
  await serveStdio(server, { principal: { id: "local", claims: { role: "editor" } } });
} else {
  const app = new Hono();
  app.get("/health", (c) => c.text("up"));
  app.get("/version", (c) => c.json({ version: "1.2.0" }));
  app.all("/mcp", (c) => server.fetch(c.req.raw));
  const listener = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: app.fetch });
  console.log(`The library is at http://127.0.0.1:${listener.port}/mcp`);
}
