/** MCP 2026-07-28 over HTTP, as any client sees it. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import {
  callModern,
  CAPABILITIES,
  type Json,
  modern,
  modernBody,
  modernHeaders,
  post,
  read,
  textOf,
  VERSION,
} from "./client.ts";
import { createFixture } from "./fixture.ts";

const server = createFixture({ cache: { ttlMs: 5_000, scope: "public" } });

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
const INFO = { name: "fixture", version: "1.2.3", title: "Fixture" };

test("server/discover tells what there is", async () => {
  const { status, last } = await modern(server, "server/discover");
  strictEqual(status, 200);
  deepStrictEqual(last.result, {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: {
      tools: { listChanged: true },
      completions: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
    },
    instructions: "Use it well",
    ttlMs: 5_000,
    cacheScope: "public",
    _meta: { [SERVER_INFO]: INFO },
  });
});

test("tools/list gives all that is known of a tool, and nothing that is only ours", async () => {
  const { last } = await modern(server, "tools/list");
  const [add] = last.result?.["tools"] as Json[];
  deepStrictEqual(add, {
    name: "add",
    title: "Addition",
    description: "Add two numbers",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    outputSchema: { type: "number" },
    annotations: { readOnlyHint: true },
    _meta: { since: "1" },
  });
  strictEqual(last.result?.["ttlMs"], 5_000);
});

test("lists come in pages, and a cursor that was not given is refused", async () => {
  const paged = createFixture({ pageSize: 8 });
  const names: unknown[] = [];
  let cursor: unknown = undefined;
  let pages = 0;
  do {
    const { last } = await modern(paged, "tools/list", cursor === undefined ? {} : { cursor });
    names.push(...(last.result?.["tools"] as Json[]).map(({ name }) => name));
    cursor = last.result?.["nextCursor"];
    pages++;
  } while (cursor !== undefined && pages < 10);
  strictEqual(pages, 3);
  deepStrictEqual(names, paged.tools.map(({ name }) => name));
  for (const bad of ["", "7", "constructor", 5]) {
    const { status, last } = await modern(paged, "tools/list", { cursor: bad });
    deepStrictEqual([status, last.error?.code], [200, -32602], String(bad));
  }
});

test("a page has the id that asked for it and its own tools, whatever was asked before", async () => {
  const paged = createFixture({ pageSize: 8 });
  const names = paged.tools.map(({ name }) => name);
  for (const [id, start] of [[1, 0], [1, 8], [1, 8], ["1", 8], ["1", 0], [2, 0]] as const) {
    const body = { ...modernBody("tools/list", start === 0 ? {} : { cursor: String(start) }), id };
    const { last } = await read(await post(paged, body, modernHeaders(body)));
    const listed = (last.result?.["tools"] as Json[]).map(({ name }) => name);
    deepStrictEqual([last.id, listed], [id, names.slice(start, start + 8)]);
  }
});

const ANSWERS: readonly (readonly [name: string, args: Json, result: Json])[] = [
  ["add", { a: 1, b: 2 }, { content: [{ type: "text", text: "3" }], structuredContent: 3 }],
  ["pair", {}, { content: [{ type: "text", text: '{"left":1}' }], structuredContent: { left: 1 } }],
  ["nothing", {}, { content: [{ type: "text", text: "" }] }],
  ["text", {}, { content: [{ type: "text", text: "plain" }] }],
  ["blocks", {}, {
    content: [{ type: "text", text: "Look:" }, { type: "resource_link", uri: "docs://readme", name: "readme" }],
  }],
  ["rendered", {}, {
    content: [{ type: "text", text: "The number is 7" }],
    structuredContent: { n: 7 },
    _meta: { "toolwire/rendered": true },
  }],
  ["pieces", {}, { content: [{ type: "text", text: "one two" }] }],
];

for (const [name, args, expected] of ANSWERS) {
  test(`an answer of ${name}`, async () => {
    deepStrictEqual(await callModern(server, name, args), {
      resultType: "complete",
      ...expected,
      _meta: { [SERVER_INFO]: INFO, ...(expected["_meta"] as Json | undefined) },
    });
  });
}

test("pieces are joined for those who hear progress, too", async () => {
  const result = await callModern(server, "pieces", {}, { meta: { progressToken: 1 } });
  strictEqual(textOf(result), "one two");
});

test("a failure is a result that models see, with its code beside it", async () => {
  const result = await callModern(server, "locked");
  deepStrictEqual(result["isError"], true);
  deepStrictEqual(result["content"], [
    { type: "text", text: "The record is locked" },
    { type: "text", text: '{"by":"batch"}' },
  ]);
  const { [SERVER_INFO]: _, ...meta } = result["_meta"] as Json;
  deepStrictEqual(meta, {
    "toolwire/response-type": "failure",
    "toolwire/code": "locked",
    "toolwire/data": { by: "batch" },
  });
});

test("errors of invalid arguments are shown to the model", async () => {
  const result = await callModern(server, "add", { a: 1, b: "x" });
  strictEqual(result["isError"], true);
  match((result["content"] as Json[])[0]?.["text"] as string, /Invalid arguments at "b"/);
  strictEqual((result["_meta"] as Json)["toolwire/code"], "invalid_input");
});

test("what breaks is masked, what is no JSON is, too", async () => {
  for (const name of ["broken", "cyclic"]) {
    const result = await callModern(server, name);
    strictEqual(result["isError"], true);
    const [{ text }] = result["content"] as [Json];
    match(String(text), /^Internal error, correlation id /);
    ok(!JSON.stringify(result).includes("secret"));
  }
});

const REFUSALS: readonly (readonly [code: string, status: number, number: number | "result"])[] = [
  ["parse_error", 200, "result"],
  ["invalid_request", 400, -32600],
  ["method_not_found", 200, "result"],
  ["tool_not_found", 200, -32602],
  ["resource_not_found", 200, "result"],
  ["prompt_not_found", 200, "result"],
  ["invalid_input", 200, "result"],
  ["invalid_config", 200, "result"],
  ["invalid_promise", 200, -32602],
  ["expired_promise", 200, -32602],
  ["invalid_continuation", 200, -32602],
  ["promise_lost", 200, -32602],
  ["conflict", 200, "result"],
  ["deadline_exceeded", 200, "result"],
  ["cancelled", 200, "result"],
  ["unauthenticated", 401, -32000],
  ["permission_denied", 200, "result"],
  ["rate_limited", 429, -32000],
  ["unavailable", 503, -32000],
  ["payload_too_large", 413, -32600],
  ["result_too_large", 200, "result"],
];

for (const [code, status, number] of REFUSALS) {
  test(`a refusal with ${code}`, async () => {
    const reply = await modern(server, "tools/call", { name: "refusing", arguments: { code } });
    strictEqual(reply.status, status);
    const { error, result } = reply.last;
    strictEqual(error?.code ?? (result?.["isError"] === true ? "result" : undefined), number);
    strictEqual(error?.data?.["code"] ?? (result?.["_meta"] as Json)["toolwire/code"], code);
    if (status === 401) match(String(reply.headers.get("www-authenticate")), /^Bearer/);
    strictEqual(reply.headers.get("retry-after"), status === 429 || status === 503 ? "2" : null);
  });
}

test("an unknown tool is an error, with the nearest name", async () => {
  const { status, last } = await modern(server, "tools/call", { name: "ad" });
  deepStrictEqual([status, last.error?.code], [200, -32602]);
  match(String(last.error?.data?.["suggestion"]), /'add'/);
});

test("names that every object has are unknown tools, methods and resources", async () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    strictEqual((await modern(server, "tools/call", { name })).last.error?.code, -32602);
    strictEqual((await modern(server, name)).status, 404);
  }
});

test("methods of other eras, and unknown ones, are not found", async () => {
  const methods = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/list", "x/y"];
  for (const method of methods) {
    const { status, last } = await modern(server, method);
    deepStrictEqual([status, last.error?.code], [404, -32601], method);
  }
});

test("ids come back as they were, whatever they are", async () => {
  for (const id of [0, "", "listen:0", -5, 2 ** 53 - 1]) {
    const body = { ...modernBody("tools/list"), id };
    const { last } = await read(await post(server, body, modernHeaders(body)));
    strictEqual(last.id, id);
  }
});

test("what is no message is refused with the status of its kind", async () => {
  const body = modernBody("tools/list");
  const cases:
    readonly (readonly [body: unknown, headers: Record<string, string | undefined>, status: number, code: number])[] = [
      ["{", {}, 400, -32700],
      ['"text"', {}, 400, -32600],
      [[], {}, 400, -32600],
      [[body], {}, 400, -32600],
      [{ ...body, id: null }, {}, 400, -32600],
      [{ ...body, id: 1.5 }, {}, 400, -32600],
      [{ ...body, jsonrpc: "1.0" }, {}, 400, -32600],
      [{ ...body, method: 5 }, {}, 400, -32600],
      [{ ...body, params: [] }, {}, 400, -32600],
      [body, { "content-type": "text/plain" }, 415, -32000],
      [body, { "content-type": undefined }, 415, -32000],
      [body, { "content-encoding": "gzip" }, 415, -32000],
    ];
  for (const [sent, headers, status, code] of cases) {
    const reply = await read(await post(server, sent, { ...modernHeaders(body), ...headers }));
    deepStrictEqual([reply.status, reply.last.error?.code], [status, code], JSON.stringify([sent, headers]));
  }
  const { status, last } = await read(await post(server, `{"a":${"[".repeat(600)}${"]".repeat(600)}}`));
  deepStrictEqual([status, last.error?.code], [400, -32600]);
});

test("envelopes are checked before anything else, and the id comes back", async () => {
  const good = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };
  const cases: readonly (readonly [meta: Json, key: string])[] = [
    [{ [VERSION]: "2026-07-28" }, CAPABILITIES],
    [{ [VERSION]: 5, [CAPABILITIES]: {} }, VERSION],
    [{ ...good, [CAPABILITIES]: [] }, CAPABILITIES],
    [{ ...good, "io.modelcontextprotocol/clientInfo": "me" }, "io.modelcontextprotocol/clientInfo"],
    [{ ...good, "io.modelcontextprotocol/logLevel": "loud" }, "io.modelcontextprotocol/logLevel"],
    [{ ...good, progressToken: {} }, "progressToken"],
    [{ [CAPABILITIES]: {} }, VERSION],
    [{}, VERSION],
  ];
  for (const [_meta, key] of cases) {
    const body = { jsonrpc: "2.0", id: 0, method: "tools/list", params: { _meta } };
    const { status, last } = await read(await post(server, body, modernHeaders(modernBody("tools/list"))));
    deepStrictEqual([status, last.id, last.error?.code], [400, 0, -32602]);
    strictEqual((last.error?.data?.["envelope"] as Json)["key"], key);
  }
});

test("a revision that is not spoken is named, with those that are", async () => {
  const body = modernBody("tools/list", {}, {}, { [VERSION]: "2099-01-01" });
  const { status, last } = await read(await post(server, body, { "mcp-protocol-version": "2099-01-01" }));
  deepStrictEqual([status, last.error?.code], [400, -32022]);
  deepStrictEqual(last.error?.data, { supported: ["2026-07-28"], requested: "2099-01-01" });
});

test("headers have to say what the body does, in this order", async () => {
  const args = { name: "add", arguments: { a: 1, b: 2 } };
  const cases: readonly (readonly [headers: Record<string, string | undefined>, status: number])[] = [
    [{}, 200],
    [{ "mcp-name": "=?base64?YWRk?=" }, 200],
    [{ "mcp-protocol-version": undefined }, 400],
    [{ "mcp-protocol-version": "2025-11-25" }, 400],
    [{ "mcp-method": undefined }, 400],
    [{ "mcp-method": "tools/list" }, 400],
    [{ "mcp-method": "TOOLS/CALL" }, 400],
    [{ "mcp-name": undefined }, 400],
    [{ "mcp-name": "other" }, 400],
    [{ "mcp-name": "=?base64?YWRk" }, 400],
    [{ "mcp-name": "=?base64?YWR?=" }, 400],
    [{ "mcp-name": "=?base64?Y W R k?=" }, 400],
  ];
  for (const [headers, status] of cases) {
    const reply = await modern(server, "tools/call", args, { headers });
    strictEqual(reply.status, status, JSON.stringify(headers));
    if (status === 400) strictEqual(reply.last.error?.code, -32020);
  }
  strictEqual(
    (await modern(server, "resources/read", { uri: "docs://readme" }, { headers: { "mcp-name": "x" } })).status,
    400,
  );
  strictEqual((await modern(server, "prompts/get", { name: "review" }, { headers: { "mcp-name": "x" } })).status, 400);
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } };
  const { status, last } = await read(await post(server, initialize, { "mcp-protocol-version": "2026-07-28" }));
  deepStrictEqual([status, last.error?.code], [400, -32020]);
});

test("arguments that a schema marks are repeated in headers", async () => {
  const call = (args: Json, headers: Record<string, string>) =>
    modern(server, "tools/call", { name: "region", arguments: args }, { headers });
  const good: readonly (readonly [Json, Record<string, string>])[] = [
    [{ region: "eu" }, { "mcp-param-region": "eu" }],
    [{ region: "Grüße" }, { "Mcp-Param-Region": "=?base64?R3LDvMOfZQ==?=" }],
    [{ region: "" }, { "mcp-param-region": "=?base64??=" }],
    [{ region: "eu", count: 42 }, { "mcp-param-region": "eu", "mcp-param-count": "42.0" }],
    [{ region: "eu", nested: { flag: true } }, { "mcp-param-region": "eu", "mcp-param-flag": "true" }],
  ];
  for (const [args, headers] of good) strictEqual((await call(args, headers)).status, 200, JSON.stringify(headers));
  const bad: readonly (readonly [Json, Record<string, string>])[] = [
    [{ region: "eu" }, {}],
    [{ region: "eu" }, { "mcp-param-region": "us" }],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?ZXV=?=" }],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?/w==?=" }],
    [{ region: "eu" }, { "mcp-param-region": "eu", "mcp-param-count": "5" }],
    [{ region: "eu", count: 42 }, { "mcp-param-region": "eu", "mcp-param-count": "0x2a" }],
    [{ region: "eu", nested: { flag: true } }, { "mcp-param-region": "eu", "mcp-param-flag": "1" }],
  ];
  for (const [args, headers] of bad) {
    const { status, last } = await call(args, headers);
    deepStrictEqual([status, last.error?.code], [400, -32020], JSON.stringify(headers));
  }
});

test("notifications are taken without a word, with a method header or not", async () => {
  const body = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1, _meta: { [VERSION]: "2026-07-28", [CAPABILITIES]: {} } },
  };
  const response = await post(server, body, { "mcp-protocol-version": "2026-07-28" });
  deepStrictEqual([response.status, await response.text()], [202, ""]);
});

test("anything but POST is refused", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const response = await server.fetch(new Request("http://localhost/mcp", { method }));
    deepStrictEqual([response.status, response.headers.get("allow")], [405, "POST"], method);
    await response.text();
  }
});

test("progress that grows goes by its token, then the answer", async () => {
  for (const progressToken of ["t", 0]) {
    const reply = await modern(server, "tools/call", { name: "steps" }, { meta: { progressToken } });
    strictEqual(reply.headers.get("content-type"), "text/event-stream");
    deepStrictEqual(
      reply.messages.slice(0, -1).map(({ method, params }) => [method, params]),
      [1, 2, 3].map((progress) => [
        "notifications/progress",
        { progressToken, progress, total: 3, message: `step ${progress}` },
      ]),
    );
    strictEqual(reply.last.result?.["resultType"], "complete");
  }
});

test("without a token there is no progress, without an Accept for streams there is no stream", async () => {
  const plain = await modern(server, "tools/call", { name: "steps" });
  deepStrictEqual([plain.headers.get("content-type"), plain.messages.length], ["application/json", 1]);
  for (const accept of [undefined, "*/*", "application/json"]) {
    const reply = await modern(server, "tools/call", { name: "steps" }, {
      meta: { progressToken: 1 },
      headers: { accept },
    });
    // A Request of fetch says that it accepts anything.
    deepStrictEqual([reply.headers.get("content-type"), reply.messages.length], ["application/json", 1]);
  }
});

test("log lines go to those who ask, from their level on, where the server says so", async () => {
  const meta = { "io.modelcontextprotocol/logLevel": "info" };
  const silent = await modern(server, "tools/call", { name: "steps" }, { meta });
  strictEqual(silent.messages.length, 1);
  const talking = createFixture({ logging: true });
  const { last: discovered } = await modern(talking, "server/discover");
  deepStrictEqual((discovered.result?.["capabilities"] as Json)["logging"], {});
  const received = await modern(talking, "tools/call", { name: "steps" }, { meta });
  deepStrictEqual(received.messages.slice(0, -1).map(({ method, params }) => [method, params]), [
    ["notifications/message", { level: "warning", logger: "steps", data: { message: "slow", ms: 5 } }],
  ]);
  strictEqual((await modern(talking, "tools/call", { name: "steps" })).messages.length, 1);
});

test("handlers know who calls, and what it can be asked", async () => {
  const result = await callModern(server, "who", {}, {
    capabilities: { sampling: {}, elicitation: { url: {} } },
    meta: { "io.modelcontextprotocol/clientInfo": { name: "tests", version: "1" } },
  });
  const { requestId, ...rest } = result["structuredContent"] as Json;
  deepStrictEqual(rest, { name: "tests", can: ["url", "sampling"] });
  strictEqual(typeof requestId, "number");
});

test("resources are listed, read and completed", async () => {
  const { last: listed } = await modern(server, "resources/list");
  deepStrictEqual((listed.result?.["resources"] as Json[]).map(({ uri }) => uri), ["docs://readme"]);
  const { last: templates } = await modern(server, "resources/templates/list");
  deepStrictEqual((templates.result?.["resourceTemplates"] as Json[]).map(({ uriTemplate }) => uriTemplate), [
    "books://{id}",
  ]);
  const { last: readme } = await modern(server, "resources/read", { uri: "docs://readme" });
  deepStrictEqual(readme.result?.["contents"], [{ uri: "docs://readme", mimeType: "text/markdown", text: "# Hello" }]);
  strictEqual(readme.result?.["cacheScope"], "public");
  const { status, last: unknown } = await modern(server, "resources/read", { uri: "books://9" });
  deepStrictEqual([status, unknown.error?.code, unknown.error?.data?.["uri"]], [200, -32602, "books://9"]);
  const ref = { type: "ref/resource", uri: "books://{id}" };
  const { last: completed } = await modern(server, "completion/complete", {
    ref,
    argument: { name: "id", value: "1" },
  });
  deepStrictEqual((completed.result?.["completion"] as Json)["values"], ["1", "12"]);
  strictEqual((await modern(server, "completion/complete", { ref: {} })).last.error?.code, -32602);
});

test("prompts are listed and given", async () => {
  const { last: listed } = await modern(server, "prompts/list");
  deepStrictEqual((listed.result?.["prompts"] as Json[]).map(({ name }) => name), ["review", "asking"]);
  const { last } = await modern(server, "prompts/get", { name: "review", arguments: { code: "x" } });
  deepStrictEqual(last.result?.["messages"], [{ role: "user", content: { type: "text", text: "Review x" } }]);
  strictEqual((await modern(server, "prompts/get", { name: "review" })).last.error?.code, -32602);
  strictEqual((await modern(server, "prompts/get", { name: "none" })).last.error?.code, -32602);
});

test("what a server does not offer is an unknown method, and not declared", async () => {
  const bare = createFixture({}, { resources: [], prompts: [] });
  for (const method of ["resources/list", "prompts/list", "completion/complete"]) {
    strictEqual((await modern(bare, method)).status, 404, method);
  }
  const { last } = await modern(bare, "server/discover");
  deepStrictEqual(last.result?.["capabilities"], { tools: { listChanged: true } });
});
