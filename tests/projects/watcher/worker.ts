/** A Worker that watches web sites: promise tools and schedules in Durable Objects, results in KV, MCP and WebSocket for callers. */
import { createServer, defineTool, mcp, mcpLite, type Principal, ToolError } from "toolwire";
import { authenticate } from "toolwire/auth";
import { durableObjects } from "toolwire/engines/durable-object";
import { every } from "toolwire/schedules";
import { webSocket } from "toolwire/websocket";
import * as v from "valibot";

export interface Env {
  JOBS: DurableObjectNamespace;
  SITES: KVNamespace;
  KEYS: string;
  /** Ids of callers by their keys, as JSON. */
  CALLERS: Record<string, string>;
}

const tool = defineTool.for<{ env: Env; principal: Principal }>();

const addSite = tool("add_site")
  .describe("Watch a web site")
  .input(v.object({ name: v.pipe(v.string(), v.regex(/^[a-z]+$/)), url: v.pipe(v.string(), v.url()) }))
  .handle(async ({ name, url }, ctx) => {
    const { SITES } = ctx.env;
    if (await SITES.get(`url:${name}`)) throw new ToolError("conflict", `There is a site ${name} already`);
    await SITES.put(`url:${name}`, url, { metadata: { by: ctx.principal.id } });
    return { name, by: ctx.principal.id };
  });

const removeSite = tool("remove_site")
  .describe("Stop watching a web site")
  .input(v.object({ name: v.string() }))
  .annotate({ destructiveHint: true })
  .handle(async ({ name }, ctx) => {
    const answer = await ctx.elicit("sure", { message: `Remove ${name}?`, schema: v.object({ yes: v.boolean() }) });
    if (answer.action !== "accept" || !answer.content.yes) return "kept";
    await ctx.env.SITES.delete(`url:${name}`);
    return "removed";
  });

/** What a job finds out. The sites of a test answer from a KV entry: there is no network. */
async function visit(env: Env, name: string) {
  const url = await env.SITES.get(`url:${name}`);
  return { name, status: url === null ? 404 : url.endsWith("/down") ? 503 : 200 };
}

const checkAll = tool("check_all")
  .describe("Visit all sites, one after the other")
  .output(v.array(v.object({ name: v.string(), status: v.number() })))
  .promise({ budgetMs: 50, ttlMs: 600_000 })
  .handle(async (_, ctx) => {
    const { env } = ctx;
    const { keys } = await env.SITES.list({ prefix: "url:" });
    const found = [];
    for (const [at, { name }] of keys.entries()) {
      ctx.progress(at, keys.length, name);
      found.push(await ctx.step(name, () => visit(env, name.slice("url:".length))));
      await ctx.sleep(`after ${name}`, 100);
    }
    ctx.progress(keys.length, keys.length);
    return found;
  });

const heartbeat = tool("heartbeat")
  .describe("Count the minutes")
  .promise()
  .handle(async (_, ctx) => {
    const { SITES } = ctx.env;
    const beats = Number(await SITES.get("beats")) + 1;
    await SITES.put("beats", `${beats}`);
    return beats;
  });

const watch = tool("watch")
  .describe("The states of all sites, one by one")
  .partial(v.object({ name: v.string(), status: v.number() }))
  .annotate({ readOnlyHint: true })
  .handle(async function* (_, ctx) {
    const { env } = ctx;
    const { keys } = await env.SITES.list({ prefix: "url:" });
    for (const { name } of keys) yield await visit(env, name.slice("url:".length));
  });

const jobs = durableObjects({
  namespace: (env: Env) => env.JOBS,
  server: (engine, env) =>
    createServer({
      name: "watcher",
      version: "1.0.0",
      tools: [addSite, removeSite, checkAll, heartbeat, watch],
      wires: [mcp(), mcpLite(), webSocket()],
      schedules: [every("1s", heartbeat)],
      keys: env.KEYS,
      engine,
      auth: authenticate(({ metadata }) => {
        const id = env.CALLERS[metadata.get("x-api-key") ?? ""];
        return id === undefined ? undefined : { id };
      }),
    }),
});

export class Jobs extends jobs.Shard {}
export type Server = ReturnType<typeof jobs.server>;

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return new Response("watcher");
    return jobs.server(env).fetch(request, env, ctx);
  },
  scheduled: jobs.scheduled,
} satisfies ExportedHandler<Env>;
