// Holds what Toolwire weighs against its budgets: bundles, import times, type instantiations. `node scripts/check_budgets.mjs`.
import process from "node:process";
import { measureTap } from "../bench/tap_size.mjs";
import { marginalCost, measureTypes } from "../tests/types/scale.mjs";
import { childEnv, root, runOrThrow } from "./runtimes.mjs";

let broken = 0;

const sizes = runOrThrow(process.execPath, ["bench/size.mjs", "--starts", "10", "--runtime", "bun,deno"], {
  cwd: root,
  env: childEnv(),
});
console.log(sizes);
// Limits of docs/spec.md, "Numbers": a feature must not reach a bundle that does not use it.
// The aims of docs/spec.md are 20, 35 and 64. One promise hop for an asynchronous handler takes 1.0: future.ts, pending_list.ts, pending_runs.ts.
// The listed contract of a tool, .before() and resolve() take 0.5 of the core, and the comparison of deadlines with the clock when a handler
// settles 0.1.
// Views of tools take 0.1 of the core, and 0.2 of mcp(): lists without the tools of views alone, and ctx.client.supports("ui").
hold("core, mcpLite() and one tool", readCell(sizes, "core, mcpLite()", 2), 20, "kB");
hold("core, mcp(), mcpLite() and one tool", readCell(sizes, "core, mcp()", 2), 34.1, "kB");
hold("front door, min + gzip", readCell(sizes, "front door, all exports", 2), 62.8, "kB");
// The code of jobs, at the first server with a tool that has .promise(), and what the client loads on demand.
hold("front door, loaded on demand", readCell(sizes, "front door, all exports", 4), 11.8, "kB");
hold("tap of the console in the front door", await measureTap() / 1000, 0.3, "kB");
// 0.4 of the client is the second file into which esbuild puts what the code of jobs would share with it.
hold("client alone, min + gzip", readCell(sizes, "client alone", 2), 6.5, "kB");
// The parser of Server-Sent Events, at the first stream, and src/client/explain_error.ts, at the first error.
hold("client alone, loaded on demand", readCell(sizes, "client alone", 4), 2.6, "kB");
// What an import costs is its modules, which are counted where time is noisy. The first aim was 20 ms; one and the same commit has
// taken 8 ms on a quick machine and 28 on a slow one.
hold("front door, modules", readCell(sizes, "front door, all exports", 3), 140, "modules");
hold("client alone, modules", readCell(sizes, "client alone", 3), 24, "modules");
for (const runtime of ["bun", "deno"]) hold(`import on ${runtime}`, readCell(sizes, `${runtime} `, 1), 45, "ms");
hold("a further tool, from 200 to 400", marginalCost(measureTypes([200, 400])), 250, "type instantiations");

process.exitCode = broken > 0 ? 1 : 0;

function hold(what, value, limit, unit) {
  const isKept = value <= limit;
  if (!isKept) broken++;
  console.log(`${isKept ? "ok  " : "OVER"} ${what}: ${value} ${unit}, at most ${limit}`);
}

/** The number that a cell begins with, in the row of a Markdown table whose first cell begins with `row`. */
function readCell(table, row, column) {
  const line = table.split("\n").find((text) => text.startsWith(`| ${row}`));
  const value = Number.parseFloat(line?.split("|")[column + 1] ?? "");
  if (Number.isNaN(value)) {
    throw new Error(`bench/size.mjs has no number in column ${column} of ${JSON.stringify(row)}:\n${table}`);
  }
  return value;
}
