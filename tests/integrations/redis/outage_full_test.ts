/** Errors for callers and log lines during an outage of Redis, and recovery after it. */
import { match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite, type Server } from "../../../mod.ts";
import { bullmqEngine } from "../../../src/entries/engines/bullmq.ts";
import { rateLimit } from "../../../src/entries/middleware.ts";
import { redisChangeBus, redisRateLimitStore, redisSessionStore } from "../../../src/entries/redis.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { mcp, mcpSessions } from "../../../src/entries/mcp.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import { skipReason, startRedis, type TestServer } from "../../jobs/engines/programs.ts";
import { KEYS } from "../../wires/mcp/server/fixture.ts";
import { errorLogger } from "../../jobs/engines/fixture.ts";
import { eventually, PATIENT } from "./fixture.ts";

/** A server that needs Redis for everything, and its log lines. */
interface Opened {
  readonly server: Server;
  /** Errors with their source: a store, or the log of the server. */
  readonly told: { readonly by: string; readonly error: unknown }[];
  close(): Promise<void>;
}

function open(redis: string): Opened {
  const told: { by: string; error: unknown }[] = [];
  const options = (by: string) => ({
    redis,
    // No time limit of a reply is part of the test: a busy machine may take seconds for one.
    timeoutMs: 60_000,
    logger: errorLogger((error) => told.push({ by, error })),
  });
  const store = redisRateLimitStore(options("buckets"));
  const sessions = redisSessionStore(options("sessions"));
  const limited = defineTool("limited").describe("Be limited").use(rateLimit({ perSecond: 1_000, store }))
    .handle(() => "done");
  const promised = defineTool("promised").describe("Take long").promise().handle(() => "done");
  const server = createServer({
    name: "outage",
    version: "1.0.0",
    tools: [limited, promised],
    keys: KEYS,
    engine: bullmqEngine(options("bullmq")),
    changes: redisChangeBus(options("changes")),
    logger: errorLogger((error) => told.push({ by: "log", error })),
    wires: [
      mcpLite(),
      mcp({ sessions: mcpSessions({ store: sessions }), ssePath: "/sse" }),
      webtools({ name: "outage", description: "Be away", version: "1.0.0" }),
      grpc(),
    ],
  });
  return {
    server,
    told,
    close: () => server.close(0),
  };
}

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE: Headers = { "content-type": "application/json" };

function post({ server }: Opened, path: string, body: unknown, headers: Headers = {}): Promise<Response> {
  const init = { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) };
  return server.fetch(new Request(`http://localhost${path}`, init));
}

function rpc(method: string, params: unknown = {}): unknown {
  return { jsonrpc: "2.0", id: 1, method, params };
}

const MODERN: Headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "limited" };
const CALLER = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1.0.0" } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Requests that need Redis. They are independent of each other. */
type Ask = (opened: Opened, session: string) => Promise<Response>;

const inSession = (opened: Opened, session: string, message: unknown) =>
  post(opened, "/mcp", message, { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" });

const ASKS: Readonly<Record<string, Ask>> = {
  "a limited call on MCP-lite": (opened) =>
    post(opened, "/mcp-lite/v1/calltools", rpc("tools/call", { name: "limited" })),
  "a limited call on Webtools": (opened) => post(opened, "/webtools/outage", { action: "limited", request: {} }),
  "a limited call on Connect": (opened) => post(opened, "/mcplite.MCPLite/CallTool", { name: "limited" }),
  "a limited call on MCP": (opened) =>
    post(opened, "/mcp", rpc("tools/call", { name: "limited", arguments: {}, _meta: META }), MODERN),
  "a promise on MCP-lite": (opened) =>
    post(opened, "/mcp-lite/v1/calltools", rpc("tools/call", { name: "promised", _meta: { promise: true } })),
  "a promise on Webtools": (opened) =>
    post(opened, "/webtools/outage", {
      action: "promised",
      request: {},
      _meta: { promise: true },
    }),
  "a promise on Connect": (opened) =>
    post(opened, "/mcplite.MCPLite/CallTool", { name: "promised", meta: { promise: true } }),
  "a keyed call on MCP-lite": (opened) =>
    post(
      opened,
      "/mcp-lite/v1/calltools",
      rpc("tools/call", { name: "promised", _meta: { idempotency_key: crypto.randomUUID() } }),
    ),
  "a session begun": (opened) => post(opened, "/mcp", rpc("initialize", CALLER)),
  "a call in a session": (opened, session) => inSession(opened, session, rpc("tools/call", { name: "promised" })),
  "a note in a session": (opened, session) =>
    inSession(opened, session, {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 9 },
    }),
  "a stream of a session": ({ server }, session) => {
    const headers = { accept: "text/event-stream", "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    return server.fetch(new Request("http://localhost/mcp", { headers }));
  },
  "a stream of 2024-11-05": ({ server }) =>
    server.fetch(new Request("http://localhost/sse", { headers: { accept: "text/event-stream" } })),
};

async function statusOf(opened: Opened, ask: Ask, session: string): Promise<number> {
  const response = await ask(opened, session);
  await response.body?.cancel();
  return response.status;
}

/** Opens the connections to Redis, which a busy machine may do later than the time limit of a call. */
async function connectAll(opened: Opened, session: string): Promise<void> {
  for (const ask of Object.values(ASKS)) {
    for (let tries = 0; tries < 10 && await statusOf(opened, ask, session) >= 300; tries++);
  }
  opened.told.length = 0;
}

async function beginSession(opened: Opened): Promise<string> {
  const response = await post(opened, "/mcp", rpc("initialize", CALLER));
  return response.headers.get("mcp-session-id") ?? "";
}

async function withOutage(run: (opened: Opened, redis: TestServer) => Promise<void>): Promise<void> {
  const redis = await startRedis({ isPersistent: true });
  const opened = open(redis.url);
  try {
    await run(opened, redis);
  } finally {
    await opened.close();
    await redis.stop();
  }
}

test(
  "a Redis that is away is told as unavailable, and named in the log",
  { ...PATIENT, skip: skipReason("redis") },
  () =>
    withOutage(async (opened, redis) => {
      const session = await beginSession(opened);
      await connectAll(opened, session);
      for (const [what, ask] of Object.entries(ASKS)) ok(await statusOf(opened, ask, session) < 300, `${what}, before`);
      strictEqual(opened.told.length, 0);

      await redis.crash();
      for (const [what, ask] of Object.entries(ASKS)) {
        const response = await ask(opened, session);
        const body = await response.text();
        strictEqual(response.status, 503, `${what}: ${body}`);
        strictEqual(response.headers.get("retry-after"), "1", `${what}: ${body}`);
        match(body, /"unavailable"/, what);
        ok(!/internal error/i.test(body), `${what}: ${body}`);
        ok(!body.includes(new URL(redis.url).host), "callers are not told where it is");
      }
      for (const by of ["buckets", "sessions", "bullmq", "log"]) {
        const errors = opened.told.filter((one) => one.by === by).map(({ error }) => String(error));
        ok(errors.length > 0, `${by} tells`);
        for (const error of errors) match(error, new RegExp(`Redis at ${new URL(redis.url).host}: .+`), by);
      }

      await redis.restart();
      for (const [what, ask] of Object.entries(ASKS)) {
        await eventually(`${what}, after`, async () => await statusOf(opened, ask, session) < 300);
      }
    }),
);
