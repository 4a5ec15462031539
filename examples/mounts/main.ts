/** Calls the server through each framework: the tools, a stream, and a promise by its `Location`. */
import { createClient, mcpLiteTransport } from "jsr:@toolwire/toolwire";
import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { app as elysia } from "./elysia.ts";
import { app as express } from "./express.ts";
import { app as hono } from "./hono.ts";
import * as next from "./next.ts";
import type { server } from "./server.ts";
import * as sveltekit from "./sveltekit.ts";

type Answer = (request: Request) => Promise<Response>;

async function visit(origin: string, answer: Answer): Promise<void> {
  const fetch = (url: string, init: RequestInit) => answer(new Request(url, init));
  const client = createClient<typeof server>(mcpLiteTransport(`${origin}/v/mcp-lite/v1`, { fetch }));
  strictEqual(await client.greet({ name: "Ada" }), "Hello, Ada!");
  deepStrictEqual(await Array.fromAsync(client.count_down.stream({ from: 3 })), [3, 2, 1]);
  const mcp = createClient<typeof server>(mcpTransport(`${origin}/v/mcp`, { fetch }));
  strictEqual(await mcp.greet({ name: "Ada" }), "Hello, Ada!");

  const headers = { prefer: "respond-async" };
  const promised = await fetch(`${origin}/v/rest/tools/report`, { method: "POST", headers });
  strictEqual(promised.status, 202);
  const location = promised.headers.get("location") ?? "";
  match(location, /^\/v\/rest\/tools\/report\/promises\//);
  const redeemed = await fetch(origin + location, { headers: { prefer: "wait=10" } });
  strictEqual(await redeemed.json(), "done");

  const { servers } = await (await fetch(`${origin}/v/rest/openapi.json`, {})).json();
  deepStrictEqual(servers, [{ url: "/v" }]);
}

/** The exported function for a method, as Next.js selects it. */
const routeHandler: Answer = (request) => next[request.method as "GET" | "POST"](request);

const ANSWERS: Readonly<Record<string, Answer>> = {
  Hono: async (request) => await hono.fetch(request),
  Elysia: (request) => elysia.handle(request),
  "SvelteKit's route handler": (request) => sveltekit.fallback({ request }),
  "Next.js's route handler": routeHandler,
};

for (const [name, answer] of Object.entries(ANSWERS)) {
  await visit("http://localhost", answer);
  console.log(`${name}: all calls were answered`);
}

const http = express.listen(0, "127.0.0.1");
await once(http, "listening");
const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
await visit(origin, (request) => fetch(request));
strictEqual(await (await fetch(origin)).text(), "page");
console.log("Express: all calls were answered");
http.closeAllConnections();
http.close();
