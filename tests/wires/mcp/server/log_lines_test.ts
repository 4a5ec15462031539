/** `ctx.log` over MCP: the data and the name of the logger arrive as the handler gives them. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Logger } from "../../../../mod.ts";
import { definePrompt, defineResource, mcp } from "../../../../src/entries/mcp.ts";
import { legacy, modern } from "./client.ts";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

const log = defineTool("log").describe("Log").handle((_, ctx) => {
  ctx.log("info", "plain");
  ctx.log("info", "with fields", { ms: 5 });
  ctx.log("warning", "of the database", { logger: "db" });
  ctx.log("warn", "of the database", { logger: "db", ms: 5 });
  ctx.log("info", { job: 7, message: "data of its own" }, { logger: "jobs" });
  ctx.log("info", ["a", 1]);
  ctx.log("error", "the first message is kept", { message: "a field" });
  ctx.log("info", "a logger that is not a name", { logger: 5 });
});

const SENT = [
  { level: "info", logger: "log", data: "plain" },
  { level: "info", logger: "log", data: { message: "with fields", ms: 5 } },
  { level: "warning", logger: "db", data: "of the database" },
  { level: "warning", logger: "db", data: { message: "of the database", ms: 5 } },
  { level: "info", logger: "jobs", data: { job: 7, message: "data of its own" } },
  { level: "info", logger: "log", data: ["a", 1] },
  { level: "error", logger: "log", data: { message: "the first message is kept" } },
  { level: "info", logger: "log", data: { message: "a logger that is not a name", logger: 5 } },
];

function createLogging(logging: true | "unnamed" = true) {
  const lines: unknown[] = [];
  const write = (message: string, { callId: _, ...fields }: Readonly<Record<string, unknown>> = {}) =>
    void lines.push([message, fields]);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  return { server: createServer({ tools: [log], wires: [mcp({ logging })], logger }), lines };
}

test("2026-07-28: log lines have the data and the logger of the handler", async () => {
  const { messages } = await modern(createLogging().server, "tools/call", { name: "log" }, {
    meta: { [LOG_LEVEL]: "debug" },
  });
  deepStrictEqual(messages.flatMap(({ method, params }) => method === "notifications/message" ? [params] : []), SENT);
});

test("2025-11-25: log lines have the data and the logger of the handler", async () => {
  const { messages } = await legacy(createLogging().server, "tools/call", { name: "log" });
  deepStrictEqual(messages.flatMap(({ method, params }) => method === "notifications/message" ? [params] : []), SENT);
});

test("with unnamed, lines for which the handler names no logger have none", async () => {
  const { server } = createLogging("unnamed");
  const meta = { [LOG_LEVEL]: "debug" };
  const unnamed = SENT.map(({ logger, ...line }) => logger === "log" ? line : { logger, ...line });
  for (
    const { messages } of [
      await modern(server, "tools/call", { name: "log" }, { meta }),
      await legacy(server, "tools/call", { name: "log" }),
    ]
  ) {
    const lines = messages.flatMap(({ method, params }) => method === "notifications/message" ? [params] : []);
    deepStrictEqual(lines, unnamed);
  }
  await server.close();
});

test("with unnamed, lines of resources have no logger", async () => {
  const note = defineResource("notes://a").read((_, ctx) => {
    ctx.log("info", "read");
    return "text";
  });
  const wires = [mcp({ logging: "unnamed" })];
  const server = createServer({ tools: [], resources: [note], wires, logger: false });
  const params = { uri: "notes://a" };
  const meta = { [LOG_LEVEL]: "info" };
  for (
    const { messages } of [
      await modern(server, "resources/read", params, { meta }),
      await legacy(server, "resources/read", params),
    ]
  ) deepStrictEqual(messages[0]?.params, { level: "info", data: "read" });
  await server.close();
});

test("the logger of the server gets the same lines, with the tool", async () => {
  const { server, lines } = createLogging();
  await modern(server, "tools/call", { name: "log" });
  const tool = "log";
  deepStrictEqual(lines, [
    ["plain", { tool }],
    ["with fields", { tool, ms: 5 }],
    ["of the database", { tool, logger: "db" }],
    ["of the database", { tool, logger: "db", ms: 5 }],
    ["data of its own", { tool, logger: "jobs", job: 7, message: "data of its own" }],
    ["Data of log", { tool, data: ["a", 1] }],
    ["the first message is kept", { tool, message: "a field" }],
    ["a logger that is not a name", { tool, logger: 5 }],
  ]);
});

test("log lines of prompts and resources reach their caller, as those of tools do", async () => {
  const note = defineResource("notes://a").read((_, ctx) => {
    ctx.log("info", "read");
    return "text";
  });
  const ask = definePrompt("ask").describe("Ask").handle((_, ctx) => {
    ctx.log("warn", "asked", { logger: "prompts" });
    return "text";
  });
  const server = createServer({
    tools: [],
    resources: [note],
    prompts: [ask],
    wires: [mcp({ logging: true })],
    logger: false,
  });
  const requests = [["resources/read", { uri: "notes://a" }], ["prompts/get", { name: "ask" }]] as const;
  const sent = [
    { level: "info", logger: "resources/read", data: "read" },
    { level: "warning", logger: "prompts", data: "asked" },
  ];
  for (const [at, [method, params]] of requests.entries()) {
    const meta = { [LOG_LEVEL]: "info" };
    for (const { messages } of [await modern(server, method, params, { meta }), await legacy(server, method, params)]) {
      deepStrictEqual(messages.map((message) => message.method && message.params), [sent[at], undefined]);
    }
  }
  await server.close();
});
