/** `toolwire migrate` over a server of FastMCP for TypeScript. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../../runtime/runtime.ts";
import { migrate } from "./run_migrate.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

/** A server with these statements after its creation, and its conversion without imports and options. */
async function converted(statements: string) {
  const { files, errors, code } = await migrate({
    "server.ts": `import { audioContent, FastMCP, imageContent, UserError } from "fastmcp";
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
    "lists of definitions, with their comments",
    `server.addTools([
  // Counts.
  { name: "count", description: "Counts", execute: async () => "1" },
  { name: "drop", description: "Drops", execute: async () => "2" },
]);
server.addResources([{ uri: "notes://a", load: async () => ({ text: "a" }) }]);
server.addResourceTemplates([{ uriTemplate: "notes://{id}", load: async ({ id }) => ({ text: id }) }]);
if (isLong) server.addTools([{ name: "a", description: "A", execute: async () => "a" }, { name: "b", description: "B", execute: async () => "b" }]);`,
    `const parts = { tools: [] as AnyTool[], resources: [] as Resource[], prompts: [] as Prompt[] };
// Counts.
const count = defineTool("count")
  .describe("Counts")
  .handle(async () => "1");
const drop = defineTool("drop")
  .describe("Drops")
  .handle(async () => "2");
const notesA = defineResource("notes://a")
  .read(async () => ({ text: "a" }));
const notesId = defineResource("notes://{id}")
  .read(async ({ id }) => ({ text: id }));
if (isLong) parts.tools.push(defineTool("a")
  .describe("A")
  .handle(async () => "a"), defineTool("b")
  .describe("B")
  .handle(async () => "b"));`,
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

test("migrate, FastMCP: the endpoint of its HTTP stream is the path of MCP", { skip }, async () => {
  const { text } = await converted(`await server.start({
  transportType: "httpStream",
  httpStream: { port: 3000, endpoint: "/api/mcp" },
});`);
  match(text, /wires: \[mcp\(\{ path: "\/api\/mcp"/);
  match(text, /await serve\(server, \{ port: 3000 \}\);/);
  ok(!text.includes("@toolwire-todo"), text);
});

test(
  "migrate, FastMCP: authenticate is the option auth, and its sessions are the claims of callers",
  { skip },
  async () => {
    const { files, errors, code } = await migrate({
      "server.ts": `import { FastMCP } from "fastmcp";

interface User {
  name: string;
  role: string;
}

// Notes of users.
const server = new FastMCP<User>({
  name: "notes",
  version: "1.0.0",
  authenticate: async (request) => {
    const name = request.headers["x-user"];
    if (typeof name !== "string") throw new Response(null, { status: 401 });
    return { name, role: "editor" };
  },
});
server.addTool({
  name: "wipe",
  description: "Deletes all notes",
  canAccess: (user) => user.role === "editor",
  execute: async (_args, { session, log }) => {
    log.info("wiping", { by: session?.name });
    if (!session) return "nothing";
    return session.name;
  },
});
server.addTool({ name: "who", description: "Who", execute: async (_args, ctx) => \`\${ctx.session?.name}\` });
server.addPrompt({ name: "greet", load: async (_args, user) => \`Greet \${user?.name}\` });
server.addPrompt({
  name: "part",
  load: async (_args, user) => {
    if (!user) return "Part";
    return \`Part from \${user.name}\`;
  },
});
server.addResource({ uri: "notes://mine", name: "Mine", load: async (user) => ({ text: user?.name ?? "-" }) });
if (process.argv.includes("--stdio")) await server.start({ transportType: "stdio" });
else await server.start({ transportType: "httpStream", httpStream: { port: 3000 } });
`,
    });
    const text = files["server.ts"] ?? "";
    deepStrictEqual([code, text.includes("@toolwire-todo")], [0, false], errors);
    match(
      text,
      /const identifySession: \(request: IncomingMessage\) => Promise<User \| null \| undefined> = async \(request\) => \{\n {2}const name = request\.headers\["x-user"\];\n/,
    );
    match(text, /\n {2}auth: authenticateBy\(identifySession\),\n/);
    match(text, /\n {2}\.visibleTo\(visibleIf\(\(user\) => user\.role === "editor"\)\)\n/);
    match(
      text,
      /\.handle\(async \(_args, ctx\) => \{\n {4}const session = sessionOf\(ctx\);\n {4}ctx\.log\("info", "wiping", \{ by: session\?\.name \}\);\n {4}if \(!session\) return "nothing";/,
    );
    match(text, /\.handle\(async \(_args, ctx\) => `\$\{sessionOf\(ctx\)\?\.name\}`\);/);
    match(text, /\.handle\(async \(_args, ctx\) => `Greet \$\{sessionOf\(ctx\)\?\.name\}`\);/);
    match(text, /\{\n {4}const user = sessionOf\(ctx\);\n {4}if \(!user\) return "Part";/);
    match(text, /\.read\(async \(_, ctx\) => \(\{ text: sessionOf\(ctx\)\?\.name \?\? "-" \}\)\);/);
    match(text, /await serveStdio\(server, \{ principal: await localCaller\(identifySession\) \}\);/);
    match(text, /\/\/ Notes of users\.\n/);
  },
);

test(
  "migrate, FastMCP: a server that identified its callers in any way is never open afterwards",
  { skip },
  async () => {
    const options: Readonly<Record<string, string>> = {
      "an arrow function": "authenticate: async () => ({ id: 1 })",
      "a method": "async authenticate() { return { id: 1 }; }",
      "a function of the file": "authenticate: verify",
      "a shorthand": "authenticate",
      "a call": 'authenticate: keysOf("a")',
      "a provider": "auth: provider",
      "OAuth": 'oauth: { enabled: true, protectedResource: { resource: "https://a" } }',
      "both": "auth: provider, authenticate: verify",
    };
    for (const [name, option] of Object.entries(options)) {
      const { files } = await migrate({
        "server.ts": `import { FastMCP } from "fastmcp";
import { authenticate, keysOf, provider, verify } from "./keys.ts";
const server = new FastMCP({ name: "notes", version: "1.0.0", ${option} });
server.addTool({ name: "a", description: "A", execute: async () => "a" });
await server.start({ transportType: "httpStream" });
`,
      });
      const text = files["server.ts"] ?? "";
      const [, auth = ""] = /\n {2}auth: (.+),\n/.exec(text) ?? [];
      const isProvider = name === "a provider" || name === "OAuth";
      match(
        auth,
        isProvider ? /^authenticate\w*\(\(\) => undefined\)$|^toolwireAuthenticate\(/ : /^authenticateBy\(\w/,
        name,
      );
      if (isProvider) match(text, /@toolwire-todo The server refuses all callers until this is written/);
    }
  },
);

test("migrate, FastMCP: a named handler whose context has a type keeps one", { skip }, async () => {
  const { files } = await migrate({
    "server.ts": `import { type Context, FastMCP } from "fastmcp";
type User = { name: string };
async function who(_args: object, { log, session }: Context<User>) {
  log.info("asked");
  return session?.name ?? "-";
}
const wait = async (_args: object, ctx: Context<User>) => {
  ctx.log.warn("waiting");
  return "waited";
};
const server = new FastMCP<User>({ name: "notes", version: "1.0.0" });
server.addTool({ name: "who", description: "Who", execute: who });
server.addTools([{ name: "wait", description: "Wait", execute: wait }]);
server.addTool({ name: "inline", description: "Inline", execute: async (_args, ctx: Context<User>) => ctx.requestId ?? "" });
`,
  });
  const text = files["server.ts"] ?? "";
  ok(!text.includes("@toolwire-todo") && !text.includes("fastmcp"), text);
  match(
    text,
    /async function who\(_args: object, ctx: Ctx\) \{\n {2}const session = sessionOf\(ctx\);\n {2}ctx\.log\("info", "asked"\);/,
  );
  match(text, /const wait = async \(_args: object, ctx: Ctx\) => \{\n {2}ctx\.log\("warn", "waiting"\);/);
  match(text, /\.handle\(async \(_args, ctx\) => ctx\.requestId \?\? ""\);/);
});

test("migrate, FastMCP: members of a request that authenticate will not receive are named", { skip }, async () => {
  const { files, code } = await migrate({
    "server.ts": `import { FastMCP } from "fastmcp";
const server = new FastMCP({
  name: "notes",
  version: "1.0.0",
  authenticate: async (request) => ({ id: request.socket.remoteAddress, key: request.headers.authorization }),
});
`,
  });
  match(files["server.ts"] ?? "", /@toolwire-todo authenticate\(\) receives the headers, the method and the path/);
  strictEqual(code, 1);
});

test("migrate, FastMCP: pictures and sounds are the same blocks, and errors are failures", { skip }, async () => {
  const { text, code, errors } = await converted(`
server.addTool({ name: "cover", description: "C", execute: async () => imageContent({ path: "cover.png" }) });
server.addTool({
  name: "both",
  description: "B",
  execute: async (_args, { client }) => ({
    content: [await imageContent({ url: "https://a/b.png", timeoutMs: 50 }), ...(await Promise.all(files.map(audioContent)))],
  }),
});
server.addTool({
  name: "refuse",
  description: "R",
  execute: async (_args, { client }) => {
    if (client.version?.name === "old") return { content: [{ type: "text", text: "Not today" }], isError: true };
    return \`\${client.version?.version}\`;
  },
});
`);
  match(text, /\.handle\(async \(\) => mediaContent\("image", \{ path: "cover\.png" \}\)\);/);
  match(text, /await mediaContent\("image", \{ url: "https:\/\/a\/b\.png", timeoutMs: 50 \}\)/);
  match(text, /files\.map\(\(\(input: any\) => mediaContent\("audio", input\)\)\)/);
  match(
    text,
    /if \(ctx\.client\.name === "old"\) throw new Failure\("failed", "Not today"\);\n {4}return `\$\{ctx\.client\.version\}`;/,
  );
  strictEqual(/from "fastmcp"/.test(text), false);
  deepStrictEqual([code, text.includes("@toolwire-todo")], [0, false], errors);
});

test("migrate: names of the other library that stay are named above their import, once", { skip }, async () => {
  const { files, code, errors } = await migrate({
    "server.ts": `import { FastMCP, type Logger, requireAll, requireScopes } from "fastmcp";

const server = new FastMCP({ name: "notes", version: "1.0.0" });
server.addTool({
  name: "wipe",
  description: "Deletes all notes",
  canAccess: requireAll(requireScopes("write")),
  execute: async () => "wiped",
});
`,
  });
  const text = files["server.ts"] ?? "";
  match(
    text,
    /^\/\/ @toolwire-todo These names have no counterpart.*: requireAll, requireScopes\nimport \{ .*requireAll, requireScopes \} from "fastmcp";\n/,
  );
  match(errors, /server\.ts:1 These names have no counterpart/);
  strictEqual(code, 1);
  const again = await migrate({ "server.ts": text });
  deepStrictEqual([again.code, again.files], [1, files]);
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
  health: { enabled: true, path: "/health" },
});
server.addTool({
  name: "wipe",
  description: "Deletes all notes",
  execute: async (_args, { streamContent }) => {
    await streamContent({ type: "text", text: "going" });
    return "done";
  },
});
server.on("connect", () => count());
`,
    });
    const text = files["server.ts"] ?? "";
    match(text, /@toolwire-todo These options of FastMCP.*\n\/\/ health: \{ enabled: true, path: "\/health" \}\n/);
    match(text, /@toolwire-todo A handler that is an async generator.*\n {4}await ctx\.streamContent\(/);
    match(text, /\/\/ server\.on\("connect", \(\) => count\(\)\);/);
    match(errors, /Left for you/);
    strictEqual(code, 1);
  },
);
