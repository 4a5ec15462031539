// Serves a contender's tools on a free port: `server.mjs <file in ../contenders> <way>`. Prints `{"url"}` once it listens.
import process from "node:process";
import { serve } from "../grpc/package.mjs";
import { tools } from "./tools.mjs";

const [, , file, way] = process.argv;
const contender = await import(`../contenders/${file}.mjs`);
const host = { hostname: "127.0.0.1", port: 0 };

/** How a contender gets onto a port. */
const ways = {
  /** By the runtime's own server; on Node by @hono/node-server, which makes a Request only for who looks at one. */
  async fetch() {
    const fetch = contender.createFetch(tools);
    if (globalThis.Bun) return Bun.serve({ ...host, fetch, idleTimeout: 0 }).port;
    if (globalThis.Deno) return Deno.serve({ ...host, onListen() {} }, fetch).addr.port;
    const { serve } = await import("@hono/node-server");
    return new Promise((resolve) => serve({ fetch, ...host }, ({ port }) => resolve(port)));
  },
  /** On Node with a Request for each call: what a plain bridge to `fetch` costs. */
  async realRequest() {
    const { listenWithRequests } = await import("./real_request.mjs");
    return listenWithRequests(contender.createFetch(tools));
  },
  toolwire: async () => (await serve(contender.createToolwire(tools), { port: 0 })).port,
  /** As its documents have it, which on Bun gives the routes to Bun. */
  elysia() {
    if (globalThis.Bun) return contender.createApp(tools).listen(host).server.port;
    return ways.fetch();
  },
};

console.log(JSON.stringify({ url: `http://127.0.0.1:${await ways[way]()}` }));
