/** Questions of a server behind a gateway over MCP reach the caller, in both eras on both sides; roots are the gateway's. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createClient, createServer, defineTool } from "../../../mod.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { mcp, mcpSessions, mcpTransport } from "../../../src/entries/mcp.ts";
import { events, legacy, text } from "../../wires/mcp/client/scripted.ts";

type Era = "modern" | "legacy";
const ERAS: readonly Era[] = ["modern", "legacy"];
const KEYS = "k1:a secret that this test has and no other";
const SAMPLE = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10 } as const;
const REPLY = { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" } as const;
const ROOTS = [{ uri: "file:///work", name: "work" }];
const CALLERS_ROOTS = [{ uri: "file:///etc", name: "of a caller" }];

/** A server that asks questions of all kinds. */
function asking() {
  const tool = (name: string) => defineTool(name).describe(`Ask by ${name}`);
  return createServer({
    keys: "k1:a secret of the server behind the gateway",
    wires: [mcp({ sessions: mcpSessions() })],
    tools: [
      tool("form").handle((_, ctx) => ctx.elicit("q", { message: "Sure?", schema: v.object({ ok: v.boolean() }) })),
      tool("url").handle((_, ctx) => ctx.elicitUrl("u", { message: "Sign in", url: "https://login.example/" })),
      tool("sampling").handle((_, ctx) => ctx.sample("s", SAMPLE)),
      tool("roots").handle((_, ctx) => ctx.roots("r")),
      tool("all").handle((_, ctx) =>
        ctx.ask({ q: { message: "Sure?", schema: v.object({ ok: v.boolean() }) }, r: { roots: true } })
      ),
    ],
  });
}

async function through(far: ReturnType<typeof asking>, toServer: Era, toCaller: Era) {
  const at = (server: { fetch(request: Request): Promise<Response> }, era: Era) =>
    mcpTransport("http://localhost/mcp", { era, fetch: (url, init) => server.fetch(new Request(url, init)) });
  const remote = await gateway("far", at(far, toServer), { roots: ROOTS });
  const app = createServer({
    tools: [],
    parts: [mount(remote)],
    wires: [mcp({ sessions: mcpSessions() })],
    keys: KEYS,
  });
  const transport = at(app, toCaller);
  const asked: unknown[] = [];
  transport.onElicitation((question) => {
    asked.push(question.url ?? question.message);
    return question.url === undefined ? { action: "accept", content: { ok: true } } : { action: "accept" };
  });
  transport.onSampling((request) => {
    asked.push(request.maxTokens);
    return REPLY;
  });
  transport.onRoots(() => {
    asked.push("roots");
    return CALLERS_ROOTS;
  });
  const { $ } = createClient(transport, { retry: { attempts: 0 } });
  const close = async () => {
    transport.close();
    await Promise.all([app.close(0), far.close(0)]);
  };
  return { $, asked, close };
}

for (const toServer of ERAS) {
  for (const toCaller of ERAS) {
    test(`questions of all kinds pass through a gateway, ${toServer} behind it and ${toCaller} before it`, async () => {
      const { $, asked, close } = await through(asking(), toServer, toCaller);
      deepStrictEqual(await $.call("form"), { action: "accept", content: { ok: true } });
      strictEqual((await $.call("url") as { action: string }).action, "accept");
      deepStrictEqual((await $.call("sampling") as { content: unknown }).content, REPLY);
      deepStrictEqual((await $.call("roots") as { content: unknown }).content, { roots: ROOTS });
      deepStrictEqual(await $.call("all"), {
        q: { action: "accept", content: { ok: true } },
        r: { action: "accept", content: { roots: ROOTS } },
      });
      deepStrictEqual(asked, ["Sure?", "https://login.example/", 10, "Sure?"]);
      await close();
    });
  }
}

/** A server of 2025-11-25 that sends a request while a call is pending, and ends the call with the response to it. */
function askingWhile(request: Readonly<Record<string, unknown>>) {
  const answered = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  const server = legacy({ "tools/call": ({ id }) => callStream(id, request, answered.promise) });
  const transport = mcpTransport("http://far.example/mcp", {
    era: "legacy",
    fetch: (url, init) => {
      const message = JSON.parse(String(init.body ?? "{}"));
      if (message.id === "q") answered.resolve(message);
      return server.fetch(url, init);
    },
  });
  return { transport, answered: answered.promise };
}

function callStream(id: number | undefined, request: object, answered: Promise<unknown>): Response {
  const encoder = new TextEncoder();
  const [asked, done] = [request, { jsonrpc: "2.0", id, result: text("done") }];
  return new Response(
    new ReadableStream({
      async start(controller) {
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(asked)}\n\n`));
        await answered;
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(done)}\n\n`));
        controller.close();
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );
}

const sampling = { jsonrpc: "2.0", id: "q", method: "sampling/createMessage", params: SAMPLE };

test("a caller that declines sampling through a gateway rejects the request of the server", async () => {
  const { transport, answered } = askingWhile(sampling);
  const remote = await gateway("far", transport);
  const app = createServer({ tools: [], parts: [mount(remote)], keys: KEYS });
  const { $ } = testClient(app);
  const asked = await $.outcome("t");
  ok(asked.kind === "elicitation");
  const [key = ""] = Object.keys(asked.requests);
  const meta = (answer: unknown) => ({ continuation: asked.continuation, responses: { [key]: answer } });
  const again = await $.outcome("t", {}, { meta: meta({ action: "accept", content: { odd: true } }) });
  ok(again.kind === "elicitation" && again.requests[key]?.params?.["refused"] !== undefined);
  const declined = { continuation: again.continuation, responses: { [key]: { action: "decline" } } };
  deepStrictEqual(await $.call("t", {}, { meta: declined }), "done");
  deepStrictEqual((await answered)["error"], { code: -1, message: "The user has rejected the request" });
  await app.close(0);
});

test("without a gateway, a client without handlers declares and answers neither sampling nor roots", async () => {
  const { transport, answered } = askingWhile(sampling);
  deepStrictEqual(await createClient(transport).$.call("t"), "done");
  strictEqual(((await answered)["error"] as { code: number }).code, -32601);
});

test("a question that no call is pending for is an error for the server", async () => {
  const request = { jsonrpc: "2.0", id: "q", method: "sampling/createMessage", params: SAMPLE };
  const answered = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  const server = legacy({ "tools/list": ({ id }) => events(request, { id, jsonrpc: "2.0", result: { tools: [] } }) });
  const transport = mcpTransport("http://far.example/mcp", {
    era: "legacy",
    fetch: (url, init) => {
      const message = JSON.parse(String(init.body ?? "{}"));
      if (message.id === "q") answered.resolve(message);
      return server.fetch(url, init);
    },
  });
  const remote = await gateway("far", transport);
  deepStrictEqual((await answered.promise)["error"], {
    code: -32601,
    message:
      "The question sampling/createMessage names none of the pending calls, and several callers may share this connection",
  });
  remote.close();
});
