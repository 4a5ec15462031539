// A server with everything that connects to Redis: `closing_program.ts <url of redis>`. It uses all of it, closes the server, and has to end.
import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createClient, createServer, defineTool } from "../../../mod.ts";
import { bullmqEngine } from "../../../src/entries/engines/bullmq.ts";
import { rateLimit } from "../../../src/entries/middleware.ts";
import { redisChangeBus, redisRateLimitStore, redisSessionStore } from "../../../src/entries/redis.ts";
import { defineResource, mcp, mcpSessions } from "../../../src/entries/mcp.ts";
import { KEYS } from "../../wires/mcp/server/fixture.ts";

const [redis = ""] = process.argv.slice(2);
const settings = { redis, timeoutMs: 60_000 };
const limit = (name: string) => rateLimit({ name, perSecond: 1_000, store: redisRateLimitStore(settings) });
const server = createServer({
  tools: [
    defineTool("now").describe("Answer").use(limit("of a tool")).handle(() => "now"),
    defineTool("later").describe("Promise").promise().handle(() => Promise.resolve("later")),
  ],
  resources: [defineResource("docs://readme").read(() => "# Hello")],
  keys: KEYS,
  middleware: [limit("of the server")],
  engine: bullmqEngine({ redis, timeoutMs: 60_000 }),
  changes: redisChangeBus(settings),
  wires: [mcp({ sessions: mcpSessions({ store: redisSessionStore(settings) }) })],
});

const client = createClient(server);
const job = await client.later.start();
const session = new Client({ name: "official", version: "1.0.0" });
const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
  fetch: (url, init) => server.fetch(new Request(url, init)),
});
await session.connect(transport as never);
await session.subscribeResource({ uri: "docs://readme" });
const { content } = await session.callTool({ name: "now" });
console.log(JSON.stringify([await job.result(), content]));
await session.close();
await server.close();
console.log("closed");
