/** The transport of 2024-11-05, as the server has it: raw, by our own client, and by two processes that share a store. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, type Server } from "../../../../mod.ts";
import { bearer } from "../../../../src/entries/auth.ts";
import { FakeClock } from "../../../../src/entries/testing.ts";
import {
  mcp,
  type McpOptions,
  type McpSession,
  mcpSessions,
  mcpTransport,
  memorySessionStore,
  type SessionEvent,
  type SessionStore,
  type StoredMessage,
} from "../../../../src/entries/mcp.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { type Json, type Message, StreamReader, textOf } from "./client.ts";
import { createFixture, Gate, KEYS } from "./fixture.ts";

const skip = runtime === "workerd" && "a request's stream is not another request's to write to";

const options = (more: McpOptions = {}): McpOptions => ({ sessions: mcpSessions(), ssePath: "/sse", ...more });

type Headers = Readonly<Record<string, string>>;

function call(name: string, id: number): Json {
  return { id, method: "tools/call", params: { name } };
}

/** A client with an open stream. */
class Guest {
  readonly #server: Pick<Server, "fetch">;
  readonly #headers: Headers;
  readonly #reader: StreamReader;
  #id = 0;
  endpoint = "";

  constructor(server: Pick<Server, "fetch">, headers: Headers, response: Response) {
    this.#server = server;
    this.#headers = headers;
    this.#reader = new StreamReader(response);
  }

  static async open(server: Pick<Server, "fetch">, headers: Headers = {}): Promise<Guest> {
    const response = await server.fetch(new Request("http://localhost/sse", { headers }));
    strictEqual(response.headers.get("content-type"), "text/event-stream");
    const guest = new Guest(server, headers, response);
    guest.endpoint = /^event: endpoint\ndata: (.+)$/.exec(await guest.#reader.nextBlock() ?? "")?.[1] ?? "";
    return guest;
  }

  /** Opens a stream, and begins. */
  static async begin(server: Pick<Server, "fetch">, version = "2024-11-05", capabilities: Json = {}): Promise<Guest> {
    const guest = await Guest.open(server);
    const clientInfo = { name: "guest", version: "1" };
    strictEqual(
      (await guest.ask("initialize", { protocolVersion: version, capabilities, clientInfo })).error,
      undefined,
    );
    strictEqual((await guest.post({ method: "notifications/initialized" })).status, 202);
    return guest;
  }

  /** The next message. */
  async next(): Promise<Message> {
    const block = await this.#reader.nextBlock();
    if (block === undefined) throw new Error("The stream has ended");
    // No id: there was nothing to take up again.
    const [, data] = /^event: message\ndata: (.+)$/.exec(block) ?? [];
    return JSON.parse(data ?? `no message: ${block}`);
  }

  async post(message: unknown, server = this.#server): Promise<Response> {
    const whole = Array.isArray(message) || typeof message === "string"
      ? message
      : { jsonrpc: "2.0", ...message as Json };
    const response = await server.fetch(
      new Request(`http://localhost${this.endpoint}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...this.#headers },
        body: typeof whole === "string" ? whole : JSON.stringify(whole),
      }),
    );
    return new Response(await response.text() || null, { status: response.status, headers: response.headers });
  }

  async send(method: string, params: Json = {}, server = this.#server): Promise<number> {
    const id = ++this.#id;
    strictEqual((await this.post({ id, method, params }, server)).status, 202);
    return id;
  }

  /** Sends a request, and gives the message that comes next. */
  async ask(method: string, params: Json = {}, server = this.#server): Promise<Message> {
    const id = await this.send(method, params, server);
    const message = await this.next();
    strictEqual(message.id, id);
    return message;
  }

  leave(): Promise<void> {
    return this.#reader.cancel();
  }
}

test("a stream tells its endpoint, and everything comes over it", { skip }, async () => {
  const server = createFixture(options());
  const guest = await Guest.open(server);
  match(guest.endpoint, /^\/sse\/[\w-]{36}$/);
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "g", version: "1" } };
  const { result } = await guest.ask("initialize", params);
  strictEqual(result?.["protocolVersion"], "2024-11-05");
  strictEqual((await guest.ask("initialize", params)).error?.code, -32600);
  deepStrictEqual((await guest.ask("ping")).result, {});
  deepStrictEqual((await guest.ask("tools/call", { name: "add", arguments: { a: 1, b: 2 } })).result, {
    content: [{ type: "text", text: "3" }],
  });
  strictEqual((await guest.ask("no/method")).error?.code, -32601);
  await guest.leave();
});

test("whatever is agreed on is spoken, resources, prompts and completion as well", { skip }, async () => {
  const server = createFixture(options());
  const guest = await Guest.begin(server, "2025-11-25");
  const { result } = await guest.ask("tools/call", { name: "pair" });
  deepStrictEqual(result?.["structuredContent"], { left: 1 });
  const read = await guest.ask("resources/read", { uri: "books://1" });
  strictEqual((read.result?.["contents"] as Json[])[0]?.["text"], "Moby Dick");
  const prompt = await guest.ask("prompts/get", { name: "review", arguments: { code: "x" } });
  strictEqual((prompt.result?.["messages"] as Json[]).length, 1);
  const ref = { type: "ref/resource", uri: "books://{id}" };
  const completion = await guest.ask("completion/complete", { ref, argument: { name: "id", value: "1" } });
  deepStrictEqual(completion.result?.["completion"], { values: ["1", "12"], total: 2, hasMore: false });
  await guest.leave();
});

test("progress, log lines, news and questions come over the stream", { skip }, async () => {
  const server = createFixture(options({ logging: true }));
  const guest = await Guest.begin(server, "2025-11-25", { elicitation: {} });
  await guest.ask("logging/setLevel", { level: "warning" });
  await guest.send("tools/call", { name: "steps", _meta: { progressToken: "p" } });
  const seen: unknown[] = [];
  for (let count = 0; count < 5; count++) {
    const { method, result } = await guest.next();
    seen.push(method ?? (result?.["content"] as Json[])[0]?.["text"]);
  }
  deepStrictEqual(seen, [...Array(3).fill("notifications/progress"), "notifications/message", "stepped"]);
  await guest.ask("resources/subscribe", { uri: "docs://readme" });
  server.notify.listChanged("tools");
  strictEqual((await guest.next()).method, "notifications/tools/list_changed");
  server.notify.resourceUpdated("docs://readme");
  deepStrictEqual((await guest.next()).params, { uri: "docs://readme" });
  await guest.send("tools/call", { name: "conversation" });
  for (const content of [{ name: "Ada" }, { color: "red" }, { granted: true }]) {
    const question = await guest.next();
    strictEqual(question.method, "elicitation/create");
    strictEqual((await guest.post({ id: question.id, result: { action: "accept", content } })).status, 202);
  }
  deepStrictEqual(textOf((await guest.next()).result), "Ada likes red");
  await guest.leave();
});

/** A server with a tool that waits for its gate and reports whether it was aborted. */
function gated(more: McpOptions = {}) {
  const gate = new Gate();
  const begun = new Gate();
  const aborted = new Gate();
  const wait = defineTool("wait").describe("Wait").handle(async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.open());
    begun.open();
    await gate.passed;
    return "done";
  });
  return { server: createServer({ tools: [wait], keys: KEYS, wires: [mcp(options(more))] }), gate, begun, aborted };
}

test("what is cancelled is aborted, and not answered", { skip }, async () => {
  const { server, begun, aborted } = gated();
  const guest = await Guest.begin(server);
  const requestId = await guest.send("tools/call", { name: "wait" });
  await begun.passed;
  strictEqual((await guest.post({ method: "notifications/cancelled", params: { requestId } })).status, 202);
  await aborted.passed;
  deepStrictEqual((await guest.ask("ping")).result, {});
  await guest.leave();
});

test("a client that closes its stream ends its session, and the requests of it", { skip }, async () => {
  const { server, begun, aborted } = gated();
  const guest = await Guest.begin(server);
  await guest.send("tools/call", { name: "wait" });
  await begun.passed;
  await guest.leave();
  await aborted.passed;
  const late = await guest.post({ id: 9, method: "ping" });
  deepStrictEqual([late.status, (await late.json()).error.code], [404, -32001]);
});

test("a server that closes ends its streams, and opens no more", { skip }, async () => {
  const { server } = gated();
  const guest = await Guest.begin(server);
  await server.close(0);
  await rejects(guest.next(), { message: "The stream has ended" });
  const response = await server.fetch(new Request("http://localhost/sse"));
  strictEqual(response.status, 503);
  await response.text();
});

test("what is no message, or not for an endpoint, is refused by HTTP", { skip }, async () => {
  const server = createFixture(options());
  const guest = await Guest.begin(server);
  const batch = [{ jsonrpc: "2.0", id: 1, method: "ping" }];
  for (const [body, code] of [["{", -32700], ["[]", -32600], [{ id: null }, -32600], [batch, -32600]] as const) {
    const response = await guest.post(body);
    deepStrictEqual([response.status, (await response.json()).error.code], [400, code]);
  }
  for (
    const [method, path, status, allow] of [
      ["POST", "/sse", 405, "GET"],
      ["DELETE", "/sse", 405, "GET"],
      ["GET", guest.endpoint, 405, "POST"],
      ["POST", "/sse/00000000-0000-4000-8000-000000000000", 404, null],
      ["POST", "/sse/__proto__", 404, null],
    ] as const
  ) {
    const body = method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : null;
    const headers = { "content-type": "application/json" };
    const response = await server.fetch(new Request(`http://localhost${path}`, { method, headers, body }));
    deepStrictEqual([response.status, response.headers.get("allow")], [status, allow], `${method} ${path}`);
    await response.text();
  }
  await guest.leave();
});

test("batches are answered in 2025-03-26", { skip }, async () => {
  const guest = await Guest.begin(createFixture(options()), "2025-03-26");
  const ping = { jsonrpc: "2.0", method: "ping" };
  strictEqual((await guest.post([{ ...ping, id: "a" }, { ...ping, id: "b" }])).status, 202);
  deepStrictEqual([(await guest.next()).id, (await guest.next()).id], ["a", "b"]);
  await guest.leave();
});

test("its paths may be around the other", { skip }, async () => {
  for (const [path, ssePath] of [["/sse/mcp", "/sse"], ["/mcp", "/mcp/sse"], ["/mcp", "/"]] as const) {
    const server = createFixture(options({ path, ssePath }));
    const response = await server.fetch(new Request(`http://localhost${ssePath}`));
    const block = await new StreamReader(response).nextBlock();
    ok(block?.startsWith(`event: endpoint\ndata: ${ssePath === "/" ? "" : ssePath}/`), String(block));
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const headers = { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" };
    const ping = await server.fetch(new Request(`http://localhost${path}`, { method: "POST", headers, body }));
    // There is no session: it is the other transport that answers.
    strictEqual((await ping.json()).error.message, "The header Mcp-Session-Id is missing: send initialize first");
    await server.close(0);
  }
});

test("it is not there unless it is asked for, and needs sessions", async () => {
  const response = await createFixture({ sessions: mcpSessions() }).fetch(new Request("http://localhost/sse"));
  strictEqual(response.status, 404);
  await response.text();
  throws(() => mcp({ ssePath: "/sse" }), {
    name: "TypeError",
    message: /ssePath needs sessions; pass mcp\(/,
  });
});

test("an endpoint is its caller's alone, and refusals are HTTP statuses", { skip }, async () => {
  const people = { ada: { id: "ada" }, bob: { id: "bob" } };
  const secret = defineTool("secret").describe("Secret").scopes("docs").handle(() => "told");
  const server = createServer({
    tools: [secret],
    keys: KEYS,
    wires: [mcp(options())],
    auth: bearer((token) => people[token as "ada"]),
  });
  const ada = await Guest.open(server, { authorization: "Bearer ada" });
  const bob = await Guest.open(server, { authorization: "Bearer bob" });
  const denied = await ada.post(call("secret", 1));
  strictEqual(denied.status, 403);
  match(String(denied.headers.get("www-authenticate")), /insufficient_scope.*scope="docs"/);
  const { endpoint } = bob;
  bob.endpoint = ada.endpoint;
  strictEqual((await bob.post(call("secret", 1))).status, 404);
  bob.endpoint = endpoint;
  deepStrictEqual((await bob.ask("ping")).result, {});
  const nobody = await server.fetch(new Request("http://localhost/sse"));
  strictEqual(nobody.status, 401);
  await nobody.text();
  await Promise.all([ada.leave(), bob.leave()]);
});

test("a session lasts as long as its stream, however quiet it is", { skip }, async () => {
  const clock = new FakeClock();
  const server = createFixture(
    options({ sessions: mcpSessions({ store: memorySessionStore({ ttlMs: 60_000, clock }) }) }),
    {
      clock,
    },
  );
  const guest = await Guest.begin(server);
  for (let passed = 0; passed < 300_000; passed += 15_000) clock.tick(15_000);
  deepStrictEqual((await guest.ask("ping")).result, {});
  await guest.leave();
});

test("a client that does not read its stream waits with its requests", { skip }, async () => {
  const long = defineTool("long").describe("Give much, later").handle(async () => {
    await Promise.resolve();
    return "x".repeat(40_000);
  });
  const server = createServer({ tools: [long], keys: KEYS, wires: [mcp(options())] });
  const guest = await Guest.begin(server);
  const all = 40;
  let taken = 0;
  const sent = (async () => {
    for (; taken < all; taken++) strictEqual((await guest.post(call("long", taken))).status, 202);
  })();
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setTimeout(resolve, 1));
  ok(taken < all / 2, String(taken));
  for (let count = 0; count < all; count++) strictEqual((await guest.next()).id, count);
  await sent;
  await guest.leave();
});

/** A store as processes share one. */
function sharedStore(): SessionStore {
  const sessions = new Map<string, McpSession>();
  const streams = new Map<string, StoredMessage[]>();
  const listeners = new Map<string, Set<(note: SessionEvent) => void>>();
  const tell = (id: string, note: SessionEvent) => [...listeners.get(id) ?? []].forEach((listener) => listener(note));
  const later = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
  return {
    async put(session, before) {
      await later();
      if (before !== undefined && sessions.get(session.id) !== before) return false;
      sessions.set(session.id, session);
      return true;
    },
    get: async (id) => (await later(), sessions.get(id)),
    async delete(id) {
      sessions.delete(id);
      await later();
      tell(id, { kind: "ended" });
    },
    async append(id, stream, json, isLast) {
      await later();
      const messages = streams.get(id + stream) ?? [];
      streams.set(id + stream, messages);
      messages.push({ number: messages.length + 1, json, isLast });
      tell(id, { kind: "message", stream });
    },
    read: async (id, stream, after) => (await later(), streams.get(id + stream)?.slice(after) ?? []),
    publish: async (id, note) => (await later(), tell(id, note)),
    subscribe(id, listener) {
      const all = listeners.get(id) ?? new Set();
      listeners.set(id, all.add(listener));
      return () => void all.delete(listener);
    },
  };
}

test("processes that share a store serve each other's endpoints", { skip }, async () => {
  const store = sharedStore();
  const [one, other] = [1, 2].map(() => createFixture(options({ sessions: mcpSessions({ store }) }))) as [
    Server,
    Server,
  ];
  const guest = await Guest.begin(one, "2025-11-25", { elicitation: {} });
  deepStrictEqual((await guest.ask("tools/call", { name: "pair" }, other)).result?.["structuredContent"], { left: 1 });
  await guest.send("tools/call", { name: "conversation" }, other);
  for (const content of [{ name: "Ada" }, { color: "red" }, { granted: true }]) {
    const { id } = await guest.next();
    await guest.post({ id, result: { action: "accept", content } }, one);
  }
  deepStrictEqual(textOf((await guest.next()).result), "Ada likes red");
  await guest.leave();
});

test("our own client finds it, and does all that it can do", { skip }, async () => {
  const server = createFixture(options());
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
  const transport = mcpTransport("http://localhost/sse", { fetch });
  const answers = [{ name: "Ada" }, { color: "red" }];
  const client = createClient(transport, {
    onElicitation: () => ({ action: "accept", content: answers.shift() ?? {} }),
    onMoreRequested: () => ({ action: "accept" }),
  });
  strictEqual(await client.$.call("conversation"), "Ada likes red");
  strictEqual((await transport.server()).revision, "2025-11-25");
  deepStrictEqual(await client.$.call("pair"), { left: 1 });
  const changed = new Gate();
  transport.onChange("tools", () => changed.open());
  await transport.server();
  server.notify.listChanged("tools");
  await changed.passed;
  const [{ text }] = await transport.resources.read("books://1") as unknown as [{ text: string }];
  strictEqual(text, "Moby Dick");
  await rejects(client.$.call("nested"), { code: "tool_not_found" });
  client.$.close();
});
