/** `toolwire migrate`: one row for each conversion, before and after. */
import { match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../../runtime/runtime.ts";
import { migrate } from "./run_migrate.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

/** A server with one registration, and the text of what it becomes, up to `createServer()`. */
async function converted(registration: string, setup: string = ""): Promise<string> {
  const { files } = await migrate({
    "server.ts": `import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as z from "zod";
${setup}
const server = new McpServer({ name: "a", version: "1.0.0" });
${registration}
`,
  });
  const text = files["server.ts"] ?? "";
  const server = /\nconst server = createServer\([^]*?\n\}\);\n/;
  return text.slice(text.lastIndexOf("\nimport")).replace(/^\nimport .*\n/, "").replace(server, "").trim();
}

/** One row for each conversion of the tables. */
const ROWS: readonly (readonly [title: string, before: string, after: string])[] = [
  [
    "a text that is made of the answer is rendered",
    `server.registerTool("add", { description: "Adds", inputSchema: { a: z.number() }, outputSchema: { sum: z.number() } }, ({ a }) => {
  const sum = a + 1;
  return { content: [{ type: "text", text: \`It is \${sum}\` }], structuredContent: { sum } };
});`,
    `const add = defineTool("add")
  .describe("Adds")
  .input(z.object({ a: z.number() }))
  .output(z.object({ sum: z.number() }))
  .render((output) => \`It is \${output.sum}\`)
  .handle(({ a }) => {
    const sum = a + 1;
    return { sum };
  });`,
  ],
  [
    "any other text is kept beside the answer",
    `server.registerTool("add", { description: "Adds", inputSchema: { a: z.number() }, outputSchema: { sum: z.number() } }, ({ a }) => ({
  content: [{ type: "text", text: \`From \${a}\` }],
  structuredContent: { sum: a + 1 },
}));`,
    `/** Texts beside structured answers, for \`.render()\`. */
const answerTexts = new WeakMap<object, RenderedOutput>();
function withText<Answer extends object>(answer: Answer, text: RenderedOutput): Answer {
  answerTexts.set(answer, text);
  return answer;
}

const add = defineTool("add")
  .describe("Adds")
  .input(z.object({ a: z.number() }))
  .output(z.object({ sum: z.number() }))
  .render((output) => answerTexts.get(output) ?? JSON.stringify(output))
  .handle(({ a }) => withText({ sum: a + 1 }, \`From \${a}\`));`,
  ],
  [
    "a failure within try passes its catch",
    `server.tool("read", "Reads", { name: z.string() }, async ({ name }) => {
  try {
    if (name === "") return { content: [{ type: "text", text: "No name" }], isError: true };
    return { content: [{ type: "text", text: name }] };
  } catch (error) {
    return { content: [{ type: "text", text: String(error) }], isError: true };
  }
});`,
    `const read = defineTool("read")
  .describe("Reads")
  .input(z.object({ name: z.string() }))
  .handle(async ({ name }) => {
    try {
      if (name === "") throw new Failure("failed", "No name");
      return name;
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure("failed", String(error));
    }
  });`,
  ],
  [
    "blocks, _meta and annotations stay",
    `server.tool("draw", "Draws", {}, { readOnlyHint: true }, () => ({
  content: [{ type: "text", text: "A dot" }, { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }],
  _meta: { cached: true },
}));`,
    `const draw = defineTool("draw")
  .describe("Draws")
  .annotate({ readOnlyHint: true })
  .handle((_, ctx) => { ctx.meta({ cached: true }); return [{ type: "text", text: "A dot" }, { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }]; });`,
  ],
  [
    "progress and log lines need no token",
    `server.registerTool("work", { description: "Works" }, async (extra) => {
  const progressToken = extra._meta?.progressToken;
  if (progressToken) {
    await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
  }
  await server.sendLoggingMessage({ level: "notice", data: "half" });
  return { content: [{ type: "text", text: "done" }] };
});`,
    `const work = defineTool("work")
  .describe("Works")
  .handle(async (_, extra) => {
    extra.progress(1, 2);
    extra.log("notice", "half");
    return "done";
  });`,
  ],
  [
    "templates of resources list variables, and complete",
    `server.registerResource("book", new ResourceTemplate("books://{id}", {
  list: async () => ({ resources: [1, 2].map((id) => ({ uri: \`books://\${id}\`, name: "a" })) }),
  complete: { id: () => ["1"] },
}), { mimeType: "text/plain" }, async (uri, { id }) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: \`\${uri.pathname} \${id}\` }] }));`,
    `const book = defineResource("books://{id}")
  .name("book")
  .mimeType("text/plain")
  .complete({ id: () => ["1"] })
  .list(async () => [1, 2].map((id) => ({ variables: { id }, name: "a" })))
  .read(async ({ id }, _ctx, uri) => \`\${new URL(uri).pathname} \${id}\`);`,
  ],
  [
    "arguments of prompts are completed",
    `server.registerPrompt("greet", { argsSchema: { name: completable(z.string(), (value) => [value]) } }, ({ name }) => ({
  messages: [{ role: "user", content: { type: "text", text: name } }],
}));`,
    `const greet = definePrompt("greet")
  .describe("greet")
  .input(z.object({ name: z.string() }))
  .complete({ name: (value) => [value] })
  .handle(({ name }) => name);`,
  ],
  [
    "questions have keys",
    `server.registerTool("ask", { description: "Asks" }, async () => {
  const one = await server.server.elicitInput({ message: "One?", requestedSchema: { type: "object", properties: {} } });
  const two = await server.server.elicitInput({ message: one.action, requestedSchema: { type: "object", properties: {} } });
  return { content: [{ type: "text", text: two.action }] };
});`,
    `const ask = defineTool("ask")
  .describe("Asks")
  .handle(async (_, ctx) => {
    const one = await ctx.elicit("question", { message: "One?", schema: jsonSchema<Record<string, any>>({ type: "object", properties: {} }) });
    const two = await ctx.elicit("question_2", { message: one.action, schema: jsonSchema<Record<string, any>>({ type: "object", properties: {} }) });
    return two.action;
  });`,
  ],
  [
    "a tool that is disabled and enabled has a variable, and clients are notified of the change",
    `const extra = server.registerTool("extra", { description: "Extra" }, () => ({ content: [{ type: "text", text: "here" }] }));
extra.disable();
server.registerTool("flip", { description: "Flips" }, () => {
  if (extra.enabled) extra.disable();
  else extra.update({ enabled: true });
  return { content: [{ type: "text", text: "flipped" }] };
});`,
    `let extraEnabled = true;
const extra = defineTool("extra")
  .describe("Extra")
  .visibleTo(() => extraEnabled)
  .handle(() => "here");
extraEnabled = false;
const flip = defineTool("flip")
  .describe("Flips")
  .handle(() => {
    if (extraEnabled) { extraEnabled = false; server.notify.listChanged("tools"); }
    else { extraEnabled = true; server.notify.listChanged("tools"); }
    return "flipped";
  });`,
  ],
  [
    "other changes of a tool are left",
    `const extra = server.tool("extra", () => ({ content: [{ type: "text", text: "here" }] }));
extra.update({ description: "New" });`,
    `const extra = defineTool("extra")
  .describe("extra")
  .handle(() => "here");
// @toolwire-todo A server's lists are fixed when it is created: replace this by visibleTo() or by another server
// extra.update({ description: "New" });`,
  ],
  [
    "results of functions elsewhere are read when the tool runs",
    `server.tool(meta.name, meta.description, input.shape, async ({ a }) => {
  try {
    return success(await load(a));
  } catch (error) {
    return { ...failure(error), isError: true };
  }
});`,
    `/** The answer of a result with content: its blocks or structured value. An error is thrown. What is not a result stays. */
function answerOf(result: any): any {
  if (result instanceof Promise) return result.then(answerOf);
  const isResult = ["content", "structuredContent", "isError"].some((name) => Object(result)[name] !== undefined);
  if (!isResult) return result;
  const { content = [], isError, structuredContent } = result;
  const texts = content.map((block: any) => block.text ?? "").filter(Boolean);
  if (isError) throw new Failure("failed", texts.join("\\n") || "The tool failed");
  return structuredContent ?? content;
}

const tool = defineTool(meta.name)
  .describe(meta.description)
  .input(input)
  .handle(async ({ a }) => {
    try {
      return answerOf(await success(await load(a)));
    } catch (error) {
      if (error instanceof Failure) throw error;
      return answerOf({ ...failure(error), isError: true });
    }
  });`,
  ],
  [
    "a configuration in a const is read",
    `const config = { title: "Echo", description: "Echoes", inputSchema: { a: z.string() } };
server.registerTool("echo", config, ({ a }) => ({ content: [{ type: "text", text: a }] }));`,
    `const config = { title: "Echo", description: "Echoes", inputSchema: { a: z.string() } };
const echo = defineTool("echo")
  .title("Echo")
  .describe("Echoes")
  .input(z.object({ a: z.string() }))
  .handle(({ a }) => a);`,
  ],
  [
    "resources that a template lists keep its title, and their own",
    `server.registerResource(
  "item",
  new ResourceTemplate("items://{id}", {
    list: async () => ({ resources: [{ uri: "items://a", name: "a" }, { uri: "items://b", name: "b", title: "B", _meta: { b: 1 } }] }),
  }),
  { title: "Item", _meta: { a: 1 } },
  async (uri) => ({ contents: [{ uri: uri.href, text: "x" }] }),
);`,
    `const item = defineResource("items://{id}")
  .name("item")
  .title("Item")
  .meta({ a: 1 })
  .list(async () => [{ variables: { id: "a" }, title: "Item", meta: { a: 1 }, name: "a" }, { variables: { id: "b" }, name: "b", title: "B", meta: { b: 1 } }])
  .read(async () => "x");`,
  ],
  [
    "a statement that would fail is commented out",
    `server.tool("ping", async () => ({ content: [{ type: "text", text: "pong" }] }));
server.server.onclose = () => {
  process.exit();
};`,
    `const ping = defineTool("ping")
  .describe("ping")
  .handle(async () => "pong");
// @toolwire-todo This use of the server has no counterpart
// server.server.onclose = () => {
//   process.exit();
// };`,
  ],
];

for (const [title, before, after] of ROWS) {
  test(`migrate: ${title}`, { skip }, async () => {
    strictEqual(await converted(before), after);
  });
}

test("valibot stays: its schemas are taken as they are", { skip }, async () => {
  const { files } = await migrate({
    "server.ts": `import { McpServer } from "mcp-lite";
import * as v from "valibot";

const server = new McpServer({ name: "a", version: "1.0.0" });
server.tool("double", { inputSchema: v.object({ n: v.number() }), handler: ({ n }) => ({ content: [{ type: "text", text: \`\${n * 2}\` }] }) });
`,
  });
  match(files["server.ts"] ?? "", /^import \* as v from "valibot";$/m);
});
