/** Sessions, streams and subscriptions of the official servers. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createClient } from "../../../../mod.ts";
import { mcpTransport, type McpTransportOptions } from "../../../../src/entries/mcp.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { serveOfficialV1 } from "./official_v1.ts";
import { createOfficialV2 } from "./official_v2.ts";
import { eventually } from "../../../eventually.ts";

const reply = (text: string) => text;

type Serve = (request: Request) => Promise<Response>;

function transportTo(serve: Serve, options: McpTransportOptions = {}, seen: string[] = []) {
  const fetch = (url: string, init: RequestInit) => {
    const { method = "" } = typeof init.body === "string" ? JSON.parse(init.body) as { method?: string } : {};
    seen.push(`${init.method} ${method}`.trimEnd());
    return serve(new Request(url, { ...init, redirect: "follow" }));
  };
  return mcpTransport("http://localhost/mcp", { fetch, ...options });
}

const checksByCode = runtime === "workerd" &&
  "the SDK's server checks answers by code that it makes, which workerd forbids";

test("a session is opened once, told of its end, and what is asked over its own stream is answered", {
  skip: checksByCode,
}, async () => {
  const journal: string[] = [];
  const seen: string[] = [];
  const served = serveOfficialV1({ journal, hasSessions: true });
  const transport = transportTo((request) => served.fetch(request), {}, seen);
  const client = createClient(transport, { onElicitation: () => ({ action: "accept", content: { name: "Ada" } }) });
  deepStrictEqual(await client.$.call("ask_aside"), reply("Hello, Ada"));
  deepStrictEqual(await client.$.call("add", { a: 1, b: 2 }), { sum: 3 });
  client.$.close();
  await eventually(() => journal.includes("session closed"));
  deepStrictEqual(seen.filter((one) => !one.endsWith("tools/list")), [
    "POST server/discover",
    "POST initialize",
    "POST notifications/initialized",
    "GET",
    "POST tools/call",
    "POST",
    "POST tools/call",
    "DELETE",
  ]);
});

test("a session that the server has lost is opened again, with its subscriptions", async () => {
  const journal: string[] = [];
  const served = serveOfficialV1({ journal, hasSessions: true });
  const transport = transportTo((request) => served.fetch(request));
  const client = createClient(transport);
  let updates = 0;
  const leave = await transport.resources.subscribe("test://note", () => void updates++);
  await eventually(() => updates === 1);
  served.forget();
  deepStrictEqual(await client.$.call("add", { a: 1, b: 2 }), { sum: 3 });
  await eventually(() => updates === 2);
  leave();
  await eventually(() => journal.includes("unsubscribed test://note"));
  client.$.close();
});

test("many calls that find the session lost open one new session", async () => {
  const seen: string[] = [];
  const served = serveOfficialV1({ hasSessions: true });
  const client = createClient(transportTo((request) => served.fetch(request), { era: "legacy" }, seen));
  await client.$.call("add", { a: 1, b: 2 });
  served.forget();
  const sums = await Promise.all([1, 2, 3, 4].map((a) => client.$.call("add", { a, b: 0 })));
  deepStrictEqual(sums, [1, 2, 3, 4].map((sum) => ({ sum })));
  strictEqual(seen.filter((one) => one === "POST initialize").length, 2);
  client.$.close();
});

test("listeners are notified of a changed list, which is read again", async () => {
  const served = serveOfficialV1({ hasSessions: true });
  const transport = transportTo((request) => served.fetch(request));
  const client = createClient(transport);
  let changes = 0;
  const leave = transport.onChange("tools", () => void changes++);
  const before = await client.$.list();
  await client.$.call("grow");
  await eventually(() => changes === 1);
  const after = await client.$.list();
  strictEqual(after.length, before.length + 1);
  leave();
  client.$.close();
});

test("an answer whose stream broke off is read from a resumed stream", async () => {
  const events: { readonly stream: string; readonly message: unknown }[] = [];
  const eventStore = {
    storeEvent: (stream: string, message: unknown) => Promise.resolve(String(events.push({ stream, message }))),
    async replayEventsAfter(last: string, { send }: { send: (id: string, message: never) => Promise<void> }) {
      const stream = events[Number(last) - 1]?.stream ?? "";
      for (const [index, event] of events.entries()) {
        const isLater = index >= Number(last) && event.stream === stream;
        if (isLater) await send(String(index + 1), event.message as never);
      }
      return stream;
    },
  };
  const served = serveOfficialV1({ hasSessions: true, eventStore });
  let broken = 0;
  const resumed: (string | null)[] = [];
  const transport = transportTo(async (request) => {
    const isCall = request.method === "POST" && (await request.clone().text()).includes('"work"');
    if (request.method === "GET") resumed.push(request.headers.get("last-event-id"));
    const response = await served.fetch(request);
    if (!isCall) return response;
    broken++;
    // After the first event that has an id.
    const [first] = (await response.text()).split(/(?<=\n\n)/);
    return new Response(first, { headers: { "content-type": "text/event-stream" } });
  });
  const client = createClient(transport);
  deepStrictEqual(await client.$.call("work", {}, { onProgress: () => {} }), reply("worked"));
  strictEqual(broken, 1);
  strictEqual(resumed.filter((id) => id !== null).length, 1);
  client.$.close();
});

test("changes are listened for where there are no sessions", async () => {
  const handler = createMcpHandler(() => createOfficialV2());
  const transport = transportTo((request) => handler.fetch(request));
  let changes = 0;
  let updates = 0;
  const leaveChanges = transport.onChange("tools", () => void changes++);
  const leaveUpdates = await transport.resources.subscribe("test://note", () => void updates++);
  strictEqual((await transport.resources.read("test://note"))[0]?.text, "A note");
  handler.notify.toolsChanged();
  handler.notify.promptsChanged();
  handler.notify.resourceUpdated("test://note");
  handler.notify.resourceUpdated("test://other");
  await eventually(() => changes === 1 && updates === 1);
  leaveUpdates();
  leaveChanges();
  transport.close();
  await handler.close();
});

test("a stream of changes that breaks off is asked for again", async () => {
  const handlers = [1, 2].map(() => createMcpHandler(() => createOfficialV2()));
  let at = 0;
  const transport = transportTo((request) => handlers[at]?.fetch(request) ?? Promise.reject(new Error("gone")));
  let updates = 0;
  await transport.resources.subscribe("test://note", () => void updates++);
  at = 1;
  await handlers[0]?.close();
  await eventually(() => {
    handlers[1]?.notify.resourceUpdated("test://note");
    return updates > 0;
  });
  transport.close();
  await handlers[1]?.close();
});

test("a server that supports one era only has that in its error", async () => {
  const handler = createMcpHandler(() => createOfficialV2(), { legacy: "reject" });
  const legacy = createClient(transportTo((request) => handler.fetch(request), { era: "legacy" }));
  await rejects(legacy.$.list(), { name: "ToolError", code: "invalid_request" });
  const served = serveOfficialV1({ hasSessions: false });
  const modern = createClient(transportTo((request) => served.fetch(request), { era: "modern" }));
  await rejects(modern.$.list(), { name: "ToolError", code: "invalid_request", message: /2026-07-28/ });
  await handler.close();
});
