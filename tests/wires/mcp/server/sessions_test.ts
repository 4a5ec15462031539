/** Sessions of the revisions with a handshake: streams that can be resumed, notifications, cancellation, and their end. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Server } from "../../../../mod.ts";
import { bearer } from "../../../../src/entries/auth.ts";
import { FakeClock } from "../../../../src/entries/testing.ts";
import {
  mcp,
  type McpOptions,
  type McpSession,
  mcpSessions,
  memorySessionStore,
  type SessionStore,
} from "../../../../src/entries/mcp.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { initialize, type Json, legacy, post, read, StreamReader, textOf } from "./client.ts";
import { createFixture, Gate, KEYS } from "./fixture.ts";

const skip = runtime === "workerd" && "a request's stream is not another request's to write to";

function get(server: Server, session: string | undefined, headers: Record<string, string> = {}): Promise<Response> {
  const all = { accept: "text/event-stream", "mcp-protocol-version": "2025-11-25", ...headers };
  const withSession = session === undefined ? all : { ...all, "mcp-session-id": session };
  return server.fetch(new Request("http://localhost/mcp", { headers: withSession }));
}

function call(server: Server, session: string | undefined, name: string, id: string | number = 1): Promise<Response> {
  return post(server, { jsonrpc: "2.0", id, method: "tools/call", params: { name, _meta: { progressToken: id } } }, {
    "mcp-session-id": session,
    "mcp-protocol-version": "2025-11-25",
  });
}

/** A server with a tool that reports progress, waits for its gate, and reports whether it was aborted. */
function gated(
  sessions: McpOptions["sessions"] = mcpSessions(),
): { readonly server: Server; readonly gate: Gate; readonly aborted: Gate } {
  const gate = new Gate();
  const aborted = new Gate();
  const wait = defineTool("wait").describe("Wait").handle(async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.open());
    ctx.progress(1, 2);
    await gate.passed;
    ctx.progress(2, 2);
    return "done";
  });
  const wires = [mcp({ sessions })];
  return { server: createServer({ tools: [wait], keys: KEYS, wires }), gate, aborted };
}

test("a session is begun, needed, and ended", async () => {
  const server = createFixture({ sessions: mcpSessions() });
  const { session, result } = await initialize(server);
  match(String(session), /^[\x21-\x7e]+$/);
  deepStrictEqual((result["capabilities"] as Json)["tools"], { listChanged: true });
  strictEqual((await legacy(server, "ping", {}, { session })).status, 200);
  const without = await legacy(server, "ping");
  deepStrictEqual([without.status, without.last.error?.code], [400, -32000]);
  const unknown = await legacy(server, "ping", {}, { session: "nope" });
  deepStrictEqual([unknown.status, unknown.last.error?.code], [404, -32001]);
  const again = await legacy(server, "initialize", { protocolVersion: "2025-11-25" }, {
    headers: { "mcp-session-id": session },
  });
  deepStrictEqual([again.status, again.last.error?.code], [400, -32600]);
  const ended = await server.fetch(
    new Request("http://localhost/mcp", { method: "DELETE", headers: { "mcp-session-id": String(session) } }),
  );
  strictEqual(ended.status, 200);
  strictEqual((await legacy(server, "ping", {}, { session })).status, 404);
});

test("a session is its caller's alone", async () => {
  const people = { ada: { id: "ada" }, bob: { id: "bob" } };
  const wires = [mcp({ sessions: mcpSessions() })];
  const server = createServer({ tools: [], keys: KEYS, wires, auth: bearer((token) => people[token as "ada"]) });
  const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });
  const begun = await legacy(server, "initialize", { protocolVersion: "2025-06-18", capabilities: {} }, as("ada"));
  const session = begun.headers.get("mcp-session-id") ?? "";
  const { status, last } = await legacy(server, "ping", {}, { session, ...as("bob") });
  deepStrictEqual([status, last.error?.code], [404, -32001]);
  strictEqual((await get(server, session, as("bob").headers)).status, 404);
  strictEqual((await legacy(server, "ping", {}, { session, ...as("ada") })).status, 200);
});

test("a session's revision counts, whatever the header says of another", async () => {
  const server = createFixture({ sessions: mcpSessions() });
  const { session } = await initialize(server, "2025-03-26");
  const { last } = await legacy(server, "tools/call", { name: "pair" }, { session, version: "2025-11-25" });
  strictEqual(last.result?.["structuredContent"], undefined);
  const batch = await post(server, [{ jsonrpc: "2.0", id: 1, method: "ping" }], { "mcp-session-id": session });
  deepStrictEqual(await batch.json(), [{ jsonrpc: "2.0", id: 1, result: {} }]);
});

test("sessions end when they were quiet for long, and the quietest has to go for a new one", async () => {
  const clock = new FakeClock();
  const server = createFixture({
    sessions: mcpSessions({ store: memorySessionStore({ ttlMs: 1_000, maxSessions: 2, clock }) }),
  });
  const first = (await initialize(server)).session;
  clock.tick(800);
  strictEqual((await legacy(server, "ping", {}, { session: first })).status, 200);
  clock.tick(800);
  strictEqual((await legacy(server, "ping", {}, { session: first })).status, 200);
  const second = (await initialize(server)).session;
  await initialize(server);
  strictEqual((await legacy(server, "ping", {}, { session: first })).status, 404);
  strictEqual((await legacy(server, "ping", {}, { session: second })).status, 200);
  clock.tick(1_000);
  strictEqual((await legacy(server, "ping", {}, { session: second })).status, 404);
});

test("levels of log lines are kept in a session", async () => {
  const server = createFixture({ logging: true, sessions: mcpSessions() });
  const { session } = await initialize(server);
  const lines = async () => {
    const { messages } = await legacy(server, "tools/call", { name: "steps" }, { session });
    return messages.flatMap(({ params }) => params?.["level"] ?? []);
  };
  deepStrictEqual(await lines(), ["warning"]);
  await legacy(server, "logging/setLevel", { level: "debug" }, { session });
  deepStrictEqual(await lines(), ["debug", "warning"]);
  await legacy(server, "logging/setLevel", { level: "error" }, { session });
  deepStrictEqual(await lines(), []);
});

test("what is wanted at once is all kept", async () => {
  const kept = new Map<string, McpSession>();
  const store: SessionStore = {
    put(session, before) {
      if (before !== undefined && kept.get(session.id) !== before) return false;
      kept.set(session.id, session);
      return true;
    },
    get: (id) => Promise.resolve(kept.get(id)),
    delete: () => {},
    append: () => {},
    read: () => [],
    publish: () => {},
    subscribe: () => () => {},
  };
  const server = createFixture({ sessions: mcpSessions({ store }) });
  const { session } = await initialize(server);
  const uris = Array.from({ length: 20 }, (_, n) => `docs://${n}`);
  const options = { session, headers: { accept: "application/json" } };
  await Promise.all(uris.map((uri) => legacy(server, "resources/subscribe", { uri }, options)));
  deepStrictEqual([...kept.values()].map(({ subscriptions }) => [...subscriptions].sort()), [uris.sort()]);
  kept.clear();
  strictEqual((await legacy(server, "resources/subscribe", { uri: "docs://late" }, options)).status, 404);
});

test("2025-11-25: a stream says first how to take it up, older ones do not", { skip }, async () => {
  for (const [version, isPrimed] of [["2025-11-25", true], ["2025-06-18", false]] as const) {
    const { server, gate } = gated(mcpSessions({ retryMs: 50 }));
    const { session } = await initialize(server, version);
    const reader = new StreamReader(await call(server, session, "wait"));
    const first = await reader.next();
    strictEqual(first?.message === undefined, isPrimed);
    ok(first?.id !== undefined);
    gate.open();
    let last = first;
    for (let count = 0; count < 10; count++) {
      const next = await reader.next();
      if (next === undefined) break;
      last = next;
    }
    deepStrictEqual(textOf(last?.message?.result), "done");
  }
});

test("a stream that broke off is resumed at its last event, and its call continues meanwhile", { skip }, async () => {
  const { server, gate } = gated();
  const { session } = await initialize(server);
  const reader = new StreamReader(await call(server, session, "wait"));
  const primed = await reader.next();
  const progress = await reader.next();
  strictEqual(progress?.message?.params?.["progress"], 1);
  await reader.cancel();
  gate.open();
  for (const [from, count] of [[primed, 3], [progress, 2]] as const) {
    const resumed = await get(server, session, { "last-event-id": String(from?.id) });
    const text = await resumed.text();
    const messages = text.split("\n\n").filter((block) => /^data: ./m.test(block));
    strictEqual(messages.length, count);
    match(messages.at(-1) as string, /"text":"done"/);
  }
  const other = (await initialize(server)).session;
  const stolen = new StreamReader(await get(server, other, { "last-event-id": String(primed?.id) }));
  strictEqual((await stolen.next())?.message, undefined);
  await stolen.cancel();
});

test("a connection that lasts too long is closed, and its client comes back for the rest", { skip }, async () => {
  const { server, gate } = gated(mcpSessions({ pollAfterMs: 20 }));
  const { session } = await initialize(server);
  const reader = new StreamReader(await call(server, session, "wait"));
  const primed = await reader.next();
  for (let count = 0; count < 10 && await reader.next() !== undefined; count++);
  gate.open();
  const text = await (await get(server, session, { "last-event-id": String(primed?.id) })).text();
  match(text, /"text":"done"/);
});

test("a call is cancelled by its id, in its session alone, and not answered", { skip }, async () => {
  const { server, aborted } = gated();
  const { session } = await initialize(server);
  const other = (await initialize(server)).session;
  const reader = new StreamReader(await call(server, session, "wait", 7));
  await reader.next();
  await reader.next();
  const cancel = (by: string | undefined) => {
    const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    return post(server, note, { "mcp-session-id": by, "mcp-protocol-version": "2025-11-25" });
  };
  strictEqual((await cancel(other)).status, 202);
  strictEqual((await cancel(session)).status, 202);
  await aborted.passed;
  strictEqual(await reader.next(), undefined);
});

test("news come over GET, for those who subscribed", { skip }, async () => {
  const server = createFixture({ sessions: mcpSessions() });
  const { session } = await initialize(server);
  const reader = new StreamReader(await get(server, session));
  server.notify.resourceUpdated("docs://readme");
  deepStrictEqual((await legacy(server, "resources/subscribe", { uri: "docs://readme" }, { session })).last.result, {});
  server.notify.listChanged("tools");
  strictEqual((await reader.nextMessage()).method, "notifications/tools/list_changed");
  server.notify.resourceUpdated("docs://readme");
  deepStrictEqual((await reader.nextMessage()).params, { uri: "docs://readme" });
  await legacy(server, "resources/unsubscribe", { uri: "docs://readme" }, { session });
  server.notify.resourceUpdated("docs://readme");
  server.notify.listChanged("prompts");
  strictEqual((await reader.nextMessage()).method, "notifications/prompts/list_changed");
  // A second one takes the place of the first.
  const second = new StreamReader(await get(server, session));
  for (let count = 0; count < 10 && await reader.next() !== undefined; count++);
  server.notify.listChanged("resources");
  strictEqual((await second.nextMessage()).method, "notifications/resources/list_changed");
  await server.fetch(
    new Request("http://localhost/mcp", { method: "DELETE", headers: { "mcp-session-id": String(session) } }),
  );
  for (let count = 0; count < 10 && await second.next() !== undefined; count++);
  await server.close();
});

test("GET needs a session", async () => {
  const server = createFixture({ sessions: mcpSessions() });
  for (const [session, status] of [[undefined, 400], ["nope", 404]] as const) {
    const response = await get(server, session);
    strictEqual(response.status, status);
    await response.text();
  }
});

test("modern requests do not care for sessions", async () => {
  const server = createFixture({ sessions: mcpSessions() });
  const { modern } = await import("./client.ts");
  const headers = { "mcp-session-id": "nope", "last-event-id": "x" };
  strictEqual((await modern(server, "tools/call", { name: "pair" }, { headers })).status, 200);
});

test("two processes serve one session, if they share the store", { skip }, async () => {
  const sessions = mcpSessions();
  const one = gated(sessions);
  const two = gated(sessions);
  const { session } = await initialize(one.server);
  const reader = new StreamReader(await call(one.server, session, "wait", "x"));
  const primed = await reader.next();
  const elsewhere = await get(two.server, session, { "last-event-id": String(primed?.id) });
  one.gate.open();
  match(await elsewhere.text(), /"text":"done"/);
  const second = new StreamReader(await call(one.server, session, "wait", "y"));
  await second.next();
  const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "y" } };
  const cancelled = await read(
    await post(two.server, note, { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
  );
  strictEqual(cancelled.status, 202);
});

test("what is kept of a session is bounded", { skip }, async () => {
  const big = defineTool("big").describe("Give much").handle(async () => {
    await Promise.resolve();
    return "x".repeat(1_000_000);
  });
  const server = createServer({ tools: [big], keys: KEYS, wires: [mcp({ sessions: mcpSessions() })] });
  const { session } = await initialize(server);
  const ids: (string | undefined)[] = [];
  for (let n = 0; n < 6; n++) {
    const reader = new StreamReader(await call(server, session, "big", n));
    ids.push((await reader.next())?.id);
    await reader.nextMessage();
  }
  // Each is kept twice, as content and as value: the last two are there, the first is not.
  const last = await get(server, session, { "last-event-id": String(ids[5]) });
  match(await last.text(), /"id":5/);
  const first = new StreamReader(await get(server, session, { "last-event-id": String(ids[0]) }));
  strictEqual((await first.next())?.message, undefined);
  await first.cancel();
});

test("the error of a store is logged and sent to the caller, and nothing hangs", async () => {
  const session: McpSession = {
    id: "s",
    version: "2025-11-25",
    capabilities: {},
    info: null,
    principal: "",
    logLevel: null,
    subscriptions: [],
  };
  const working: SessionStore = {
    put: () => true,
    get: () => session,
    delete: () => {},
    append: () => {},
    read: () => [],
    publish: () => {},
    subscribe: () => () => {},
  };
  const down = () => Promise.reject(new Error("secret host is down"));
  const failing: readonly (readonly [store: Partial<SessionStore>, ask: (server: Server) => Promise<Response>])[] = [
    [{ put: down }, (server) => post(server, initializeBody())],
    [{ get: down }, (server) => call(server, "s", "pair")],
    [{ append: down }, (server) => call(server, "s", "steps")],
    [{ publish: down }, (server) => {
      const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
      return post(server, message, { "mcp-session-id": "s" });
    }],
    [{ read: down }, (server) => call(server, "s", "steps")],
    [{ read: down }, (server) => get(server, "s", { "last-event-id": "x:1" })],
    [{ delete: down }, (server) => {
      const headers = { "mcp-session-id": "s" };
      return server.fetch(new Request("http://localhost/mcp", { method: "DELETE", headers }));
    }],
  ];
  for (const [broken, ask] of failing) {
    const lines: string[] = [];
    const note = () => {};
    const logger = { debug: note, info: note, warn: note, error: (message: string) => void lines.push(message) };
    const server = createFixture({ sessions: mcpSessions({ store: { ...working, ...broken } }) }, { logger });
    const response = await ask(server);
    const text = await response.text();
    ok(!text.includes("secret"), text);
    ok(lines.length > 0, Object.keys(broken).join());
    await server.close();
  }
});

test("a closed server opens no stream to clients that reconnect, since it would not be closed", { skip }, async () => {
  const server = createFixture({ sessions: mcpSessions() });
  const { session } = await initialize(server);
  const open = await get(server, session);
  strictEqual(open.status, 200);
  await server.close();
  await open.text();
  const again = await get(server, session);
  strictEqual(again.status, 503);
  await again.text();
});

function initializeBody(): Json {
  return { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } };
}
