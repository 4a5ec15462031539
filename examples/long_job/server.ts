/**
 * A job that survives its process: the caller gets a promise token, each step is stored in a SQLite file, and after a crash the next
 * process continues with the first step that is missing.
 *
 * `TOOLWIRE_KEYS="k1:$(openssl rand -base64 32)" bun examples/long_job/server.ts jobs.db` serves it on a free port.
 *
 * @module
 */
import process from "node:process";
import { createServer, defineTool } from "jsr:@toolwire/toolwire";
import { sqliteEngine } from "jsr:@toolwire/toolwire/engines/sqlite";
import * as v from "jsr:@toolwire/toolwire/schema";
import { keysFromEnv, serve } from "jsr:@toolwire/toolwire/serve";
import { readRows } from "../database/airports.ts";
import { scoreFrom, toNetwork } from "./hubs.ts";

/** Airports whose scores one step computes. */
const STEP_AIRPORTS = 30;

/** The tool. Its data are the flights between airports of the United States in 2008. */
export const rankHubs = defineTool("rank_hubs")
  .describe("Rank airports by how many shortest ways between two others lead through them")
  .input(v.object({ top: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 5) }))
  .output(v.array(v.object({ airport: v.string(), score: v.number() })))
  .promise({ budgetMs: 100, ttlMs: 86_400_000 }) // A promise after 100 ms; the result is kept for a day.
  .handle(async ({ top }, ctx) => {
    const network = toNetwork(await readRows("flights-airport.csv"));
    const airports = [...network.keys()];
    const scores = new Map<string, number>();
    for (let from = 0; from < airports.length; from += STEP_AIRPORTS) {
      ctx.progress(from, airports.length, "airports are scored");
      // A later attempt gets the stored value, and does not run the function again.
      const part = await ctx.step(`from ${from}`, () => {
        console.log(`step ${from}`);
        return [...scoreFrom(network, airports.slice(from, from + STEP_AIRPORTS))];
      });
      for (const [airport, score] of part) scores.set(airport, (scores.get(airport) ?? 0) + score);
      await ctx.sleep(`after ${from}`, 50); // Leaves the processor to other calls.
    }
    const ranked = [...scores].sort(([, a], [, b]) => b - a).slice(0, top);
    return ranked.map(([airport, score]) => ({ airport, score: Math.round(score) }));
  });

/** Creates the server; all processes with the same file and keys can redeem its promises. */
export function createHubs(file: string, keys: string | ReturnType<typeof keysFromEnv>) {
  return createServer({
    name: "hubs",
    version: "1.0.0",
    tools: [rankHubs],
    engine: sqliteEngine(file, { leaseMs: 1_000 }),
    keys,
  });
}

if (import.meta.main) {
  console.log((await serve(createHubs(process.argv[2] ?? "jobs.db", keysFromEnv()), { port: 0 })).url);
}
