/** Replies that contradict themselves, and tokens that a client would have to keep and repeat. */
import { ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, mcpLiteTransport } from "../../../mod.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { webtoolsTransport } from "../../../src/entries/webtools.ts";
import type { Transport } from "../../../src/entries/wire.ts";

const URL_OF = "https://evil.example/x";

/** A server that answers each request with the same body, and the bodies that it received. */
function answering(body: string, type: string = "application/json") {
  const asked: string[] = [];
  const fetch = (_: string, { body: sent }: RequestInit) => {
    asked.push(String(sent ?? ""));
    return Promise.resolve(new Response(body, { headers: { "content-type": type } }));
  };
  return { asked, fetch };
}

type Answering = ReturnType<typeof answering>;

function callOf(transport: Transport): Promise<unknown> {
  return createClient(transport, { retry: { attempts: 0 }, timeoutMs: 5_000 }).$.call("t");
}

const reply = (members: string) => `{"jsonrpc":"2.0","id":1,${members}}`;
const ERROR = `"error":{"code":-32000,"message":"No"}`;

test("an MCP-lite reply whose result is not an object is refused", async () => {
  for (const result of ["null", '"text"', "7", "true", "[]", '[{"content":1}]']) {
    for (const body of [reply(`"result":${result}`), `{"result":${result}}`]) {
      const call = callOf(mcpLiteTransport(URL_OF, answering(body)));
      await rejects(call, { code: "invalid_request", message: "The server answered 200, not with MCP-lite" }, body);
    }
  }
});

test("an MCP-lite reply with a result and an error is that error", async () => {
  for (const members of [`"result":{"content":5},${ERROR}`, `${ERROR},"result":{}`, `"result":null,${ERROR}`]) {
    await rejects(
      callOf(mcpLiteTransport(URL_OF, answering(reply(members)))),
      { code: "internal", message: "No" },
      members,
    );
  }
});

test("an MCP-lite reply with a result beside an error that is null is an answer", async () => {
  strictEqual(await callOf(mcpLiteTransport(URL_OF, answering(reply('"result":{"content":5},"error":null')))), 5);
});

test("an MCP-lite reply with an empty result is an answer without a value", async () => {
  strictEqual(await callOf(mcpLiteTransport(URL_OF, answering(reply('"result":{}')))), undefined);
});

test("a last event of an MCP-lite stream that is not an object is refused", async () => {
  for (const data of ["null", '"text"', "7", "[]"]) {
    const server = answering(`event: done\ndata: ${data}\n\n`, "text/event-stream");
    const { result } = createClient(mcpLiteTransport(URL_OF, server), { retry: { attempts: 0 } }).$.stream("t");
    await rejects(result, { code: "invalid_request", message: "The server answered 200, not with MCP-lite" }, data);
  }
});

const LONG = "p".repeat(5_000_000);

test("a promise token of five megabytes is refused and not repeated, over each wire", async () => {
  const promise = JSON.stringify({ response_type: "promise", promise_token: LONG, retry_after_ms: 1, ttl_ms: 1_000 });
  const bodies: Readonly<Record<string, readonly [open: (server: Answering) => Transport, body: string]>> = {
    "MCP-lite": [(server) => mcpLiteTransport(URL_OF, server), reply(`"result":{"content":null,"_meta":${promise}}`)],
    Webtools: [
      ({ fetch }) => webtoolsTransport(URL_OF, { fetch, validate: false }),
      `{"status":"ok","data":{"promise_token":"${LONG}","retry_after_ms":1},"_meta":${promise}}`,
    ],
  };
  for (const [wire, [open, body]] of Object.entries(bodies)) {
    const { asked, fetch } = answering(body);
    await rejects(callOf(open({ asked, fetch })), {
      code: "result_too_large",
      message: "The promise token is too long: servers send shorter ones",
    }, wire);
    ok(asked.every((sent) => !sent.includes("pppp")), wire);
  }
});

test("a task id of five megabytes is refused over MCP", async () => {
  const task = { taskId: LONG, status: "working", pollIntervalMs: 1, ttlMs: 60_000, createdAt: "2026-01-01T00:00:00Z" };
  const asked: string[] = [];
  const fetch = (_: string, { body }: RequestInit) => {
    const { id, method } = JSON.parse(String(body));
    asked.push(String(body));
    const result = method === "server/discover"
      ? { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
      : method === "tools/list"
      ? { resultType: "complete", tools: [{ name: "t", inputSchema: { type: "object" } }] }
      : { resultType: "task", ...task };
    return Promise.resolve(Response.json({ jsonrpc: "2.0", id, result }));
  };
  await rejects(callOf(mcpTransport(URL_OF, { fetch })), { code: "result_too_large" });
  ok(asked.every((sent) => !sent.includes("pppp")));
});

test("a continuation of five megabytes is refused and not repeated, and so is caller state of that size", async () => {
  const requests = { a: { kind: "elicitation", message: "?", schema: { type: "object" } } };
  const question = JSON.stringify({ response_type: "elicitation", continuation: LONG, requests });
  const server = answering(reply(`"result":{"_meta":${question}}`));
  const asking = createClient(mcpLiteTransport(URL_OF, server), { onElicitation: () => ({ action: "decline" }) });
  await rejects(asking.$.call("t"), { code: "result_too_large" });
  ok(server.asked.every((sent) => !sent.includes("pppp")));
  const asked: string[] = [];
  const fetch = (_: string, { body }: RequestInit) => {
    asked.push(String(body));
    const { id } = JSON.parse(String(body));
    return Promise.resolve(Response.json({ jsonrpc: "2.0", id, result: { content: 1, _meta: { context: LONG } } }));
  };
  const client = createClient(mcpLiteTransport(URL_OF, { fetch }));
  for (let calls = 0; calls < 2; calls++) await rejects(client.$.call("t"), { code: "result_too_large" });
  ok(asked.every((sent) => sent.length < 1_000));
});
