// Bun and Deno take the source, Node the built package.
import process from "node:process";

const takesSource = process.versions.bun !== undefined || process.versions.deno !== undefined;
const load = (path) => import(takesSource ? `../../${path}.ts` : `../../dist/${path}.js`);

export const { createServer, defineTool, memoryEngine } = await load("mod");
export const { sqliteEngine } = await load("src/engine/sqlite/mod");
export const { bullmqEngine } = await load("src/engine/bullmq/mod");
// Adds the adapter of valibot.
await load("src/core/schema/valibot");
export const { serve } = await load("src/runtime/serve");
