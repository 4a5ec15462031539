/** How each wire serves a selection of the tools, and the full list where it has one. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createClient, createServer, defineTool, type Server } from "../../../mod.ts";
import { gateway, group, mount } from "../../../src/entries/compose.ts";
import { discover } from "../../../src/entries/discovery.ts";
import { openapiPage } from "../../../src/entries/openapi.ts";
import { mcp, mcpTransport } from "../../../src/entries/mcp.ts";
import { rest } from "../../../src/entries/rest.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import { listing, scripted } from "../compose/scripted.ts";
import {
  callModern,
  type Json,
  legacy,
  modern,
  modernBody,
  modernHeaders,
  post,
  StreamReader,
} from "../../wires/mcp/server/client.ts";
import { call, found, QUIET, serverOf, tool } from "./fixture.ts";

const OWN = ["search_tools", "call_tool"];
const ALL = { "toolwire/all-tools": true };

const add = defineTool("add").describe("Add numbers").input(v.object({ a: v.number(), b: v.number() }))
  .output(v.number()).annotate({ readOnlyHint: true }).handle(({ a, b }) => a + b);
const show = defineTool("show").describe("Show a text").output(v.object({ text: v.string() }))
  .render(({ text }) => `It is ${text}`).handle(() => ({ text: "x" }));
const image = defineTool("image").describe("Describe an image").output(v.object({ type: v.string(), text: v.string() }))
  .handle(() => ({ type: "text", text: "A cat" }));
const hidden = defineTool("hidden").describe("Add a hidden thing").visibleTo((principal) => principal?.id === "ada")
  .config(v.object({ secret: v.string() })).handle(() => 1);
const TOOLS = [add, show, image, hidden];

function namesOf(result: Json | undefined): unknown[] {
  return (result?.["tools"] as { readonly name: string }[]).map(({ name }) => name);
}

function fetchOf(server: Server) {
  return (url: string, init: RequestInit) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
}

async function getJson(server: Server, path: string) {
  const response = await server.fetch(new Request(`http://localhost${path}`));
  return { status: response.status, body: await response.json() };
}

test("MCP lists the selection in pages, and the full list on request, in each era", async () => {
  const many = Array.from({ length: 7 }, (_, index) => tool(`tool_${index}`, "Do a thing"));
  const server = serverOf([...many, hidden], { pinned: ["tool_1"] }, { wires: [mcp({ pageSize: 2 })] });
  for (const ask of [modern, legacy]) {
    const first = (await ask(server, "tools/list")).last.result;
    deepStrictEqual(namesOf(first), ["tool_1", "search_tools"]);
    const second = (await ask(server, "tools/list", { cursor: first?.["nextCursor"] })).last.result;
    deepStrictEqual([namesOf(second), second?.["nextCursor"]], [["call_tool"], undefined]);
  }
  const names: unknown[] = [];
  for (const cursor of [undefined, "2", "4", "6"]) {
    const { result } = (await modern(server, "tools/list", cursor === undefined ? {} : { cursor }, { meta: ALL })).last;
    names.push(...namesOf(result));
    strictEqual(result?.["nextCursor"], cursor === "6" ? undefined : String(Number(cursor ?? 0) + 2));
  }
  deepStrictEqual(names, many.map(({ name }) => name));
  const { result } = (await legacy(server, "tools/list", { _meta: ALL, cursor: "4" })).last;
  deepStrictEqual(namesOf(result), ["tool_4", "tool_5"]);
  for (const value of [false, "true", 1, null]) {
    const meta = { "toolwire/all-tools": value };
    deepStrictEqual(namesOf((await modern(server, "tools/list", {}, { meta })).last.result), [
      "tool_1",
      "search_tools",
    ]);
  }
});

test("MCP lists a changed selection after a gateway's tools have changed", async () => {
  const remote = scripted([listing("old")]);
  const far = await gateway("far", remote);
  const server = createServer({
    tools: [],
    parts: [group("far", far)],
    discovery: discover({ when: "always" }),
    logger: QUIET,
    wires: [mcp()],
  });
  const all = async () => namesOf((await modern(server, "tools/list", {}, { meta: ALL })).last.result);
  const body = modernBody("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const reader = new StreamReader(await post(server, body, modernHeaders(body)));
  await reader.nextMessage();
  deepStrictEqual([await all(), await found(server, "old")], [["far_old"], ["far_old"]]);
  remote.listed = [listing("new"), listing("newer")];
  await far.refresh();
  strictEqual((await reader.nextMessage()).method, "notifications/tools/list_changed");
  deepStrictEqual([await all(), await found(server, "old")], [["far_new", "far_newer"], []]);
  deepStrictEqual(await found(server, "new"), ["far_new"]);
  const { result } = (await modern(server, "tools/list")).last;
  deepStrictEqual(namesOf(result), OWN);
  match(JSON.stringify(result), /Groups of tools: far \(2\)/);
  await reader.cancel();
  await server.close(0);
});

test("a list that becomes long is replaced, and one that becomes short is not", async () => {
  const remote = scripted([listing("one")]);
  const far = await gateway("far", remote);
  const server = createServer({
    tools: [],
    parts: [mount(far)],
    discovery: discover({ minTokens: 100 }),
    logger: QUIET,
  });
  const names = () => server.tools.map(({ name }) => name);
  deepStrictEqual(names(), ["one"]);
  remote.listed = Array.from({ length: 20 }, (_, index) => listing(`tool_${index}`));
  await far.refresh();
  deepStrictEqual(names(), OWN);
  remote.listed = [listing("two")];
  await far.refresh();
  deepStrictEqual(names(), ["two"]);
  await server.close(0);
});

test("results of MCP are the same through call_tool", async () => {
  const server = serverOf(TOOLS, {}, { wires: [mcp()] });
  for (const [name, args] of [["add", { a: 1, b: 2 }], ["show", {}], ["image", {}]] as const) {
    const direct = await callModern(server, name, args);
    deepStrictEqual(await callModern(server, "call_tool", { name, arguments: args }), direct, name);
    ok(direct["structuredContent"] !== undefined, name);
    const params = { name: "call_tool", arguments: { name, arguments: args } };
    const old = (await legacy(server, "tools/call", { name, arguments: args })).last.result;
    ok(old?.["structuredContent"] !== undefined, name);
    deepStrictEqual((await legacy(server, "tools/call", params)).last.result, old, name);
  }
});

test("a tool that has to be called as a task is called so through call_tool", async () => {
  const long = defineTool("long").describe("Take long").promise({ budgetMs: 1, required: true }).handle(() => 1);
  const server = serverOf([long], {}, { wires: [mcp()] });
  const args = { name: "call_tool", arguments: { name: "long" } };
  const { error } = (await modern(server, "tools/call", args)).last;
  deepStrictEqual(error, (await modern(server, "tools/call", { name: "long" })).last.error);
  ok(error !== undefined);
  const tasks = { capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } };
  ok((await modern(server, "tools/call", args, tasks)).last.result !== undefined);
  const { result } = (await legacy(server, "tools/list")).last;
  const listed = (result?.["tools"] as Json[]).find(({ name }) => name === "call_tool");
  deepStrictEqual(listed?.["execution"], { taskSupport: "optional" });
  await server.close(0);
});

test("MCP clients get the full list with allTools, and a gateway asks for it", async () => {
  const server = serverOf(TOOLS);
  for (const era of ["modern", "legacy"] as const) {
    const open = (options = {}) => mcpTransport("http://localhost/mcp", { era, fetch: fetchOf(server), ...options });
    const names = async (options = {}) => {
      const client = createClient(open(options));
      const listed = await client.$.list();
      client.$.close();
      return listed.map(({ name }) => name);
    };
    deepStrictEqual(await names(), OWN);
    deepStrictEqual(await names({ allTools: false }), OWN);
    deepStrictEqual(await names({ allTools: true }), ["add", "show", "image"]);
    const far = await gateway("far", open());
    deepStrictEqual(far.tools.map(({ name }) => name), ["add", "show", "image"]);
    const app = serverOf([], {}, { parts: [group("far", far)] as never });
    deepStrictEqual(await found(app, "add numbers"), ["far_add"]);
    strictEqual(await call(app, "call_tool", { name: "far_add", arguments: { a: 1, b: 2 } }), 3);
    await app.close(0);
  }
  await server.close(0);
});

test("a server that lists all its tools ignores a request for the full list", async () => {
  const server = createServer({ tools: [add], wires: [mcp()], logger: QUIET });
  const transport = mcpTransport("http://localhost/mcp", { fetch: fetchOf(server), allTools: true });
  deepStrictEqual((await createClient(transport).$.list()).map(({ name }) => name), ["add"]);
  transport.close();
  await server.close(0);
});

test("REST serves and describes every tool", async () => {
  const server = serverOf(TOOLS, {}, { wires: [rest(), openapiPage()] });
  deepStrictEqual(await getJson(server, "/rest/tools/add?a=1&b=2"), { status: 200, body: 3 });
  const { body } = await getJson(server, "/rest/tools/search_tools?query=add%20numbers&limit=1");
  deepStrictEqual(body.tools.map(({ name }: { name: string }) => name), ["add"]);
  strictEqual((await getJson(server, "/rest/tools/show")).status, 405);
  strictEqual((await getJson(server, "/rest/tools/hidden")).status, 404);
  deepStrictEqual((await getJson(server, "/rest/tools")).body.tools.map(({ name }: { name: string }) => name), OWN);
  for (const path of ["/rest/openapi.json", "/openapi.json"]) {
    const { paths } = (await getJson(server, path)).body;
    const operations = Object.keys(paths).filter((one) => /^\/rest\/tools\/\w+$/.test(one));
    deepStrictEqual(operations, ["add", "show", "image"].map((name) => `/rest/tools/${name}`), path);
  }
});

test("Webtools has the selection as actions, and calls every tool", async () => {
  const wire = webtools({ name: "all", description: "All", version: "1.0.0" });
  const server = serverOf(TOOLS, { pinned: ["show"] }, { wires: [wire] });
  const { body } = await getJson(server, "/webtools/all/");
  deepStrictEqual(body.actions.map(({ name }: { name: string }) => name), ["show", ...OWN]);
  ok(!JSON.stringify(body).includes("secret"), "the config of a hidden tool is described");
  const response = await server.fetch(
    new Request("http://localhost/webtools/all/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"action":"add","request":{"a":1,"b":2}}',
    }),
  );
  deepStrictEqual(await response.json(), { status: "ok", data: 3 });
});
