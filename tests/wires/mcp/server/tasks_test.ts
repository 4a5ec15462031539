/** Promises as tasks: the extension of 2026-07-28, the dialect of 2025-11-25, and callers who know of neither. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite, type Server, ToolError } from "../../../../mod.ts";
import * as v from "../../../../src/entries/schema.ts";
import { mcp, mcpSessions } from "../../../../src/entries/mcp.ts";
import { testClient } from "../../../../src/entries/testing.ts";
import { runtime } from "../../../runtime/runtime.ts";
import {
  callModern,
  initialize,
  type Json,
  legacy,
  modern,
  modernBody,
  modernHeaders,
  post,
  StreamReader,
  TASKS,
  textOf,
} from "./client.ts";
import { Gate, KEYS } from "./fixture.ts";
import { eventually } from "../../../eventually.ts";

const CAPABLE = { capabilities: { extensions: { [TASKS]: {} }, elicitation: {} } };

const skip = runtime === "workerd" && "work that outlasts its request needs a process";

/** A server whose tools wait until they are released. */
function bench(timeoutMs: number = 30_000): { readonly server: Server; readonly gate: Gate } {
  const gate = new Gate();
  const slow = defineTool("slow").describe("Wait").output(v.object({ n: v.number() })).promise({
    budgetMs: 5,
    retries: 0,
  })
    .render(({ n }) => `n is ${n}`)
    .handle(async (_, ctx) => {
      ctx.progress(1, 2, "half way");
      await gate.passed;
      return { n: 7 };
    });
  const failing = defineTool("failing").describe("Fail").promise({ budgetMs: 5, retries: 0 }).errors({ bad: null })
    .handle(async (_, ctx) => {
      await gate.passed;
      throw ctx.fail("bad", "It is bad");
    });
  const breaking = defineTool("breaking").describe("Break").promise({ budgetMs: 5, retries: 0 }).handle(async () => {
    await gate.passed;
    throw new Error("broken");
  });
  const refusing = defineTool("refusing").describe("Refuse").promise({ budgetMs: 5, retries: 0 }).handle(async () => {
    await gate.passed;
    throw new ToolError("invalid_request", "No such thing");
  });
  const diverging = defineTool("diverging").describe("Change").promise({
    budgetMs: 5,
    ttlMs: 20_000,
    retries: { attempts: 2, minMs: 1 },
  }).handle(async (_, ctx) => {
    await gate.passed;
    await ctx.step(`step ${ctx.attempt}`, () => 1);
    throw new Error("broken");
  });
  const asking = defineTool("asking").describe("Ask later").promise({ budgetMs: 5, retries: 0 }).handle(
    async (_, ctx) => {
      await ctx.step("wait", async () => {
        await gate.passed;
        return 1;
      });
      const answers = await ctx.ask({
        one: { message: "One?", schema: v.object({ n: v.number() }) },
        two: { message: "Two?", schema: v.object({ n: v.number() }) },
      });
      const [one, two] = [answers.one, answers.two];
      return one.action === "accept" && two.action === "accept" ? one.content.n + two.content.n : "refused";
    },
  );
  const required = defineTool("required").describe("Only as a task").promise({ budgetMs: 5, required: true })
    .handle(() => gate.passed.then(() => "ok"));
  const quick = defineTool("quick").describe("At once").promise().handle(() => "quick");
  let checks = 0;
  const outside = defineTool("outside").describe("Work elsewhere").external({
    start: () => "job",
    check: (_, ctx) => ++checks < 3 ? ctx.pending({ retryAfterMs: 1 }) : "from outside",
  });
  const tools = [slow, failing, breaking, refusing, diverging, asking, required, quick, outside];
  const wires = [mcp({ sessions: mcpSessions() }), mcpLite()];
  return { server: createServer({ tools, keys: KEYS, wires, timeoutMs, logger: undefined as never }), gate };
}

/** Looks at a task until it is no more in a state. */
async function settled(server: Server, taskId: unknown, from: string = "working"): Promise<Json> {
  let task: Json = {};
  await eventually(async () => {
    const { last } = await modern(server, "tasks/get", { taskId }, CAPABLE);
    task = last.result ?? { error: last.error };
    return task["status"] !== from;
  }, `the task is ${from} no longer`);
  return task;
}

test("a call that takes long becomes a task, whose id is a promise", { skip }, async () => {
  const { server, gate } = bench();
  const { last } = await modern(server, "server/discover");
  deepStrictEqual((last.result?.["capabilities"] as Json)["extensions"], { [TASKS]: {} });
  const task = await callModern(server, "slow", {}, CAPABLE);
  strictEqual(task["resultType"], "task");
  strictEqual(task["status"], "working");
  match(String(task["taskId"]), /^prom_/);
  strictEqual(task["ttlMs"], 3_600_000);
  ok(Date.parse(String(task["createdAt"])) <= Date.parse(String(task["lastUpdatedAt"])));
  const { last: working } = await modern(server, "tasks/get", { taskId: task["taskId"] }, CAPABLE);
  deepStrictEqual([working.result?.["status"], working.result?.["statusMessage"]], ["working", "half way"]);
  deepStrictEqual((working.result?.["_meta"] as Json)["progress"], { done: 1, total: 2, message: "half way" });
  gate.open();
  const done = await settled(server, task["taskId"]);
  strictEqual(done["status"], "completed");
  const result = done["result"] as Json;
  deepStrictEqual([result["content"], result["structuredContent"]], [[{ type: "text", text: "n is 7" }], { n: 7 }]);
  await server.close();
});

test("a caller that requested progress gets it, and then the task", { skip }, async () => {
  const { server, gate } = bench();
  const { messages, last } = await modern(server, "tools/call", { name: "slow" }, {
    ...CAPABLE,
    meta: { progressToken: 1 },
  });
  strictEqual(messages[0]?.params?.["progress"], 1);
  strictEqual(last.result?.["resultType"], "task");
  gate.open();
  await server.close();
});

test("a call that is done in time is no task", async () => {
  const { server } = bench();
  strictEqual(textOf(await callModern(server, "quick", {}, CAPABLE)), "quick");
  await server.close();
});

test("how tasks end: failures are results, refusals and what breaks are errors", { skip }, async () => {
  const { server, gate } = bench();
  const ids = await Promise.all(["failing", "breaking", "refusing", "diverging"].map(async (name) => {
    return (await callModern(server, name, {}, CAPABLE))["taskId"];
  }));
  gate.open();
  const [failing, breaking, refusing, diverging] = await Promise.all(ids.map((id) => settled(server, id)));
  deepStrictEqual([failing?.["status"], (failing?.["result"] as Json)["isError"]], ["completed", true]);
  deepStrictEqual([breaking?.["status"], (breaking?.["error"] as Json)["code"]], ["failed", -32603]);
  deepStrictEqual([refusing?.["status"], (refusing?.["error"] as Json)["code"]], ["failed", -32600]);
  deepStrictEqual([diverging?.["status"], (diverging?.["error"] as Json)["code"]], ["failed", -32603]);
  await server.close();
});

test("a task asks, and takes its answers one by one", { skip }, async () => {
  const { server, gate } = bench();
  const { taskId } = await callModern(server, "asking", {}, CAPABLE);
  gate.open();
  const asks = await settled(server, taskId);
  deepStrictEqual([asks["status"], Object.keys(asks["inputRequests"] as Json)], ["input_required", ["one", "two"]]);
  const update = async (inputResponses: unknown) => {
    return (await modern(server, "tasks/update", { taskId, inputResponses }, CAPABLE)).last;
  };
  strictEqual((await update({ other: { action: "accept" } })).result?.["resultType"], "complete");
  await update({ one: { action: "accept", content: { n: 1 } } });
  const { last } = await modern(server, "tasks/get", { taskId }, CAPABLE);
  deepStrictEqual(Object.keys(last.result?.["inputRequests"] as Json), ["two"]);
  await update({ one: { action: "accept", content: { n: 100 } }, two: { action: "accept", content: { n: 2 } } });
  let done = await settled(server, taskId, "input_required");
  if (done["status"] === "working") done = await settled(server, taskId);
  strictEqual((done["result"] as Json)["structuredContent"], 3);
  strictEqual((await update(5)).error?.code, -32602);
  await server.close();
});

test("a task's questions are shown to clients only that can answer them", { skip }, async () => {
  const { server, gate } = bench();
  const { taskId } = await callModern(server, "asking", {}, CAPABLE);
  gate.open();
  strictEqual((await settled(server, taskId))["status"], "input_required");
  const withoutForms = { extensions: { [TASKS]: {} } };
  const { status, last } = await modern(server, "tasks/get", { taskId }, { capabilities: withoutForms });
  deepStrictEqual([status, last.error?.code, last.error?.data], [400, -32021, {
    requiredCapabilities: { elicitation: { form: {} } },
  }]);
  match(String(last.error?.message), /elicitation \(form\)/);
  const body = modernBody("subscriptions/listen", { notifications: { taskIds: [taskId] } }, withoutForms);
  const reader = new StreamReader(await post(server, body, modernHeaders(body)));
  await reader.nextMessage();
  const { params } = await reader.nextMessage();
  deepStrictEqual([params?.["status"], params?.["inputRequests"]], ["input_required", {}]);
  match(String(params?.["statusMessage"]), /elicitation \(form\)/);
  await reader.cancel();
  await server.close();
});

test("a task is cancelled for good, and cancelling what is over changes nothing", { skip }, async () => {
  const { server, gate } = bench();
  const { taskId } = await callModern(server, "slow", {}, CAPABLE);
  for (let time = 0; time < 2; time++) {
    const { last } = await modern(server, "tasks/cancel", { taskId }, CAPABLE);
    const { _meta, ...rest } = last.result ?? {};
    deepStrictEqual(rest, { resultType: "complete" });
  }
  strictEqual((await settled(server, taskId))["status"], "cancelled");
  gate.open();
  await server.close();
});

test("unknown tasks, and callers without the extension, are refused", async () => {
  const { server } = bench();
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const params = { taskId: "none", inputResponses: {} };
    strictEqual((await modern(server, method, params, CAPABLE)).last.error?.code, -32602, method);
    const { status, last } = await modern(server, method, params);
    deepStrictEqual([status, last.error?.code], [400, -32021], method);
  }
  const { status, last } = await modern(server, "tools/call", { name: "required" });
  deepStrictEqual([status, last.error?.data], [400, { requiredCapabilities: { extensions: { [TASKS]: {} } } }]);
  strictEqual((await modern(server, "tasks/list", {}, CAPABLE)).status, 404);
  await server.close();
});

test("who knows of no tasks waits, and then gets the token in words", { skip }, async () => {
  const { server, gate } = bench(200);
  const result = await callModern(server, "slow");
  const { "toolwire/response-type": type, "toolwire/promise": promised } = result["_meta"] as Json;
  strictEqual(type, "promise");
  const meta = promised as Json;
  const [{ text }] = result["content"] as [Json];
  match(String(text), /Call the tool "redeem"/);
  ok(String(text).includes(String(meta["promise_token"])));
  gate.open();
  const redeemed = await callModern(server, "redeem", { promise: meta["promise_token"], wait_ms: 100 });
  deepStrictEqual([redeemed["content"], redeemed["structuredContent"]], [[{ type: "text", text: "n is 7" }], { n: 7 }]);
  await server.close();
});

test("work that continues in another process is waited for, too", async () => {
  const { server } = bench();
  strictEqual(textOf(await callModern(server, "outside")), "from outside");
  const { result } = await initialize(server);
  ok(result);
  await server.close();
});

test(
  "a task that was begun over MCP is redeemed by another wire, on another server with the same keys",
  { skip },
  async () => {
    const { server, gate } = bench();
    const { taskId } = await callModern(server, "slow", {}, CAPABLE);
    gate.open();
    const client = testClient(server);
    deepStrictEqual(await client.$.redeem(String(taskId)).result(), { n: 7 });
    await server.close();
  },
);

test("changes of tasks are sent on streams that listen for them", { skip }, async () => {
  const { server, gate } = bench();
  const { taskId } = await callModern(server, "slow", {}, CAPABLE);
  const refused = await modern(server, "subscriptions/listen", { notifications: { taskIds: [taskId] } });
  deepStrictEqual([refused.status, refused.last.error?.code], [400, -32021]);
  const body = modernBody("subscriptions/listen", { notifications: { taskIds: [taskId] } }, CAPABLE.capabilities);
  const reader = new StreamReader(await post(server, body, modernHeaders(body)));
  deepStrictEqual((await reader.nextMessage()).params?.["notifications"], { taskIds: [taskId] });
  const first = await reader.nextMessage();
  deepStrictEqual([first.method, first.params?.["status"]], ["notifications/tasks", "working"]);
  gate.open();
  const second = await reader.nextMessage();
  deepStrictEqual([second.params?.["taskId"], second.params?.["status"]], [taskId, "completed"]);
  await reader.cancel();
  await server.close();
});

test("2025-11-25: a call that asks to be a task is one, and its result is fetched", { skip }, async () => {
  const { server, gate } = bench();
  const { session, result } = await initialize(server);
  deepStrictEqual((result["capabilities"] as Json)["tasks"], { cancel: {}, requests: { tools: { call: {} } } });
  const { last: listed } = await legacy(server, "tools/list", {}, { session });
  const support = (listed.result?.["tools"] as Json[]).map((
    { name, execution },
  ) => [name, (execution as Json | undefined)?.["taskSupport"]]);
  deepStrictEqual(Object.fromEntries(support)["required"], "required");
  deepStrictEqual(Object.fromEntries(support)["slow"], "optional");
  const { last } = await legacy(server, "tools/call", { name: "slow", task: { ttl: 1_000 } }, { session });
  const task = last.result?.["task"] as Json;
  deepStrictEqual(Object.keys(task).slice(0, 2), ["taskId", "status"]);
  ok("ttl" in task && "pollInterval" in task && !("ttlMs" in task));
  const { taskId } = task;
  strictEqual((await legacy(server, "tasks/get", { taskId }, { session })).last.result?.["status"], "working");
  gate.open();
  const { last: fetched } = await legacy(server, "tasks/result", { taskId }, { session });
  deepStrictEqual(fetched.result?.["structuredContent"], { n: 7 });
  deepStrictEqual((fetched.result?.["_meta"] as Json)["io.modelcontextprotocol/related-task"], { taskId });
  strictEqual((await legacy(server, "tasks/cancel", { taskId }, { session })).last.error?.code, -32602);
  strictEqual((await legacy(server, "tasks/list", {}, { session })).last.error?.code, -32601);
  for (const params of [{ name: "required" }, { name: "redeem", arguments: { promise: "x" }, task: {} }]) {
    strictEqual((await legacy(server, "tools/call", params, { session })).last.error?.code, -32601);
  }
  await server.close();
});

/** The stream of news of a session. */
async function newsOf(server: Server, session: string | undefined): Promise<StreamReader> {
  const headers = {
    accept: "text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    "mcp-session-id": String(session),
  };
  return new StreamReader(await server.fetch(new Request("http://localhost/mcp", { headers })));
}

test("2025-11-25: the status of a task is sent to the session that began it, and to no other", { skip }, async () => {
  const { server, gate } = bench();
  const { session } = await initialize(server, "2025-11-25", { elicitation: {} });
  const stranger = await initialize(server);
  const news = await newsOf(server, session);
  const others = await newsOf(server, stranger.session);
  const begin = async (name: string) => {
    const { last } = await legacy(server, "tools/call", { name, task: {} }, { session });
    return (last.result?.["task"] as Json)["taskId"];
  };
  const slow = await begin("slow");
  gate.open();
  const { method, params } = await news.nextMessage();
  deepStrictEqual([method, params?.["taskId"], params?.["status"]], ["notifications/tasks/status", slow, "completed"]);
  ok("ttl" in (params ?? {}) && "createdAt" in (params ?? {}) && !("_meta" in (params ?? {})));
  const asking = await begin("asking");
  const asked = await news.nextMessage();
  deepStrictEqual([asked.params?.["taskId"], asked.params?.["status"]], [asking, "input_required"]);
  server.notify.listChanged("tools");
  strictEqual((await others.nextMessage()).method, "notifications/tools/list_changed");
  await Promise.all([news.cancel(), others.cancel()]);
  await server.close();
});

test("older revisions, and callers without a session, are not told of tasks", { skip }, async () => {
  const { server, gate } = bench();
  const { session } = await initialize(server, "2025-06-18");
  const news = await newsOf(server, session);
  gate.open();
  const { last } = await legacy(server, "tools/call", { name: "slow", task: {} }, { session, version: "2025-06-18" });
  strictEqual(last.result?.["task"], undefined);
  server.notify.listChanged("tools");
  strictEqual((await news.nextMessage()).method, "notifications/tools/list_changed");
  await news.cancel();
  await server.close();
});

test("tasks/* needs no Mcp-Name, since some clients leave it out; one that differs is refused", { skip }, async () => {
  const { server, gate } = bench();
  const { taskId } = await callModern(server, "slow", {}, CAPABLE) as { readonly taskId: string };
  for (const [method, params] of Object.entries({ "tasks/get": {}, "tasks/update": { inputResponses: {} } })) {
    const send = (name: string | undefined) =>
      modern(server, method, { taskId, ...params }, { ...CAPABLE, headers: { "mcp-name": name } });
    const reply = await send(undefined);
    deepStrictEqual([reply.status, reply.last.error], [200, undefined], method);
    for (const other of ["", "prom_other", `${taskId}x`]) {
      const refused = await send(other);
      deepStrictEqual([refused.status, refused.last.error?.code], [400, -32020], `${method} ${other}`);
    }
  }
  // The other methods keep the rule.
  const called = await modern(server, "tools/call", { name: "quick" }, { headers: { "mcp-name": undefined } });
  deepStrictEqual([called.status, called.last.error?.code], [400, -32020]);
  const cancel = { ...CAPABLE, headers: { "mcp-name": undefined } };
  strictEqual((await modern(server, "tasks/cancel", { taskId }, cancel)).last.error, undefined);
  gate.open();
});
