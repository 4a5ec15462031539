/** Revisions with a handshake, without sessions. Members of one era are not sent to clients of the other. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../../mod.ts";
import { jsonSchema } from "../../../../src/entries/json_schema.ts";
import { mcp } from "../../../../src/entries/mcp.ts";
import { initialize, type Json, legacy, post, read } from "./client.ts";
import { createFixture } from "./fixture.ts";

const server = createFixture();

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

test("initialize agrees on the revision that is asked for, or on the newest there is", async () => {
  for (const version of VERSIONS) strictEqual((await initialize(server, version)).result["protocolVersion"], version);
  for (const version of ["2024-10-07", "2099-01-01", "x"]) {
    strictEqual((await initialize(server, version)).result["protocolVersion"], "2025-11-25");
  }
  // The body says what is wanted, not the header.
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const { last } = await legacy(server, "initialize", params, { headers: { "mcp-protocol-version": "2025-11-25" } });
  strictEqual(last.result?.["protocolVersion"], "2025-03-26");
  const { result, session } = await initialize(server);
  strictEqual(session, undefined);
  deepStrictEqual(result, {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, completions: {}, prompts: {}, resources: {} },
    serverInfo: { name: "fixture", version: "1.2.3", title: "Fixture" },
    instructions: "Use it well",
  });
  deepStrictEqual((await initialize(server, "2025-03-26")).result["serverInfo"], { name: "fixture", version: "1.2.3" });
});

test("nothing of 2026-07-28 is in any answer", async () => {
  const requests: readonly (readonly [string, Json])[] = [
    ["ping", {}],
    ["tools/list", {}],
    ["tools/call", { name: "add", arguments: { a: 1, b: 2 } }],
    ["tools/call", { name: "locked" }],
    ["resources/list", {}],
    ["resources/read", { uri: "docs://readme" }],
    ["prompts/get", { name: "review", arguments: { code: "x" } }],
    ["completion/complete", { ref: { type: "ref/prompt", name: "review" }, argument: { name: "code", value: "" } }],
  ];
  for (const version of VERSIONS) {
    for (const [method, params] of requests) {
      const { last } = await legacy(server, method, params, { version });
      ok(last.result !== undefined, method);
      for (const member of ["resultType", "ttlMs", "cacheScope"]) ok(!(member in last.result), `${method} ${member}`);
      ok(!JSON.stringify(last.result).includes("io.modelcontextprotocol/"), method);
    }
  }
});

test("each revision lists what it knows", async () => {
  const listed = async (version: string) => {
    const { last } = await legacy(server, "tools/list", {}, { version });
    return (last.result?.["tools"] as Json[])[0] as Json;
  };
  deepStrictEqual(Object.keys(await listed("2025-11-25")), [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "_meta",
  ]);
  deepStrictEqual((await listed("2025-06-18"))["outputSchema"], {
    type: "object",
    properties: { result: { type: "number" } },
    required: ["result"],
  });
  deepStrictEqual(Object.keys(await listed("2025-03-26")), ["name", "description", "inputSchema", "annotations"]);
  deepStrictEqual(Object.keys(await listed("2024-11-05")), ["name", "description", "inputSchema"]);
});

test("references of an output that is wrapped lead where they did, and data is no reference", async () => {
  const tree = {
    type: "array",
    items: { anyOf: [{ $ref: "#" }, { $ref: "#/$defs/leaf" }] },
    default: { $ref: "#" },
    $defs: { leaf: { type: "string", examples: [{ $ref: "#" }] } },
  };
  const grow = defineTool("grow").describe("Grow").output(jsonSchema<unknown[]>(tree)).handle(() => []);
  const { last } = await legacy(createServer({ tools: [grow], wires: [mcp()] }), "tools/list", {}, {
    version: "2025-06-18",
  });
  const [listed] = last.result?.["tools"] as Json[];
  deepStrictEqual(listed?.["outputSchema"], {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: tree.$defs,
    type: "object",
    properties: {
      result: {
        type: "array",
        items: { anyOf: [{ $ref: "#/properties/result" }, { $ref: "#/$defs/leaf" }] },
        default: { $ref: "#" },
      },
    },
    required: ["result"],
  });
});

test("every reference of an output that is wrapped leads where it did, but for those into a part with an $id", async () => {
  const listed = async (output: Json) => {
    const tool = defineTool("grow").describe("Grow").output(jsonSchema<unknown[]>(output)).handle(() => []);
    const { last } = await legacy(createServer({ tools: [tool], wires: [mcp()] }), "tools/list", {}, {
      version: "2025-06-18",
    });
    return (last.result?.["tools"] as Json[])[0]?.["outputSchema"] as Json;
  };
  const part = { $id: "https://e/part", items: { $ref: "#/$defs/own" }, $defs: { own: { type: "string" } } };
  const references = (to: (pointer: string) => string) => ({
    prefixItems: [{ $ref: to("/definitions/x") }, { $ref: to("/items") }, { $ref: "#/$defs/y/not" }, part],
    items: { type: "string" },
    definitions: { x: { $ref: "#/%24defs/y" } },
  });
  const defs = (to: (pointer: string) => string) => ({ $defs: { y: { not: { $ref: to("/definitions/x") } } } });
  const here = (pointer: string) => `#${pointer}`;
  const below = (pointer: string) => `#/properties/result${pointer}`;
  deepStrictEqual(await listed({ type: "array", ...references(here), ...defs(here) }), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...defs(below),
    type: "object",
    properties: { result: { type: "array", ...references(below) } },
    required: ["result"],
  });
  const whole = { ...part, type: "array" };
  deepStrictEqual((await listed(whole))["properties"], { result: whole });
});

test("outputs that are no objects are wrapped, where objects are wanted, and left out where nothing is", async () => {
  const call = async (name: string, version: string, args: Json = {}) => {
    return (await legacy(server, "tools/call", { name, arguments: args }, { version })).last.result;
  };
  deepStrictEqual(await call("add", "2025-06-18", { a: 1, b: 2 }), {
    content: [{ type: "text", text: "3" }],
    structuredContent: { result: 3 },
    _meta: { "toolwire/wrapped": true },
  });
  deepStrictEqual(await call("pair", "2025-06-18"), {
    content: [{ type: "text", text: '{"left":1}' }],
    structuredContent: { left: 1 },
  });
  deepStrictEqual(await call("pair", "2025-03-26"), { content: [{ type: "text", text: '{"left":1}' }] });
  deepStrictEqual((await call("blocks", "2025-03-26"))?.["content"], [
    { type: "text", text: "Look:" },
    { type: "text", text: "docs://readme" },
  ]);
});

test("an output that refers to an object is an object: listed with its type, and not wrapped", async () => {
  const note = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const outputs: Readonly<Record<string, Json>> = {
    direct: { $ref: "#/$defs/Note", $defs: { Note: note } },
    chained: { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: note } },
  };
  const tools = Object.entries(outputs).map(([name, output]) =>
    defineTool(name).describe("Get").output(jsonSchema<{ text: string }>(output)).handle(() => ({ text: "milk" }))
  );
  const array = { $ref: "#/$defs/l", $defs: { l: { type: "array" } } };
  const items = defineTool("items").describe("List").output(jsonSchema<unknown[]>(array)).handle(() => []);
  const server = createServer({ tools: [...tools, items], wires: [mcp()] });
  const list = async () => (await legacy(server, "tools/list", {})).last.result?.["tools"] as Json[];
  for (const [name, output] of Object.entries(outputs)) {
    deepStrictEqual((await list()).find((tool) => tool["name"] === name)?.["outputSchema"], {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      ...output,
    });
    const { result } = (await legacy(server, "tools/call", { name })).last;
    deepStrictEqual([result?.["structuredContent"], result?.["_meta"]], [{ text: "milk" }, undefined]);
  }
  deepStrictEqual(((await list()).at(-1)?.["outputSchema"] as Json)["required"], ["result"]);
});

test("errors of invalid arguments have the form of the revision", async () => {
  const params = { name: "add", arguments: { a: "x" } };
  const { last } = await legacy(server, "tools/call", params);
  strictEqual(last.result?.["isError"], true);
  for (const version of ["2025-06-18", "2025-03-26"]) {
    const { status, last } = await legacy(server, "tools/call", params, { version });
    deepStrictEqual([status, last.error?.code], [200, -32602]);
  }
});

test("errors of requests are answered with 200, and numbers of their time", async () => {
  const cases: readonly (readonly [string, Json, number])[] = [
    ["x/y", {}, -32601],
    ["server/discover", {}, -32601],
    ["subscriptions/listen", {}, -32601],
    ["logging/setLevel", { level: "info" }, -32601],
    ["tools/call", { name: "none" }, -32602],
    ["tools/list", { cursor: "x" }, -32602],
    ["resources/read", { uri: "x://y" }, -32002],
    ["prompts/get", { name: "none" }, -32602],
  ];
  for (const [method, params, code] of cases) {
    const { status, last } = await legacy(server, method, params);
    deepStrictEqual([status, last.error?.code], [200, code], method);
  }
});

test("without a version header it is 2025-03-26, with an unknown one it is refused", async () => {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pair" } };
  const { last } = await read(await post(server, body));
  strictEqual(last.result?.["structuredContent"], undefined);
  const refused = await read(await post(server, body, { "mcp-protocol-version": "2024-10-07" }));
  deepStrictEqual([refused.status, refused.last.error?.code, refused.last.id], [400, -32000, 1]);
});

test("batches are answered in 2025-03-26, and nowhere else", async () => {
  const one = { jsonrpc: "2.0", id: 1, method: "ping" };
  const two = { jsonrpc: "2.0", id: "b", method: "tools/call", params: { name: "add", arguments: { a: 1, b: 1 } } };
  const note = { jsonrpc: "2.0", method: "notifications/initialized" };
  const response = await post(server, [one, note, two]);
  const answers = await response.json() as Json[];
  deepStrictEqual(answers.map(({ id }) => id), [1, "b"]);
  strictEqual((await post(server, [note])).status, 202);
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-03-26" } };
  strictEqual((await read(await post(server, [initialize]))).status, 400);
  const later = await read(await post(server, [one], { "mcp-protocol-version": "2025-06-18" }));
  deepStrictEqual([later.status, later.last.error?.code], [400, -32600]);
  const many = await read(await post(server, Array(101).fill(one)));
  deepStrictEqual([many.status, many.last.error?.code], [400, -32600]);
  const mixed = await post(server, [one, { id: 5 }]);
  strictEqual(mixed.status, 400);
  await mixed.text();
});

test("progress and log lines come before the answer", async () => {
  const talking = createFixture({ logging: true });
  const { result } = await initialize(talking);
  deepStrictEqual((result["capabilities"] as Json)["logging"], {});
  deepStrictEqual((await legacy(talking, "logging/setLevel", { level: "debug" })).last.result, {});
  strictEqual((await legacy(talking, "logging/setLevel", { level: "loud" })).last.error?.code, -32602);
  const { messages } = await legacy(talking, "tools/call", { name: "steps", _meta: { progressToken: "p" } });
  // Nothing is remembered: lines come from info on.
  deepStrictEqual(messages.map(({ method }) => method), [
    "notifications/progress",
    "notifications/progress",
    "notifications/progress",
    "notifications/message",
    undefined,
  ]);
});

test("GET and DELETE are not offered without sessions", async () => {
  for (const method of ["GET", "DELETE"]) {
    const response = await server.fetch(new Request("http://localhost/mcp", { method }));
    strictEqual(response.status, 405);
    await response.text();
  }
});
