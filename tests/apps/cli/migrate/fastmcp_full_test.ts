/** `toolwire migrate` over a server of FastMCP for TypeScript. */
import { match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../../runtime/runtime.ts";
import { migrate } from "./run_migrate.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

/** A server with these statements after its creation, and its conversion without imports and options. */
async function converted(statements: string) {
  const { files, errors, code } = await migrate({
    "server.ts": `import { FastMCP, UserError } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "notes", version: "1.0.0" });
${statements}
`,
  });
  const text = files["server.ts"] ?? "";
  const start = text.lastIndexOf("\nimport");
  const definitions = text.slice(text.indexOf("\n", start + 1)).replace(
    /\nconst server = createServer\([^]*?\n\}\);\n/,
    "",
  );
  return { text, definitions: definitions.trim(), errors, code };
}

const ROWS: readonly (readonly [title: string, before: string, after: string])[] = [
  [
    "a tool with its comments, time limit, log lines and progress",
    `// Adds notes.
server.addTool({
  name: "add_note",
  description: "Adds a note",
  // What the note says.
  parameters: z.object({ text: z.string() }),
  annotations: { readOnlyHint: false },
  timeoutMs: 5000,
  execute: async ({ text }, { log, reportProgress, signal }) => {
    if (text === "") throw new UserError("An empty note", { text });
    log.info("adding", { text });
    await reportProgress({ progress: 1, total: 2 });
    await save(text, signal);
    return \`Added \${text}\`;
  },
});`,
    `// Adds notes.
const addNote = defineTool("add_note")
  .describe("Adds a note")
  // What the note says.
  .input(z.object({ text: z.string() }))
  .timeout(5000)
  .annotate({ readOnlyHint: false })
  .handle(async ({ text }, ctx) => {
    if (text === "") throw new Failure("failed", "An empty note", { text });
    ctx.log("info", "adding", { text });
    ctx.progress(1, 2);
    await save(text, ctx.signal);
    return \`Added \${text}\`;
  });`,
  ],
  [
    "blocks are returned as they are, and questions have a key",
    `server.addTool({
  name: "ask",
  description: "Asks",
  execute: async (_args, ctx) => {
    const answer = await ctx.elicit({ message: "Sure?", requestedSchema: { type: "object", properties: {} } });
    return { content: [{ type: "text", text: answer.action }] };
  },
});`,
    `const ask = defineTool("ask")
  .describe("Asks")
  .handle(async (_args, ctx) => {
    const answer = await ctx.elicit("question", { message: "Sure?", schema: jsonSchema<Record<string, any>>({ type: "object", properties: {} }) });
    return { content: [{ type: "text", text: answer.action }] };
  });`,
  ],
  [
    "resources, and templates with completers",
    `server.addResource({
  uri: "notes://all",
  name: "All notes",
  mimeType: "text/plain",
  async load() {
    return { text: "all" };
  },
});
server.addResourceTemplate({
  uriTemplate: "notes://{id}",
  name: "A note",
  arguments: [{ name: "id", required: true, complete: async (value) => ({ values: [value] }) }],
  load: async ({ id }) => ({ text: id }),
});`,
    `const allNotes = defineResource("notes://all")
  .name("All notes")
  .mimeType("text/plain")
  .read(async function load() {
    return { text: "all" };
  });
const aNote = defineResource("notes://{id}")
  .name("A note")
  .complete({ "id": async (value) => (await (async (value: string) => ({ values: [value] }))(value)).values })
  .read(async ({ id }) => ({ text: id }));`,
  ],
  [
    "arguments of prompts are JSON Schema",
    `server.addPrompt({
  name: "summary",
  description: "Sums up",
  arguments: [{ name: "topic", description: "About what", required: true }, { name: "tone", enum: ["dry", "warm"] }],
  load: async ({ topic, tone }) => \`Sum up \${topic}, \${tone ?? "dry"}\`,
});`,
    `const summary = definePrompt("summary")
  .describe("Sums up")
  .input(jsonSchema<{ topic: string; tone?: string }>({ type: "object", properties: { topic: { type: "string", description: "About what" }, tone: { type: "string", enum: ["dry", "warm"] } }, required: ["topic"] }))
  .complete({ "tone": (value) => ["dry", "warm"].filter((one) => one.startsWith(value)) })
  .handle(async ({ topic, tone }) => \`Sum up \${topic}, \${tone ?? "dry"}\`);`,
  ],
];

for (const [title, before, after] of ROWS) {
  test(`migrate, FastMCP: ${title}`, { skip }, async () => {
    const { definitions, text } = await converted(before);
    strictEqual(definitions, after);
    ok(!text.includes("@toolwire-todo"), text);
  });
}

test("migrate, FastMCP: the server starts over stdio and HTTP as it did", { skip }, async () => {
  const { text } = await converted(`if (process.argv.includes("--http")) {
  await server.start({ transportType: "httpStream", httpStream: { port: 3000, host: "127.0.0.1" } });
} else await server.start({ transportType: "stdio" });`);
  match(
    text,
    /await serve\(server, \{ port: 3000, hostname: "127\.0\.0\.1" \}\);\n\} else await serveStdio\(server\);/,
  );
  match(text, /wires: \[mcp\(\{ sessions: mcpSessions\(\) \}\)\],/);
});

test(
  "migrate, FastMCP: what is not converted stays as a comment, is listed, and sets the exit code",
  { skip },
  async () => {
    const { files, errors, code } = await migrate({
      "server.ts": `import { FastMCP } from "fastmcp";

const server = new FastMCP({
  name: "notes",
  version: "1.0.0",
  authenticate: async (request) => ({ user: request.headers["x-user"] }),
});
server.addTool({
  name: "wipe",
  description: "Deletes all notes",
  canAccess: (auth) => auth.user === "ada",
  execute: async (_args, { session, streamContent }) => {
    await streamContent({ type: "text", text: "going" });
    return session.user;
  },
});
server.on("connect", () => count());
`,
    });
    const text = files["server.ts"] ?? "";
    match(
      text,
      /@toolwire-todo These options of FastMCP.*\n\/\/ authenticate: async \(request\) => \(\{ user: request\.headers\["x-user"\] \}\)\n/,
    );
    match(text, /@toolwire-todo The caller is ctx\.principal.*\n {4}return ctx\.session\.user;/);
    match(text, /@toolwire-todo A handler that is an async generator.*\n {4}await ctx\.streamContent\(/);
    match(text, /\/\/ server\.on\("connect", \(\) => count\(\)\);/);
    match(errors, /Left for you/);
    strictEqual(code, 1);
  },
);
