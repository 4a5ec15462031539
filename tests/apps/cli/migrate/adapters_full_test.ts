/** `toolwire migrate`: schema adapters of mcp-lite, and notifiers of 2.x. */
import { match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../../runtime/runtime.ts";
import { migrate } from "./run_migrate.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

/** A server of mcp-lite with an adapter. */
const lite = (imports: string, adapter: string) =>
  `${imports}
import { McpServer } from "mcp-lite";

const server = new McpServer({ name: "a", version: "1.0.0", schemaAdapter: ${adapter} });
server.tool("echo", { description: "Echoes", inputSchema: input, handler: (args) => ({ content: [{ type: "text", text: args.a }] }) });
`;

test("migrate: an adapter of a library without JSON Schema stays", { skip }, async () => {
  const source = lite(
    'import { JSONSchema } from "effect";\nimport { input } from "./input.ts";',
    "(schema) => JSONSchema.make(schema)",
  );
  const { files, code } = await migrate({ "server.ts": source });
  const text = files["server.ts"] ?? "";
  strictEqual(code, 0);
  match(text, /\nconst toJsonSchema: \(schema: unknown\) => unknown = \(schema\) => JSONSchema\.make\(schema\);\n/);
  match(text, /\n {2}\.input\(withJsonSchema\(input, toJsonSchema\)\)\n/);
  match(text, /jsonSchema: \{ input: convert, output: convert \}/);
});

test("migrate: an adapter of zod is not needed", { skip }, async () => {
  const source = lite(
    'import * as z from "zod";\nimport { input } from "./input.ts";',
    "(schema) => z.toJSONSchema(schema)",
  );
  const { files } = await migrate({ "server.ts": source });
  match(files["server.ts"] ?? "", /\n {2}\.input\(input\)\n/);
});

test("migrate: a notifier of 2.x that has a name", { skip }, async () => {
  const { files } = await migrate({
    "server.ts": `import { createMcpHandler, McpServer, type ServerNotifier } from "@modelcontextprotocol/server";
const handler = createMcpHandler(() => new McpServer({ name: "a", version: "1.0.0" }));
const notify: ServerNotifier = handler.notify;
setInterval(() => notify.toolsChanged(), 1000);
handler.notify.promptsChanged();
`,
  });
  const text = files["server.ts"] ?? "";
  match(text, /\nconst notify = handler\.notify;\nsetInterval\(\(\) => notify\.listChanged\("tools"\), 1000\);\n/);
  match(text, /\nhandler\.notify\.listChanged\("prompts"\);\n/);
});
