/** `toolwire migrate` as a command: files, package.json, comments, markers, Git, flags. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runtime } from "../../../runtime/runtime.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { runHere } from "../run_here.ts";
import { migrate } from "./run_migrate.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

const STDIO = `#!/usr/bin/env node
// The tools of a clock.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const server = new McpServer({ name: "clock", version: "1.2.0" });

// Says the time.
server.tool("time", "Say the time", { zone: z.string() }, async ({ zone }) => {
  if (zone === "") return { content: [{ type: "text", text: "There is no zone" }], isError: true };
  return { content: [{ type: "text", text: zone }] };
});

await server.connect(new StdioServerTransport());
`;

const STDIO_AFTER = `#!/usr/bin/env node
// The tools of a clock.
import { Failure, createServer, defineTool } from "toolwire";
import { mcp } from "toolwire/mcp";
import { serveStdio } from "toolwire/stdio";
import * as z from "zod";

// Says the time.
const time = defineTool("time")
  .describe("Say the time")
  .input(z.object({ zone: z.string() }))
  .handle(async ({ zone }) => {
    if (zone === "") throw new Failure("failed", "There is no zone");
    return zone;
  });

const server = createServer({
  name: "clock",
  version: "1.2.0",
  tools: [time],
  timeoutMs: 3_600_000,
  wires: [mcp()],
});

await serveStdio(server);
`;

test("migrate: tools over stdio, with the shebang and the comments", { skip }, async () => {
  const { code, errors, files } = await migrate({ "server.ts": STDIO });
  strictEqual(files["server.ts"], STDIO_AFTER);
  strictEqual(code, 0, errors);
  match(errors, /^1 file changed\n {2}server\.ts\nDifferent by design:\n/);
});

test("migrate: line ends of Windows stay", { skip }, async () => {
  const { files } = await migrate({ "server.ts": STDIO.replaceAll("\n", "\r\n") });
  strictEqual(files["server.ts"], STDIO_AFTER.replaceAll("\n", "\r\n"));
});

test(
  "migrate: the handler of Express hands requests to one server, and maps of transports are removed",
  { skip },
  async () => {
    const { code, errors, files } = await migrate({
      "server.ts": `import express from "express";
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";

function build() {
  const server = new McpServer({ name: "a", version: "1.0.0" });
  server.registerTool("ping", { description: "Answers" }, () => ({ content: [{ type: "text", text: "pong" }] }));
  return server;
}

const sessions: Record<string, StreamableHTTPServerTransport> = {};
const app = express();
app.use(express.json());
app.post("/mcp", async (req, res) => {
  const id = req.headers["mcp-session-id"] as string | undefined;
  let transport = id ? sessions[id] : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) return void res.status(400).end();
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void (sessions[id] = transport!),
    });
    await build().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
process.on("SIGINT", async () => {
  for (const id in sessions) await sessions[id].close();
});
`,
    });
    strictEqual(code, 0, errors);
    strictEqual(
      files["server.ts"]?.slice(files["server.ts"].indexOf("function build")),
      `function build() {
  const ping = defineTool("ping")
    .describe("Answers")
    .handle(() => "pong");

  const server = createServer({
    name: "a",
    version: "1.0.0",
    tools: [ping],
    timeoutMs: 3_600_000,
    wires: [mcp({ sessions: mcpSessions() })],
  });
  return server;
}

const app = express();
app.use(express.json());
const mcpServer = build();
const handleMcp = toNodeHandler(mcpServer, { closeWithListener: true });
app.post("/mcp", handleMcp);
app.listen(3000);
process.on("SIGINT", async () => {
});
`,
    );
  },
);

test("migrate: functions that receive the server, loops and conditions collect definitions", { skip }, async () => {
  const { code, errors, files } = await migrate({
    "server.ts": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { addAll } from "./tools.js";

export const server = new McpServer({ name: "a", version: "1.0.0" });
addAll(server);
for (const name of ["one", "two"]) {
  server.registerTool(name, { description: name }, () => ({ content: [{ type: "text", text: name }] }));
}
`,
    "tools.ts": `import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

export function addAll(server: McpServer): void {
  server.registerTool("three", { description: "Three" }, () => ({ content: [{ type: "text", text: "3" }] }));
}
`,
  });
  strictEqual(code, 0, errors);
  match(files["server.ts"] ?? "", /addAll\(parts\);\nfor .*\n {2}parts\.tools\.push\(defineTool\(name\)/);
  match(files["server.ts"] ?? "", /export const server = createServer\(\{[^]*tools: \[\.\.\.parts\.tools\]/);
  match(
    files["tools.ts"] ?? "",
    /addAll\(server: \{ tools: AnyTool\[\]; [^]*server\.tools\.push\(defineTool\("three"\)/,
  );
});

test(
  "migrate: what cannot be decided has a comment above its line, is listed, and sets the exit code",
  { skip },
  async () => {
    const text = `import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "a", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }));
`;
    const { code, errors, files } = await migrate({ "server.ts": text });
    strictEqual(code, 1);
    match(errors, /Left for you, each with a comment @toolwire-todo:\n {2}server\.ts:4 Handlers of requests/);
    const lines = files["server.ts"]?.split("\n") ?? [];
    match(lines[3] ?? "", /^\/\/ @toolwire-todo Handlers of requests/);
    strictEqual(lines.filter((line) => !line.startsWith("// @toolwire-todo")).join("\n"), text);
    const again = await migrate({ "server.ts": files["server.ts"] ?? "" });
    deepStrictEqual([again.code, again.files], [1, files]);
  },
);

test("migrate: package.json has toolwire, and not what no file imports any more", { skip }, async () => {
  const manifest =
    `{\n\t"name": "clock",\n\t"dependencies": {\n\t\t"@modelcontextprotocol/sdk": "^1.0.0",\n\t\t"zod": "^4.0.0"\n\t}\n}\n`;
  const { files } = await migrate({ "package.json": manifest, "src/server.ts": STDIO });
  const { dependencies } = JSON.parse(files["package.json"] ?? "");
  deepStrictEqual(Object.keys(dependencies), ["zod", "toolwire"]);
  match(files["package.json"] ?? "", /\n\t\t"toolwire": "\^/);
  const kept = await migrate({
    "package.json": manifest,
    "server.ts": STDIO,
    "client.ts":
      'import { Client } from "@modelcontextprotocol/sdk/client/index.js";\nexport const client = new Client({ name: "a", version: "1" });\n',
  });
  ok("@modelcontextprotocol/sdk" in JSON.parse(kept.files["package.json"] ?? "").dependencies);
  const outside = await migrate({
    "package.json": manifest,
    "src/server.ts": STDIO,
    "test/client.ts": 'import "@modelcontextprotocol/sdk/client/index.js";\n',
  }, "src");
  ok("@modelcontextprotocol/sdk" in JSON.parse(outside.files["package.json"] ?? "").dependencies);
});

test("migrate --dry-run prints the changes, and writes nothing", { skip }, async () => {
  const { code, out, errors, files } = await migrate({ "server.ts": STDIO }, "--dry-run");
  strictEqual(files["server.ts"], STDIO);
  match(out, /^server\.ts\n- import \{ McpServer \}[^]*\n\+ await serveStdio\(server\);\n/);
  deepStrictEqual([code, errors.split("\n")[0]], [0, "1 file would change"]);
});

test("migrate --ignore and --transforms choose files and steps", { skip }, async () => {
  const ignored = await migrate({ "a/server.ts": STDIO, "b/server.ts": STDIO }, "--ignore", "a/**", "--json");
  deepStrictEqual(JSON.parse(ignored.out).changed, ["b/server.ts"]);
  const { files } = await migrate({ "server.ts": STDIO }, "--transforms", "servers");
  match(files["server.ts"] ?? "", /createServer\([^]*await server\.connect\(new StdioServerTransport\(\)\)/);
  const unknown = await migrate({ "server.ts": STDIO }, "--transforms", "all");
  deepStrictEqual([unknown.code, unknown.errors], [2, 'There is no step "all": they are servers, transports, types\n']);
});

test(
  "migrate: a file whose conversion fails stays as it is and is named, the others are converted",
  { skip },
  async () => {
    const { planMigration } = await import("../../../../apps/cli/migrate/migrate.ts");
    await using folder = await temporaryFolder();
    for (const name of ["a.ts", "b.ts"]) writeFileSync(join(folder.path, name), STDIO);
    const fail = () => {
      throw new Error("it broke");
    };
    const { changes, failed } = planMigration(
      folder.path,
      {},
      (source, convert) => source.getBaseName() === "a.ts" ? fail() : convert(),
    );
    deepStrictEqual(failed.map(({ file, reason }) => [file.endsWith("a.ts"), reason]), [[true, "it broke"]]);
    deepStrictEqual(
      changes.map(({ file }) => file.endsWith("b.ts")),
      [true],
    );
  },
);

test(
  "migrate does not follow links",
  { skip: skip || (process.platform === "win32" && "links need rights there") },
  async () => {
    await using outside = await temporaryFolder();
    await using folder = await temporaryFolder();
    writeFileSync(join(outside.path, "server.ts"), STDIO);
    symlinkSync(outside.path, join(folder.path, "linked"));
    symlinkSync(join(outside.path, "server.ts"), join(folder.path, "server.ts"));
    const { errors } = await runHere({ cwd: folder.path }, "migrate");
    strictEqual(errors, "Nothing to change\n");
    ok(lstatSync(join(folder.path, "server.ts")).isSymbolicLink());
    strictEqual(readFileSync(join(outside.path, "server.ts"), "utf8"), STDIO);
  },
);

test("migrate refuses a folder with uncommitted changes, without --force", { skip }, async () => {
  await using folder = await temporaryFolder();
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder.path, stdio: "ignore" });
  git("init");
  writeFileSync(join(folder.path, "server.ts"), STDIO);
  const refused = await runHere({ cwd: folder.path }, "migrate");
  deepStrictEqual([refused.code, refused.errors.split("\n")[0]], [
    2,
    "Cannot migrate .: it has changes that are not committed (dirty)",
  ]);
  strictEqual(readFileSync(join(folder.path, "server.ts"), "utf8"), STDIO);
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-m", "first");
  strictEqual((await runHere({ cwd: folder.path }, "migrate")).code, 0);
  strictEqual(readFileSync(join(folder.path, "server.ts"), "utf8"), STDIO_AFTER);
});

test("migrate without ts-morph ends with the command that has it", { skip }, async () => {
  await using folder = await temporaryFolder();
  const main = fileURLToPath(new URL("../../../../apps/cli/main.ts", import.meta.url));
  const program = join(folder.path, "out/main.js");
  const bun = (...args: readonly string[]) => spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
  // Outside of the repository no package is found.
  const built = bun(
    "build",
    main,
    "--target=bun",
    "--external=ts-morph",
    "--external=esbuild",
    "--splitting",
    "--outdir=out",
  );
  strictEqual(built.status, 0, built.stderr);
  writeFileSync(join(folder.path, "server.ts"), STDIO);
  const { status, stderr } = bun("--no-install", program, "migrate");
  strictEqual(
    stderr,
    "Cannot migrate: ts-morph is not installed (ts_morph)\n" +
      "Run it with both packages: npx -y -p toolwire -p ts-morph toolwire migrate\n",
  );
  strictEqual(status, 2);
});

test("migrate: a method that registers receives the parts", { skip }, async () => {
  const { code, files } = await migrate({
    "tools.ts": `import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
export class Echo {
  register(server: McpServer) {
    server.tool("echo", () => ({ content: [{ type: "text", text: "here" }] }));
  }
}
export const register = (server: McpServer) => {
  server.tool("two", () => ({ content: [{ type: "text", text: "2" }] }));
};
`,
    "server.ts": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as more from "./tools.ts";
import { Echo } from "./tools.ts";
const server = new McpServer({ name: "a", version: "1.0.0" });
new Echo().register(server);
more.register(server);
export default server;
`,
  });
  strictEqual(code, 0);
  match(
    files["server.ts"] ?? "",
    /\nnew Echo\(\)\.register\(parts\);\nmore\.register\(parts\);\n\nconst server = createServer\(/,
  );
  match(files["server.ts"] ?? "", / {2}tools: \[\.\.\.parts\.tools\],\n/);
});
