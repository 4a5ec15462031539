/** `toolwire migrate`: questions by rounds of 2.x, contexts in helpers, URL questions as errors. What is converted runs. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { testClient as TestClient } from "../../../../src/entries/testing.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { migrate } from "./run_migrate.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

const ROUNDS =
  `import { acceptedContent, createRequestStateCodec, inputRequired, McpServer } from "@modelcontextprotocol/server";
import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";

const codec = createRequestStateCodec<{ size: number }>({ key: new Uint8Array(32) });
const COLOR = { type: "object", properties: { color: { type: "string" } }, required: ["color"] } as const;
export const runs: string[] = [];

async function note(ctx: ServerContext, text: string): Promise<void> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, message: text } });
}

export const server = new McpServer({ name: "shop", version: "1.0.0" }, { requestState: { verify: codec.verify } });
server.registerTool(
  "order",
  { description: "Orders", inputSchema: z.object({ item: z.string() }) },
  async ({ item }, ctx): Promise<CallToolResult | InputRequiredResult> => {
    const state = ctx.mcpReq.requestState<{ size: number }>();
    runs.push(state === undefined ? "first" : "second");
    if (state === undefined) {
      return inputRequired({
        inputRequests: { color: inputRequired.elicit({ message: "Which color?", requestedSchema: COLOR }) },
        requestState: await codec.mint({ size: 42 }, ctx),
      });
    }
    await note(ctx, "answered");
    const answer = acceptedContent<{ color: string }>(ctx.mcpReq.inputResponses, "color");
    if (answer === undefined) return { content: [{ type: "text", text: "No color" }], isError: true };
    return { content: [{ type: "text", text: \`\${answer.color} \${item} \${state.size}\` }] };
  },
);
`;

test("migrate: rounds of questions run once each, with their state", { skip }, async () => {
  const { code, files } = await migrate({ "server.ts": ROUNDS });
  const text = files["server.ts"] ?? "";
  strictEqual(code, 0, text);
  doesNotMatch(text, /@toolwire-todo|@modelcontextprotocol|codec|mcpReq/);
  match(
    text,
    /async function note\(ctx: Ctx, text: string\): Promise<void> \{\n {2}ctx\.progress\(1, undefined, text\);\n\}/,
  );
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/migrate-rounds-"));
  try {
    // The folder may be a link: server and client are of one copy of Toolwire.
    writeFileSync(join(folder, "server.ts"), `${text}\nexport { testClient } from "toolwire/testing";\n`);
    const { server, runs, testClient } = await import(pathToFileURL(join(folder, "server.ts")).href);
    const asked: unknown[] = [];
    const client = (testClient as typeof TestClient)(server, {
      onElicitation: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { color: "red" } };
      },
    }) as unknown as { order(args: { item: string }): Promise<string> };
    strictEqual(await client.order({ item: "hat" }), "red hat 42");
    deepStrictEqual([asked, runs], [["Which color?"], ["first", "second"]]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("migrate: a page that an error asked for is asked for in place", { skip }, async () => {
  const { files } = await migrate({
    "server.ts": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
const server = new McpServer({ name: "a", version: "1.0.0" });
server.tool("pay", () => {
  throw new UrlElicitationRequiredError([{ mode: "url", message: "Pay", url: "https://example.com/", elicitationId: "1" }]);
});
`,
  });
  match(
    files["server.ts"] ?? "",
    /\.handle\(async \(_, ctx\) => \{\n {2,}await ctx\.elicitUrl\("page", \{ message: "Pay", url: "https:\/\/example\.com\/" \}\);\n {2,}throw new Failure\(/,
  );
});
