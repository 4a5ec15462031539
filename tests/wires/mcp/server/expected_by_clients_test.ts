/** What clients of other SDKs expect of a server that was moved here: errors, log levels, samples, and no warnings without a reason. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Server, ToolError } from "../../../../mod.ts";
import * as v from "../../../../src/entries/schema.ts";
import { definePrompt, defineResource, mcp, mcpSessions } from "../../../../src/entries/mcp.ts";
import { openStdio } from "../stdio/in_process.ts";
import { callModern, initialize, type Json, legacy, modern } from "./client.ts";

const silent = { name: "moved", version: "1.0.0", logger: false } as const;

/** The same request in 2026-07-28 and in 2025-11-25. */
async function both(server: Server, method: string, params: Json) {
  const { session } = await initialize(server);
  return [(await modern(server, method, params)).last, (await legacy(server, method, params, { session })).last];
}

test("invalid arguments are one text with a line for each issue", async () => {
  const tool = defineTool("add")
    .describe("Add")
    .input(v.object({ a: v.pipe(v.number(), v.minValue(1)), to: v.object({ name: v.string() }) }))
    .handle(() => 1);
  const server = createServer({ ...silent, tools: [tool], wires: [mcp()] });
  for (const { result } of await both(server, "tools/call", { name: "add", arguments: { a: 0, to: { name: 5 } } })) {
    deepStrictEqual(result?.["content"], [{
      type: "text",
      text: 'Invalid arguments at "a": Invalid value: Expected >=1 but received 0\n' +
        'At "to.name": Invalid type: Expected string but received 5',
    }]);
    const { issues } = (result?.["_meta"] as Json)["toolwire/data"] as { issues: readonly { path: unknown }[] };
    deepStrictEqual(issues.map(({ path }) => path), [["a"], ["to", "name"]]);
  }
  await server.close();
});

test("invalid_input of a handler with data that is not a list of issues shows the data", async () => {
  const tool = defineTool("find").describe("Find").handle(() => {
    throw new ToolError("invalid_input", "No such shelf", { details: { shelves: ["a"] } });
  });
  const server = createServer({ ...silent, tools: [tool], wires: [mcp()] });
  const result = await callModern(server, "find");
  deepStrictEqual((result["content"] as Json[]).map(({ text }) => text), ["No such shelf", '{"shelves":["a"]}']);
  await server.close();
});

test("what a tool throws is a result for the model, also a resource that is not found", async () => {
  const codes = ["resource_not_found", "prompt_not_found", "method_not_found", "parse_error"] as const;
  const tools = codes.map((code) =>
    defineTool(code).describe("Throw").handle(() => {
      throw new ToolError(code, `No, ${code}`);
    })
  );
  const server = createServer({ ...silent, tools, wires: [mcp()] });
  for (const code of codes) {
    for (const { result, error } of await both(server, "tools/call", { name: code })) {
      strictEqual(error, undefined);
      strictEqual(result?.["isError"], true);
      deepStrictEqual(result?.["content"], [{ type: "text", text: `No, ${code}` }]);
    }
  }
  await server.close();
});

test("a resource that is not found has its URI, whatever details its reader gives", async () => {
  const missing = (details: unknown) => () => {
    throw new ToolError("resource_not_found", "It was sold", { details });
  };
  const resources = [
    defineResource("shop://a").read(missing(undefined)),
    defineResource("shop://b").read(missing({ by: "Ada" })),
    defineResource("shop://c/{id}").read(missing("a text")),
    defineResource("shop://d").read(missing({ uri: "shop://other" })),
  ];
  const server = createServer({ ...silent, tools: [], resources, wires: [mcp()] });
  const data = async (uri: string) => {
    const replies = await both(server, "resources/read", { uri });
    deepStrictEqual(replies.map(({ error }) => error?.code), [-32602, -32002]);
    const [one, other] = replies.map(({ error }) => error?.data);
    deepStrictEqual(one, other);
    const { code: _, ...rest } = one as Json;
    return rest;
  };
  deepStrictEqual(await data("shop://a"), { uri: "shop://a" });
  deepStrictEqual(await data("shop://b"), { uri: "shop://b", by: "Ada" });
  deepStrictEqual(await data("shop://c/1"), { uri: "shop://c/1", details: "a text" });
  deepStrictEqual(await data("shop://d"), { uri: "shop://other" });
  deepStrictEqual(await data("shop://unknown"), { uri: "shop://unknown" });
  await server.close();
});

test("a prompt that does not find what it needs is not -32002, which has a URI", async () => {
  const prompt = definePrompt("sum").describe("Sum up").handle(() => {
    throw new ToolError("resource_not_found", "There is no such note");
  });
  const server = createServer({ ...silent, tools: [], prompts: [prompt], wires: [mcp()] });
  const replies = await both(server, "prompts/get", { name: "sum" });
  deepStrictEqual(replies.map(({ error }) => error?.code), [-32602, -32602]);
  await server.close();
});

test("the levels of MCP reach the caller by their names, and the server's logger by the nearest", async () => {
  const named = ["debug", "info", "notice", "warn", "warning", "error", "critical", "alert", "emergency"] as const;
  const tool = defineTool("report").describe("Report").handle((_, ctx) => {
    for (const level of named) ctx.log(level, `is ${level}`);
    ctx.log("fatal" as "error", "is not a level");
  });
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const server = createServer({ ...silent, logger, tools: [tool], wires: [mcp({ logging: true })] });
  const meta = { "io.modelcontextprotocol/logLevel": "debug" };
  const { messages } = await modern(server, "tools/call", { name: "report" }, { meta });
  deepStrictEqual(messages.slice(0, -1).map(({ params }) => [params?.["level"], params?.["data"]]), [
    ["debug", "is debug"],
    ["info", "is info"],
    ["notice", "is notice"],
    ["warning", "is warn"],
    ["warning", "is warning"],
    ["error", "is error"],
    ["critical", "is critical"],
    ["alert", "is alert"],
    ["emergency", "is emergency"],
    ["info", "is not a level"],
  ]);
  deepStrictEqual(lines, [
    "debug: is debug",
    "info: is info",
    "info: is notice",
    "warn: is warn",
    "warn: is warning",
    "error: is error",
    "error: is critical",
    "error: is alert",
    "error: is emergency",
    "info: is not a level",
  ]);
  const strict = { "io.modelcontextprotocol/logLevel": "critical" };
  const severe = await modern(server, "tools/call", { name: "report" }, { meta: strict });
  deepStrictEqual(severe.messages.slice(0, -1).map(({ params }) => params?.["level"]), [
    "critical",
    "alert",
    "emergency",
  ]);
  await server.close();
});

test("a sample may include the context of servers", async () => {
  const tool = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
    await ctx.sample("sum", {
      messages: [{ role: "user", content: { type: "text", text: "Sum up" } }],
      maxTokens: 9,
      includeContext: "thisServer",
    });
  });
  const server = createServer({ ...silent, tools: [tool], wires: [mcp({ sessions: mcpSessions() })] });
  const result = await callModern(server, "ask", {}, { capabilities: { sampling: { context: {} } } });
  const { sum } = result["inputRequests"] as Readonly<Record<string, { readonly params: Json }>>;
  strictEqual(sum?.params["includeContext"], "thisServer");
  await server.close();
});

/** The warnings of a server without keys whose tool asks a question, over stdio and over HTTP. */
async function warningsOf(ask: (server: Server) => Promise<void>): Promise<readonly string[]> {
  const tool = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
    const answer = await ctx.elicit("name", { message: "Who?", schema: v.object({ name: v.string() }) });
    return answer.action;
  });
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (message: string) => void warnings.push(message) };
  const server = createServer({ name: "asking", version: "1.0.0", tools: [tool], wires: [mcp()], logger });
  await ask(server);
  await server.close();
  return warnings;
}

for (const era of ["modern", "legacy"] as const) {
  test(`over stdio, ${era}, a question does not warn of random keys: no other process is sent its token`, async () => {
    const warnings = await warningsOf(async (server) => {
      const { transport, close } = openStdio(server, { era });
      transport.onElicitation(() => ({ action: "accept", content: { name: "Ada" } }));
      const { content } = await transport.request("tools/call", { name: "ask", arguments: {} });
      deepStrictEqual(content, [{ type: "text", text: "accept" }]);
      await close();
    });
    deepStrictEqual(warnings, []);
  });
}

test("over HTTP a question warns of random keys: another replica may be sent its token", async () => {
  const warnings = await warningsOf(async (server) => {
    await callModern(server, "ask", {}, { capabilities: { elicitation: { form: {} } } });
  });
  strictEqual(warnings.length, 1);
  match(String(warnings[0]), /^Tokens are signed with a random key/);
});
