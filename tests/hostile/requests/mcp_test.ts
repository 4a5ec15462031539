/** Callers who leave, stall or come back elsewhere; time; and what is refused where a server is made. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { type AnyTool, createServer, defineTool, type Server, type ServerOptions } from "../../../mod.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { mcp, mcpSessions } from "../../../src/entries/mcp.ts";
import { rawSchema } from "../../../examples/everything/raw_schema.ts";
import { runtime } from "../../runtime/runtime.ts";
import {
  callModern,
  type Json,
  modern,
  modernBody,
  modernHeaders,
  post,
  StreamReader,
} from "../../wires/mcp/server/client.ts";
import { createFixture, Gate, KEYS } from "../../wires/mcp/server/fixture.ts";

const skip = runtime === "workerd" && "a request's stream is not another request's to write to";

function serverOf(tool: AnyTool, more: Partial<ServerOptions<[]>> = {}): Server {
  return createServer(
    { logger: false, tools: [tool], keys: KEYS, wires: [mcp()], ...more } as ServerOptions<readonly AnyTool[]>,
  );
}

function stream(server: Server, name: string): Promise<Response> {
  const body = modernBody("tools/call", { name }, {}, { progressToken: 1 });
  return post(server, body, modernHeaders(body));
}

test("who leaves a stream ends the call", async () => {
  const aborted = new Gate();
  const wait = defineTool("wait").describe("Wait").handle(async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.open());
    ctx.progress(1);
    await aborted.passed;
  });
  const reader = new StreamReader(await stream(serverOf(wait), "wait"));
  await reader.nextMessage();
  await reader.cancel();
  await aborted.passed;
});

test("a reader that stalls has progress wait, and costs little", async () => {
  let reported = 0;
  const chatty = defineTool("chatty").describe("Tell much").handle(async (_, ctx) => {
    for (let done = 1; done <= 20_000; done++) {
      ctx.progress(done, 20_000, "x".repeat(100));
      reported = done;
      if (done % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return "told";
  });
  const reader = new StreamReader(await stream(serverOf(chatty), "chatty"));
  let received = 0;
  for (let count = 0; count < 20_001; count++) {
    const message = await reader.nextMessage();
    if (message.result !== undefined) break;
    // The first event is read after the tool has reported much.
    while (count === 0 && reported < 20_000) await new Promise((resolve) => setTimeout(resolve, 1));
    received++;
  }
  ok(received < 1_000, `${received} of 20,000 were kept`);
});

test("notifications for a listener that stalls are sent once", { skip }, async () => {
  const server = createFixture();
  const body = modernBody("subscriptions/listen", {
    notifications: { toolsListChanged: true, resourceSubscriptions: ["docs://readme"] },
  });
  const reader = new StreamReader(await post(server, body, modernHeaders(body)));
  await reader.nextMessage();
  for (let count = 0; count < 20_000; count++) {
    server.notify.listChanged("tools");
    server.notify.resourceUpdated("docs://readme");
  }
  let received = 0;
  const closed = server.close();
  while ((await reader.nextMessage()).result === undefined) received++;
  ok(received > 1 && received < 2_000, `${received} of 40,000 were kept`);
  await closed;
});

test("a question that one replica asked is answered at another", async () => {
  const capabilities = { elicitation: {} };
  const first = await callModern(createFixture(), "conversation", {}, { capabilities });
  const more = {
    requestState: first["requestState"],
    inputResponses: { name: { action: "accept", content: { name: "Ada" } } },
  };
  const second = await callModern(createFixture(), "conversation", {}, { capabilities, more });
  deepStrictEqual(Object.keys(second["inputRequests"] as Json), ["color"]);
});

test("an answer that takes its time is a stream that shows that it lives", { skip }, async () => {
  const clock = new FakeClock();
  const gate = new Gate();
  const slow = defineTool("slow").describe("Wait").timeout(60_000).handle(() => gate.passed.then(() => "late"));
  const body = modernBody("tools/call", { name: "slow" });
  const pending = post(serverOf(slow, { clock }), body, modernHeaders(body));
  // The request has to be read before its time begins.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  clock.tick(20_000);
  const response = await pending;
  strictEqual(response.headers.get("content-type"), "text/event-stream");
  gate.open();
  const text = await response.text();
  match(text, /^: keepalive\n\n/);
  match(text, /event: message\ndata: .*"late".*\n\n$/);
});

test("a call has its time, and says so to the model", async () => {
  const clock = new FakeClock();
  const hang = defineTool("hang").describe("Never answer").timeout(1_000).handle(() => new Promise<string>(() => {}));
  const pending = callModern(serverOf(hang, { clock }), "hang");
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  clock.tick(1_500);
  const result = await pending;
  deepStrictEqual([result["isError"], (result["_meta"] as Json)["toolwire/code"]], [true, "deadline_exceeded"]);
});

test("callers of ours may limit a call, and repeat it under a key", async () => {
  let runs = 0;
  const count = defineTool("count").describe("Count").handle(() => ++runs);
  const server = serverOf(count);
  for (let time = 0; time < 3; time++) {
    strictEqual((await callModern(server, "count", {}, { meta: { idempotency_key: "k" } }))["structuredContent"], 1);
  }
  // Of others these names may mean anything.
  const meta = { idempotency_key: 5, context: {}, deadline_ms: "soon", promise: "yes" };
  strictEqual((await callModern(server, "count", {}, { meta }))["structuredContent"], 2);
  await server.close();
});

test("marks that clients would not accept are refused where the server is made", () => {
  const mark = (type: string, name: unknown) => ({ type, "x-mcp-header": name });
  const properties: readonly Json[] = [
    { a: mark("string", "not a token") },
    { a: mark("string", "") },
    { a: mark("string", 5) },
    { a: mark("number", "N") },
    { a: mark("array", "List") },
    { a: { type: "array", items: mark("string", "Item") } },
    { a: mark("string", "Same"), b: mark("string", "same") },
    { a: { anyOf: [mark("string", "Either"), { type: "number" }] } },
  ];
  for (const some of properties) {
    const input = rawSchema<Record<string, unknown>>({ type: "object", properties: some });
    const tool = defineTool("marked").describe("Take marks").input(input).handle(() => 1);
    throws(() => serverOf(tool), /Cannot serve tool "marked" over MCP: x-mcp-header/);
  }
});

test("pages of allowed origins may do what sessions need, and no more without them", async () => {
  for (const [options, methods] of [[{ sessions: mcpSessions() }, "POST, GET, DELETE"], [{}, "POST"]] as const) {
    const server = createFixture(options, { origins: ["https://app.example"], cors: true });
    const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
    const response = await server.fetch(new Request("http://localhost/mcp", { method: "OPTIONS", headers }));
    deepStrictEqual([response.status, response.headers.get("access-control-allow-methods")], [204, methods]);
    const foreign = await modern(server, "tools/list", {}, { headers: { origin: "https://evil.example" } });
    strictEqual(foreign.status, 403);
  }
});
