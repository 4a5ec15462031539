/**
 * Tools and a server of a user's package, for `node scripts/check_compilers.mjs`: exported with written types, as `isolatedDeclarations` and
 * JSR ask for. What a plain tool need not state has defaults.
 *
 * @module
 */
import { createServer, defineTool, type Server, type Tool } from "toolwire";
import * as v from "toolwire/schema";

/** Adds two numbers. */
export const add: Tool<"add", { a: number; b?: number | undefined }, number> = defineTool("add")
  .describe("Add two numbers")
  .input(v.object({ a: v.number(), b: v.optional(v.number(), 1) }))
  .output(v.number())
  .handle(({ a, b }) => a + b);

/** Returns the time. */
export const now: Tool<"now", Record<string, unknown>, { at: string }> = defineTool("now").describe("Say the time")
  .handle(() => ({ at: new Date(0) }));

/** The server of both. */
export const server: Server<readonly [typeof add, typeof now]> = createServer({ tools: [add, now] });
