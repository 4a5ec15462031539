// Bun and Deno take the source, Node the built package.
import process from "node:process";

const takesSource = process.versions.bun !== undefined || process.versions.deno !== undefined;
const load = (path) => import(takesSource ? `../../${path}.ts` : `../../dist/${path}.js`);

export const { createServer, defineTool } = await load("mod");
export const { defineResource } = await load("src/wires/mcp/mod");
export const { bearer } = await load("src/integrations/auth/mod");
export const { discover } = await load("src/server/discovery/mod");
export const v = await load("src/core/schema/valibot");
