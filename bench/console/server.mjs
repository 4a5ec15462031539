// A server with one tool, without the console or with it: `server.mjs none|mounted`. Prints its URL.
import process from "node:process";

const takesSource = process.versions.bun !== undefined ||
  process.versions.deno !== undefined;
const from = (source, built) => import(takesSource ? `../../${source}` : `../../dist/${built}`);
const { createServer, defineTool, mcpLite } = await from("mod.ts", "mod.js");
const { consolePage } = await from(
  "src/entries/console.ts",
  "src/entries/console.js",
);
const { serve } = await from("src/runtime/serve.ts", "src/entries/serve.js");

const add = defineTool("add").describe("Add two numbers").handle((
  { a, b },
) => ({ sum: a + b }));
const wires = [
  mcpLite(),
  ...(process.argv[2] === "none" ? [] : [consolePage({ key: "bench" })]),
];
const { url } = await serve(
  createServer({ tools: [add], wires, logger: false }),
  { port: 0 },
);
console.log(url);
