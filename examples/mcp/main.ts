/**
 * One server for MCP hosts, over HTTP and as a program, visited by our own client, the two official ones, and the MCP Inspector's
 * command-line mode. All of them have to see the same.
 *
 * Run with `npm install` in this folder, then `bun main.ts` or `deno run -A --config ../../deno.json main.ts`. It ends with 0 if
 * all went as it should, and with 1 and an assertion's message if not.
 *
 * @module
 */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { print, printCheck, printStep, printTable } from "../library/transcript.ts";
import { stdioCommand } from "./command.ts";
import { findInspectorRuntime, inspect } from "./inspector.ts";
import { visitWithClient } from "./official_client.ts";
import { visitWithSdk } from "./official_sdk.ts";
import { server } from "./server.ts";
import { visitTyped } from "./typed.ts";
import type { Seen, Visit, Way } from "./visit.ts";

/** Who comes, and which revision each is to find. */
const visitors = [
  { name: "Toolwire's own client", revision: "2026-07-28", visit: visitTyped },
  { name: "@modelcontextprotocol/client 2.4", revision: "2026-07-28", visit: visitWithClient },
  { name: "@modelcontextprotocol/sdk 1.32", revision: "2025-11-25", visit: visitWithSdk },
];

const running = await serve(server, { port: 0 });
try {
  const url = `${running.url}/mcp`;
  print("Toolwire: one server for MCP hosts", `${url}, and toolwire stdio examples/mcp/server.ts`);
  const seen = [await takeTour("over HTTP", { url }), await takeTour("as a program", stdioCommand())];
  deepStrictEqual(seen[1], seen[0]);
  print("", "All as it should be.");
} finally {
  await running.close();
}

async function takeTour(where: string, way: Way): Promise<Seen> {
  let first: Seen | undefined;
  for (const { name, revision, visit } of visitors) {
    printStep(`${name}, ${where}`);
    const visited = await visit(way, `${name} was here`);
    strictEqual(visited.revision, revision);
    strictEqual(visited.note, `${name} was here`);
    printVisit(visited);
    if (first === undefined) {
      printSeen(visited.seen);
      check(visited.seen);
    } else {
      deepStrictEqual(visited.seen, first);
      printCheck("sees the same as Toolwire's own client");
    }
    first ??= visited.seen;
  }
  ok(first !== undefined);
  await lookCloser(where, way, first);
  return first;
}

async function lookCloser(where: string, way: Way, seen: Seen): Promise<void> {
  const node = findInspectorRuntime();
  for (const era of ["modern", "legacy"] as const) {
    printStep(
      `The MCP Inspector's command-line mode, ${where}, ${era}`,
      `npx @modelcontextprotocol/inspector --cli --protocol-era ${era} --method tools/list --strict …`,
    );
    if (node === undefined) {
      print("Left out: it needs Node 22.19 or newer, or Bun");
      continue;
    }
    const glance = await inspect(node, way, era);
    for (const [what, inspected] of Object.entries(glance)) {
      deepStrictEqual(inspected, seen[what as keyof Seen], what);
    }
    printCheck(`sees the same: ${Object.keys(glance).join(", ")}`);
  }
}

function printVisit({ revision, longWork, note }: Visit): void {
  printTable([
    ["revision", revision],
    ["long work", longWork],
    ["notes", `told that they have changed, it reads: ${note}`],
  ]);
}

function printSeen(seen: Seen): void {
  printTable([
    ["tools", seen.tools.join(", ")],
    ["search_documents", seen.found.join(", ")],
    ["describe_dataset", `says no: ${seen.failure}`],
    ["analyze_dataset", `${seen.analyzed} rows, ${seen.heardProgress ? "with" : "without"} progress`],
    ["export_dataset", `${seen.asked.join(" ")} Gives ${seen.exported} rows`],
    ["summarize_dataset", `asks the model, which writes: ${seen.summary}`],
    ["resources", `${seen.resources.length}, and ${seen.templates.join(", ")}`],
    ["a row", seen.row],
    ["a row too many", seen.noRow],
    ["prompts", seen.prompts.join(", ")],
    ["explain_column", seen.prompt.join(" ")],
    ["completes", `${seen.columns.join(", ")}; ${seen.tables.join(", ")}`],
  ]);
}

function check(seen: Seen): void {
  ok(seen.tools.includes("add_note") && seen.tools.includes("redeem"));
  deepStrictEqual(seen.found.length, 3);
  ok(seen.found.every((title) => title.startsWith("The Godfather")));
  match(seen.failure, /no dataset "moviez"/);
  strictEqual(seen.analyzed, 344);
  ok(seen.heardProgress);
  deepStrictEqual(seen.asked, [
    "The table has 344 penguins. How many rows do you want?",
    "20 rows are free, 2 more were asked for",
  ]);
  strictEqual(seen.exported, 22);
  strictEqual(seen.summary, "This table is about penguins");
  strictEqual(seen.resources.length, 11);
  deepStrictEqual(seen.templates, ["library://rows/{table}/{number}"]);
  match(seen.file, /"Bacteria"/);
  strictEqual(JSON.parse(seen.row)["Penicillin"], 870);
  strictEqual(seen.noRow, "Resource not found");
  deepStrictEqual(seen.prompts, ["explore_dataset", "explain_column"]);
  match(seen.prompt.join(), /Antibiotics against bacteria.*"positive","count":7/);
  deepStrictEqual(seen.columns, ["Beak Length (mm)", "Beak Depth (mm)"]);
  deepStrictEqual(seen.tables, ["cars", "countries"]);
}
