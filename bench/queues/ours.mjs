// Toolwire's engines: a job is a call that is promised at once, and whose caller redeems its result.
import { Asker } from "../long_work/asker.mjs";
import { openEngine } from "../long_work/engines.mjs";
import { createServer, defineTool } from "../long_work/package.mjs";
import { valibotKit } from "../valibot_kit.mjs";
import { Begins } from "./begins.mjs";

const keys = "k1:a-secret-of-the-benchmarks-and-of-nothing-else";

/** @returns a queue: `add(a)` gives the result of a job, `nap(a, ms)` how late a sleeping one continues. */
export function openOurs(name, concurrency, stores) {
  const { engine, clear } = openEngine[name]({ maxJobs: 1_000_000, ...stores });
  const begins = new Begins();
  const server = createServer({
    name: "bench",
    version: "1.0.0",
    tools: makeTools(begins),
    engine,
    work: { concurrency },
    keys,
  });
  const asker = new Asker(server);
  const call = async (tool, args) => {
    const { _meta } = await asker.ask(tool, args, { promise: true });
    return (await asker.ask("redeem", { promise: _meta.promise_token, wait_ms: 25_000 })).content;
  };
  return {
    whenBegun: (a) => begins.when(a),
    add: async (a) => (await call("add", { a, b: 1 })).sum,
    nap: async (a, ms) => (await call("nap", { a, ms })).lateMs,
    async close() {
      await server.close();
      clear();
    },
  };
}

function makeTools(begins) {
  const number = valibotKit.number();
  const dueMs = new Map();
  return [
    defineTool("add").describe("Add two numbers").input(valibotKit.object({ a: number, b: number })).promise()
      .handle(({ a, b }) => {
        begins.note(a);
        return { sum: a + b };
      }),
    defineTool("nap").describe("Sleep").input(valibotKit.object({ a: number, ms: number })).promise()
      .handle(async ({ a, ms }, ctx) => {
        // The first run sets it; the run after the sleep finds it.
        if (!dueMs.has(a)) dueMs.set(a, performance.now() + ms);
        await ctx.sleep("nap", ms);
        return { lateMs: performance.now() - dueMs.get(a) };
      }),
  ];
}
