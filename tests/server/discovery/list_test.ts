/** What a server with discovery lists, and what stays callable. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, Failure, memoryTransport } from "../../../mod.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { discover } from "../../../src/entries/discovery.ts";
import { call, found, listed, search, serverOf, tool } from "./fixture.ts";

/** Tools whose list takes about 150 tokens each. */
function manyTools(count: number) {
  return Array.from(
    { length: count },
    (_, index) => tool(`tool_${index}`, "Describe one of the many things. ".repeat(20)),
  );
}

const OWN = ["search_tools", "call_tool"];

test("the list has the system tools, the pinned tools and the two of discovery", async () => {
  const later = defineTool("later").describe("Answer later").promise({ budgetMs: 10 }).handle(() => 1);
  const server = serverOf([tool("a", "A"), later, tool("b", "B")], { pinned: ["b"] });
  deepStrictEqual(await listed(server), ["redeem", "cancel", "b", ...OWN]);
  strictEqual(await call(server, "a"), "a");
  strictEqual(await call(server, "call_tool", { name: "a" }), "a");
  strictEqual(await call(server, "call_tool", { name: "b", arguments: {} }), "b");
  await server.close(0);
});

test("what discovery adds to the list is marked as of the system, over MCP too", async () => {
  const server = createServer({
    name: "s",
    version: "1",
    tools: [tool("a", "A")],
    discovery: discover({ when: "always" }),
    logger: false,
  });
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  for (const transport of [memoryTransport(server), mcpTransport("http://a/mcp", { fetch })]) {
    const client = createClient(transport);
    const names = (await client.$.list()).filter((one) => one["@type"] === "system").map(({ name }) => name);
    deepStrictEqual(names.filter((name) => OWN.includes(name)), OWN);
    client.$.close();
  }
  await server.close(0);
});

test("a short list stays as it is", async () => {
  const few = createServer({ tools: manyTools(10), discovery: discover({ minTokens: 1 }) });
  strictEqual((await listed(few)).length, 10);
  await rejects(call(few, "search_tools", { query: "thing" }), { code: "tool_not_found" });
  await rejects(call(few, "call_tool", { name: "tool_1" }), { code: "tool_not_found" });
  const cheap = createServer({ tools: manyTools(40), discovery: discover() });
  strictEqual((await listed(cheap)).length, 40);
});

test("a list of more than 10 tools and 10,000 tokens is replaced", async () => {
  deepStrictEqual(await listed(createServer({ tools: manyTools(100), discovery: discover() })), OWN);
  deepStrictEqual(await listed(createServer({ tools: manyTools(11), discovery: discover({ minTokens: 100 }) })), OWN);
});

test("call_tool rejects names that a search cannot find", async () => {
  const later = defineTool("later").describe("Answer later").promise({ budgetMs: 10 }).handle(() => 1);
  const server = serverOf([tool("get_weather", "Report the weather"), later]);
  for (
    const name of ["search_tools", "call_tool", "redeem", "cancel", "constructor", "__proto__", "", "get_weather "]
  ) {
    await rejects(call(server, "call_tool", { name }), { code: "tool_not_found" }, name);
  }
  await rejects(call(server, "call_tool", { name: "get_wether" }), {
    code: "tool_not_found",
    details: {
      requested_tool: "get_wether",
      available_tools: ["get_weather", "later"],
      suggestion: "Did you mean 'get_weather'?",
    },
  });
  await server.close(0);
});

test("call_tool rejects arguments that it does not forward", async () => {
  const echo = defineTool("echo").describe("Return the arguments").handle((input) => input);
  const server = serverOf([echo]);
  deepStrictEqual(await call(server, "call_tool", { name: "echo", arguments: { a: 1 } }), { a: 1 });
  for (const args of [{}, { name: 1 }, { name: null }, { arguments: {} }]) {
    await rejects(call(server, "call_tool", args), { code: "invalid_input", message: /needs the name of a tool/ });
  }
  await rejects(call(server, "call_tool", { name: "echo", args: { a: 1 } }), {
    code: "invalid_input",
    message: /pass the arguments of the tool in "arguments"/,
  });
  for (const args of [null, [], "{}", 1]) {
    await rejects(call(server, "call_tool", { name: "echo", arguments: args }), { code: "invalid_input" });
  }
});

test("middleware sees searches and the called tools", async () => {
  const seen: string[] = [];
  const server = serverOf([tool("a", "A thing")], {}, {
    middleware: [(ctx, next) => (seen.push(ctx.tool.name), next())],
  });
  await search(server, "thing");
  await call(server, "call_tool", { name: "a" });
  deepStrictEqual(seen, ["search_tools", "a"]);
});

test("failures of a tool pass through call_tool", async () => {
  const fail = defineTool("fail").describe("Fail").handle(() => {
    throw new Failure("sold_out", "Nothing is left", { left: 0 });
  });
  await rejects(call(serverOf([fail]), "call_tool", { name: "fail" }), { code: "sold_out", data: { left: 0 } });
});

test("invalid options are rejected", () => {
  const create = (options: unknown, tools = [tool("ping", "Answer")]) => () =>
    createServer({ tools, discovery: discover(options as never) });
  throws(create({ pined: [] }), /Cannot discover tools: .*pined/);
  throws(create({ when: "never" }), /when/);
  throws(create({ minTokens: 0 }), RangeError);
  throws(create({ pinned: "ping" }), /pinned/);
  throws(create({ pinned: ["pong", "ping"] }), /pins the tool "pong", which does not exist\. Did you mean 'ping'\?/);
  throws(create({}, [tool("call_tool", "Call")]), /"call_tool" is a tool of discover\(\); give your tool another name/);
  throws(() => createServer({ tools: [], discovery: true as never }), /discover/);
});

test("10,000 tools cost a model what 10 tools cost", async () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, index) => tool(`tool_${index}`, `Do task ${index}`));
  const server = serverOf(names(10_000));
  deepStrictEqual(server.tools, serverOf(names(10)).tools);
  strictEqual((await found(server, "task 9876"))[0], "tool_9876");
  ok(JSON.stringify(await search(server, "task")).length < 1_000);
});
