/** What a caller of an older revision can have kept of itself: so much, over every transport. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, type Server } from "../../../../mod.ts";
import { defineResource, mcp, type McpSession, mcpSessions, type SessionStore } from "../../../../src/entries/mcp.ts";
import { mcpDuplex } from "../../../../src/wires/mcp/server/duplex.ts";
import { serveLines } from "../../../../src/wires/mcp/stdio/server/serve_lines.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { Pipe } from "../stdio/in_process.ts";
import { initialize, type Json, legacy, type Message, StreamReader } from "./client.ts";

const skip = runtime === "workerd" && "a request's stream is not another request's to write to";

const readme = defineResource("docs://readme").read(() => "# Hello");

/** URIs of a length. */
function urisOf(length: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `docs://${index}/`.padEnd(length, "x"));
}

/** The least that there has to be of a store, for revisions whose streams are not taken up again. */
function keptIn(kept: Map<string, McpSession>): SessionStore {
  return {
    put: (session, before) => {
      if (before !== undefined && kept.get(session.id) !== before) return false;
      kept.set(session.id, session);
      return true;
    },
    get: (id) => kept.get(id),
    delete: (id) => void kept.delete(id),
    append: () => {},
    read: () => [],
    publish: () => {},
    subscribe: () => () => {},
  };
}

/** Asks over a transport. */
interface Asker {
  ask(method: string, params?: Json): Promise<Message>;
  end(): Promise<void>;
}

function overPost(server: Server): Asker {
  let session: string | undefined;
  return {
    async ask(method, params) {
      const { status, last, headers } = await legacy(server, method, params, { session });
      strictEqual(status, 200);
      session ??= headers.get("mcp-session-id") ?? undefined;
      return last;
    },
    end: () => Promise.resolve(),
  };
}

async function overEndpoint(server: Server): Promise<Asker> {
  const stream = new StreamReader(await server.fetch(new Request("http://localhost/sse")));
  const [, path = ""] = /^event: endpoint\ndata: (.+)$/.exec(await stream.nextBlock() ?? "") ?? [];
  return {
    async ask(method, params) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: method, method, params });
      const headers = { "content-type": "application/json" };
      const response = await server.fetch(new Request(`http://localhost${path}`, { method: "POST", headers, body }));
      strictEqual(response.status, 202);
      await response.body?.cancel();
      return await stream.nextMessage();
    },
    end: () => stream.cancel(),
  };
}

/** Also gives all lines that were written. */
function overPipes(server: Server): Asker & { readonly lines: readonly Message[] } {
  const input = new Pipe();
  const lines: Message[] = [];
  let hear: (message: Message) => void = () => {};
  const write = (line: string) => {
    const message = JSON.parse(line) as Message;
    lines.push(message);
    if (message.id !== undefined) hear(message);
  };
  const served = serveLines(mcpDuplex(), server["~server"].host, { input, write, graceMs: 0 });
  return {
    lines,
    ask: (method, params) =>
      new Promise((resolve) => {
        hear = resolve;
        input.put(`${JSON.stringify({ jsonrpc: "2.0", id: method, method, params })}\n`);
      }),
    end() {
      input.end();
      return served;
    },
  };
}

const TRANSPORTS: Readonly<Record<string, (server: Server) => Asker | Promise<Asker>>> = {
  "POST": overPost,
  "an endpoint": overEndpoint,
  "pipes": overPipes,
};

function serve(store?: SessionStore): Server {
  const sessions = mcpSessions({ store });
  return createServer({ tools: [], resources: [readme], wires: [mcp({ sessions, ssePath: "/sse" })] });
}

for (const [name, open] of Object.entries(TRANSPORTS)) {
  test(`over ${name}, a URI to subscribe to is not longer than 2,048 characters`, { skip }, async () => {
    const asker = await open(serve());
    const begun = await asker.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {} });
    strictEqual(begun.error, undefined);
    const [just = "", over = ""] = [2_048, 2_049].flatMap((length) => urisOf(length, 1));
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      deepStrictEqual((await asker.ask(method, { uri: just })).result, {});
      const { error } = await asker.ask(method, { uri: over });
      strictEqual(error?.code, -32602);
      match(error.message, /params\.uri has to be a string of at most 2048 characters/);
      ok(JSON.stringify(error).length < 1_000, "it is not sent back");
    }
    await asker.end();
  });
}

/** Parameters of `initialize` whose capabilities and client info have this length as JSON. */
function introduction(length: number): Json {
  const clientInfo = { name: "tests", version: "1.0.0" };
  const capabilities = { experimental: { text: "" } };
  const missing = length - JSON.stringify([capabilities, clientInfo]).length;
  const experimental = { text: "x".repeat(missing) };
  return { protocolVersion: "2025-06-18", capabilities: { experimental }, clientInfo };
}

const STATELESS = { "POST without sessions": () => overPost(createServer({ tools: [], wires: [mcp()] })) };

for (const [name, open] of Object.entries<typeof TRANSPORTS[string]>({ ...TRANSPORTS, ...STATELESS })) {
  test(`over ${name}, nobody says more than 16,384 characters of itself to begin`, { skip }, async () => {
    const asker = await open(serve());
    const long = introduction(16_385);
    for (const params of [long, { ...long, capabilities: {}, clientInfo: { name: "x".repeat(16_384) } }]) {
      const { error } = await asker.ask("initialize", params);
      strictEqual(error?.code, -32602);
      match(error.message, /params\.capabilities and params\.clientInfo are at most 16384 characters of JSON/);
      ok(JSON.stringify(error).length < 1_000, "it is not sent back");
    }
    const { result } = await asker.ask("initialize", introduction(16_384));
    strictEqual(result?.["protocolVersion"], "2025-06-18", "who was refused can still begin");
    deepStrictEqual((await asker.ask("ping")).result, {});
    await asker.end();
  });
}

test("a session keeps 131,072 characters of URIs, and a thousand of them: the last", async () => {
  for (const [length, count, most] of [[2_048, 70, 64], [20, 1_010, 1_000]] as const) {
    const kept = new Map<string, McpSession>();
    const server = serve(keptIn(kept));
    const { session = "" } = await initialize(server, "2025-06-18");
    const uris = urisOf(length, count);
    for (const uri of uris) {
      const { last } = await legacy(server, "resources/subscribe", { uri }, { session, version: "2025-06-18" });
      deepStrictEqual(last.result, {});
    }
    deepStrictEqual(kept.get(session)?.subscriptions, uris.slice(-most));
  }
});

test("over pipes, too, it is the last", async () => {
  const server = serve();
  const pipes = overPipes(server);
  await pipes.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {} });
  const uris = urisOf(2_048, 70);
  for (const uri of uris) await pipes.ask("resources/subscribe", { uri });
  for (const uri of uris) server.notify.resourceUpdated(uri);
  await pipes.ask("ping");
  const reported = pipes.lines.filter(({ method }) => method === "notifications/resources/updated");
  deepStrictEqual(reported.map(({ params }) => params?.["uri"]), uris.slice(-64));
  await pipes.end();
});
