/** The server for the Claude Agent SDK, with the official MCP client in the place of Claude Code. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { type AgentSource, type ClaudeAgentOptions, claudeAgentServer } from "../../../src/entries/agents.ts";
import { createAgentFixture } from "./fixture.ts";

async function connect(source: AgentSource, options: ClaudeAgentOptions = {}) {
  const { instance, ...config } = await claudeAgentServer(source, options);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await (instance as { connect(transport: unknown): Promise<void> }).connect(far);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(near);
  return { client, config };
}

function textOf(result: unknown): string {
  const { content } = result as { readonly content: readonly { readonly text: string }[] };
  return content[0]?.text ?? "";
}

test("tools are listed and called; errors are explained; progress is sent", async () => {
  const { client } = await connect(createAgentFixture().server, { name: "agency" });
  strictEqual(client.getServerVersion()?.name, "agency");
  await client.ping();
  const { tools } = await client.listTools();
  strictEqual(tools.length, 10);
  const call = (name: string, args: Record<string, unknown>, options = {}) =>
    client.callTool({ name, arguments: args }, undefined, options);
  strictEqual(textOf(await call("math_add", { a: 1, b: 2 })), '{"sum":3}');
  const refused = await call("open_door", {});
  deepStrictEqual([refused.isError, textOf(refused).split("\n")[0]], [
    true,
    "The tool says no (locked): The door is locked",
  ]);
  const reported: number[] = [];
  const onprogress = ({ progress }: { readonly progress: number }) => void reported.push(progress);
  strictEqual(textOf(await call("bake_cake", { layers: 2 }, { onprogress })), "a cake of 2 layers");
  ok(reported.length > 0);
  await rejects(call("gone", {}), /Unknown tool: gone/);
  await rejects(client.listPrompts(), /does not support|Method not found/);
  await client.close();
});

test("a cancelled call is aborted at the server, and so are calls of a closed connection", async () => {
  const { server, seen } = createAgentFixture();
  for (const isClosed of [false, true]) {
    const { client } = await connect(server);
    const abort = new AbortController();
    const calling = client.callTool({ name: "wait_long" }, undefined, { signal: abort.signal });
    const settled = calling.catch((thrown: unknown) => thrown);
    while (seen.at(-1) !== "waits") await new Promise((resolve) => setTimeout(resolve, 1));
    if (isClosed) await client.close();
    else abort.abort();
    ok(await settled instanceof Error);
    while (seen.at(-1) !== "aborted") await new Promise((resolve) => setTimeout(resolve, 1));
  }
});

test("hints for Claude are in _meta; destructive tools ask whatever is allowed", async () => {
  const tools = [
    defineTool("find").describe("Find").meta({ "anthropic/searchHint": "search look" }).handle(() => 1),
    defineTool("drop").describe("Drop").annotate({ destructiveHint: true }).handle(() => 2),
  ];
  const source = createServer({ tools });
  const metaOf = async (options: ClaudeAgentOptions) => {
    const { client } = await connect(source, options);
    return (await client.listTools()).tools.map(({ _meta }) => _meta);
  };
  const hint = { "anthropic/searchHint": "search look" };
  const load = { "anthropic/alwaysLoad": true };
  deepStrictEqual(await metaOf({}), [hint, undefined]);
  deepStrictEqual(await metaOf({ defer: "auto", alwaysLoad: ["drop"] }), [hint, load]);
  deepStrictEqual(await metaOf({ defer: "auto", alwaysLoad: ({ name }) => name === "drop" }), [hint, load]);
  deepStrictEqual(await metaOf({ defer: "none" }), [{ ...hint, ...load }, load]);
  const { config } = await connect(source, { name: "db" });
  deepStrictEqual(config, { type: "sdk", name: "db", tools: [{ name: "drop", permission_policy: "always_ask" }] });
  deepStrictEqual((await connect(source, { needsApproval: () => false })).config.tools, []);
});

test("names that Claude would leave out are refused", async () => {
  const tools = [defineTool("x".repeat(60)).describe("Do").handle(() => 1)];
  const error = await connect(createServer({ tools }), { name: "y".repeat(70) }).catch((thrown: unknown) => thrown);
  match(String(error), /RangeError: Cannot give tools to a model: mcp__y+__x+ has more than 128 characters/);
  await rejects(connect(createServer({ tools }), { alwaysLoad: ["z"] }), /alwaysLoad has the tool "z"/);
});
