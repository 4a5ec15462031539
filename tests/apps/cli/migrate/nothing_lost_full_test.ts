/** `toolwire migrate` deletes nothing: what a server does beside its tools is converted too, or stays where it was with a comment. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Node, Project } from "ts-morph";
import { checkResult } from "../../../../apps/cli/migrate/check_result.ts";
import { planMigration } from "../../../../apps/cli/migrate/migrate.ts";
import { readPairs } from "../../../docs/extract.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { migrate } from "./run_migrate.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";
const root = fileURLToPath(new URL("../../../..", import.meta.url));

const GROUPED = `import { Hono } from "hono";
import { InMemorySessionAdapter, JSON_RPC_ERROR_CODES, McpServer, RpcError, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import { countCall, OutOfStock, verify } from "./shop.ts";

const adapter = (schema: unknown) => z.toJSONSchema(schema as z.ZodType);
const logger = { error: console.error, warn: console.warn, info: () => {}, debug: () => {} };

const notes = new McpServer({ name: "notes", version: "1.0.0", schemaAdapter: adapter });
notes.use(async (ctx, next) => {
  countCall(ctx.requestId);
  await next();
});
notes.tool("add_note", {
  description: "Adds a note",
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }, ctx) => {
    if (text === "") throw new RpcError(JSON_RPC_ERROR_CODES.INVALID_PARAMS, "An empty note", { text });
    if (text === "full") throw new RpcError(-32050, "No space");
    return { content: [{ type: "text", text: \`\${text} by \${ctx.state["user"]}\` }] };
  },
});

const root = new McpServer({ name: "shop", version: "1.0.0", schemaAdapter: adapter, logger })
  .group("notes", notes);

root.use(async (ctx, next) => {
  ctx.state["user"] = await verify("token");
  await next();
});

root.onError((error, ctx) => {
  if (error instanceof OutOfStock) {
    console.error(ctx.requestId, error.sku);
    return { code: -32051, message: error.message, data: { sku: error.sku } };
  }
  return error instanceof RpcError && error.code === JSON_RPC_ERROR_CODES.INVALID_PARAMS
    ? { code: error.code, message: "Look again" }
    : undefined;
});

const transport = new StreamableHttpTransport({ sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) });
const handle = transport.bind(root);

export const app = new Hono();
app.all("/mcp", (c) => handle(c.req.raw));
`;

test("migrate: a grouped server keeps its middleware, its error handler and its logger", { skip }, async () => {
  const { files } = await migrate({ "server.ts": GROUPED });
  const text = files["server.ts"] ?? "";
  match(text, /parts: \[group\("notes", notes\)\],/);
  match(text, /^ {2}logger,$/m);
  match(text, /countCall\(ctx\.requestId\);\n {4}return await next\(\);/);
  match(text, /ctx\.state\["user"\] = await verify\("token"\);\n {4}return await next\(\);/);
  match(
    text,
    / {2}onError: \(error, ctx\) => \{\n {4}if \(error instanceof OutOfStock\) \{\n {6}console\.error\(ctx\.requestId, error\.sku\);/,
  );
  match(text, /return new Failure\("error_32051", error\.message, \{ sku: error\.sku \}\);/);
  match(text, /^const handle = root\.fetch;$/m);
});

test("migrate: errors with numbers of JSON-RPC are errors with codes", { skip }, async () => {
  const { files, errors } = await migrate({ "server.ts": GROUPED });
  const text = files["server.ts"] ?? "";
  match(text, /throw new ToolError\("invalid_input", "An empty note", \{ details: \{ text \} \}\);/);
  match(text, /throw new Failure\("error_32050", "No space"\);/);
  match(text, /error instanceof ToolError && error\.code === "invalid_input"/);
  // The number of this answer is only known when it runs.
  match(errors, /server\.ts:\d+ The option onError of createServer\(\) returns a Failure or a ToolError, or nothing/);
});

test(
  "migrate: errors of the official SDK are errors with codes, and a missing resource has its URI",
  { skip },
  async () => {
    const { files } = await migrate({
      "one.ts": `import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
export const refuse = () => new McpError(ErrorCode.InternalError, "The disk is full");
export const explain = (error: McpError) => error.code === ErrorCode.MethodNotFound;
`,
      "two.ts": `import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
export const missing = (uri: string) => new ResourceNotFoundError(uri);
export const bad = (code: number) => new ProtocolError(code, "Bad");
export const worse = () => new ProtocolError(ProtocolErrorCode.InvalidRequest, "Worse", { why: 1 });
`,
    });
    match(files["one.ts"] ?? "", /refuse = \(\) => new Failure\("failed", "The disk is full"\);/);
    match(files["one.ts"] ?? "", /\(error: ToolError\) => error\.code === "method_not_found";/);
    match(
      files["two.ts"] ?? "",
      /new ToolError\("resource_not_found", `Resource not found: \$\{uri\}`, \{ details: \{ uri: uri \} \}\);/,
    );
    match(
      files["two.ts"] ?? "",
      /@toolwire-todo Throw a ToolError with a code.*\nexport const bad = \(code: number\) => new ProtocolError/,
    );
    match(files["two.ts"] ?? "", /new ToolError\("invalid_request", "Worse", \{ details: \{ why: 1 \} \}\);/);
  },
);

test("migrate: middleware that is added within a function stays there, and is listed", { skip }, async () => {
  const { files, code } = await migrate({
    "server.ts": `import { McpServer } from "mcp-lite";
const server = new McpServer({ name: "a", version: "1.0.0" });
export function protect(verify: () => Promise<void>) {
  server.use(async (_ctx, next) => {
    await verify();
    await next();
  });
}
`,
  });
  match(
    files["server.ts"] ?? "",
    / {2}\/\/ @toolwire-todo Only calls beside the creation of the server.*\n {2}server\.use\(async/,
  );
  match(files["server.ts"] ?? "", /await verify\(\);\n {4}await next\(\);/);
  strictEqual(code, 1);
});

test("migrate: what a server of each session kept to itself is marked", { skip }, async () => {
  const { files } = await migrate({
    "server.ts": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
function create() {
  const server = new McpServer({ name: "vault", version: "1.0.0" });
  let count = 0;
  const wipe = server.registerTool("wipe", { description: "Wipes" }, () => ({ content: [{ type: "text", text: \`\${count++}\` }] }));
  wipe.disable();
  server.registerTool("unlock", { description: "Unlocks" }, () => {
    wipe.enable();
    return { content: [{ type: "text", text: "open" }] };
  });
  return server;
}
const app = express();
app.use(express.json());
app.post("/mcp", async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "a" });
  await create().connect(transport);
  await transport.handleRequest(req, res, req.body);
});
`,
  });
  const marked = (files["server.ts"] ?? "").match(
    /@toolwire-todo This function ran for each session or request.*\n *let \w+/g,
  );
  deepStrictEqual(marked?.map((one) => one.split("let ")[1]), ["count", "wipeEnabled"]);
  match(files["server.ts"] ?? "", /^app\.use\(express\.json\(\)\);$/m);
});

test("migrate: a conversion that leaves a name without a declaration is not written", { skip }, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "server.ts");
  writeFileSync(file, GROUPED);
  const { changes, failed } = planMigration(folder.path, {}, (_, convert) => {
    const converted = convert();
    return { ...converted, text: converted.text.replace("const root = ", "const other = ") };
  });
  deepStrictEqual(changes, []);
  strictEqual(failed[0]?.reason, "converted, it would use root without a declaration; it stays as it is");
});

test("migrate: errors of the compiler that were not there before are listed, others are not", { skip }, () => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/migrate-"));
  try {
    const file = join(folder, "server.ts");
    const before =
      'import { McpServer } from "mcp-lite";\nexport const kept: number = "a";\nexport const server = McpServer;\n';
    const after = `import { createServer } from "toolwire";
export const kept: number = "a";
export const server = createServer({ tool: [] });
// @toolwire-todo Look at this
export const listed = createServer({ tool: [] }).nothing;
`;
    const { errors, isTyped } = checkResult(folder, [{ file, before, after }]);
    ok(isTyped);
    deepStrictEqual(errors.map(({ line }) => line), [3]);
    match(errors[0]?.message ?? "", /'tool' does not exist/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Names that a conversion replaces: those of the converted libraries, and of what only their results and transports need. */
const REPLACED: ReadonlySet<string> = new Set([
  ...words(
    `McpServer StreamableHttpTransport InMemorySessionAdapter InMemoryClientRequestAdapter StreamableHTTPServerTransport
    WebStandardStreamableHTTPServerTransport ResourceTemplate RpcError McpError JSON_RPC_ERROR_CODES INVALID_PARAMS createMcpHandler
    inputRequired acceptedContent completable ElicitResultSchema CreateMessageResultSchema toNodeHandler`,
  ),
  // Members of options, definitions and results.
  ...words(
    `schemaAdapter adapter schema toJSONSchema ZodType capabilities sessionAdapter clientRequestAdapter maxEventBufferSize defaultTimeoutMs
    sessionIdGenerator enableJsonResponse onsessioninitialized onsessionclosed inputSchema outputSchema argsSchema description arguments
    handler content structuredContent isError type text contents role use onError code total message template data _meta annotations uri href
    prompt messages`,
  ),
  // Methods of servers, contexts and transports.
  ...words(
    `tool registerTool registerResource registerPrompt resource handleRequest connect bind sendNotification sendRequest
    method params progressToken extra elicit error transport`,
  ),
  // The text of an answer is the JSON of its value; maps of transports, and ids of sessions, are kept by the server.
  ...words("JSON stringify Map Transport get set delete known headers crypto randomUUID id undefined Error"),
]);

test("migrate: each name of a program is in its conversion", { skip }, async () => {
  const pages = ["docs/coming-from-mcp-lite.md", "docs/coming-from-the-official-sdk.md"];
  const programs = [GROUPED, ...pages.flatMap((page) => readPairs(root, page).map(({ peer }) => peer.code))];
  const names = programs.map((_, index) => `${index}.ts`);
  const { files } = await migrate(Object.fromEntries(programs.map((text, index) => [names[index] ?? "", text])));
  ok(programs.length > 15);
  const lost = programs.flatMap((before, index) => {
    const kept = new Set(files[names[index] ?? ""]?.match(/[\w$]+/g));
    return namesOf(before).filter((name) => !kept.has(name) && !REPLACED.has(name)).map((name) =>
      `${name} of ${before}`
    );
  });
  deepStrictEqual(lost, []);
});

/** Identifiers of a text, its imports left out. */
function namesOf(text: string): readonly string[] {
  const source = new Project({ useInMemoryFileSystem: true }).createSourceFile("a.ts", text);
  for (const one of source.getImportDeclarations()) one.remove();
  return [...new Set(source.getDescendants().filter(Node.isIdentifier).map((one) => one.getText()))];
}
