/** The console's API for its panes: changes of the list, recordings, and other callers. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, Failure, mcpLite, type Server } from "../../mod.ts";
import { FakeClock } from "../../src/entries/testing.ts";
import * as v from "../../src/entries/schema.ts";
import { bearer } from "../../src/entries/auth.ts";
import { definePrompt, defineResource } from "../../src/entries/mcp.ts";
import { type ConsoleOptions, consolePage } from "../../src/entries/console.ts";

const KEY = "key-of-the-pane-tests";
const TOOLS = [
  defineTool("add").describe("Add").input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) => a + b),
  defineTool("count").describe("Count the calls").handle(() => ++counted),
  defineTool("sign_in").describe("Sign in").input(v.object({ password: v.string() })).handle(() => "welcome"),
  defineTool("refuse").describe("Fail").errors({ full: v.object({}) }).handle(() => {
    throw new Failure("full", "No room", {});
  }),
  defineTool("broken").describe("Throw").handle(() => {
    throw new Error("the database is away");
  }),
  defineTool("huge").describe("Return what is not JSON").handle(() => 1n as unknown as number),
  defineTool("cyclic").describe("Return a cyclic object").handle(() => {
    const value: Record<string, unknown> = {};
    return (value["self"] = value) as never;
  }),
  defineTool("headers").describe("Read headers").handle((_, ctx) => {
    return ["X-Toolwire-Console-Key", "x-toolwire-console", "X-Other"].map((name) => ctx.metadata.get(name));
  }),
  defineTool("write").describe("Needs a scope").scopes("write").handle((_, ctx) => `written by ${ctx.principal?.id}`),
  defineTool("secret").describe("For ada").visibleTo((principal) => principal?.id === "ada").handle((_, ctx) => {
    return ctx.elicit("sure", { message: "Sure?", schema: v.object({}) }).then(({ action }) => action);
  }),
];
let counted = 0;

function serverWith(options: ConsoleOptions = {}, more: Partial<Parameters<typeof createServer>[0]> = {}): Server {
  const wires = [mcpLite(), consolePage({ key: KEY, ...options })];
  return createServer({
    tools: TOOLS,
    wires,
    logger: false,
    keys: "k1:a secret of at least thirty-two bytes",
    ...more,
  });
}

interface Asked {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

async function ask(server: Server, name: string, input: unknown = {}): Promise<Asked> {
  const headers = { "x-toolwire-console": "1", "x-toolwire-console-key": KEY, "x-other": "kept" };
  const body = JSON.stringify(input);
  const response = await server.fetch(
    new Request(`http://localhost/console/api/${name}`, { method: "POST", headers, body }),
  );
  return { status: response.status, json: await response.json() };
}

async function callTool(server: Server, name: string, args: unknown = {}): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const headers = { "content-type": "application/json" };
  await server.fetch(new Request("http://localhost/mcp-lite/v1/calltools", { method: "POST", headers, body }));
}

test("a list is compared with an earlier one, as toolwire diff does", async () => {
  const server = serverWith();
  const { json: { tools } } = await ask(server, "tools");
  const before = tools.map(({ listing }: { listing: unknown }) => listing);
  deepStrictEqual((await ask(server, "diff", { before: { tools: before } })).json, { changes: [] });
  const add = before.find(({ name }: { name: string }) => name === "add");
  const earlier = [{ ...add, inputSchema: { type: "object", properties: { a: { type: "number" } } } }, {
    name: "gone",
  }];
  const { json: { changes } } = await ask(server, "diff", { before: { tools: earlier } });
  const breaking = changes.filter(({ level }: { level: string }) => level === "breaking");
  ok(breaking.some(({ subject }: { subject: string }) => subject === 'tool "gone"'), JSON.stringify(changes));
  ok(breaking.some(({ place }: { place: string }) => place === "arguments.a"), JSON.stringify(changes));
  strictEqual((await ask(server, "diff", { before: [] })).status, 400);
  strictEqual((await ask(server, "diff", { before: { tools: 7 } })).status, 400);
});

test("calls are recorded without secrets, and a replay compares their results", async () => {
  const server = serverWith();
  await callTool(server, "add", { a: 9, b: 9 });
  deepStrictEqual((await ask(server, "record", { on: true })).json, {
    isOn: true,
    calls: 0,
    chars: (await ask(server, "recording")).json.text.length,
  });
  await callTool(server, "add", { a: 1, b: 2 });
  await callTool(server, "count");
  await callTool(server, "sign_in", { password: "correct horse" });
  await callTool(server, "refuse");
  await callTool(server, "huge");
  strictEqual((await ask(server, "record", { on: false })).json.calls, 5, "a refused result is recorded as its error");
  await callTool(server, "add", { a: 3, b: 3 });
  const { json: { text } } = await ask(server, "recording");
  const lines = text.trim().split("\n").map((line: string) => JSON.parse(line));
  strictEqual(lines[0].toolwire, "record");
  deepStrictEqual(lines.filter(({ tool }: { tool?: string }) => tool).map(({ tool }: { tool: string }) => tool), [
    "add",
    "count",
    "sign_in",
    "refuse",
    "huge",
  ]);
  ok(!text.includes("correct horse"));
  const { json: { calls } } = await ask(server, "replay", { recording: text });
  deepStrictEqual(calls.map(({ tool, status }: Record<string, unknown>) => [tool, status]), [
    ["add", "same"],
    ["count", "different"],
    ["sign_in", "skipped"],
    ["refuse", "same"],
    ["huge", "same"],
  ]);
  deepStrictEqual(calls[1].differences, [{ path: "/value", recorded: 1, now: 2 }]);
  const wrong = await ask(server, "replay", { recording: "{}" });
  strictEqual(wrong.status, 400);
  match(wrong.json.error.message, /Not a recording/);
});

test("a recording ends after ten minutes, and a console without bodies makes none", async () => {
  const clock = new FakeClock();
  const server = serverWith({}, { clock });
  await ask(server, "record", { on: true });
  await clock.tick(599_000);
  strictEqual((await ask(server, "record")).json.isOn, true);
  await clock.tick(2_000);
  const { isOn, limit } = (await ask(server, "record")).json;
  deepStrictEqual([isOn, limit], [false, "time"]);
  await callTool(server, "add", { a: 1, b: 2 });
  strictEqual((await ask(server, "record")).json.calls, 0);
  strictEqual((await ask(serverWith({ bodies: false }), "record", { on: true })).status, 403);
});

test("the page acts as no other caller unless the options say so", async () => {
  const as = { id: "ada", scopes: ["write"] };
  const server = serverWith();
  for (const name of ["tools", "check", "access", "call", "content"]) {
    const refused = await ask(server, name, { as, tool: "secret", args: {} });
    strictEqual(refused.status, 403, name);
    match(refused.json.error.message, /actAs: true/);
  }
  strictEqual((await ask(server, "call", { tool: "add", args: { a: 1, b: 2 } })).status, 403);
  strictEqual((await ask(server, "content", { method: "list" })).status, 403);
  const { tools, hidden } = (await ask(server, "access")).json;
  strictEqual(hidden, 1);
  ok(!JSON.stringify(tools).includes("secret"), "hidden tools are not named");
  throws(() => consolePage({ actAs: true }), /actAs needs a key/);
  const auth = bearer(() => ({ id: "ada" }));
  throws(() => serverWith({ actAs: true }, { auth }), /actAs is for servers without auth/);
});

test("with actAs, tools are listed and called as the caller of the page says", async () => {
  const server = serverWith({ actAs: true });
  const ada = { id: "ada", scopes: ["write"] };
  const access = (await ask(server, "access", { as: { id: "bob" } })).json;
  deepStrictEqual(access.tools.slice(-2), [
    { tool: "write", isVisible: true, missing: ["write"] },
    { tool: "secret", isVisible: false, missing: [] },
  ]);
  const names = async (as: unknown) => {
    return JSON.stringify((await ask(server, "tools", { as })).json.tools.map((
      { listing }: { listing: { name: string } },
    ) => listing.name));
  };
  ok((await names(ada)).includes("secret") && !(await names({ id: "bob" })).includes("secret"));
  const call = async (tool: string, as: unknown, more = {}) =>
    (await ask(server, "call", { tool, as, args: {}, ...more })).json;
  deepStrictEqual(await call("write", ada), { kind: "answer", value: "written by ada" });
  strictEqual((await call("write", { id: "bob" })).code, "permission_denied");
  strictEqual((await call("nothing", ada)).code, "tool_not_found");
  const masked = await call("broken", ada);
  strictEqual(masked.code, "internal");
  ok(!JSON.stringify(masked).includes("database"));
  const asked = await call("secret", ada);
  strictEqual(asked.requests.sure.message, "Sure?");
  const meta = { continuation: asked.continuation, responses: { sure: { action: "accept", content: {} } } };
  strictEqual((await call("secret", ada, { meta })).value, "accept");
  for (const as of [{}, { id: "" }, { id: "x", scopes: "write" }, "ada", null]) {
    strictEqual((await ask(server, "access", { as })).status, 400, JSON.stringify(as));
  }
});

const resources = [
  defineResource("note://mine").scopes("notes").describe("Notes").read((_, ctx) => `the note of ${ctx.principal?.id}`),
  defineResource("book://{id}").describe("Books").list((
    ctx,
  ) => [{ name: ctx.principal?.id ?? "?", variables: { id: "1" } }])
    .complete({ id: (value, ctx) => [`${value}-${ctx.principal?.id}`] })
    .read(({ id }, ctx) => `${id} for ${ctx.principal?.id}`),
];
const prompts = [
  definePrompt("greet").describe("Greet").input(v.object({ word: v.string() }))
    .handle(async ({ word }, ctx) => {
      const sure = await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
      return `${word}, ${ctx.principal?.id}: ${sure.action}`;
    }),
];

test("with actAs, resources and prompts are read as the caller of the page says", async () => {
  const server = serverWith({ actAs: true }, { resources, prompts });
  const ada = { id: "ada", scopes: ["notes"] };
  const get = async (as: unknown, method: string, params: unknown = {}, more = {}) =>
    (await ask(server, "content", { as, method, params, ...more })).json;
  const { value: { resources: listed, prompts: [greet], canComplete } } = await get(ada, "list");
  deepStrictEqual(listed.map(({ name }: { name: string }) => name), ["note://mine", "ada", "book://{id}"]);
  deepStrictEqual([greet.name, canComplete], ["greet", true]);
  const read = (as: unknown, uri: string) => get(as, "resources/read", { uri });
  strictEqual((await read(ada, "note://mine")).value.contents[0].text, "the note of ada");
  strictEqual((await read({ id: "bob" }, "note://mine")).code, "permission_denied");
  strictEqual((await read(ada, "book://7")).value.contents[0].text, "7 for ada");
  strictEqual((await read(ada, "none://x")).code, "resource_not_found");
  const argument = { name: "id", value: "4" };
  const completed = await get(ada, "completion/complete", {
    ref: { type: "ref/resource", uri: "book://{id}" },
    argument,
  });
  deepStrictEqual(completed.value.completion.values, ["4-ada"]);
  const params = { name: "greet", arguments: { word: "Hello" } };
  const { continuation, requests } = await get(ada, "prompts/get", params);
  strictEqual(requests.sure.message, "Sure?");
  const meta = { continuation, responses: { sure: { action: "decline" } } };
  const { value } = await get(ada, "prompts/get", params, { meta });
  strictEqual(value.messages[0].content.text, "Hello, ada: decline");
  strictEqual((await get(ada, "prompts/list")).code, "method_not_found");
  const empty = serverWith({ actAs: true });
  const none = { resources: [], prompts: [], canComplete: false };
  deepStrictEqual((await ask(empty, "content", { as: ada, method: "list" })).json.value, none);
  strictEqual((await ask(empty, "content", { as: ada, method: "prompts/get" })).json.code, "method_not_found");
});

test("what cannot be sent as JSON is a masked error with a correlation id", async () => {
  const lines: unknown[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (_: string, fields: unknown) => void lines.push(fields) };
  const server = serverWith({ actAs: true }, { logger });
  for (const tool of ["huge", "cyclic"]) {
    const { json: error } = await ask(server, "call", { tool, args: {}, as: { id: "ada" } });
    deepStrictEqual([error.kind, error.code], ["error", "internal"], JSON.stringify(error));
    const [, id] = /^Internal error, correlation id ([\da-f-]{36})$/.exec(error.message) ?? [];
    const logged = lines.at(-1) as { readonly correlationId: string; readonly error: unknown };
    strictEqual(logged.correlationId, id);
    ok(logged.error instanceof TypeError);
  }
  for (const name of ["constructor", "__proto__"]) strictEqual((await ask(server, name)).status, 404, name);
});

test("calls as another caller, and replayed ones, do not see the key of the console", async () => {
  const server = serverWith({ actAs: true });
  const seen = [null, null, "kept"];
  deepStrictEqual((await ask(server, "call", { tool: "headers", args: {}, as: { id: "ada" } })).json.value, seen);
  await ask(server, "record", { on: true });
  await ask(server, "call", { tool: "headers", args: {}, as: { id: "ada" } });
  const { text } = (await ask(server, "recording")).json;
  strictEqual((await ask(server, "replay", { recording: text })).json.calls[0].status, "same");
  ok(!text.includes(KEY));
});
