/** What once went wrong on the way in or out of a server, by MCP-lite over HTTP. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import {
  createClient,
  createServer,
  defineTool,
  mcpLiteTransport,
  memoryTransport,
  type Middleware,
  ToolError,
} from "../../../mod.ts";
import { FakeClock } from "../../../src/testing/fake_clock.ts";
import { pathOf } from "../../../src/server/fetch_request.ts";

const EVENTS = { accept: "text/event-stream" };

function post(name: string, headers: Readonly<Record<string, string>> = {}, meta: unknown = undefined): Request {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, _meta: meta } });
  return new Request("http://localhost/mcp-lite/v1/calltools", {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "content-length": String(new TextEncoder().encode(body).length),
      ...headers,
    },
  });
}

test("a refusal that cannot be written is answered with internal, streamed or not, at once or later", async () => {
  const refuse = () => {
    throw new ToolError("conflict", "x", { details: { n: 1n } });
  };
  const server = createServer({
    logger: false,
    tools: [
      defineTool("now").describe("Refuse").handle(refuse),
      defineTool("later").describe("Refuse").handle(async () =>
        await Promise.reject(new ToolError("conflict", "x", { details: 1n }))
      ),
    ],
  });
  for (const name of ["now", "later"]) {
    for (const headers of [{}, EVENTS]) {
      const response = await server.fetch(post(name, headers));
      deepStrictEqual([response.status, (await response.json()).error.data.code], [500, "internal"]);
    }
  }
});

test("an unknown code is masked: it came from another server, through a client in a handler", async () => {
  for (const code of ["constructor", "__proto__", "brand_new"]) {
    const handler = () => {
      throw new ToolError(code as "internal", "x");
    };
    const server = createServer({ logger: false, tools: [defineTool("gateway").describe("Call on").handle(handler)] });
    for (const headers of [{}, EVENTS]) {
      const response = await server.fetch(post("gateway", headers));
      deepStrictEqual([response.status, (await response.json()).error.data.code], [500, "internal"]);
    }
  }
});

for (
  const [url, path] of [
    ["/public?x=://a/mcp-lite/v1/calltools", "/public"],
    ["/calltools?cb=https://a/b", "/calltools"],
    ["http://h/a/?b#c", "/a"],
    ["http://h", ""],
    ["http://h?x=/y", ""],
    ["/", ""],
    ["*", ""],
  ] as const
) {
  test(`pathOf() of ${url} is ${JSON.stringify(path)}`, () => strictEqual(pathOf(url), path));
}

test("a caller's long deadline does not lift the limit on a quiet stream", async () => {
  const clock = new FakeClock();
  const hang = defineTool("hang").describe("Say one thing").handle(async function* () {
    yield 1;
    await new Promise(() => {});
  });
  const response = await createServer({ tools: [hang], clock }).fetch(post("hang", EVENTS, { deadline_ms: 1e12 }));
  const text = response.text();
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
  clock.tick(30_000);
  ok((await text).includes("deadline_exceeded"));
});

test("what a client got can be handed on by middleware, without what the first wire added to its _meta", async () => {
  const inner = createServer({
    logger: false,
    tools: [defineTool("t").describe("T").handle((_, ctx) => (ctx.meta({ cost: 3 }), "inner"))],
  });
  const transport = mcpLiteTransport("http://inner/mcp-lite/v1", {
    fetch: (url, init) => inner.fetch(new Request(url, { ...init, redirect: "follow" })),
  });
  const gateway: Middleware = async (_, next) => {
    await next();
    const outcome = await createClient(transport).$.outcome("t");
    if (outcome.kind === "unknown") throw new Error("unknown");
    return outcome;
  };
  const outer = createServer({
    logger: false,
    tools: [defineTool("t").describe("T").use(gateway).handle(() => "outer")],
    version: "9.9.9",
  });
  const text = await (await outer.fetch(post("t"))).text();
  strictEqual(text.split('"timestamp"').length, 2);
  const { result } = JSON.parse(text);
  deepStrictEqual([result.content, result._meta.cost, result._meta.server_version], ["inner", 3, "9.9.9"]);
});

test("details arrive unchanged: an array, a text, an object with a member code", async () => {
  for (const details of [["a"], "s", { code: "mine", n: 1 }, { details: { a: 1 }, b: 2 }]) {
    const handler = () => {
      throw new ToolError("conflict", "x", { details });
    };
    const server = createServer({ logger: false, tools: [defineTool("t").describe("T").handle(handler)] });
    const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
    for (const transport of [memoryTransport(server), mcpLiteTransport("http://h/mcp-lite/v1", { fetch })]) {
      await rejects(createClient(transport).$.call("t"), { code: "conflict", details });
    }
  }
});

test("progress after the answer goes nowhere", async () => {
  const late: unknown[] = [];
  const reported = Promise.withResolvers<void>();
  const tool = defineTool("t").describe("T").handle((_, ctx) => {
    setTimeout(() => {
      ctx.progress(1);
      reported.resolve();
    }, 5);
    return "done";
  });
  const server = createServer({ logger: false, tools: [tool] });
  await createClient<typeof server>(memoryTransport(server)).t({}, { onProgress: (progress) => late.push(progress) });
  await reported.promise;
  await new Promise((resolve) => setTimeout(resolve, 0));
  deepStrictEqual(late, []);
});

test("a call whose signal is aborted already never begins", async () => {
  let calls = 0;
  const server = createServer({ logger: false, tools: [defineTool("t").describe("T").handle(() => void calls++)] });
  const client = createClient<typeof server>(memoryTransport(server));
  await rejects(client.t({}, { signal: AbortSignal.abort(new Error("too late")) }), /too late/);
  strictEqual(calls, 0);
});

test("a client's timeoutMs of Infinity is no limit, and is not sent", async () => {
  const server = createServer({ logger: false, tools: [defineTool("t").describe("T").handle(() => "ok")] });
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
  const client = createClient<typeof server>("http://h/mcp-lite/v1", { fetch, timeoutMs: 5 });
  strictEqual(await client.t({}, { timeoutMs: Number.POSITIVE_INFINITY }), "ok");
});

test("a synchronous call leaves no listener on its caller's signal", async () => {
  const added: unknown[] = [];
  const removed: unknown[] = [];
  const { signal } = new AbortController();
  const watched = Object.assign(Object.create(signal) as AbortSignal, {
    addEventListener: (_: string, listener: unknown) => added.push(listener),
    removeEventListener: (_: string, listener: unknown) => removed.push(listener),
  });
  Object.defineProperty(watched, "aborted", { value: false });
  const server = createServer({ tools: [defineTool("t").describe("T").handle((_, ctx) => ctx.signal.aborted)] });
  const peer = {
    wire: "test",
    principal: undefined,
    signal: watched,
    metadata: new Headers(),
    requestId: 1,
    client: {},
  };
  strictEqual(
    (await server["~server"].host.dispatch.call({ tool: "t", args: {}, meta: undefined, peer })).kind,
    "answer",
  );
  strictEqual(added.length, 1);
  deepStrictEqual(added, removed);
});

test("createServer() refuses hosts, origins, middleware and tools that could never work, and says what to write", () => {
  const tools = [defineTool("t").describe("T").handle(() => "ok")];
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ tools, origins: ["app.example"] }, /such as "https:\/\/app\.example"/],
    [{ tools, hosts: ["http://127.0.0.1"] }, /its name alone/],
    [{ tools, middleware: [undefined] }, /function \(ctx, next\)/],
    [{ tools: { t: 1 } }, /tools are not defined by defineTool\(\)/],
    [{ tools, timeoutMs: 0 }, /number above 0/],
  ];
  for (const [options, message] of wrong) {
    throws(() => createServer(options as Parameters<typeof createServer>[0]), message);
  }
  throws(() => defineTool("t").use(undefined as unknown as Middleware), /function \(ctx, next\)/);
  // @ts-expect-error: an iterator cannot be sent
  throws(() => defineTool("t").describe("T").handle(function* () {}), /async function\*/);
});

test("an origin is allowed however it was written", async () => {
  for (const origin of ["https://app.example/", "https://APP.example", "https://app.example:443"]) {
    const server = createServer({
      logger: false,
      tools: [defineTool("t").describe("T").handle(() => "ok")],
      origins: [origin],
    });
    strictEqual((await server.fetch(post("t", { origin: "https://app.example" }))).status, 200, origin);
  }
});

test("the error for a missing argument names it as required", async () => {
  const tool = defineTool("t").describe("T").input(v.object({ a: v.number() })).handle(({ a }) => a);
  const server = createServer({ logger: false, tools: [tool] });
  await rejects(createClient(memoryTransport(server)).$.call("t", {}), {
    message: 'Invalid arguments at "a": "a" is required',
    details: { issues: [{ path: ["a"], expected: "a value", received: "nothing", message: '"a" is required' }] },
  });
});

test("lists are answered to GET, and to an empty POST without a media type", async () => {
  const server = createServer({ tools: [defineTool("t").describe("T").handle(() => "ok")] });
  const ask = async (path: string, init: RequestInit) => {
    const response = await server.fetch(new Request(`http://api.example/mcp-lite/v1${path}`, init));
    const { status, headers } = response;
    return { status, allow: headers.get("allow"), body: await response.json() };
  };
  for (const init of [{ method: "GET" }, { method: "POST" }]) {
    const array = await ask("/listtools", init);
    deepStrictEqual([array.status, array.body.length, array.body[0].name], [200, 1, "t"]);
    deepStrictEqual((await ask("/tools/", init)).body, { tools: array.body });
  }
  // A body needs its media type, and calls need it always: a page of another origin can send neither without a preflight.
  strictEqual((await ask("/listtools", { method: "POST", body: new Uint8Array([123, 125]) })).status, 415);
  strictEqual((await ask("/listtools", { method: "POST", headers: { "content-type": "text/plain" } })).status, 415);
  strictEqual((await ask("/calltools", { method: "POST" })).status, 415);
  deepStrictEqual((await ask("/calltools", { method: "GET" })).allow, "POST");
  deepStrictEqual((await ask("/tools", { method: "PUT" })).allow, "GET, POST");
});
