/** `toolwire migrate`: faults that moves of whole servers have shown (tests/moving). */
import { deepStrictEqual, match, ok } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../../runtime/runtime.ts";
import { migrate } from "./run_migrate.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

const OFFICIAL = `import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { type CallToolResult, McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
`;

const SERVER = 'const server = new McpServer({ name: "desk", version: "1.0.0" });\n';

/** Patterns that the conversion of a server with these statements has, or that it lacks. */
const ROWS: readonly (readonly [
  title: string,
  statements: string,
  has: readonly RegExp[],
  lacks?: readonly RegExp[],
])[] = [
  [
    "a log line keeps its data and its logger",
    `${SERVER}server.tool("lend", { id: z.string() }, async ({ id }, extra) => {
  await server.server.sendLoggingMessage({ level: "info", logger: "desk", data: { id } });
  await server.server.sendLoggingMessage({ level: "notice", data: items });
  await server.server.sendLoggingMessage({ level: "error", logger: "desk", data: "gone" }, extra.sessionId);
  return { content: [{ type: "text", text: id }] };
});`,
    [
      /\.log\("info", \{ id \}, \{ logger: "desk" \}\);/,
      /\.log\("notice", items\);/,
      /\.log\("error", "gone", \{ logger: "desk" \}\);/,
    ],
  ],
  [
    "a prompt keeps the description of its result",
    `${SERVER}server.registerPrompt("recommend", { description: "Recommends", argsSchema: { kind: z.string() } }, ({ kind }) => ({
  description: \`A \${kind}\`,
  messages: [{ role: "user", content: { type: "text", text: kind } }],
}));`,
    [/\(\{ description: `A \$\{kind\}`, messages: \[\{ role: "user"/],
  ],
  [
    "the arguments of an error are converted, too",
    `${SERVER}server.registerResource("item", new ResourceTemplate("items://{id}", { list: undefined }), {}, async (uri, { id }) => {
  if (id === "") throw new McpError(-32002, \`No \${uri.href}\`, { uri: uri.href });
  return { contents: [{ uri: uri.href, text: id }] };
});`,
    [/new ToolError\("resource_not_found", `No \$\{uri\}`, \{ details: \{ uri: uri \} \}\)/],
    [/href/],
  ],
  [
    "a result that a promise gives is read, and a text that it gives stays",
    `function say(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
${SERVER}server.tool("greet", async () => say("hello"));
server.tool("wait", (extra) => new Promise<CallToolResult>((resolve) => extra.signal.addEventListener("abort", () => resolve(say("end")))));`,
    [/if \(!isResult\) return result;/, /answerOf\(new Promise<any>\(/],
    [/CallToolResult/],
  ],
  [
    "members of the context within the arguments of others are converted",
    `${SERVER}server.tool("log", async ({ sendNotification, sessionId, requestId }) => {
  await sendNotification({ method: "notifications/message", params: { level: "info", data: { at: sessionId, of: \`\${requestId}\` } } });
  return { content: [{ type: "text", text: "logged" }] };
});`,
    [/ctx\.log\("info", \{ at: ctx\.sessionId, of: `\$\{ctx\.requestId\}` \}\);/],
  ],
  [
    "the session's id is there, and no difference",
    `${SERVER}server.tool("session", async (extra) => ({ content: [{ type: "text", text: extra.sessionId ?? "none" }] }));`,
    [/ctx\.sessionId \?\? "none"|extra\.sessionId \?\? "none"/],
  ],
  [
    "headers of the request are those of ctx.metadata",
    `${SERVER}server.tool("desk", async (extra) => {
  const desk = extra.requestInfo?.headers["x-desk"];
  return { content: [{ type: "text", text: String(desk ?? extra.requestInfo?.headers.host) }] };
});`,
    [
      /const desk = extra\.metadata\.get\("x-desk"\) \?\? undefined;/,
      /\(extra\.metadata\.get\("host"\) \?\? undefined\)/,
    ],
    [/@toolwire-todo Headers/],
  ],
  [
    "an Express app of the SDK keeps its hosts and its parser of JSON",
    `${SERVER}const app = createMcpExpressApp({ host: "127.0.0.1" });
app.post("/orders", (req, res) => res.json(req.body));
app.post("/mcp", async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);`,
    [
      /const app = express\(\)\.use\(express\.json\(\)\);/,
      /hosts: \["localhost", "127\.0\.0\.1", "\[::1\]"\],/,
      /toNodeHandler\(server, \{ closeWithListener: true \}\)/,
    ],
    [/@toolwire-todo/],
  ],
  [
    "what only a route uses stays, unless it keeps transports",
    `${SERVER}const transports = new Map();
const audit = new AuditLog("desk");
const app = createMcpExpressApp();
app.all("/mcp", async (req, res) => {
  audit.write(req.ip);
  const transport = transports.get(req.headers["mcp-session-id"]) ?? new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});`,
    [/const audit = new AuditLog\("desk"\);/, /\/\/ *audit\.write\(req\.ip\);/, /const server = createServer\(/],
    [/new Map\(\)/],
  ],
  [
    "hosts that the app allows are those of the server",
    `${SERVER}const app = createMcpExpressApp({ host: "0.0.0.0", allowedHosts: ["desk.example"] });
app.post("/mcp", async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);`,
    [/const app = express\(\);/, /hosts: \["desk\.example"\],/],
    [/@toolwire-todo/],
  ],
];

const LITE =
  `import { InMemoryClientRequestAdapter, InMemorySessionAdapter, type Logger, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
`;

const LITE_SERVER = 'const server = new McpServer({ name: "kitchen", version: "1.0.0" });\n';

const LITE_ROWS: typeof ROWS = [
  [
    "validators of variables are in the reader",
    `${LITE_SERVER}server.resource("recipe://{id}", { name: "Recipe" }, { id: z.string().min(3) }, async (uri, { id }) => {
  return { contents: [{ type: "text", uri: uri.href, text: id }] };
});`,
    [/\.read\(async \(\{ id \}, ctx\) => \{\n\s*id = ctx\.validate\(z\.string\(\)\.min\(3\), id\);\n\s*return id;/],
    [/@toolwire-todo/],
  ],
  [
    "validators are in readers that are one expression, and in those that name the variables",
    `${LITE_SERVER}server.resource("recipe://{id}", { name: "Recipe" }, { id: z.string().min(3) }, (uri, { id: name }) => ({ contents: [{ type: "text", uri: uri.href, text: name }] }));
server.resource("photo://{id}", { name: "Photo" }, { id: z.string() }, async (uri, vars) => ({
  contents: [{ uri: uri.href, type: "blob", blob: photos[vars.id], mimeType: "image/png" }],
}));
server.resource("note://{id}", { name: "Note" }, { id: z.string() }, async (uri, { id }) => id === "" ? { contents: [] } : { contents: [{ type: "text", uri: uri.href, text: id }] });
server.resource("meta://{id}", { name: "Meta" }, { id: z.string() }, (uri, { id }) => ({ contents: [{ type: "text", uri: uri.href, text: id }], _meta: { a: 1 } }));
server.resource("box://{id}", { name: "Box" }, { id: z.string() }, async function (uri, vars) {
  return { contents: [{ type: "text", uri: uri.href, text: vars.id }] };
});`,
    [
      /\.read\(\(\{ id: name \}, ctx\) => \{\n\s*name = ctx\.validate\(z\.string\(\)\.min\(3\), name\);\n\s*return name;\n\s*\}\);/,
      /\.read\(async \(vars, ctx\) => \{\n\s*vars = \{ \.\.\.vars, id: ctx\.validate\(z\.string\(\), vars\.id\) \};\n\s*return \{ blob: photos\[vars\.id\], mimeType: "image\/png" \};\n\s*\}\);/,
      /id = ctx\.validate\(z\.string\(\), id\);\n\s*return id === "" \? \[\] : id;\n/,
      /\.read\(\(\{ id \}, ctx\) => \{\n\s*id = ctx\.validate\(z\.string\(\), id\);\n\s*ctx\.meta\(\{ a: 1 \}\); return id;\n\s*\}\);/,
      /async function \(vars, ctx\) \{\n\s*vars = \{ \.\.\.vars, id: ctx\.validate\(z\.string\(\), vars\.id\) \};\n\s*return vars\.id;/,
    ],
    [/@toolwire-todo/],
  ],
  [
    "a list of arguments of a prompt is JSON Schema",
    `${LITE_SERVER}server.prompt("menu", {
  description: "Writes a menu",
  arguments: [{ name: "day", description: "Day of the week", required: true }],
  handler: () => ({ messages: [{ role: "user", content: { type: "text", text: "A menu" } }] }),
});`,
    [/\.input\(jsonSchema<\{ day: string \}>\(\{ type: "object", properties: \{ day: \{ type: "string", description: "Day of the week" \} \}, required: \["day"\] \}\)\)/],
    [/@toolwire-todo/],
  ],
  [
    "time limits of questions are written down",
    `${LITE_SERVER}server.tool("ask", {
  description: "Asks",
  handler: async (_args, ctx) => {
    const answer = await ctx.elicit({ message: "Sure?", schema: z.object({}) }, { timeout_ms: 20_000 });
    return { content: [{ type: "text", text: answer.action }] };
  },
});
const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 45_000 }),
});
export const handler = transport.bind(server);`,
    [
      /mcp\(\{ sessions: mcpSessions\(\), askTimeoutMs: 45_000 \}\)/,
      /@toolwire-todo Options of a question.*\n\s*\/\/ \{ timeout_ms: 20_000 \}/,
    ],
  ],
  [
    "a caller that is passed to the transport is the principal, from which handlers and middleware read it",
    `const server = new McpServer({ name: "kitchen", version: "1.0.0" });
server.use(async (ctx, next) => {
  ctx.state["user"] = ctx.authInfo?.extra?.["user"];
  await next();
});
server.tool("who", { handler: (_args, ctx) => ({ content: [{ type: "text", text: ctx.authInfo?.scopes.join() ?? "-" }] }) });
const handler = new StreamableHttpTransport().bind(server);
export const fetch = (request: Request) => handler(request, { authInfo: { token: "t", scopes: [] } });`,
    [
      /handler\(request, \{ principal: principalOf\(\{ token: "t", scopes: \[\] \}\) \}\);/,
      /ctx\.state\["user"\] = authInfoOf\(ctx\)\?\.extra\?\.\["user"\];/,
      /\.handle\(\(_args, ctx\) => authInfoOf\(ctx\)\?\.scopes\.join\(\) \?\? "-"\)/,
    ],
    [/@toolwire-todo/],
  ],
  [
    "calls that are chained to a server are its definitions",
    `const server = new McpServer({ name: "kitchen", version: "1.0.0" });
server
  .tool("soup", { handler: () => ({ content: [{ type: "text", text: "hot" }] }) })
  .prompt("menu", { handler: () => ({ messages: [{ role: "user", content: { type: "text", text: "Menu" } }] }) });
export const handler = new StreamableHttpTransport().bind(server);`,
    [/tools: \[defineTool\("soup"\)/, /prompts: \[definePrompt\("menu"\)/],
    [/@toolwire-todo/, /\.tool\(/],
  ],
  [
    "the token of a caller is not kept, and is marked",
    `const server = new McpServer({ name: "kitchen", version: "1.0.0" });
server.tool("who", { handler: (_args, ctx) => ({ content: [{ type: "text", text: ctx.authInfo.token }] }) });`,
    [/@toolwire-todo The caller is ctx\.principal/],
  ],
  [
    "another option that is passed to the transport is marked, and the type of a logger is ours",
    `const logger: Logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const server = new McpServer({ name: "kitchen", version: "1.0.0", logger });
const handler = new StreamableHttpTransport().bind(server);
export const fetch = (request: Request) => handler(request, { authInfo: { token: "t", scopes: [] }, more: 1 });`,
    [/@toolwire-todo Pass the caller: server\.fetch\(request, \{ principal.*\nexport const fetch/, /type Logger/],
    [/from "mcp-lite"/],
  ],
];

for (
  const [title, statements, has, lacks = [], start] of [
    ...ROWS.map(([title, statements, has, lacks]) => [title, statements, has, lacks, OFFICIAL] as const),
    ...LITE_ROWS.map(([title, statements, has, lacks]) => [title, statements, has, lacks, LITE] as const),
  ]
) {
  test(`migrate: ${title}`, { skip }, async () => {
    const { files } = await migrate({ "server.ts": `${start}\n${statements}\n` });
    const text = files["server.ts"] ?? "";
    for (const pattern of has) match(text, pattern);
    const body = text.slice(text.lastIndexOf("\nimport"));
    for (const pattern of lacks) ok(!pattern.test(body), `${pattern} is in\n${text}`);
  });
}

test("migrate: the session's id is no listed difference", { skip }, async () => {
  const { errors } = await migrate({
    "server.ts":
      `${OFFICIAL}${SERVER}server.tool("session", async (extra) => ({ content: [{ type: "text", text: extra.sessionId ?? "" }] }));\n`,
  });
  ok(!errors.includes("sessionId is not set"), errors);
});

test("migrate: callers of requireBearerAuth() are passed on, and a context that is taken apart later is converted", {
  skip,
}, async () => {
  const { files } = await migrate({
    "server.ts": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import express from "express";
import { verifier } from "./verifier.ts";
function create() {
  const server = new McpServer({ name: "vault", version: "1.0.0" });
  server.registerTool("who", { description: "Who" }, async (extra) => {
    const { authInfo, requestInfo, signal: stopped } = extra;
    stopped.throwIfAborted();
    return { content: [{ type: "text", text: \`\${authInfo?.clientId} \${requestInfo?.headers["x-desk"] ?? "-"}\` }] };
  });
  return server;
}
const app = express();
app.post("/mcp", requireBearerAuth({ verifier }), async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await create().connect(transport);
  await transport.handleRequest(req, res, req.body);
});
`,
  });
  const text = files["server.ts"] ?? "";
  match(
    text,
    /\.handle\(async \(_, extra\) => \{\n {6}extra\.signal\.throwIfAborted\(\);\n {6}return `\$\{authInfoOf\(extra\)\?\.clientId\} \$\{extra\.metadata\.get\("x-desk"\) \?\? "-"\}`;/,
  );
  match(
    text,
    /toNodeHandler\(\w+, \{ closeWithListener: true, allowAnonymous: true, principal: \(req: \{ auth\?: .*\}\) => principalOf\(req\.auth\) \}\);/,
  );
  match(text, /app\.post\("\/mcp", requireBearerAuth\(\{ verifier \}\), handleMcp\);/);
});

test("migrate: completers receive the other arguments, and any level of MCP is a level here", { skip }, async () => {
  const { files, code, errors } = await migrate({
    "server.ts": `import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "travel", version: "1.0.0" }, { capabilities: { logging: {} } });
server.registerResource(
  "city",
  new ResourceTemplate("city://{country}/{name}", {
    list: undefined,
    complete: { name: (value, context) => citiesOf(context?.arguments?.["country"], value) },
  }),
  {},
  async (uri) => ({ contents: [{ uri: uri.href, text: "a" }] }),
);
server.registerTool("levels", { description: "Levels" }, async () => {
  for (const level of ["notice", "alert"] as const) await server.sendLoggingMessage({ level, data: "a" });
  return { content: [{ type: "text", text: "done" }] };
});
await server.connect(new StdioServerTransport());
`,
  });
  const text = files["server.ts"] ?? "";
  match(text, /name: \(value, _ctx, otherArguments\) => citiesOf\(otherArguments\?\.\["country"\], value\)/);
  match(text, /for \(const level of \["notice", "alert"\] as const\) ctx\.log\(level, "a"\);/);
  deepStrictEqual([code, text.includes("@toolwire-todo")], [0, false], errors);
});
