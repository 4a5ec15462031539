// Bun and Deno take the source, Node the built package.
import process from "node:process";

const takesSource = process.versions.bun !== undefined || process.versions.deno !== undefined;
const load = (path) => import(takesSource ? `../../${path}.ts` : `../../dist/${path}.js`);

export const { createServer, defineTool, memoryEngine } = await load("mod");
export const { sqliteEngine } = await load("src/entries/engines/sqlite");
export const { bullmqEngine } = await load("src/entries/engines/bullmq");
// Adds the adapter of valibot.
await load("src/entries/schema");
export const { serve } = await load("src/entries/serve");
