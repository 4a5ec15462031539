// The Worker of objects.mjs: jobs in Durable Objects. Its clock changes with its inputs only, so times are those of the last input.
import { createServer, defineTool } from "../../mod.ts";
// Adds the adapter of valibot.
import "../../src/entries/schema.ts";
import { durableObjects } from "../../src/entries/engines/durable_object.ts";
import { valibotKit } from "../valibot_kit.mjs";

const number = valibotKit.number();
const tools = [
  defineTool("add").describe("Add two numbers").input(
    valibotKit.object({ a: number, b: number }),
  ).promise()
    .handle(({ a, b }) => ({ sum: a + b, begunAtMs: Date.now() })),
  defineTool("nap").describe("Sleep").input(
    valibotKit.object({ a: number, ms: number }),
  ).promise()
    .handle(async ({ ms }, ctx) => {
      const dueMs = await ctx.step("due", () => Date.now() + ms);
      await ctx.sleep("nap", ms);
      return { lateMs: Date.now() - dueMs };
    }),
];
const jobs = durableObjects({
  namespace: (env) => env.JOBS,
  concurrency: 64,
  server: (engine, env) =>
    createServer({
      name: "bench",
      version: "1.0.0",
      tools,
      keys: env.KEYS,
      engine,
    }),
});

export class Jobs extends jobs.Shard {}

export default {
  fetch: (request, env, context) => jobs.server(env).fetch(request, env, context),
};
