/** The official SDK's client of the old transport, against our server over a socket. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import {
  CreateMessageRequestSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  TaskStatusNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createServer, defineTool, type Server } from "../../../../mod.ts";
import { serve } from "../../../../src/entries/serve.ts";
import { mcp, mcpSessions } from "../../../../src/entries/mcp.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { createFixture, Gate, KEYS } from "./fixture.ts";

const skip = runtime === "workerd" && "workerd opens no sockets";

const wire = mcp({ sessions: mcpSessions(), ssePath: "/sse", logging: true });

/** A client of a server that listens, and what ends both. */
async function connect(server: Server) {
  const listening = await serve(server, { port: 0, graceMs: 0 });
  const client = new Client({ name: "official", version: "1" }, {
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
  });
  const answers = [{ name: "Ada" }, { color: "red" }, { granted: true }];
  client.setRequestHandler(ElicitRequestSchema, ({ params: { mode } }) => {
    return mode === "url" ? { action: "accept" } : { action: "accept", content: answers.shift() ?? {} };
  });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: "assistant",
    model: "a model",
    content: { type: "text", text: "Hi" },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///a" }] }));
  const transport = new SSEClientTransport(new URL(`${listening.url}/sse`));
  await client.connect(transport as unknown as Parameters<Client["connect"]>[0]);
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await listening.close();
    },
  };
}

const textOf = (result: unknown) => (result as { content: readonly { text?: string }[] }).content[0]?.text;

test("SSEClientTransport: tools, resources, prompts, completion", { skip }, async () => {
  await using connected = await connect(createFixture({}, { wires: [wire] }));
  const { client } = connected;
  const { tools } = await client.listTools();
  ok(tools.some(({ name }) => name === "add"));
  deepStrictEqual((await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).structuredContent, { result: 3 });
  const failed = await client.callTool({ name: "locked" });
  deepStrictEqual([failed.isError, textOf(failed)], [true, "The record is locked"]);
  await rejects(client.callTool({ name: "nope" }), { code: -32602, message: /Tool not found: nope/ });
  const { contents } = await client.readResource({ uri: "books://1" });
  deepStrictEqual(contents, [{ uri: "books://1", mimeType: "text/plain", text: "Moby Dick" }]);
  strictEqual((await client.listResourceTemplates()).resourceTemplates.length, 1);
  const prompt = await client.getPrompt({ name: "review", arguments: { code: "x" } });
  deepStrictEqual(prompt.messages[0]?.content, { type: "text", text: "Review x" });
  const ref = { type: "ref/resource" as const, uri: "books://{id}" };
  deepStrictEqual((await client.complete({ ref, argument: { name: "id", value: "1" } })).completion.values, [
    "1",
    "12",
  ]);
});

test("SSEClientTransport: progress, log lines and news", { skip }, async () => {
  // The SDK removes its progress listener with the response, and then drops progress that arrived earlier.
  const seen = [new Gate(), new Gate()];
  const paced = defineTool("paced").describe("Tell progress, and wait for it to be heard").handle(async (_, ctx) => {
    for (const [done, { passed }] of seen.entries()) {
      ctx.progress(done, 2, `step ${done}`);
      await passed;
    }
    ctx.log("warn", "slow", { ms: 5 });
    return "stepped";
  });
  const server = createFixture({}, { wires: [wire], tools: [paced] as never });
  await using connected = await connect(server);
  const { client } = connected;
  const lines: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { data } }) => void lines.push(data));
  await client.setLoggingLevel("warning");
  const onprogress = ({ progress }: { progress: number }) => seen[progress]?.open();
  strictEqual(textOf(await client.callTool({ name: "paced" }, undefined, { onprogress })), "stepped");
  deepStrictEqual(lines, [{ message: "slow", ms: 5 }]);
  const changed = new Gate();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.open());
  server.notify.listChanged("tools");
  await changed.passed;
  const updated = Promise.withResolvers<string>();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params: { uri } }) => updated.resolve(uri));
  await client.subscribeResource({ uri: "docs://readme" });
  server.notify.resourceUpdated("docs://readme");
  strictEqual(await updated.promise, "docs://readme");
});

test("SSEClientTransport: questions to people, to a model, for folders", { skip }, async () => {
  await using connected = await connect(createFixture({}, { wires: [wire] }));
  const { client } = connected;
  strictEqual(textOf(await client.callTool({ name: "conversation" })), "Ada likes red");
  strictEqual(textOf(await client.callTool({ name: "sampling" })), "a model said something");
  match(String(textOf(await client.callTool({ name: "rooted" }))), /file:\/\/\/a/);
});

test("SSEClientTransport: pages that are done, and tasks", { skip }, async () => {
  const gate = new Gate();
  const slow = defineTool("slow").describe("Wait").promise({ budgetMs: 5, retries: 0 }).handle(async () => {
    await gate.passed;
    return "done";
  });
  const login = defineTool("login").describe("Send to a page").handle(async (_, ctx) => {
    return (await ctx.elicitUrl("login", { message: "Log in", url: "https://example.com/login" })).action;
  });
  await using connected = await connect(createServer({ tools: [slow, login], keys: KEYS, wires: [wire] }));
  const { client } = connected;
  const complete = Promise.withResolvers<string>();
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
    complete.resolve(params.elicitationId);
  });
  strictEqual(textOf(await client.callTool({ name: "login" })), "accept");
  match(await complete.promise, /^[\w-]{36}$/);
  const reported = Promise.withResolvers<unknown>();
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => reported.resolve(params));
  const stream = client.experimental.tasks.callToolStream({ name: "slow" }, undefined, { task: {} });
  let taskId: string | undefined;
  for await (const message of stream) {
    if (message.type === "taskCreated") taskId = message.task.taskId;
    gate.open();
    if (message.type === "result") strictEqual(textOf(message.result), "done");
  }
  const { taskId: id, status } = await reported.promise as { taskId: string; status: string };
  deepStrictEqual([id, status], [taskId, "completed"]);
});

test("SSEClientTransport: what its caller cancels is aborted, and so is what it leaves", { skip }, async () => {
  const begun = [new Gate(), new Gate()];
  const aborted = [new Gate(), new Gate()];
  let runs = 0;
  const wait = defineTool("wait").describe("Wait").handle(async (_, ctx) => {
    const run = runs++;
    begun[run]?.open();
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
    aborted[run]?.open();
  });
  await using connected = await connect(createServer({ tools: [wait], keys: KEYS, wires: [wire] }));
  const { client } = connected;
  const controller = new AbortController();
  const cancelled = client.callTool({ name: "wait" }, undefined, { signal: controller.signal });
  await begun[0]?.passed;
  controller.abort("enough");
  await rejects(cancelled, /enough/);
  await aborted[0]?.passed;
  const left = client.callTool({ name: "wait" });
  await begun[1]?.passed;
  await client.close();
  await rejects(left);
  await aborted[1]?.passed;
});
