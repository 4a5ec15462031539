/** Requests of adapters: `@hono/node-server` creates objects with the prototype of `Request` that have only some of its methods. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";

const greet = defineTool("greet").describe("Greet someone").handle((input) =>
  `Hello, ${(input as { name: string }).name}!`
);

/** A request that has its own members and the prototype of `Request`, but none of the state that its methods need. */
function adapterRequest(url: string, init: RequestInit): Request {
  const real = new Request(url, init);
  const own = {
    method: real.method,
    url: real.url,
    headers: real.headers,
    signal: real.signal,
    get body() {
      return real.body;
    },
    text: () => real.text(),
    arrayBuffer: () => real.arrayBuffer(),
  };
  return Object.create(Request.prototype, Object.getOwnPropertyDescriptors(own)) as Request;
}

for (const declaresLength of [true, false]) {
  test(`a request of an adapter is read, ${declaresLength ? "with" : "without"} a declared length`, async () => {
    const server = createServer({ tools: [greet] });
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "greet", arguments: { name: "Ada" } },
    });
    const length: Record<string, string> = declaresLength ? { "content-length": `${body.length}` } : {};
    const headers = { "content-type": "application/json", ...length };
    const request = adapterRequest("http://localhost/mcp-lite/v1/rpc", { method: "POST", headers, body });
    const response = await server.fetch(request);
    strictEqual(response.status, 200);
    const { result } = await response.json() as { result: { content: unknown } };
    deepStrictEqual(result.content, "Hello, Ada!");
  });
}

test("a request whose body was read before is an error that names what to do", async () => {
  const server = createServer({ tools: [greet] });
  const headers = { "content-type": "application/json" };
  for (const length of [undefined, "2"]) {
    const request = new Request("http://localhost/mcp-lite/v1/rpc", {
      method: "POST",
      headers: { ...headers, ...(length !== undefined && { "content-length": length }) },
      body: "{}",
    });
    await request.text();
    const response = await server.fetch(request);
    strictEqual(response.status, 400);
    match((await response.json()).error.message, /was read before .*request\.clone\(\)/);
  }
});
