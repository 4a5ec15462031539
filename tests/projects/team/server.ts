import process from "node:process";
import { createServer, mcpLite } from "toolwire";
import { jwt } from "toolwire/auth";
import { bullmqEngine } from "toolwire/engines/bullmq";
import { healthPage } from "toolwire/health";
import { mcp } from "toolwire/mcp";
import { logging, rateLimit } from "toolwire/middleware";
import { redisRateLimitStore } from "toolwire/redis";
import { rest } from "toolwire/rest";
import { serve } from "toolwire/serve";
import { closeMonth, createInvoice, listInvoices } from "./tools.ts";

const { REDIS_URL = "redis://127.0.0.1:6379", ISSUER = "", AUDIENCE = "", PORT, KEYS } = process.env;
const server = createServer({
  name: "invoices",
  version: "1.0.0",
  wires: [mcp(), mcpLite(), rest(), healthPage()],
  tools: [createInvoice, listInvoices, closeMonth],
  keys: KEYS,
  engine: bullmqEngine({ redis: REDIS_URL, leaseMs: 2_000 }),
  auth: jwt({ issuer: ISSUER, audience: AUDIENCE, jwksUrl: `${ISSUER}/jwks` }),
  middleware: [
    logging({ logger: console }),
    rateLimit({
      perSecond: 5,
      burst: 20,
      key: (ctx) => `${ctx.principal?.claims?.["tenant"]}`,
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
