/** What is sent to servers of 2026-07-28, and what is made of their answers. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../../../mod.ts";
import { errorResult } from "../../../../src/core/call/outcome.ts";
import { gateway } from "../../../../src/entries/compose.ts";
import { DISCOVERED, events, modern, OpenStream, RpcFailure, text, TOOL } from "./scripted.ts";
import { eventually } from "../../../eventually.ts";

const META = "io.modelcontextprotocol/";

test("each request says who asks, in its body and in its headers", async () => {
  const server = modern({ "tools/call": () => text("done"), "resources/read": () => ({ contents: [] }) });
  const transport = server.transport({
    clientInfo: { name: "me", version: "7" },
    headers: () => Promise.resolve({ authorization: "Bearer secret", "mcp-method": "forged" }),
  });
  await createClient(transport).$.call("t", { a: 1 }, {
    meta: { "example.com/trace": "x", [`${META}clientInfo`]: "forged" },
  });
  await transport.resources.read("test://é");
  for (const { headers, method, meta, id } of server.asked) {
    strictEqual(headers.get("mcp-protocol-version"), "2026-07-28");
    strictEqual(headers.get("mcp-method"), method);
    strictEqual(headers.get("authorization"), "Bearer secret");
    strictEqual(headers.get("accept"), "application/json, text/event-stream");
    strictEqual(meta[`${META}protocolVersion`], "2026-07-28");
    deepStrictEqual(meta[`${META}clientInfo`], { name: "me", version: "7" });
    deepStrictEqual(meta[`${META}clientCapabilities`], {
      elicitation: { form: {}, url: {} },
      extensions: { [`${META}tasks`]: {} },
    });
    ok(id !== undefined);
  }
  const [call] = server.by("tools/call");
  deepStrictEqual([call?.headers.get("mcp-name"), call?.meta["example.com/trace"]], ["t", "x"]);
  deepStrictEqual([call?.params["name"], call?.params["arguments"]], ["t", { a: 1 }]);
  strictEqual(call?.meta["progressToken"], undefined);
  strictEqual(server.by("resources/read")[0]?.headers.get("mcp-name"), "=?base64?dGVzdDovL8Op?=");
  strictEqual(new Set(server.asked.map(({ id }) => id)).size, server.asked.length);
});

const ROUTED = {
  name: "t",
  inputSchema: {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      level: { type: "integer", "x-mcp-header": "Level" },
      dry: { type: "boolean", "x-mcp-header": "Dry" },
      deep: { type: "object", properties: { er: { type: "string", "x-mcp-header": "Deep.Er" } } },
      "x-mcp-header": { type: "string" },
      plain: { type: "string", default: { "x-mcp-header": "None" } },
    },
  },
};

for (
  const [value, header] of [
    ["us-west1", "us-west1"],
    ["", "=?base64??="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["in side", "in side"],
    ["tab\tin", "tab\tin"],
    ["\ttab", "=?base64?CXRhYg==?="],
    ["é", "=?base64?w6k=?="],
    ["a\r\nb: c", "=?base64?YQ0KYjogYw==?="],
    ["=?base64?QQ==?=", "=?base64?PT9iYXNlNjQ/UVE9PT89?="],
    [null, null],
    [{ not: "text" }, null],
  ] as const
) {
  test(`an argument travels in its header: ${JSON.stringify(value)}`, async () => {
    const server = modern({ "tools/list": () => ({ tools: [ROUTED] }), "tools/call": () => text("done") });
    await server.client().$.call("t", { region: value, level: -7, dry: false, deep: { er: "x" }, plain: "y" });
    const { headers } = server.by("tools/call")[0] ?? { headers: new Headers() };
    const sent = ["region", "level", "dry", "deep.er", "plain"].map((name) => headers.get(`mcp-param-${name}`));
    deepStrictEqual(sent, [header, "-7", "false", "x", null]);
  });
}

const WRONG_SCHEMAS: Readonly<Record<string, unknown>> = {
  "no schema": undefined,
  "not of an object": { type: "array" },
  "an empty header": { type: "object", properties: { a: { type: "string", "x-mcp-header": "" } } },
  "no token": { type: "object", properties: { a: { type: "string", "x-mcp-header": "a b" } } },
  "a number": { type: "object", properties: { a: { type: "number", "x-mcp-header": "A" } } },
  "twice": {
    type: "object",
    properties: { a: { type: "string", "x-mcp-header": "A" }, b: { type: "string", "x-mcp-header": "a" } },
  },
  "in items": {
    type: "object",
    properties: { a: { type: "array", items: { type: "object", properties: { b: { "x-mcp-header": "B" } } } } },
  },
  "in a definition": { type: "object", $defs: { a: { type: "string", "x-mcp-header": "A" } } },
};

for (const [name, inputSchema] of Object.entries(WRONG_SCHEMAS)) {
  test(`a tool whose schema is wrong is left out, and said so once: ${name}`, async () => {
    const warnings: string[] = [];
    const server = modern({ "tools/list": () => ({ tools: [{ name: "wrong", inputSchema }, TOOL, { name: 1 }] }) });
    const client = server.client({ logger: { ...console, warn: (warning) => void warnings.push(warning) } });
    for (let times = 0; times < 2; times++) deepStrictEqual((await client.$.list()).map(({ name }) => name), ["t"]);
    strictEqual(warnings.length, 1);
    match(warnings[0] ?? "", /"wrong" is left out: .*; Tool "without a name" is left out/);
  });
}

/** Clears the terminal by C0 and C1 controls, forges a line of the log, and reverses text. */
const HOSTILE_NAME = "\x1b[2J\x9b2J\nERROR forged \u202e\r";

test("a name in a warning cannot control a terminal, nor look like another line", async () => {
  const warnings: string[] = [];
  const logger = { ...console, warn: (warning: string) => void warnings.push(warning) };
  const server = modern({ "tools/list": () => ({ tools: [TOOL, { name: HOSTILE_NAME }] }) });
  deepStrictEqual((await server.client({ logger }).$.list()).map(({ name }) => name), ["t"]);
  const listed = [{ ...TOOL, description: "T" }, { ...TOOL, name: HOSTILE_NAME, description: "T" }];
  const part = await gateway("far", { list: () => listed, call: () => errorResult("internal", "") }, {
    logger,
    rename: (name) => name,
  });
  strictEqual(warnings.length, 2, warnings.join());
  for (const warning of warnings) {
    ok(warning.includes("forged"), warning);
    strictEqual(/[\p{Cc}\p{Cf}]/u.exec(warning), null, JSON.stringify(warning));
  }
  await part.close();
});

test("a list of thousands of wrong tools is one short warning", async () => {
  const warnings: string[] = [];
  const wrong = Array.from({ length: 5_000 }, (_, at) => ({ name: `wrong ${at} ${"x".repeat(1_000)}` }));
  const server = modern({ "tools/list": () => ({ tools: [TOOL, ...wrong] }) });
  const client = server.client({ logger: { ...console, warn: (warning) => void warnings.push(warning) } });
  deepStrictEqual((await client.$.list()).map(({ name }) => name), ["t"]);
  strictEqual(warnings.length, 1);
  match(warnings[0] ?? "", /; and 4997 more$/);
  ok((warnings[0] ?? "").length < 1_000, String(warnings[0]));
});

test("a schema that has changed is read again after a mismatch, once", async () => {
  let isNew = false;
  const server = modern({
    "tools/list": () => ({ tools: [isNew ? ROUTED : TOOL], ttlMs: 60_000 }),
    "tools/call": ({ headers }) => {
      isNew = true;
      return headers.get("mcp-param-region") === "here" ? text("done") : new RpcFailure(-32020, 400);
    },
  });
  const client = server.client();
  deepStrictEqual(await client.$.call("t", { region: "here" }), "done");
  deepStrictEqual(server.methods, ["server/discover", "tools/list", "tools/call", "tools/list", "tools/call"]);
  await rejects(client.$.call("t", { region: "there" }), { name: "ToolError", code: "invalid_request" });
  strictEqual(server.by("tools/call").length, 4);
});

test("lists are read to their end, an empty cursor included, and kept as long as the server says", async () => {
  const pages = new Map<unknown, object>([
    [undefined, { tools: [TOOL], nextCursor: "", ttlMs: 60_000 }],
    ["", { tools: [{ ...TOOL, name: "u" }], nextCursor: "2", ttlMs: 60_000 }],
    ["2", { tools: [{ ...TOOL, name: "v" }], ttlMs: 60_000 }],
  ]);
  const server = modern({ "tools/list": ({ params }) => pages.get(params["cursor"]) });
  const client = server.client();
  deepStrictEqual((await client.$.list()).map(({ name }) => name), ["t", "u", "v"]);
  deepStrictEqual((await client.$.list()).map(({ name }) => name), ["t", "u", "v"]);
  strictEqual(server.by("tools/list").length, 3);
});

test("what only asks to come back with its state is come back to, with that state as it was", async () => {
  const state = ' {"é": "\\u0000"} ';
  const server = modern({
    "tools/call": ({ params }) =>
      params["requestState"] === state ? text("done") : { resultType: "input_required", requestState: state },
  });
  deepStrictEqual(await server.client().$.call("t"), "done");
  const [first, second] = server.by("tools/call");
  strictEqual(first !== undefined && "requestState" in first.params, false);
  strictEqual(second !== undefined && "inputResponses" in second.params, false);
});

test("a server that asks without end is left", async () => {
  const server = modern({ "tools/call": () => ({ resultType: "input_required", requestState: "again" }) });
  await rejects(server.client().$.call("t"), { name: "ToolError", code: "invalid_request" });
  strictEqual(server.by("tools/call").length, 32);
});

const form = (properties: object) => ({
  method: "elicitation/create",
  params: { mode: "form", message: "Well?", requestedSchema: { type: "object", properties } },
});

test("questions go to the caller, and its answers back; no state is made up", async () => {
  const server = modern({
    "tools/call": ({ params: { inputResponses } }) =>
      inputResponses === undefined
        ? {
          resultType: "input_required",
          inputRequests: {
            constructor: form({ name: { type: "string", default: "Ada" }, age: { type: "integer" } }),
            "resource/credits": form({ granted: { type: "boolean" } }),
            page: { method: "elicitation/create", params: { mode: "url", message: "Go", url: "https://x.test/" } },
          },
        }
        : { ...text(""), structuredContent: inputResponses },
  });
  const transport = server.transport();
  const outcome = await createClient(transport).$.outcome("t");
  ok(outcome.kind === "elicitation");
  deepStrictEqual(Object.entries(outcome.requests).map(([key, { kind, params }]) => [key, kind, params]), [
    ["constructor", "elicitation", undefined],
    ["credits", "more", { resource: "credits" }],
    ["page", "elicitation", { url: "https://x.test/" }],
  ]);
  const responses = {
    constructor: { action: "accept", content: { age: 7 } },
    credits: { action: "accept" },
    page: { action: "cancel" },
  };
  // In another process, perhaps.
  const other = createClient(server.transport());
  const answered = await other.$.call("t", undefined, { meta: { continuation: outcome.continuation, responses } });
  deepStrictEqual(answered, {
    constructor: { action: "accept", content: { name: "Ada", age: 7 } },
    "resource/credits": { action: "accept", content: { granted: true } },
    page: { action: "cancel" },
  });
  const [, retry] = server.by("tools/call");
  strictEqual(retry !== undefined && "requestState" in retry.params, false);
  const answering = createClient(transport, {
    onElicitation: ({ key }) => ({ action: key === "page" ? "decline" : "accept" }),
    onMoreRequested: () => ({ action: "decline" }),
  });
  deepStrictEqual(await answering.$.call("t"), {
    constructor: { action: "accept", content: { name: "Ada" } },
    "resource/credits": { action: "decline" },
    page: { action: "decline" },
  });
});

test("a question that is asked again has the reason, whatever its kind", async () => {
  const refused = 'the answer to "x" is refused';
  const again = (method: string, params: object) => ({ method, params: { ...params, _meta: { refused } } });
  const page = { mode: "url", message: "Go", url: "https://x.test/" };
  const inputRequests = {
    "resource/credits": again("elicitation/create", form({ granted: { type: "boolean" } }).params),
    name: again("elicitation/create", form({ name: { type: "string" } }).params),
    page: again("elicitation/create", page),
    model: again("sampling/createMessage", { messages: [], maxTokens: 5 }),
    roots: again("roots/list", {}),
  };
  const server = modern({ "tools/call": () => ({ resultType: "input_required", inputRequests }) });
  const outcome = await server.client().$.outcome("t", {});
  ok(outcome.kind === "elicitation");
  deepStrictEqual(
    Object.entries(outcome.requests).map(([key, { params }]) => [key, params?.["refused"]]),
    ["credits", "name", "page", "model", "roots"].map((key) => [key, refused]),
  );
});

test("what a handler throws ends the call with just that", async () => {
  const server = modern({ "tools/call": () => ({ resultType: "input_required", inputRequests: { a: form({}) } }) });
  const transport = server.transport();
  const thrown = new Error("no");
  transport.onElicitation(() => Promise.reject(thrown));
  await rejects(createClient(transport).$.call("t"), thrown);
});

test("prompts and resources ask, too: the transport's handler answers", async () => {
  const answer = (result: object) => ({ params }: { params: Readonly<Record<string, unknown>> }) =>
    params["inputResponses"] === undefined ? { resultType: "input_required", inputRequests: { a: form({}) } } : result;
  const server = modern({
    "prompts/get": answer({ messages: [] }),
    "resources/read": answer({ contents: [{ uri: "x:" }], ttlMs: 60_000 }),
  });
  const transport = server.transport();
  await rejects(transport.prompts.get("p"), { name: "ToolError", code: "invalid_request" });
  transport.onElicitation(() => ({ action: "accept", content: {} }));
  deepStrictEqual(await transport.prompts.get("p"), { messages: [] });
  // What was answered for one question is not kept for another.
  for (let times = 0; times < 2; times++) deepStrictEqual(await transport.resources.read("x:"), [{ uri: "x:" }]);
  strictEqual(server.by("resources/read").length, 4);
});

test("a result type that is not known is kept as it came", async () => {
  const result = { resultType: "vision", content: [], "x": 1 };
  const client = modern({ "tools/call": () => result }).client();
  deepStrictEqual(await client.$.outcome("t"), { kind: "unknown", responseType: "vision", result });
  await rejects(client.$.call("t"), { name: "ToolError", code: "invalid_request" });
});

const RESULTS: readonly (readonly [name: string, result: object, outcome: object])[] = [
  ["structured content", { ...text("3"), structuredContent: [3] }, { kind: "answer", value: [3], meta: {} }],
  ["null", { ...text("null"), structuredContent: null }, { kind: "answer", value: null, meta: {} }],
  ["content", text("a"), { kind: "answer", value: "a", isText: true, meta: {} }],
  ["nothing", text(""), { kind: "answer", value: undefined, meta: {} }],
  [
    "a wrapped output of ours",
    { ...text("3"), structuredContent: { result: 3 }, _meta: { "toolwire/wrapped": true } },
    { kind: "answer", value: 3, meta: { "toolwire/wrapped": true } },
  ],
  [
    "an error",
    { content: [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }], isError: true },
    { kind: "failure", code: "tool_error", message: "a\nb", data: undefined, meta: {} },
  ],
  [
    "a failure of ours",
    {
      ...text("no"),
      isError: true,
      _meta: { "toolwire/response-type": "failure", "toolwire/code": "locked", "toolwire/data": { by: "x" } },
    },
    {
      kind: "failure",
      code: "locked",
      message: "no",
      data: { by: "x" },
      meta: { "toolwire/response-type": "failure", "toolwire/code": "locked", "toolwire/data": { by: "x" } },
    },
  ],
  [
    "a failure of an older server of ours",
    { ...text("no"), isError: true, _meta: { response_type: "failure", code: "locked", data: { by: "x" } } },
    {
      kind: "failure",
      code: "locked",
      message: "no",
      data: { by: "x" },
      meta: { response_type: "failure", code: "locked", data: { by: "x" } },
    },
  ],
];

for (const [name, result, outcome] of RESULTS) {
  test(`a result is read: ${name}`, async () => {
    const client = modern({ "tools/call": () => result }).client();
    deepStrictEqual(await client.$.outcome("t"), outcome);
  });
}

test("a refusal of ours in a result is thrown as one", async () => {
  const _meta = { response_type: "error", code: "conflict", data: { with: "that" } };
  const client = modern({ "tools/call": () => ({ ...text("Not so"), isError: true, _meta }) }).client();
  await rejects(client.$.call("t"), {
    name: "ToolError",
    code: "conflict",
    message: "Not so",
    details: { with: "that" },
  });
});

for (
  const [number, status, data, code] of [
    [-32700, 400, undefined, "parse_error"],
    [-32600, 400, undefined, "invalid_request"],
    [-32601, 404, undefined, "method_not_found"],
    [-32602, 200, undefined, "invalid_input"],
    [-32602, 200, { code: "expired_promise" }, "expired_promise"],
    [-32602, 200, { uri: "x:" }, "resource_not_found"],
    [-32002, 200, undefined, "resource_not_found"],
    [-32021, 400, { requiredCapabilities: { sampling: {} } }, "invalid_request"],
    [-32603, 200, undefined, "internal"],
    [-32603, 429, undefined, "rate_limited"],
    [-32000, 401, undefined, "unauthenticated"],
    [7, 200, undefined, "internal"],
  ] as const
) {
  test(`an error is told by our codes: ${number}, ${status}, ${JSON.stringify(data)}`, async () => {
    const client = modern({ "tools/call": () => new RpcFailure(number, status, data) }).client();
    await rejects(client.$.call("t"), { name: "ToolError", code });
  });
}

test("a tool that is not listed is not found", async () => {
  const client = modern({ "tools/call": () => new RpcFailure(-32602) }).client();
  await rejects(client.$.call("u"), { name: "ToolError", code: "tool_not_found" });
});

test("the delay that a server requests is part of the error, for a caller that tries again", async () => {
  const client = modern({
    "tools/call": () => new RpcFailure(-32603, 503, { code: "unavailable" }, { "retry-after": "7" }),
  })
    .client();
  await rejects(client.$.call("t"), { code: "unavailable", details: { retry_after_ms: 7_000 } });
});

test("what is read is bounded, and a redirect not followed", async () => {
  const answers = {
    "tools/call": () => text("x".repeat(2_000)),
    "prompts/get": () => events(`data: ${"x".repeat(2_000)}`),
    "resources/read": () => Response.redirect("http://localhost/elsewhere", 308),
  };
  const transport = modern(answers).transport({ maxResponseBytes: 1_000 });
  await rejects(createClient(transport).$.call("t"), { code: "result_too_large" });
  await rejects(transport.prompts.get("p"), { code: "result_too_large" });
  await rejects(transport.resources.read("x:"), { code: "invalid_request", message: /[Rr]edirect/ });
});

test("a stream is read to the answer: events that are unknown, not JSON, or of no request are skipped", async () => {
  const client = modern({
    "tools/call": ({ id }) =>
      events(
        ": keepalive\n\n",
        "data: no json\n\n",
        { jsonrpc: "2.0", id: "other", result: text("not mine") },
        { jsonrpc: "2.0", id: 99, method: "ping" },
        { jsonrpc: "2.0", method: "notifications/unheard" },
        { jsonrpc: "2.0", id, result: text("mine") },
        { jsonrpc: "2.0", id, result: text("too late") },
      ),
  }).client();
  deepStrictEqual(await client.$.call("t"), "mine");
});

test("a stream that breaks off is no answer, and not resumed in this era", async () => {
  const server = modern({ "tools/call": () => events("id: 1\ndata: \n\n") });
  await rejects(server.client().$.call("t"), { code: "unavailable" });
  strictEqual(server.by("GET").length, 0);
});

test("a caller that leaves ends its request, and only that", async () => {
  const stream = new OpenStream();
  const server = modern({
    "tools/call": ({ params: { arguments: args } }) => "hang" in (args as object) ? stream.response : text("done"),
  });
  const client = server.client();
  const controller = new AbortController();
  const left = rejects(client.$.call("t", { hang: true }, { signal: controller.signal }), { name: "AbortError" });
  await eventually(() => server.by("tools/call").length === 1);
  controller.abort();
  await left;
  strictEqual(server.by("tools/call")[0]?.signal?.aborted, true);
  deepStrictEqual(await client.$.call("t"), "done");
  strictEqual(server.by("notifications/cancelled").length, 0);
});

test("each request says which log lines are wanted, once that is said", async () => {
  const server = modern({ "tools/call": () => text("done") });
  const transport = server.transport();
  const client = createClient(transport);
  await client.$.call("t");
  await transport.logging.setLevel("warning");
  await client.$.call("t");
  deepStrictEqual(server.by("tools/call").map(({ meta }) => meta[`${META}logLevel`]), [undefined, "warning"]);
});

test("pages to go to first are questions, as older servers say it", async () => {
  let calls = 0;
  const elicitations = [{ mode: "url", elicitationId: "1", url: "https://x.test/", message: "Log in" }];
  const client = createClient(
    modern({ "tools/call": () => ++calls === 1 ? new RpcFailure(-32042, 200, { elicitations }) : text("done") })
      .transport(),
    { onElicitation: ({ params }) => ({ action: params?.["url"] === "https://x.test/" ? "accept" : "cancel" }) },
  );
  deepStrictEqual(await client.$.call("t"), "done");
});

test("a server without what is asked for says so by its own words", async () => {
  const transport = modern({ "server/discover": () => ({ ...DISCOVERED, instructions: "Be kind" }) }).transport();
  strictEqual((await transport.server()).instructions, "Be kind");
  await rejects(transport.resources.subscribe("x:", () => {}), { code: "method_not_found" });
  await rejects(transport.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }), {
    code: "method_not_found",
  });
  transport.close();
});

for (
  const [name, answer] of [
    ["a result with another id", { id: "other", result: text("yours") }],
    ["a result with the id null", { id: null, result: text("yours") }],
    ["an error with another id", { id: "other", error: { code: -32602, message: "Not yours" } }],
  ] as const
) {
  test(`the answer to another request is nobody's here: ${name}`, async () => {
    const server = modern({ "tools/call": () => Response.json({ jsonrpc: "2.0", ...answer }) });
    await rejects(server.client().$.call("t", {}), {
      name: "ToolError",
      code: "invalid_request",
      message: "The answer has the id of another request",
    });
  });
}

for (const status of [200, 400]) {
  test(`an error whose id could not be read is that of the request: status ${status}`, async () => {
    const error = { code: -32603, message: "It broke" };
    const server = modern({ "tools/call": () => Response.json({ jsonrpc: "2.0", id: null, error }, { status }) });
    await rejects(server.client().$.call("t", {}), { name: "ToolError", code: "internal", message: "It broke" });
  });
}
