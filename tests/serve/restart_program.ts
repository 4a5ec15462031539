/**
 * A server to kill in the middle of its work: `restart_program.ts <engine> <database>`, the engine `sqlite` or `memory`.
 *
 * It prints its URL, and what its handlers do.
 */
import process from "node:process";
import { createServer, defineTool, memoryEngine } from "../../mod.ts";
import { sqliteEngine } from "../../src/engine/sqlite/mod.ts";
import { serve } from "../../src/runtime/serve.ts";
import type { Engine } from "../../src/engine/mod.ts";
import * as v from "../../src/core/schema/valibot.ts";

const [, , engineName = "memory", database = ""] = process.argv;
const engine: Engine = engineName === "sqlite" ? sqliteEngine(database, { leaseMs: 500, pollMs: 20 }) : memoryEngine();
const print = (line: string) => process.stdout.write(`${line}\n`);

const work = defineTool("work")
  .describe("Take a step, then work for as long as it says")
  .input(v.object({ ms: v.number() }))
  .promise({ budgetMs: 50 })
  .handle(async ({ ms }, ctx) => {
    const step = await ctx.step("first", () => ctx.callId);
    print(`attempt ${ctx.attempt}`);
    // The first process never comes to the end.
    await new Promise((resolve) => setTimeout(resolve, ctx.attempt === 1 ? 600_000 : ms));
    return { isSameCall: step === ctx.callId, attempt: ctx.attempt };
  });

const keys = "k1:a secret that outlives the process";
const server = createServer({ tools: [work], engine, keys });
print((await serve(server, { port: 0 })).url);
