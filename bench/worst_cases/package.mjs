// Bun and Deno take the source, Node the built package.
import process from "node:process";

const takesSource = process.versions.bun !== undefined || process.versions.deno !== undefined;
const load = (path) => import(takesSource ? `../../${path}.ts` : `../../dist/${path}.js`);

export const { createServer, defineTool } = await load("mod");
export const { defineResource } = await load("src/entries/mcp");
export const { bearer } = await load("src/entries/auth");
export const { discover } = await load("src/entries/discovery");
export const v = await load("src/entries/schema");
