/** Odd cases of the eras with a handshake. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../../../mod.ts";
import { events, INITIALIZED, legacy, OpenStream, RpcFailure, text, TOOL } from "./scripted.ts";
import { eventually } from "../../../eventually.ts";

const done = "done";
const SESSION = { "mcp-session-id": "s-1" };

const greet = ({ id }: { readonly id: number | undefined }) =>
  Response.json({ jsonrpc: "2.0", id, result: INITIALIZED }, { headers: SESSION });

test("everything belongs to the session that the greeting gave", async () => {
  const server = legacy({
    initialize: greet,
    "tools/call": () => text("done"),
    GET: () => new Response(null, { status: 405 }),
  });
  const client = server.client();
  deepStrictEqual(await client.$.call("t"), done);
  client.$.close();
  await eventually(() => server.by("DELETE").length === 1);
  for (const { method, headers } of server.asked) {
    const isBefore = method === "server/discover" || method === "initialize";
    strictEqual(headers.get("mcp-session-id"), isBefore ? null : "s-1", method);
    if (!isBefore) strictEqual(headers.get("mcp-protocol-version"), "2025-11-25", method);
    strictEqual(headers.has("mcp-method"), method === "server/discover", method);
  }
});

test("questions while a call runs are its outcome, and the call continues with the answer", async () => {
  const stream = new OpenStream();
  const question = (id: string) => ({
    id,
    method: "elicitation/create",
    params: {
      message: "Well?",
      requestedSchema: { type: "object", properties: { n: { type: "integer", default: 3 } } },
    },
  });
  const server = legacy({
    initialize: greet,
    "tools/call": () => {
      stream.send(question("q0"));
      return stream.response;
    },
  });
  const client = createClient(server.transport());
  const answers = () => server.asked.filter(({ result }) => result !== undefined);
  const first = await client.$.outcome("t", { a: 1 });
  ok(first.kind === "elicitation");
  const [key = ""] = Object.keys(first.requests);
  const meta = (responses: object) => ({ meta: { continuation: first.continuation, responses } });
  // An invalid answer leaves the question open, and the question is repeated with the reason.
  const again = await client.$.outcome("t", { a: 1 }, meta({ [key]: 7, other: { action: "accept" } }));
  const params = {
    refused: 'the answer to "question_1" is refused: An answer is { action: accept, decline or cancel, content }',
  };
  deepStrictEqual(again, { ...first, requests: { [key]: { ...first.requests[key], params } } });
  strictEqual(answers().length, 0);
  await rejects(client.$.call("t", { a: 2 }, meta({})), { code: "invalid_continuation" });
  const second = client.$.outcome("t", { a: 1 }, meta({ [key]: { action: "accept" } }));
  await eventually(() => answers().length === 1);
  deepStrictEqual(answers()[0]?.result, { action: "accept", content: { n: 3 } });
  stream.send(question("q1"));
  const next = await second;
  ok(next.kind === "elicitation" && next.continuation === first.continuation);
  const [nextKey = ""] = Object.keys(next.requests);
  const last = client.$.call("t", { a: 1 }, meta({ [nextKey]: { action: "decline" } }));
  await eventually(() => answers().length === 2);
  stream.send({ id: server.by("tools/call")[0]?.id, result: text("done") });
  deepStrictEqual(await last, done);
  deepStrictEqual(answers()[1]?.result, { action: "decline" });
  await rejects(client.$.call("t", { a: 1 }, meta({})), { code: "invalid_continuation" });
  client.$.close();
});

test("a question that the server takes back is not answered any more", async () => {
  const stream = new OpenStream();
  const server = legacy({
    "tools/call": () => {
      stream.send({ id: 1, method: "elicitation/create", params: { message: "Well?", requestedSchema: {} } });
      return stream.response;
    },
  });
  const transport = server.transport();
  const client = createClient(transport);
  const outcome = await client.$.outcome("t");
  ok(outcome.kind === "elicitation");
  const logged = new Promise((resolve) => transport.logging.onMessage(resolve));
  stream.send({ method: "notifications/cancelled", params: { requestId: 1 } });
  stream.send({ method: "notifications/message", params: { level: "info", data: "after it" } });
  await logged;
  stream.send({ id: server.by("tools/call")[0]?.id, result: text("done") });
  const [key = ""] = Object.keys(outcome.requests);
  const meta = { continuation: outcome.continuation, responses: { [key]: { action: "accept" } } };
  deepStrictEqual(await client.$.call("t", undefined, { meta }), done);
  strictEqual(server.asked.filter(({ result }) => result !== undefined).length, 0);
});

test("what the server asks is answered by who can, and refused otherwise", async () => {
  const own = new OpenStream();
  const server = legacy({ initialize: greet, GET: () => own.response });
  const transport = server.transport();
  transport.onRoots(() => [{ uri: "file:///a" }]);
  await transport.server();
  const asked = [
    { id: 0, method: "ping" },
    { id: "r", method: "roots/list" },
    { id: "s", method: "sampling/createMessage", params: {} },
    { id: "u", method: "unknown/method" },
    { id: "e", method: "elicitation/create", params: {} },
  ];
  for (const one of asked) own.send(one);
  const bodies = () =>
    server.asked.filter(({ verb, method, id }) => verb === "POST" && method === "POST" && id !== undefined);
  await eventually(() => bodies().length === 5);
  deepStrictEqual(
    new Map(bodies().map(({ id, result }) => [id as unknown, result])),
    new Map<unknown, unknown>([
      [0, {}],
      ["r", { roots: [{ uri: "file:///a" }] }],
      ["s", undefined],
      ["u", undefined],
      ["e", { action: "cancel" }],
    ]),
  );
  transport.close();
  await eventually(() => own.isCancelled);
});

test("a call that is aborted is cancelled at the server by a notification", async () => {
  const stream = new OpenStream();
  const server = legacy({ "tools/call": () => stream.response });
  const client = server.client();
  const controller = new AbortController();
  const left = rejects(client.$.call("t", {}, { signal: controller.signal }), { name: "AbortError" });
  await eventually(() => server.by("tools/call").length === 1);
  controller.abort();
  await left;
  await eventually(() => server.by("notifications/cancelled").length === 1);
  const [cancelled] = server.by("notifications/cancelled");
  strictEqual(cancelled?.params["requestId"], server.by("tools/call")[0]?.id);
});

test("a stream that broke off resumes at its last event, after the delay that the server requests", async () => {
  let callId: number | undefined;
  const at: number[] = [];
  const server = legacy({
    initialize: greet,
    "tools/call": ({ id }) => {
      callId = id;
      at.push(performance.now());
      return events("id: a1\nretry: 60\ndata: \n\n");
    },
    GET: ({ headers }) => {
      const last = headers.get("last-event-id");
      if (last === null) return new Response(null, { status: 405 });
      at.push(performance.now());
      return last === "a1"
        ? events(`id: a2\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} })}\n\n`)
        : events({ jsonrpc: "2.0", id: callId, result: text("done") });
    },
  });
  deepStrictEqual(await server.client().$.call("t"), done);
  strictEqual(at.length, 3);
  for (const [index, time] of at.entries()) if (index > 0) ok(time - (at[index - 1] ?? 0) >= 55);
});

test("a stream that brings nothing over and over is given up", async () => {
  const server = legacy({
    "tools/call": () => events("id: 1\nretry: 1\ndata: \n\n"),
    GET: () => events(": nothing\n\n"),
  });
  await rejects(server.client().$.call("t"), { code: "unavailable" });
  ok(server.by("GET").length < 10);
});

for (const retry of [0, 1, 99_999_999_999]) {
  test(`a server that breaks each stream off after an event, with retry: ${retry}, is not asked without a pause`, async () => {
    let events = 0;
    const next = () => new Response(`id: e${++events}\nretry: ${retry}\ndata: \n\n`, { headers: EVENTS });
    const server = legacy({
      "tools/call": next,
      GET: ({ headers }) => headers.get("last-event-id") === null ? new Response(null, { status: 405 }) : next(),
    });
    await rejects(server.client().$.call("t", {}, { timeoutMs: 700 }), { code: "deadline_exceeded" });
    ok(events <= 6, `${events} streams`);
  });
}

const EVENTS = { "content-type": "text/event-stream" };

test("a batch is read where a revision has them", async () => {
  const server = legacy({
    initialize: () => ({ ...INITIALIZED, protocolVersion: "2025-03-26" }),
    "tools/call": ({ id }) =>
      Response.json([
        { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
        { jsonrpc: "2.0", id, result: text("done") },
      ]),
  });
  const transport = server.transport();
  const logged: unknown[] = [];
  transport.logging.onMessage(({ data }) => logged.push(data));
  deepStrictEqual(await createClient(transport).$.call("t"), done);
  deepStrictEqual(logged, ["x"]);
});

test("a session that is lost twice in a row is an error", async () => {
  const server = legacy({ initialize: greet, "tools/call": () => new RpcFailure(-32001, 404) });
  await rejects(server.client().$.call("t"), { name: "ToolError" });
  strictEqual(server.by("initialize").length, 2);
});

test("the level of log lines is said once, and again to a session that is new", async () => {
  let isForgotten = false;
  const server = legacy({
    initialize: greet,
    "logging/setLevel": () => ({}),
    "tools/call": () => {
      isForgotten = !isForgotten;
      return isForgotten ? new RpcFailure(-32001, 404) : text("done");
    },
  });
  const transport = server.transport();
  await transport.logging.setLevel("error");
  deepStrictEqual(await createClient(transport).$.call("t"), done);
  await eventually(() => server.by("logging/setLevel").length === 2);
  deepStrictEqual(server.by("logging/setLevel").map(({ params }) => params["level"]), ["error", "error"]);
});

test("nothing of the newer era is said in an older one", async () => {
  const server = legacy({ "tools/call": () => text("done"), "tools/list": () => ({ tools: [TOOL] }) });
  const client = server.client();
  await client.$.list();
  await client.$.call("t", {}, { onProgress: () => {} });
  const [call] = server.by("tools/call");
  deepStrictEqual(call?.meta, { progressToken: call?.id });
  deepStrictEqual(server.by("tools/list")[0]?.params, {});
});
