import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import { createClient, createServer, defineTool, Failure, memoryTransport, ToolError } from "../../mod.ts";
import { FakeFetch, json, result } from "./fake_fetch.ts";

const server = createServer({
  tools: [
    defineTool("add").describe("Add").input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) => a + b),
    defineTool("constructor").describe("C").handle(() => "the tool constructor"),
    defineTool("a.b-c").describe("Dots").handle(() => "dots"),
    defineTool("fail").describe("F").errors({ locked: v.object({ by: v.string() }) }).handle((_, ctx) => {
      throw ctx.fail("locked", "Locked", { by: "me" });
    }),
    defineTool("deny").describe("D").handle(() => {
      throw new ToolError("permission_denied", "Not you", { details: { a: 1 } });
    }),
  ],
});
const client = createClient<typeof server>(memoryTransport(server));

test("a client is not a promise: it can be awaited, returned from async functions and resolved with", async () => {
  strictEqual((client as unknown as { then?: unknown }).then, undefined);
  strictEqual("then" in client, false);
  const same = await (async () => await Promise.resolve(client))();
  strictEqual(await same.add({ a: 1, b: 2 }), 3);
});

test("a client has only the tools, and $", async () => {
  deepStrictEqual(Object.keys(client), ["$"]);
  ok("$" in client);
  strictEqual(client.add, client.add);
  strictEqual(client.$, client.$);
  strictEqual(await client.constructor(), "the tool constructor");
  strictEqual(await client["a.b-c"](), "dots");
  strictEqual((client as unknown as Record<symbol, unknown>)[Symbol.iterator], undefined);
  strictEqual((client as unknown as Record<symbol, unknown>)[Symbol.toPrimitive], undefined);
});

test("a client that is printed or written as JSON makes no calls", () => {
  strictEqual(JSON.stringify({ client }), '{"client":{"$":{}}}');
  throws(() => String(client), TypeError);
});

test("a client cannot be changed", () => {
  throws(() => Object.assign(client, { add: 1 }), TypeError);
  throws(() => delete (client as { $?: unknown }).$, TypeError);
});

test("client.$ lists, calls, streams and closes", async () => {
  const tools = await client.$.list();
  deepStrictEqual(tools.map(({ name }) => name), ["add", "constructor", "a.b-c", "fail", "deny"]);
  strictEqual(await client.$.call("add", { a: 2, b: 3 }), 5);
  strictEqual(await client.$.stream("add", { a: 2, b: 3 }).result, 5);
  strictEqual((await client.$.outcome("add", { a: 2, b: 3 })).kind, "answer");
  client.$.close();
});

test("an untyped client calls any name, and hears of those that are not there", async () => {
  const untyped = createClient(memoryTransport(server));
  strictEqual(await untyped["add"]?.({ a: 1, b: 1 }), 2);
  await rejects(untyped["ad"]?.({}) ?? Promise.resolve(), (thrown: unknown) => {
    ok(thrown instanceof ToolError);
    strictEqual(thrown.code, "tool_not_found");
    strictEqual((thrown.details as { suggestion: string }).suggestion, "Did you mean 'add'?");
    return true;
  });
});

test("a failure is thrown by a call, told by outcome(), and known by isFailure()", async () => {
  const thrown = await client.fail().catch((reason: unknown) => reason);
  ok(thrown instanceof Failure);
  deepStrictEqual([thrown.code, thrown.message, thrown.data], ["locked", "Locked", { by: "me" }]);
  strictEqual(client.fail.isFailure(thrown), true);
  strictEqual(client.fail.isFailure(new Error("x")), false);
  strictEqual(client.fail.isFailure(undefined), false);
  const outcome = await client.fail.outcome();
  deepStrictEqual(outcome, { kind: "failure", code: "locked", message: "Locked", data: { by: "me" } });
});

test("a refusal is thrown by a call and by outcome()", async () => {
  for (const call of [() => client.deny(), () => client.deny.outcome(), () => client.deny.stream().result]) {
    await rejects(call, { name: "ToolError", code: "permission_denied", message: "Not you", details: { a: 1 } });
  }
});

test("a client made of nothing that can be called says so", () => {
  for (const url of ["", "not a url", "//host/mcp-lite/v1", "ftp://example.com", "file:///x", "ws://example.com"]) {
    throws(() => createClient(url), TypeError, url);
  }
});

for (
  const [to, url] of [
    ["http://example.com/mcp-lite/v1", "http://example.com/mcp-lite/v1/calltools"],
    ["http://example.com/mcp-lite/v1/", "http://example.com/mcp-lite/v1/calltools"],
    ["http://example.com/mcp-lite/v1///", "http://example.com/mcp-lite/v1/calltools"],
    ["http://example.com", "http://example.com/mcp-lite/v1/calltools"],
    ["http://example.com/?key=1", "http://example.com/mcp-lite/v1/calltools?key=1"],
    [new URL("https://example.com:8443/a b"), "https://example.com:8443/a%20b/calltools"],
  ] as const
) {
  test(`createClient(${String(to)}) posts to ${url}`, async () => {
    const fake = new FakeFetch(result({ content: 1 }));
    strictEqual(await createClient(to, { fetch: fake.fetch })["t"]?.(), 1);
    strictEqual(fake.asked[0]?.url, url);
  });
}

test("a request is a JSON-RPC call with its own id, arguments, _meta and headers", async () => {
  const fake = new FakeFetch(result({ content: 1 }));
  const calling = createClient("http://example.com", {
    fetch: fake.fetch,
    headers: { Authorization: "Bearer x", "content-type": "text/plain" },
  });
  await calling.$.call("t");
  await calling.$.call("t", { a: 1 }, { meta: { trace: "y" }, timeoutMs: 5_000 });
  await calling.$.stream("t", { a: 2 }).result;
  const [first, second, third] = fake.asked;
  strictEqual(first?.init.method, "POST");
  strictEqual(first.init.redirect, "manual");
  deepStrictEqual(
    [first.headers.get("content-type"), first.headers.get("accept"), first.headers.get("authorization")],
    ["application/json", "application/json", "Bearer x"],
  );
  deepStrictEqual(
    first.body,
    { jsonrpc: "2.0", id: first.body.id, method: "tools/call", params: { name: "t", arguments: {} } } as never,
  );
  const { _meta: { deadline_ms: deadlineMs, ...meta }, ...params } = second?.body.params as {
    readonly _meta: Readonly<Record<string, unknown>>;
  };
  deepStrictEqual([params, meta], [{ name: "t", arguments: { a: 1 } }, { trace: "y" }]);
  // The time until it is sent counts.
  ok(Number(deadlineMs) > 0 && Number(deadlineMs) <= 5_000);
  ok(third?.headers.get("accept")?.includes("text/event-stream"));
  strictEqual(new Set(fake.asked.map(({ body }) => body.id)).size, 3);
});

test("headers may be a function, asked for each request; what it throws is not a network that fails", async () => {
  let n = 0;
  const fake = new FakeFetch(result({ content: 1 }));
  const calling = createClient("http://example.com", {
    fetch: fake.fetch,
    headers: async () => await Promise.resolve({ "x-n": String(++n) }),
  });
  await calling.$.call("t");
  await calling.$.call("t");
  deepStrictEqual(fake.asked.map(({ headers }) => headers.get("x-n")), ["1", "2"]);
});

for (
  const [name, listed] of [
    ["an object with tools", { tools: [{ name: "a", description: "A", extra: 1 }] }],
    ["an array of tools", [{ name: "a", description: "A", extra: 1 }]],
  ] as const
) {
  test(`list() reads ${name}, and keeps unknown members`, async () => {
    const fake = new FakeFetch();
    fake.tools = listed;
    deepStrictEqual(await createClient("http://example.com", { fetch: fake.fetch }).$.list(), [{
      name: "a",
      description: "A",
      extra: 1,
    }]);
  });
}

for (
  const [name, respond, code] of [
    [
      "an error",
      () =>
        json(
          { jsonrpc: "2.0", id: null, error: { code: -32000, message: "No", data: { code: "unauthenticated" } } },
          401,
        ),
      "unauthenticated",
    ],
    ["something else", () => json({ hello: "world" }), "invalid_request"],
    ["a string", () => json("tools"), "invalid_request"],
    [
      "HTML",
      () => new Response("<html>", { status: 404, headers: { "content-type": "text/html" } }),
      "method_not_found",
    ],
    ["a network that fails", () => {
      throw new TypeError("fetch failed");
    }, "unavailable"],
  ] as const
) {
  test(`list() rejects with a ToolError when the answer is ${name}`, async () => {
    const listing = createClient("http://example.com", { fetch: async () => await Promise.resolve().then(respond) });
    await rejects(listing.$.list(), { name: "ToolError", code });
  });
}
