/** MCP sessions of two replicas over one Redis: each replica continues sessions of the other. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createClient, type Server } from "../../../mod.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { skipReason, startRedis, type TestServer } from "../../jobs/engines/programs.ts";
import {
  initialize,
  type Json,
  legacy,
  type Message,
  post,
  StreamReader,
  textOf,
} from "../../wires/mcp/server/client.ts";
import { createReplica, eventually, isHeard, newSession, PATIENT, type Replica, withRedis } from "./fixture.ts";

const ACCEPTED = { action: "accept", content: { name: "Ada" } };

function headersOf(session: string | undefined, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { "mcp-session-id": String(session), "mcp-protocol-version": "2025-11-25", ...more };
}

function get({ server }: Replica, session: string | undefined, lastEventId?: string): Promise<Response> {
  const more = { accept: "text/event-stream", ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
  return server.fetch(new Request("http://localhost/mcp", { headers: headersOf(session, more) }));
}

function end({ server }: Replica, session: string | undefined): Promise<Response> {
  return server.fetch(new Request("http://localhost/mcp", { method: "DELETE", headers: headersOf(session) }));
}

async function call({ server }: Replica, session: string | undefined, name: string, id = 1): Promise<StreamReader> {
  const params = { name, _meta: { progressToken: id } };
  return new StreamReader(await post(server, { jsonrpc: "2.0", id, method: "tools/call", params }, headersOf(session)));
}

function tell({ server }: Replica, session: string | undefined, message: Json): Promise<Response> {
  return post(server, { jsonrpc: "2.0", ...message }, headersOf(session));
}

async function drain(reader: StreamReader): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
    if (event.message !== undefined) messages.push(event.message);
  }
  return messages;
}

describe("sessions of two replicas", { skip: skipReason("redis") }, () => {
  let starting: Promise<TestServer> | undefined;
  const url = async () => (await (starting ??= startRedis())).url;
  after(async () => {
    await (await starting)?.stop();
  });

  /** Runs a test with two replicas, and closes them. */
  async function withTwo(
    run: (one: Replica, two: Replica, redis: string) => Promise<void>,
    options: { readonly ttlMs?: number; readonly pollAfterMs?: number; readonly retryMs?: number } = {},
  ): Promise<void> {
    const redis = await url();
    const name = crypto.randomUUID();
    const [one, two] = [createReplica({ redis, name, ...options }), createReplica({ redis, name, ...options })];
    try {
      await run(one, two, redis);
      deepStrictEqual([...one.errors, ...two.errors], []);
    } finally {
      await one.close();
      await two.close();
    }
  }

  test("a question that one has asked is answered at the other", PATIENT, () =>
    withTwo(async (one, two) => {
      const { session } = await initialize(one.server, "2025-11-25", { elicitation: {} });
      strictEqual((await legacy(two.server, "ping", {}, { session })).status, 200);
      const reader = await call(one, session, "ask");
      const { id, method } = await reader.nextMessage();
      strictEqual(method, "elicitation/create");
      const stranger = await initialize(two.server);
      strictEqual((await tell(two, stranger.session, { id: "nobody asked", result: ACCEPTED })).status, 202);
      strictEqual((await tell(two, session, { id, result: ACCEPTED })).status, 202);
      deepStrictEqual(textOf((await reader.nextMessage()).result), "Hello, Ada");
      strictEqual(await reader.next(), undefined);
    }));

  test(
    "a stream that one has begun is taken up at the other, while its call goes on",
    PATIENT,
    () =>
      withTwo(async (one, two) => {
        const { session } = await initialize(one.server);
        const reader = await call(one, session, "wait");
        const primed = await reader.next();
        strictEqual((await reader.nextMessage()).params?.["progress"], 1);
        await reader.cancel();
        const elsewhere = new StreamReader(await get(two, session, primed?.id));
        strictEqual((await elsewhere.nextMessage()).params?.["progress"], 1);
        one.gate.open();
        const rest = await drain(elsewhere);
        deepStrictEqual(rest.map(({ params, result }) => params?.["progress"] ?? textOf(result)), [2, "done"]);
        const other = (await initialize(two.server)).session;
        const stolen = new StreamReader(await get(two, other, primed?.id));
        strictEqual((await stolen.next())?.message, undefined);
        await stolen.cancel();
      }),
  );

  test(
    "a request of one is cancelled at the other, and so is all when the session ends there",
    PATIENT,
    () =>
      withTwo(async (one, two) => {
        const { session } = await initialize(one.server);
        const first = await call(one, session, "wait", 7);
        await first.nextMessage();
        const note = { method: "notifications/cancelled", params: { requestId: 7 } };
        strictEqual((await tell(two, session, note)).status, 202);
        await one.aborted.passed;
        deepStrictEqual(await drain(first), []);

        const second = await call(two, session, "wait", 8);
        await second.nextMessage();
        const news = new StreamReader(await get(two, session));
        strictEqual((await end(one, session)).status, 200);
        await two.aborted.passed;
        deepStrictEqual([...await drain(second), ...await drain(news)], []);
        for (const { server } of [one, two]) strictEqual((await legacy(server, "ping", {}, { session })).status, 404);
      }),
  );

  test(
    "what a caller wants is kept, whoever is asked, also at once",
    PATIENT,
    () =>
      withTwo(async (one, two, redis) => {
        const { session } = await initialize(one.server);
        const uris = Array.from({ length: 20 }, (_, n) => `docs://${n}`);
        const replies = await Promise.all(
          uris.map((uri, n) => legacy((n % 2 ? one : two).server, "resources/subscribe", { uri }, { session })),
        );
        deepStrictEqual(replies.map(({ status }) => status), uris.map(() => 200));
        await legacy(two.server, "logging/setLevel", { level: "debug" }, { session });
        const kept = await withRedis(redis, async (client) => {
          const [key = ""] = await client.keys(`*session:${session}`);
          return JSON.parse(await client.hget(key, "session") ?? "");
        });
        deepStrictEqual([kept.subscriptions.sort(), kept.logLevel], [uris.sort(), "debug"]);
      }),
  );

  test("a session that was quiet for too long is unknown to both", PATIENT, () =>
    withTwo(async (one, two, redis) => {
      const { session } = await initialize(one.server);
      await eventually("it is over", () =>
        withRedis(redis, async (client) => (await client.keys(`*${session}*`)).length === 0));
      for (const { server } of [two, one]) {
        strictEqual((await legacy(server, "ping", {}, { session })).status, 404);
      }
    }, { ttlMs: 100 }));

  test("a call that outlives its session ends with it", PATIENT, () =>
    withTwo(async (one, _, redis) => {
      const { session } = await initialize(one.server);
      const reader = await call(one, session, "wait");
      await reader.nextMessage();
      await withRedis(redis, async (client) => client.del(await client.keys(`*${session}*`)));
      one.gate.open();
      deepStrictEqual(await drain(reader), []);
    }));

  test("a session that this version cannot serve is begun anew", PATIENT, () =>
    withTwo(async (one, _, redis) => {
      const { session } = await initialize(one.server);
      const kept = newSession({ id: String(session) });
      const others = [
        { version: "2031-01-01" },
        { principal: 5 },
        { logLevel: {} },
        { subscriptions: "all" },
        { subscriptions: [1] },
      ];
      for (const other of others) {
        await withRedis(redis, async (client) => {
          const [key = ""] = await client.keys(`*session:${session}`);
          await client.hset(key, "session", JSON.stringify({ ...kept, ...other }));
        });
        const { status, last } = await legacy(one.server, "ping", {}, { session });
        deepStrictEqual([status, last.error?.code], [404, -32001], JSON.stringify(other));
      }
    }));

  /** A `fetch` that sends requests to the replicas in turn, and responses of the client to another replica than its calls. */
  function inTurn(one: Server, two: Server, answered: string[]) {
    let turn = 0;
    return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
      const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
      const isAnswer = body.method === undefined && body.id !== undefined;
      if (isAnswer) answered.push(body.id);
      const server = body.method === "tools/call" ? one : isAnswer ? two : turn++ % 2 === 0 ? one : two;
      return await server.fetch(new Request(url, { ...init, redirect: "follow" }));
    };
  }

  test("the official client does not notice that there are two", PATIENT, () =>
    withTwo(async (one, two, redis) => {
      const answered: string[] = [];
      const client = new Client({ name: "official", version: "1.0.0" }, { capabilities: { elicitation: {} } });
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Grace" } }));
      const received: unknown[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void received.push(params.uri));
      client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void received.push(method));
      const fetch = inTurn(one.server, two.server, answered);
      const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch });
      await client.connect(transport as never);
      for (let n = 1; n <= 3; n++) {
        strictEqual(textOf(await client.callTool({ name: "ask" })), "Hello, Grace");
        strictEqual(answered.length, n);
      }
      await client.subscribeResource({ uri: "docs://readme" });
      await eventually("somebody listens for news", () => isHeard(redis, "*:changes"));
      // Both notify, whichever replica has the stream.
      one.server.notify.resourceUpdated("docs://readme");
      two.server.notify.listChanged("tools");
      await eventually("both are heard", () => received.length >= 2);
      deepStrictEqual(new Set(received), new Set(["docs://readme", "notifications/tools/list_changed"]));
      await transport.terminateSession();
      await client.close();
    }));

  test("our client does not notice either", PATIENT, () =>
    withTwo(async (one, two) => {
      const answered: string[] = [];
      const fetch = inTurn(one.server, two.server, answered);
      const transport = mcpTransport("http://localhost/mcp", { era: "legacy", fetch });
      const client = createClient(transport, { onElicitation: () => ({ action: "accept", content: { name: "Ada" } }) });
      strictEqual(await client.$.call("ask"), "Hello, Ada");
      strictEqual(answered.length, 1);
      client.$.close();
    }));

  test("our client takes up at one what it has begun at the other", PATIENT, () =>
    withTwo(async (one, two) => {
      const resumed: (string | null)[] = [];
      const transport = mcpTransport("http://localhost/mcp", {
        era: "legacy",
        fetch: (url, init) => {
          const last = new Headers(init.headers).get("last-event-id");
          if (last !== null) resumed.push(last);
          const server = init.method === "GET" ? two.server : one.server;
          if (last !== null) one.gate.open();
          return server.fetch(new Request(url, { ...init, redirect: "follow" }));
        },
      });
      const client = createClient(transport);
      strictEqual(await client.$.call("wait"), "done");
      ok(resumed.length > 0);
      client.$.close();
    }, { pollAfterMs: 50, retryMs: 20 }));
});

describe("sessions while Redis is gone", { skip: skipReason("redis") }, () => {
  test("requests are refused, calls wait, and all goes on when it is back", PATIENT, async () => {
    const server = await startRedis({ isPersistent: true });
    const name = crypto.randomUUID();
    const [one, two] = [
      createReplica({ redis: server.url, name, timeoutMs: 1_000 }),
      createReplica({ redis: server.url, name, timeoutMs: 1_000 }),
    ];
    try {
      const { session } = await initialize(one.server, "2025-11-25", { elicitation: {} });
      const waiting = await call(one, session, "wait", 1);
      await waiting.nextMessage();
      const asking = await call(one, session, "ask", 2);
      const { id } = await asking.nextMessage();

      await server.crash();
      const refused = await tell(two, session, { id, result: ACCEPTED });
      strictEqual(refused.status, 503);
      const problem = await refused.json();
      deepStrictEqual([problem.error.code, /redis|127\.0\.0\.1/i.test(JSON.stringify(problem))], [-32000, false]);
      strictEqual((await legacy(one.server, "ping", {}, { session })).status, 503);
      strictEqual((await legacy(one.server, "initialize", { protocolVersion: "2025-11-25" })).status, 503);
      ok(one.errors.length > 0 && two.errors.length > 0, "somebody is told");
      one.gate.open();
      // Longer than the time limit of a reply.
      await new Promise((resolve) => setTimeout(resolve, 1_500));

      await server.restart();
      await eventually("it is served again", async () => {
        return (await legacy(two.server, "ping", {}, { session })).status === 200;
      });
      const rest = await drain(waiting);
      deepStrictEqual(textOf(rest.at(-1)?.result), "done");
      await eventually("the answer is taken", async () => {
        return (await tell(two, session, { id, result: ACCEPTED })).status === 202;
      });
      deepStrictEqual(textOf((await asking.nextMessage()).result), "Hello, Ada");
    } finally {
      await one.close();
      await two.close();
      await server.stop();
    }
  });

  test("a Redis that has lost everything has sessions begin anew, and their calls end", PATIENT, async () => {
    const server = await startRedis();
    const one = createReplica({ redis: server.url, name: "lost", timeoutMs: 1_000 });
    try {
      const { session } = await initialize(one.server);
      const waiting = await call(one, session, "wait");
      await waiting.nextMessage();
      await server.crash();
      await server.restart();
      await one.aborted.passed;
      deepStrictEqual(await drain(waiting), []);
      await eventually("it is unknown", async () => (await legacy(one.server, "ping", {}, { session })).status === 404);
      ok((await initialize(one.server)).session !== undefined);
    } finally {
      await one.close();
      await server.stop();
    }
  });
});
