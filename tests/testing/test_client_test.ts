/** `testClient(server)` and `createClient(server)`. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, ToolError } from "../../mod.ts";
import { createServer as createCoreServer } from "../../src/entries/core.ts";
import * as v from "../../src/entries/schema.ts";
import { testClient } from "../../src/entries/testing.ts";

function createBusy() {
  let calls = 0;
  const busy = defineTool("busy").describe("Busy").annotate({ readOnlyHint: true }).handle(() => {
    calls++;
    throw new ToolError("unavailable", "Full", { details: { retry_after_ms: 1 } });
  });
  return { server: createServer({ tools: [busy], logger: false }), calls: () => calls };
}

test("testClient() does not retry unless it is asked to; createClient() does", async () => {
  type Busy = ReturnType<typeof createBusy>["server"];
  for (
    const [callOnce, calls, message] of [
      [(server: Busy) => testClient(server).busy(), 1, "Full"],
      [(server: Busy) => createClient(server).busy(), 3, "Full; tried 3 times"],
      [(server: Busy) => testClient(server, { retry: { attempts: 1 } }).busy(), 2, "Full; tried 2 times"],
    ] as const
  ) {
    const busy = createBusy();
    await rejects(callOnce(busy.server), { code: "unavailable", message });
    strictEqual(busy.calls(), calls);
  }
});

test("testClient() gives the error that a handler threw as the cause", async () => {
  const thrown = new Error("no disk");
  const breaks = defineTool("breaks").describe("Break").handle((): number => {
    throw thrown;
  });
  const client = testClient(createServer({ tools: [breaks], logger: false }));
  await rejects(client.breaks(), (error: ToolError) => error.code === "internal" && error.cause === thrown);
});

test("createClient(server) calls a server in the same process, typed by it", async () => {
  const add = defineTool("add").describe("Add").input(v.object({ a: v.number() })).handle(({ a }) => a + 1);
  const server = createServer({ tools: [add] });
  const client = createClient(server, { timeoutMs: 1_000 });
  const sum: number = await client.add({ a: 1 });
  strictEqual(sum, 2);
  // @ts-expect-error The argument is of the wrong type.
  await rejects(client.add({ a: "1" }), { code: "invalid_input" });
  deepStrictEqual((await client.$.list()).map(({ name }) => name), ["add"]);
  ok(server.tools.length === 1 && !server.isClosed);
});

test("a server of ./core has no transport: the error names what to pass", () => {
  const server = createCoreServer({ tools: [] });
  throws(
    () => createClient(server),
    /^TypeError: Cannot create client: .* a transport such as memoryTransport\(server\)$/,
  );
});

test("in a page of another origin, the error of an unreachable server mentions CORS", async () => {
  const page = globalThis as { location?: unknown };
  const before = Object.getOwnPropertyDescriptor(page, "location");
  const messageOf = async (origin: string) => {
    Object.defineProperty(page, "location", { value: { origin }, configurable: true });
    const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
    return await createClient("http://api.example/", { fetch }).$.call("t").catch((error: Error) => error.message);
  };
  try {
    strictEqual(
      await messageOf("http://app.example"),
      "Cannot reach the server; check host and port, and CORS: origins and cors of the server",
    );
    strictEqual(await messageOf("http://api.example"), "Cannot reach the server; check host and port");
  } finally {
    if (before === undefined) delete page.location;
    else Object.defineProperty(page, "location", before);
  }
});
