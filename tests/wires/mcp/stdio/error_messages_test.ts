/** Notifications to a client over two pipes that belong to none of its requests. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../../mod.ts";
import { mcpDuplex } from "../../../../src/wires/mcp/server/duplex.ts";
import { serveLines } from "../../../../src/wires/mcp/stdio/server/serve_lines.ts";
import { runtime } from "../../../runtime/runtime.ts";
import type { Json, Message } from "../server/client.ts";
import { Gate } from "../server/fixture.ts";
import { Pipe } from "./in_process.ts";

const skip = runtime === "workerd" && "work that outlasts its request needs a process";

test("2025-11-25: how a task is, and that a page is done", { skip }, async () => {
  const gate = new Gate();
  const slow = defineTool("slow").describe("Wait").promise({ budgetMs: 5, retries: 0 }).handle(async () => {
    await gate.passed;
    return "done";
  });
  const page = defineTool("page").describe("Send to a page").handle(async (_, ctx) => {
    return (await ctx.elicitUrl("login", { message: "Log in", url: "https://example.com/login" })).action;
  });
  const server = createServer({ tools: [slow, page] });
  const [input, output] = [new Pipe(), new Pipe()];
  const served = serveLines(mcpDuplex(), server["~server"].host, {
    input,
    write: (line) => output.put(line),
    graceMs: 0,
  });
  const lines = output[Symbol.asyncIterator]();
  const next = async (): Promise<Message> => {
    return JSON.parse(new TextDecoder().decode((await lines.next()).value ?? undefined));
  };
  const send = (message: Json) => input.put(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: { url: {} } } };
  send({ id: 0, method: "initialize", params });
  await next();
  send({ id: 1, method: "tools/call", params: { name: "slow", task: {} } });
  const { taskId } = (await next()).result?.["task"] as Json;
  gate.open();
  const reported = await next();
  deepStrictEqual([reported.method, reported.params?.["taskId"], reported.params?.["status"]], [
    "notifications/tasks/status",
    taskId,
    "completed",
  ]);
  send({ id: 2, method: "tools/call", params: { name: "page" } });
  const question = await next();
  send({ id: question.id, result: { action: "accept" } });
  const { elicitationId } = question.params ?? {};
  deepStrictEqual(await next(), {
    jsonrpc: "2.0",
    method: "notifications/elicitation/complete",
    params: { elicitationId },
  } as unknown as Message);
  strictEqual((await next()).id, 2);
  input.end();
  await served;
  await server.close();
});
