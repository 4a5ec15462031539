/** The differences that a moved server shows are in the page for those who come from the library, and the pages have no others of it. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { expectedBefore, readTable, TABLES } from "./table.ts";

for (const name of TABLES) {
  const table = readTable(name);

  test(`${name}: each difference is a row of ${table.page}`, () => {
    const lines = new Set(readFileSync(new URL(`../../${table.page}`, import.meta.url), "utf8").split("\n"));
    const rows = table.differences.map(({ what, there, here }) => `| ${what} | ${there} | ${here} |`);
    deepStrictEqual(rows.filter((row) => !lines.has(row)), []);
  });

  test(`${name}: each difference has checks in which the old library gave something else, and a sentence that decides`, () => {
    for (const { what, checks, right, rule, source } of table.differences) {
      ok(Object.keys(checks).length > 0, what);
      for (const [check, value] of Object.entries(checks)) {
        ok(expectedBefore(table, check) !== undefined, `${what}: there is no check ${check}`);
        ok(!isDeepStrictEqual(value, expectedBefore(table, check)), `${what}: ${check} is the same`);
      }
      ok(["here", "there", "both"].includes(right) && rule.length > 20 && source.startsWith("https://"), what);
    }
  });
}
