/** A Worker that has all that a server can have, created in global scope, where Workers allow no timers, random values, signals and I/O. */
import { createServer, defineCallerState, defineTool, mcpLite, memoryEngine } from "../../mod.ts";
import { every } from "../../src/entries/schedules.ts";
import * as v from "../../src/entries/schema.ts";
import { durableObjects } from "../../src/entries/engines/durable_object.ts";
import { authenticate, bearer, jwt } from "../../src/entries/auth.ts";
import { cache, concurrencyLimit, json, logging, rateLimit, timeout } from "../../src/entries/middleware.ts";
import { google, signIn } from "../../src/entries/sign_in.ts";
import { webhook } from "../../src/entries/webhooks.ts";
import { group, mount } from "../../src/entries/compose.ts";
import { discover } from "../../src/entries/discovery.ts";
import { consolePage } from "../../src/entries/console.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { healthPage } from "../../src/entries/health.ts";
import { resolver } from "../../src/entries/waits.ts";
import { definePrompt, defineResource, mcp, mcpSessions } from "../../src/entries/mcp.ts";
import { webSocket } from "../../src/entries/websocket.ts";
import { rest } from "../../src/entries/rest.ts";
import { systemClock } from "../../src/internal/time.ts";
import { webtools } from "../../src/entries/webtools.ts";

const KEYS = "k1:a text of at least thirty-two characters";

const cart = defineCallerState("cart", v.array(v.string()));

function createTools() {
  const report = defineTool("report").describe("Write a report").input(
    v.object({ topic: v.optional(v.string(), "all") }),
  )
    .promise().handle(() => "done");
  const ping = defineTool("ping").describe("Answer").input(v.object({ times: v.optional(v.number(), 1) }))
    .handle(({ times }, ctx) => `${"pong".repeat(times)}${ctx.callerState.get(cart) ?? ""}`);
  return { report, ping };
}

/** As it is on Workers, where a timer ends with the request that set it. */
const clock = { ...systemClock, isPerRequest: true };

/** Servers of all kinds, of which one is served. */
export function createWorker() {
  const { report, ping } = createTools();
  const part = createServer({ name: "part", tools: [defineTool("part").describe("Answer").handle(() => "part")] });
  const auths = [
    bearer(() => ({ id: "ada" })),
    authenticate(() => ({ id: "ada" })),
    jwt({ issuer: "https://login.example", audience: "api", jwksUrl: "https://login.example/keys" }),
  ];
  for (const auth of auths) createServer({ tools: [ping], auth });
  const door = signIn({
    provider: google({ clientId: "1234", clientSecret: "a secret" }),
    resource: "https://api.example/mcp",
    keys: KEYS,
    principal: ({ subject, scopes }) => ({ id: subject, scopes }),
  });
  const jobs = durableObjects({
    namespace: (env: { JOBS: never }) => env.JOBS,
    server: (engine) => createServer({ tools: [report], keys: KEYS, engine }),
  });
  const server = createServer({
    name: "worker",
    version: "1.0.0",
    tools: [ping, report],
    parts: [mount(part), group("more", part)],
    resources: [defineResource("notes://all").describe("All notes").read(() => "notes")],
    prompts: [definePrompt("hello").describe("Greet").handle(() => "Hello")],
    keys: KEYS,
    engine: memoryEngine({ workEndsWithRequest: true }),
    schedules: [every(60_000, report, {})],
    onComplete: [webhook({ url: "https://hooks.example", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" })],
    wires: [
      mcp({ sessions: mcpSessions(), ssePath: "/sse" }),
      mcpLite(),
      rest(),
      grpc(),
      webSocket(),
      webtools({ name: "all", description: "All", version: "1.0.0" }),
      consolePage(),
      healthPage(),
      resolver({ url: "https://api.example/resume" }),
      ...door.wires,
    ],
    middleware: [
      logging({ logger: console }),
      rateLimit({ perSecond: 60 }),
      concurrencyLimit({ max: 10 }),
      cache({ ttlMs: 1_000 }),
      timeout(1_000),
    ],
    logger: json(),
    discovery: discover(),
    clock,
    hosts: ["localhost"],
    origins: ["https://app.example"],
    cors: true,
  });
  return { fetch: server.fetch, jobs };
}
