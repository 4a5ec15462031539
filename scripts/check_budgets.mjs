// Holds what Toolwire weighs against its budgets: bundles, import times, type instantiations. `node scripts/check_budgets.mjs`.
import process from "node:process";
import { measureTap } from "./tap_size.mjs";
import { marginalCost, measureTypes } from "../tests/types/scale.mjs";
import { childEnv, root, runOrThrow } from "./runtimes.mjs";

let broken = 0;

const sizes = runOrThrow(process.execPath, ["bench/size.mjs", "--starts", "10", "--runtime", "bun,deno"], {
  cwd: root,
  env: childEnv(),
});
console.log(sizes);
// Aims, so that a feature does not reach a bundle that does not use it. A number never costs a user a feature, an error message or a
// natural spelling: where one does, raise the figure here and in docs/spec.md, and write the reason beside it.
// Over the aims of 22, 37 and 80 since every schema library works as it is, members that a schema does not have are left out of answers,
// and definitions of other libraries are answered in ours. What a server needs for some answers only is loaded with the first of them.
// Since then: each dropped argument and first unclear error is logged, lists are limited, claims may be any object, what JSON cannot have
// is refused when a tool is defined (core); answers nested too deeply end their call, pages of tables and files are read, a short idle
// timeout asks for heartbeats (client). Then: steps with retries and failures that are kept, a ledger, blocked jobs, calls between tools,
// what has no schema is left out of answers, wrong values of a definition are refused where they are written. Then: cancelled handlers that
// undo, tenants, calls durable from the start, lists that may change between runs, failures and tags of jobs.
hold("core, mcpLite() and one tool", readCell(sizes, "core, mcpLite()", 2), 34, "kB");
hold("core, mcp(), mcpLite() and one tool", readCell(sizes, "core, mcp()", 2), 49.5, "kB");
hold("front door, min + gzip", readCell(sizes, "front door, all exports", 2), 120, "kB");
// The code of jobs, at the first server with a tool that has .promise(), that of answers which JSON does not express as they are, at the
// first one, and what the client loads on demand: with the first call of a URL that ends in /mcp, the client of MCP.
hold("front door, loaded on demand", readCell(sizes, "front door, all exports", 4), 37.5, "kB");
hold("tap of the console in the front door", await measureTap() / 1000, 0.3, "kB");
// Of the client, 3 are files into which esbuild puts what the client of MCP would share with it. The client of the core has none of them.
hold("client alone, min + gzip", readCell(sizes, "client alone", 2), 14.2, "kB");
hold("client alone, loaded on demand", readCell(sizes, "client alone", 4), 23.5, "kB");
hold("client of the core alone, min + gzip", readCell(sizes, "client of the core", 2), 10.5, "kB");
// The parser of Server-Sent Events, at the first stream, and src/client/explain_error.ts, at the first error.
hold("client of the core alone, loaded on demand", readCell(sizes, "client of the core", 4), 4, "kB");
// What an import costs is its modules, which are counted where time is noisy. The first aim was 20 ms; one and the same commit has
// taken 8 ms on a quick machine and 28 on a slow one.
hold("front door, modules", readCell(sizes, "front door, all exports", 3), 233, "modules");
hold("client alone, modules", readCell(sizes, "client alone", 3), 32, "modules");
for (const runtime of ["bun", "deno"]) hold(`import on ${runtime}`, readCell(sizes, `${runtime} `, 1), 90, "ms");
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
