/** What a server behind a gateway asks about its session is never put to a caller; questions go to the caller of their call alone. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memoryTransport } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { DuplexTransport } from "../../../src/wires/mcp/client/duplex_transport.ts";
import { McpClientTransport } from "../../../src/wires/mcp/client/transport.ts";
import { parseMessages } from "../../../src/wires/mcp/protocol/messages.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { INITIALIZED, legacy, OpenStream, text, TOOL } from "../../wires/mcp/client/scripted.ts";
import { keepingLogger } from "./scripted.ts";

const KEYS = "k1:a secret that this test has and no other";
const SAMPLE = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10 };

type Members = Readonly<Record<string, unknown>>;

/** A foreign server of 2025-11-25 at two pipes: nothing says which call a request of it belongs to. */
function foreignProgram() {
  const calls: { readonly id: number; readonly args: Members }[] = [];
  const answers = new Map<string, PromiseWithResolvers<Members>>();
  let write: (message: Members) => void = () => {};
  const wakers: (() => void)[] = [];
  const answer = (id: number, { method, params }: { readonly method: string; readonly params: Members }) => {
    if (method === "initialize") return write({ jsonrpc: "2.0", id, result: INITIALIZED });
    if (method === "tools/list") return write({ jsonrpc: "2.0", id, result: { tools: [TOOL] } });
    if (method !== "tools/call") return;
    calls.push({ id, args: params["arguments"] as Members });
    for (const wake of wakers.splice(0)) wake();
  };
  const carrier = new DuplexTransport((end) => {
    write = (message) => queueMicrotask(() => end.receive(parseMessages(JSON.stringify(message))));
    return Promise.resolve({
      isClosed: false,
      write(line) {
        const message = JSON.parse(line);
        if (message.method === undefined) answers.get(message.id)?.resolve(message);
        else answer(message.id, message);
        return Promise.resolve(undefined);
      },
      close() {},
    });
  });
  return {
    transport: new McpClientTransport({ name: "program", transport: carrier, probeTimeoutMs: 30_000 }, {
      era: "legacy",
      logger: keepingLogger(),
    }),
    /** The calls, once there are so many. */
    async callsUntil(count: number) {
      while (calls.length < count) await new Promise<void>((resolve) => wakers.push(resolve));
      return calls;
    },
    end: (id: number) => write({ jsonrpc: "2.0", id, result: text("done") }),
    ask(id: string, method: string, params: Members = {}): Promise<Members> {
      const asked = Promise.withResolvers<Members>();
      answers.set(id, asked);
      write({ jsonrpc: "2.0", id, method, params });
      return asked.promise;
    },
  };
}

async function behind(program: ReturnType<typeof foreignProgram>, roots?: readonly { readonly uri: string }[]) {
  const remote = await gateway("program", program.transport, { ...(roots !== undefined && { roots }) });
  const app = createServer({ tools: [], parts: [mount(remote)], keys: KEYS });
  return { app, client: testClient(app) };
}

for (const roots of [undefined, [{ uri: "file:///shared" }]]) {
  test(`a program that asks for roots while a call is pending gets ${roots ? "those of the gateway" : "none"}`, async () => {
    const program = foreignProgram();
    const { app, client } = await behind(program, roots);
    const called = client.$.outcome("t");
    const [call] = await program.callsUntil(1);
    deepStrictEqual((await program.ask("r", "roots/list"))["result"], { roots: roots ?? [] });
    program.end(call!.id);
    strictEqual((await called).kind, "answer");
    await app.close(0);
  });
}

test("a question of a program goes to the only caller, and to none while several calls are pending", async () => {
  const program = foreignProgram();
  const { app, client } = await behind(program);
  const first = client.$.outcome("t", { by: "ada" });
  await program.callsUntil(1);
  void program.ask("one", "elicitation/create", { message: "Sure?", requestedSchema: { type: "object" } });
  const asked = await first;
  ok(asked.kind === "elicitation");
  const second = client.$.outcome("t", { by: "bob" });
  const calls = await program.callsUntil(2);
  strictEqual(((await program.ask("two", "sampling/createMessage", SAMPLE))["error"] as Members)["code"], -32601);
  const form = { message: "Delete Ada's files?", requestedSchema: { type: "object" } };
  // Not "cancel", which would be the answer of a person who was never asked.
  strictEqual(((await program.ask("three", "elicitation/create", form))["error"] as Members)["code"], -32601);
  for (const { id } of calls) program.end(id);
  strictEqual((await second).kind, "answer");
  await app.close(0);
});

test("a question after a call was aborted may be that call's, until the program has ended it", async () => {
  const program = foreignProgram();
  const { app, client } = await behind(program);
  const abort = new AbortController();
  const aborted = client.$.outcome("t", { by: "ada" }, { signal: abort.signal });
  await program.callsUntil(1);
  abort.abort();
  await rejects(aborted);
  const second = client.$.outcome("t", { by: "bob" });
  const calls = await program.callsUntil(2);
  const form = { message: "Delete Ada's files?", requestedSchema: { type: "object" } };
  strictEqual(((await program.ask("one", "elicitation/create", form))["error"] as Members)["code"], -32601);
  program.end(calls[0]!.id);
  void program.ask("two", "elicitation/create", { ...form, message: "Delete Bob's files?" });
  const asked = await second;
  ok(asked.kind === "elicitation");
  deepStrictEqual(Object.values(asked.requests).map(({ message }) => message), ["Delete Bob's files?"]);
  program.end(calls[1]!.id);
  await app.close(0);
});

test("over HTTP, a question on the stream of the session is put to no caller", async () => {
  const stream = new OpenStream({ "mcp-session-id": "s" });
  const answered = Promise.withResolvers<Members>();
  const called = Promise.withResolvers<void>();
  const server = legacy({
    initialize: ({ id }) =>
      Response.json({ jsonrpc: "2.0", id, result: INITIALIZED }, { headers: { "mcp-session-id": "s" } }),
    GET: () => stream.response,
    "tools/call": async () => {
      called.resolve();
      await answered.promise;
      return text("done");
    },
  });
  const transport = mcpTransport("http://far.example/mcp", {
    era: "legacy",
    logger: keepingLogger(),
    fetch: (url, init) => {
      const message = JSON.parse(String(init.body ?? "{}"));
      if (message.id === "q") answered.resolve(message);
      return server.fetch(url, init);
    },
  });
  const remote = await gateway("far", transport);
  const app = createServer({ tools: [], parts: [mount(remote)], keys: KEYS });
  const outcome = testClient(app).$.outcome("t");
  await called.promise;
  const question = { jsonrpc: "2.0", id: "q", method: "sampling/createMessage", params: SAMPLE };
  stream.write(`data: ${JSON.stringify(question)}\n\n`);
  strictEqual(((await answered.promise)["error"] as Members)["code"], -32601);
  strictEqual((await outcome).kind, "answer");
  await app.close(0);
});

test("roots are the gateway's over transports other than MCP's, too, beside questions of the caller", async () => {
  const tool = defineTool("both").describe("Ask for both").handle((_, ctx) =>
    ctx.ask({ q: { message: "Sure?", schema: v.object({ ok: v.boolean() }) }, r: { roots: true } })
  );
  const far = createServer({ tools: [tool], keys: "k1:a secret of the server behind the gateway" });
  const remote = await gateway("far", memoryTransport(far), { roots: [{ uri: "file:///shared" }] });
  const app = createServer({ tools: [], parts: [mount(remote)], keys: KEYS });
  const { $ } = testClient(app);
  const asked = await $.outcome("both");
  ok(asked.kind === "elicitation");
  deepStrictEqual(Object.keys(asked.requests), ["q"]);
  const responses = { q: { action: "accept", content: { ok: true } } };
  deepStrictEqual(await $.call("both", {}, { meta: { continuation: asked.continuation, responses } }), {
    q: { action: "accept", content: { ok: true } },
    r: { action: "accept", content: { roots: [{ uri: "file:///shared" }] } },
  });
  await app.close(0);
});

test("roots that are not folders are refused where the gateway is made", async () => {
  const wrong = { roots: ["/work"] } as unknown as { roots: [] };
  await rejects(gateway("far", foreignProgram().transport, wrong), /roots.*array of folders/);
});
