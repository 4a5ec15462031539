/** Writes docs/guarantees.md from what `scripts/test_matrix.mjs --json` counted: `bun tests/hostile/write_page.ts results.json`. */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { allGuarantees } from "./guarantees.ts";
import { renderPage } from "./page.ts";

type Tests = readonly { readonly name: string; readonly status: string }[];

const results = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Readonly<Record<string, Tests>>;
const counted = Object.entries(results).map(([runtime, tests]) => {
  const passed = tests.filter(({ status }) => status === "passed").map(({ name }) => name);
  return { runtime, passed: new Set(passed) };
});
const page = new URL("../../docs/guarantees.md", import.meta.url);
writeFileSync(page, renderPage(allGuarantees, counted));
const cases = allGuarantees.flatMap(({ tests }) => tests).reduce((sum, { count }) => sum + count, 0);
console.log(`docs/guarantees.md: ${allGuarantees.length} guarantees, ${cases} cases a runtime`);
