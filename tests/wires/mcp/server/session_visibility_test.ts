/** What a session unlocks is shown to this session: in lists, calls, suggestions, searches and notifications, and to no other caller. */
import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, Failure, type Server } from "../../../../mod.ts";
import { FakeClock } from "../../../../src/entries/testing.ts";
import { authenticate } from "../../../../src/entries/auth.ts";
import { group } from "../../../../src/entries/compose.ts";
import { discover } from "../../../../src/entries/discovery.ts";
import {
  definePrompt,
  defineResource,
  mcp,
  mcpSessions,
  mcpTransport,
  memorySessionStore,
  sessionState,
} from "../../../../src/entries/mcp.ts";
import { webtools } from "../../../../src/entries/webtools.ts";
import { mcpLite } from "../../../../src/wires/mcp_lite/server/mcp_lite.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { openStdio } from "../stdio/in_process.ts";
import { callModern, type Json, legacy, modern, StreamReader } from "./client.ts";

function createUnlocking(options: Parameters<typeof createServer>[0] | object = {}): Server {
  const stateOf = sessionState(() => ({ isUnlocked: false }));
  const isUnlocked = (_: unknown, { session }: { readonly session: string | undefined }) =>
    stateOf(session)?.isUnlocked === true;
  const wipe = defineTool("wipe").describe("Delete everything").visibleTo(isUnlocked).handle(() => "wiped");
  const unlock = defineTool("unlock").describe("Unlock wipe").handle((_, ctx) => {
    const state = stateOf(ctx.session);
    if (state === undefined) throw new Failure("no_session", "This needs a session");
    state.isUnlocked = true;
    server.notify.listChanged("tools", { session: ctx.session });
    return "unlocked";
  });
  const hidden = createServer({
    tools: [],
    prompts: [definePrompt("secret").describe("A prompt of the part").handle(() => "secret")],
    resources: [
      defineResource("secret://one").read(() => "one"),
      defineResource("secrets://{id}").read(({ id }) => id),
    ],
  });
  const server: Server = createServer({
    tools: [unlock, wipe],
    parts: [group("part", hidden, { visibleTo: isUnlocked })],
    wires: [
      mcp({ sessions: mcpSessions(), ssePath: "/sse" }),
      mcpLite(),
      webtools({
        name: "tools",
        description: "The same tools",
        version: "1.0.0",
      }),
    ],
    logger: false,
    ...options,
  });
  return server;
}

type Send = (method: string, params?: Json) => Promise<Json>;

/** Sends requests in a session. */
async function begin(
  server: Server,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ send: Send; id: string }> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1.0.0" } };
  const begun = await legacy(server, "initialize", params, { headers });
  const id = begun.headers.get("mcp-session-id") ?? "";
  const send: Send = async (method, more = {}) => {
    const { last } = await legacy(server, method, more, { session: id, headers });
    return (last.result ?? { error: last.error }) as Json;
  };
  return { send, id };
}

async function namesIn(send: Send, method: string, member: string): Promise<readonly unknown[]> {
  const { [member]: list } = await send(method);
  return (list as readonly Json[]).map(({ name }) => name);
}

async function seenBy(send: Send) {
  return {
    tools: await namesIn(send, "tools/list", "tools"),
    prompts: await namesIn(send, "prompts/list", "prompts"),
    resources: await namesIn(send, "resources/list", "resources"),
    templates: await namesIn(send, "resources/templates/list", "resourceTemplates"),
    called: await textOf(send("tools/call", { name: "wipe" })),
    got: "messages" in await send("prompts/get", { name: "part_secret" }),
    read: "contents" in await send("resources/read", { uri: "secret://one" }),
  };
}

async function textOf(answer: Promise<Json>): Promise<string> {
  const { content, error } = await answer;
  return content === undefined ? (error as { message: string }).message : String((content as Json[])[0]?.["text"]);
}

const LOCKED = {
  tools: ["unlock"],
  prompts: [],
  resources: [],
  templates: [],
  called: "Tool not found: wipe. Call tools/list to see the tools that exist",
  got: false,
  read: false,
};

const UNLOCKED = {
  tools: ["unlock", "wipe"],
  prompts: ["part_secret"],
  resources: ["secret://one"],
  templates: ["secrets://{id}"],
  called: "wiped",
  got: true,
  read: true,
};

for (const who of ["anonymous", "one principal"] as const) {
  test(`${who}: what one session unlocks, no other session sees`, async () => {
    const auth = who === "anonymous" ? {} : { auth: authenticate(() => ({ id: "ada" })) };
    const server = createUnlocking(auth);
    const [one, other] = [await begin(server), await begin(server)];
    const { called: _, ...locked } = LOCKED;
    const seen = async (send: Send) => {
      const { called, ...rest } = await seenBy(send);
      return { ...rest, isCalled: called === "wiped" };
    };
    deepStrictEqual(await seen(one.send), { ...locked, isCalled: false });
    strictEqual(await textOf(one.send("tools/call", { name: "unlock" })), "unlocked");
    const { called, ...unlocked } = UNLOCKED;
    strictEqual(called, "wiped");
    deepStrictEqual(await seen(one.send), { ...unlocked, isCalled: true });
    deepStrictEqual(await seen(other.send), { ...locked, isCalled: false });
    const later = await begin(server);
    deepStrictEqual(await seen(later.send), { ...locked, isCalled: false }, "a later session");
    deepStrictEqual(await seen(one.send), { ...unlocked, isCalled: true }, "after lists of others");
    await server.close(0);
  });
}

test("an unknown tool is the same as one that another session has unlocked", async () => {
  const server = createUnlocking();
  const [one, other] = [await begin(server), await begin(server)];
  await one.send("tools/call", { name: "unlock" });
  const named = async (name: string) => JSON.stringify(await other.send("tools/call", { name })).replaceAll(name, "?");
  strictEqual(await named("wipe"), await named("wips"));
  const { message } = (await one.send("tools/call", { name: "wips" }))["error"] as Record<string, string>;
  strictEqual(message, "Tool not found: wips. Did you mean 'wipe'?");
  await server.close(0);
});

test("a caller without a session, and one that claims the session of another, see nothing of it", async () => {
  const server = createUnlocking();
  const one = await begin(server);
  await one.send("tools/call", { name: "unlock" });
  // In 2026-07-28 there are no sessions, whatever headers say.
  const headers = { "mcp-session-id": one.id };
  const { last } = await modern(server, "tools/list", {}, { headers });
  deepStrictEqual((last.result?.["tools"] as Json[]).map(({ name }) => name), ["unlock"]);
  strictEqual((await modern(server, "tools/call", { name: "wipe" }, { headers })).last.error?.code, -32602);
  const unlocking = await callModern(server, "unlock", {}, { headers });
  strictEqual((unlocking["_meta"] as Json)["toolwire/code"], "no_session");
  // The session id of Webtools is the caller's.
  const post = (path: string, body: unknown) =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    );
  const executed = await post("/webtools/tools", { sessionId: one.id, version: "1.0.0", action: "wipe", request: {} });
  strictEqual(executed.status, 404);
  // Nor does it reach what the server keeps for a session.
  const late = await begin(server);
  const claimed = await post("/webtools/tools", {
    sessionId: late.id,
    version: "1.0.0",
    action: "unlock",
    request: {},
  });
  ok((await claimed.text()).includes("This needs a session"));
  const { tools } = await late.send("tools/list");
  deepStrictEqual((tools as Json[]).map(({ name }) => name), ["unlock"]);
  const called = await post("/mcp-lite/v1/calltools", {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "wipe" },
  });
  strictEqual(called.status, 404);
  await server.close(0);
});

test("with auth, the session of another principal is refused", async () => {
  const server = createUnlocking({ auth: authenticate(({ metadata }) => ({ id: metadata.get("x-user") ?? "eve" })) });
  const ada = await begin(server, { "x-user": "ada" });
  await ada.send("tools/call", { name: "unlock" });
  const { status } = await legacy(server, "tools/list", {}, { session: ada.id, headers: { "x-user": "bob" } });
  strictEqual(status, 404);
  await server.close(0);
});

test("server.notify.listChanged(list, { session }) reaches that session alone", async () => {
  const server = createUnlocking();
  const [one, other] = [await begin(server), await begin(server)];
  const streams = await Promise.all([one, other].map(async ({ id }) => {
    const headers = { accept: "text/event-stream", "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    return new StreamReader(await server.fetch(new Request("http://localhost/mcp", { headers })));
  }));
  await one.send("tools/call", { name: "unlock" });
  // For all: the first message of the other session, and the second one of this session.
  server.notify.listChanged("prompts");
  const [ofOne, ofOther] = streams as [StreamReader, StreamReader];
  strictEqual((await ofOne.nextMessage()).method, "notifications/tools/list_changed");
  strictEqual((await ofOne.nextMessage()).method, "notifications/prompts/list_changed");
  strictEqual((await ofOther.nextMessage()).method, "notifications/prompts/list_changed");
  await Promise.all(streams.map((stream) => stream.cancel()));
  await server.close(0);
});

test("search_tools of discover() finds what its session has unlocked", async () => {
  const server = createUnlocking({ discovery: discover({ when: "always" }) });
  const [one, other] = [await begin(server), await begin(server)];
  await one.send("tools/call", { name: "unlock" });
  const find = (send: Send) =>
    textOf(send("tools/call", { name: "search_tools", arguments: { query: "delete everything" } }));
  ok((await find(one.send)).includes('"wipe"'));
  ok(!(await find(other.send)).includes("wipe"));
  const call = (send: Send) => textOf(send("tools/call", { name: "call_tool", arguments: { name: "wipe" } }));
  strictEqual(await call(one.send), "wiped");
  ok((await call(other.send)).startsWith("Tool not found"));
  await server.close(0);
});

test("over pipes there are no sessions, and nothing is unlocked", async () => {
  const server = createUnlocking();
  const opened = [openStdio(server, { era: "legacy" }), openStdio(server, { era: "modern" })];
  try {
    for (const { transport } of opened) {
      strictEqual((await transport.request("tools/call", { name: "unlock" }))["isError"], true);
      const { tools } = await transport.request("tools/list");
      deepStrictEqual((tools as Json[]).map(({ name }) => name), ["unlock"]);
    }
  } finally {
    for (const { close } of opened) await close();
    await server.close(0);
  }
});

test("sessions of 2024-11-05's transport are separate, too", { skip: runtime === "workerd" }, async () => {
  const server = createUnlocking();
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  const [one, other] = [
    mcpTransport("http://localhost/sse", { fetch }),
    mcpTransport("http://localhost/sse", { fetch }),
  ];
  try {
    await one.request("tools/call", { name: "unlock" });
    strictEqual(((await one.request("tools/list"))["tools"] as unknown[]).length, 2);
    strictEqual(((await other.request("tools/list"))["tools"] as unknown[]).length, 1);
  } finally {
    one.close();
    other.close();
    await server.close(0);
  }
});

test("sessionState() keeps so many sessions, and drops the one that was not used for longest", () => {
  let made = 0;
  const stateOf = sessionState(() => ({ number: ++made }), { maxSessions: 2 });
  strictEqual(stateOf(undefined), undefined);
  deepStrictEqual(["a", "b", "a", "c", "a", "b"].map((id) => stateOf(id)?.number), [1, 2, 1, 3, 1, 4]);
  throws(
    () => sessionState(undefined as never),
    /^TypeError: Cannot keep the state of sessions: create must be a function/,
  );
  throws(() => sessionState(() => ({}), { maxSessions: 0 }), RangeError);
});

test("sessionState() drops what is kept of a session that is deleted, expires, or is evicted", async () => {
  const clock = new FakeClock(0);
  const stateOf = sessionState(() => ({ count: 0 }));
  const count = defineTool("count").describe("Count").handle((_, ctx) => ++stateOf(ctx.session)!.count);
  const store = memorySessionStore({ ttlMs: 60_000, maxSessions: 2, clock });
  const server = createServer({ tools: [count], wires: [mcp({ sessions: mcpSessions({ store }) })], logger: false });
  const start = async () => {
    const { send, id } = await begin(server);
    await send("tools/call", { name: "count" });
    strictEqual(stateOf(id)?.count, 1);
    return id;
  };
  const deleted = await start();
  await server.fetch(
    new Request("http://localhost/mcp", { method: "DELETE", headers: { "mcp-session-id": deleted } }),
  );
  const expired = await start();
  clock.tick(60_000);
  const [evicted, second, third] = [await start(), await start(), await start()];
  deepStrictEqual([deleted, expired, evicted, second, third].map((id) => stateOf(id)?.count), [0, 0, 0, 1, 1]);
  await server.close(0);
});
