/** A team's server: its tenants sign on at their issuer, work is queued in Redis, and replicas share it. */
import process from "node:process";
import { createServer, mcpLite } from "toolwire";
import { jwt, protectedResourcePage } from "toolwire/auth";
import { bullmqEngine } from "toolwire/engines/bullmq";
import { healthPage } from "toolwire/health";
import { mcp } from "toolwire/mcp";
import { logging, rateLimit } from "toolwire/middleware";
import { redisRateLimitStore } from "toolwire/redis";
import { rest } from "toolwire/rest";
import { serve } from "toolwire/serve";
import { closeMonth, createInvoice, listInvoices } from "./tools.ts";

const { REDIS_URL = "redis://127.0.0.1:6379", ISSUER = "", RESOURCE = "", PORT, KEYS } = process.env;
const scopes = ["invoices:read", "invoices:write"];
const server = createServer({
  name: "invoices",
  version: "1.0.0",
  wires: [
    mcp(),
    mcpLite(),
    rest(),
    healthPage(),
    // MCP clients find the sign-on of the team by it.
    protectedResourcePage({ resource: RESOURCE, authorizationServers: [ISSUER], scopes }),
  ],
  tools: [createInvoice, listInvoices, closeMonth],
  keys: KEYS,
  engine: bullmqEngine({ redis: REDIS_URL, leaseMs: 2_000 }),
  auth: jwt({ issuer: ISSUER, audience: RESOURCE, jwksUrl: `${ISSUER}/jwks`, tenant: "tenant" }),
  middleware: [
    logging({ logger: console }),
    rateLimit({
      perSecond: 5,
      burst: 20,
      key: (ctx) => ctx.principal?.tenant ?? "none",
      store: redisRateLimitStore({ redis: REDIS_URL }),
    }),
  ],
  logger: console,
});

const { url, closed } = await serve(server, {
  port: PORT === undefined ? undefined : Number(PORT),
  signals: ["SIGTERM"],
});
console.log(`listening ${url}`);
await closed;
console.log("closed");
