/** Tasks as promises, in the extension's words and in those of 2025-11-25. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Client, createClient } from "../../../../mod.ts";
import { DISCOVERED, events, INITIALIZED, legacy, modern, OpenStream, RpcFailure, text, TOOL } from "./scripted.ts";
import { eventually } from "../../../eventually.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const task = (status: string, more: object = {}) => ({
  resultType: "complete",
  taskId: "task 1",
  status,
  createdAt: "2026-07-28T00:00:00Z",
  lastUpdatedAt: "2026-07-28T00:00:00Z",
  ttlMs: 60_000,
  pollIntervalMs: 5,
  ...more,
});

/** A server whose one task goes through these states, each time it is asked. */
function server(states: readonly object[], answers: Parameters<typeof modern>[0] = {}) {
  const queue = [...states];
  return modern({
    "server/discover": () => ({ ...DISCOVERED, capabilities: { tools: {}, extensions: { [TASKS]: {} } } }),
    "tools/call": () => ({ ...task("working", { statusMessage: "begun" }), resultType: "task" }),
    "tasks/get": () => (queue.length > 1 ? queue.shift() : queue[0]),
    "tasks/update": () => ({ resultType: "complete" }),
    "tasks/cancel": () => ({ resultType: "complete" }),
    ...answers,
  });
}

test("a task is a promise, which is kept by asking for it", async () => {
  const scripted = server([task("working"), task("completed", { result: { ...text("3"), structuredContent: 3 } })]);
  const client = scripted.client();
  const outcome = await client.$.outcome("t");
  deepStrictEqual(outcome, {
    kind: "promise",
    token: "task 1",
    ttlMs: 60_000,
    expiresAtMs: Date.parse("2026-07-28T00:01:00Z"),
    retryAfterMs: 5,
    progress: { done: 0, message: "begun" },
  });
  strictEqual(await client.$.call("t"), 3);
  deepStrictEqual(scripted.by("tasks/get").map(({ params, headers }) => [params["taskId"], headers.get("mcp-name")]), [
    ["task 1", "task 1"],
    ["task 1", "task 1"],
  ]);
  // In another process, by its token.
  strictEqual(await scripted.client().$.redeem("task 1").result(), 3);
});

for (
  const [name, state, rejection] of [
    ["an error of the tool", task("completed", { result: { ...text("no"), isError: true } }), {
      name: "Failure",
      message: "no",
    }],
    ["an error of the protocol", task("failed", { error: { code: -32603, message: "broke" } }), { code: "internal" }],
    ["its end", task("cancelled"), { name: "Failure", code: "cancelled" }],
  ] as const
) {
  test(`a task comes to ${name}`, async () => {
    await rejects(server([state]).client().$.call("t"), rejection);
  });
}

test("a task that never ends is not for ever", async () => {
  const endless = server([task("working", { ttlMs: null })]);
  const status = await endless.client().$.redeem("task 1").status();
  ok(status.kind === "promise" && status.ttlMs === Infinity);
  await rejects(endless.client().$.redeem("task 1").result({ timeoutMs: 100 }), { code: "deadline_exceeded" });
});

test("a task that asks is answered, by its own token", async () => {
  const params = { message: "Well?", requestedSchema: { type: "object", properties: {} } };
  const inputRequests = { name: { method: "elicitation/create", params } };
  const scripted = server([
    task("input_required", { inputRequests }),
    task("completed", { result: { ...text("Ada"), structuredContent: "Ada" } }),
  ]);
  const transport = scripted.transport();
  const client = createClient(transport, { onElicitation: ({ key }) => ({ action: "accept", content: { key } }) });
  strictEqual(await client.$.call("t"), "Ada");
  deepStrictEqual(scripted.by("tasks/update")[0]?.params["inputResponses"], {
    name: { action: "accept", content: { key: "name" } },
  });
  const asking = server([task("input_required", { inputRequests })]);
  const outcome = await asking.client().$.redeem("task 1").status();
  ok(outcome.kind === "elicitation" && outcome.continuation === "task 1");
});

test("a task that asks for a model is answered by the handler", async () => {
  const inputRequests = { model: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } } };
  const scripted = server([task("input_required", { inputRequests }), task("completed", { result: text("done") })]);
  const transport = scripted.transport();
  transport.onSampling(() => ({ role: "assistant", content: { type: "text", text: "hm" }, model: "m" }));
  deepStrictEqual(await createClient(transport).$.call("t"), "done");
  strictEqual(scripted.by("tasks/update").length, 1);
});

test("cancel of a task reports whether that ended the task", async () => {
  strictEqual(await server([task("working")]).client().$.redeem("task 1").cancel(), true);
  strictEqual(await server([task("cancelled")]).client().$.redeem("task 1").cancel(), true);
  strictEqual(await server([task("completed", { result: text("") })]).client().$.redeem("task 1").cancel(), false);
  const unknown = server([], {
    "tasks/cancel": () => new RpcFailure(-32602),
    "tasks/get": () => new RpcFailure(-32602),
  });
  await rejects(unknown.client().$.redeem("x").cancel(), { code: "invalid_input" });
});

test("a server's own tool `redeem` is a tool", async () => {
  const scripted = server([], {
    "tools/list": () => ({ tools: [TOOL, { ...TOOL, name: "redeem" }] }),
    "tools/call": () => ({ ...text(""), structuredContent: "from the tool" }),
  });
  strictEqual(await scripted.client().$.redeem("task 1").result(), "from the tool");
  strictEqual(scripted.by("tasks/get").length, 0);
});

test("a promise of our servers in words is a promise", async () => {
  const _meta = {
    "toolwire/promise": {
      promise_token: "prom_x",
      expires_at: "2026-07-28T00:00:00.000Z",
      ttl_ms: 1_000,
      retry_after_ms: 7,
    },
  };
  const outcome = await modern({ "tools/call": () => ({ ...text("Later"), _meta }) }).client().$.outcome("t");
  ok(outcome.kind === "promise" && outcome.token === "prom_x" && outcome.retryAfterMs === 7);
});

const OLD = { ...INITIALIZED, capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } } };
const oldTask = (status: string) => ({
  taskId: "old",
  status,
  ttl: 60_000,
  pollInterval: 5,
  createdAt: "2026-01-01T00:00:00Z",
});

/** A server of 2025-11-25 whose tools have this support of tasks. */
function oldServer(taskSupport: string, states: readonly string[], answers: Parameters<typeof legacy>[0] = {}) {
  const queue = [...states];
  return legacy({
    initialize: () => OLD,
    "tools/list": () => ({ tools: [{ ...TOOL, execution: { taskSupport } }] }),
    "tools/call": ({ params }) => ("task" in params ? { task: oldTask("working") } : text("at once")),
    "tasks/get": () => oldTask((queue.length > 1 ? queue.shift() : queue[0]) ?? ""),
    "tasks/result": () => ({ ...text("done"), _meta: { "io.modelcontextprotocol/related-task": { taskId: "old" } } }),
    "tasks/cancel": () => oldTask("cancelled"),
    ...answers,
  });
}

test("2025-11-25: what has to be a task is one, and what may be is one if that is wanted", async () => {
  const required = oldServer("required", ["working", "completed"]);
  deepStrictEqual(await required.client().$.call("t"), "done");
  strictEqual(required.by("tasks/result").length, 1);
  const optional = oldServer("optional", ["completed"]);
  deepStrictEqual(await optional.client().$.call("t"), "at once");
  const work = await optional.client().$.start("t");
  strictEqual(work.token, "old");
  deepStrictEqual(await work.result(), "done");
  strictEqual(await work.cancel(), true);
  const never = oldServer("forbidden", []);
  await rejects(never.client().$.start("t"), { code: "invalid_request" });
});

test("2025-11-25: a task asks while its result is waited for", async () => {
  const stream = new OpenStream();
  const scripted = oldServer("required", ["input_required"], { "tasks/result": () => stream.response });
  const client: Client<never> = createClient(scripted.transport(), {
    onElicitation: () => ({ action: "accept", content: { a: 1 } }),
  });
  const call = client.$.call("t");
  await eventually(() => scripted.by("tasks/result").length === 1);
  stream.send({ id: "q", method: "elicitation/create", params: { message: "Well?", requestedSchema: {} } });
  await eventually(() => scripted.asked.some(({ result }) => result !== undefined));
  stream.send({ id: scripted.by("tasks/result")[0]?.id, result: text("done") });
  deepStrictEqual(await call, "done");
});

test("2025-11-25: a task that is over cannot be cancelled", async () => {
  const scripted = oldServer("required", ["completed"], { "tasks/cancel": () => new RpcFailure(-32602) });
  strictEqual(await scripted.client().$.redeem("old").cancel(), false);
  const broken = oldServer("required", ["failed"], {
    "tasks/result": ({ id }) => events({ jsonrpc: "2.0", id, error: { code: -32603, message: "broke" } }),
  });
  await rejects(broken.client().$.call("t"), { code: "internal" });
});
