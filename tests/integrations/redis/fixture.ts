/** Replicas over one Redis: servers of one process that share nothing but it. */
import { Redis } from "ioredis";
import { createServer, defineTool, type Server } from "../../../mod.ts";
import { redisChangeBus, redisSessionStore, type RedisSessionStoreOptions } from "../../../src/entries/redis.ts";
import * as v from "../../../src/entries/schema.ts";
import {
  defineResource,
  mcp,
  type McpSession,
  mcpSessions,
  type McpSessionsOptions,
} from "../../../src/entries/mcp.ts";
import { Gate, KEYS } from "../../wires/mcp/server/fixture.ts";
import { errorLogger } from "../../jobs/engines/fixture.ts";

/** Servers start slowly on a busy machine. */
export const PATIENT = { timeout: 120_000 };

/** Creates a session. */
export function newSession(more: Partial<McpSession> = {}): McpSession {
  return {
    id: crypto.randomUUID(),
    version: "2025-11-25",
    capabilities: { elicitation: {} },
    info: { name: "tests", version: "1.0.0" },
    principal: "",
    logLevel: null,
    subscriptions: [],
    ...more,
  };
}

/** Waits until a condition holds. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`It did not happen: ${what}`);
}

/** A separate connection, to inspect and control Redis. */
export async function withRedis<Value>(url: string, work: (client: Redis) => Promise<Value>): Promise<Value> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** Whether a channel has a subscriber; `*` matches any characters. */
export function isHeard(url: string, pattern: string): Promise<boolean> {
  return withRedis(url, async (client) => (await client.pubsub("CHANNELS", pattern)).length > 0);
}

/** One replica. */
export interface Replica {
  readonly server: Server;
  /** Opens the tool `wait`. */
  readonly gate: Gate;
  /** Opens when `wait` is cancelled. */
  readonly aborted: Gate;
  /** Errors of Redis. */
  readonly errors: unknown[];
  close(): Promise<void>;
}

/** Options of a replica. */
export interface ReplicaOptions extends Partial<RedisSessionStoreOptions>, Omit<McpSessionsOptions, "store"> {
  readonly redis: string;
  readonly name: string;
}

/** Creates a replica. */
export function createReplica(options: ReplicaOptions): Replica {
  const { retryMs, pollAfterMs, ttlMs, maxSessions, ...redis } = options;
  const gate = new Gate();
  const aborted = new Gate();
  const errors: unknown[] = [];
  const settings = { timeoutMs: 60_000, logger: errorLogger((error) => errors.push(error)), ...redis };
  const store = redisSessionStore({
    ...settings,
    ...(ttlMs !== undefined && { ttlMs }),
    ...(maxSessions !== undefined && { maxSessions }),
  });
  const ask = defineTool("ask").describe("Ask for a name").handle(async (_, ctx) => {
    const answer = await ctx.elicit("name", { message: "Who are you?", schema: v.object({ name: v.string() }) });
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : "Hello, stranger";
  });
  const wait = defineTool("wait").describe("Wait").timeout(600_000).handle(async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.open());
    ctx.progress(1, 2);
    await gate.passed;
    ctx.progress(2, 2);
    return "done";
  });
  const server = createServer({
    name: "replica",
    version: "1.0.0",
    tools: [ask, wait],
    resources: [defineResource("docs://readme").read(() => "# Hello")],
    keys: KEYS,
    changes: redisChangeBus(settings),
    wires: [
      mcp({
        logging: true,
        askTimeoutMs: 300_000,
        sessions: mcpSessions({ store, retryMs, pollAfterMs }),
      }),
    ],
  });
  return {
    server,
    gate,
    aborted,
    errors,
    close: () => server.close(0),
  };
}
