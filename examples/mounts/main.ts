/** Calls the server through each framework: the tools, a stream, a promise by its `Location`, the user of a session, and a shutdown. */
import { createClient, mcpLiteTransport } from "jsr:@toolwire/toolwire";
import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { webSocketTransport } from "jsr:@toolwire/toolwire/websocket";
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as elysia from "./elysia.ts";
import * as express from "./express.ts";
import * as fastify from "./fastify.ts";
import * as h3 from "./h3.ts";
import * as hono from "./hono.ts";
import * as koa from "./koa.ts";
import * as next from "./next.ts";
import type { Tools, Work } from "./server.ts";
import { userOf, withLogin } from "./session.ts";
import * as sveltekit from "./sveltekit.ts";

type Answer = (request: Request) => Promise<Response>;

/** An application under test. */
interface App {
  readonly answer: Answer;
  readonly work: Work;
  close(): Promise<void>;
}

async function visit(origin: string, { answer, work, close }: App): Promise<void> {
  const fetch = (url: string, init: RequestInit) => answer(new Request(url, init));
  const stranger = createClient<Tools>(mcpTransport(`${origin}/v/mcp`, { fetch }));
  await rejects(stranger.whoami(), { code: "unauthenticated" });

  const headers = { cookie: await signIn(origin, fetch) };
  const client = createClient<Tools>(mcpLiteTransport(`${origin}/v/mcp-lite/v1`, { fetch, headers }));
  strictEqual(await client.greet({ name: "Ada" }), "Hello, Ada!");
  deepStrictEqual(await Array.fromAsync(client.count_down.stream({ from: 3 })), [3, 2, 1]);
  await visitRest(origin, fetch, headers);
  strictEqual(await (await fetch(`${origin}/v/page`, {})).text(), "page");

  const ada = createClient<Tools>(mcpTransport(`${origin}/v/mcp`, { fetch, headers }));
  strictEqual(await ada.whoami(), "ada");

  const slow = client.slow();
  await work.begun;
  const closed = close();
  work.end();
  strictEqual(await slow, "whole");
  await closed;
  await rejects(client.greet({ name: "Ada" }));
}

async function visitRest(
  origin: string,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  { cookie }: { readonly cookie: string },
): Promise<void> {
  const headers = { cookie, prefer: "respond-async" };
  const promised = await fetch(`${origin}/v/rest/tools/report`, { method: "POST", headers });
  strictEqual(promised.status, 202);
  const location = promised.headers.get("location") ?? "";
  match(location, /^\/v\/rest\/tools\/report\/promises\//);
  const redeemed = await fetch(origin + location, { headers: { cookie, prefer: "wait=10" } });
  strictEqual(await redeemed.json(), "done");
  const { servers } = await (await fetch(`${origin}/v/rest/openapi.json`, { headers: { cookie } })).json();
  deepStrictEqual(servers, [{ url: "/v" }]);
}

/** Calls over a WebSocket. Express's session is read for it; the others' are not, and their servers refuse the caller. */
async function visitSocket(origin: string, isKnown: boolean): Promise<void> {
  const headers = { cookie: await signIn(origin, fetch) };
  const socket = webSocketTransport(`${origin.replace("http", "ws")}/v/socket`, { headers });
  const name = createClient<Tools>(socket).whoami();
  if (isKnown) strictEqual(await name, "ada");
  else await rejects(name);
  socket.close();
}

/** Signs in as Ada, and returns the cookies. */
async function signIn(origin: string, fetch: (url: string, init: RequestInit) => Promise<Response>): Promise<string> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${origin}/login`, { method: "POST", headers, body: '{"user":"ada"}' });
  return response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]).join("; ");
}

/** The exported function for a method, as Next.js selects it. */
const routeHandler: Answer = (request) => next[request.method as "GET" | "POST"](request);
/** An event of SvelteKit, whose hook has read the session. */
const fallback: Answer = async (request) => {
  const user = await userOf(request);
  return await sveltekit.fallback({ request, locals: { user: user === undefined ? undefined : { id: user } } });
};

const IN_PROCESS: Readonly<Record<string, App>> = {
  Hono: { ...hono, answer: hono.fetch },
  Elysia: { ...elysia, answer: elysia.fetch },
  h3: { ...h3, answer: h3.fetch },
  "SvelteKit's route handler": { ...sveltekit, answer: withLogin(fallback), close: () => sveltekit.server.close() },
  "Next.js's route handler": { ...next, answer: withLogin(routeHandler), close: () => next.server.close() },
};
for (const [name, app] of Object.entries(IN_PROCESS)) {
  await visit("http://localhost", app);
  console.log(`${name}: all calls were answered`);
}

const LISTENING: Readonly<Record<string, Omit<App, "answer"> & { readonly http: HttpServer }>> = {
  Express: express,
  Fastify: fastify,
  Koa: koa,
};
for (const [name, app] of Object.entries(LISTENING)) {
  if (!app.http.listening) await once(app.http, "listening");
  const ended = once(app.http, "close");
  const origin = `http://127.0.0.1:${(app.http.address() as AddressInfo).port}`;
  await visitSocket(origin, name === "Express");
  await visit(origin, { ...app, answer: (request) => fetch(request) });
  await ended;
  console.log(`${name}: all calls were answered`);
}
