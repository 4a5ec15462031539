/**
 * The differences that a moved server shows are in the page for those who come from the library, each with the sentence that says who is
 * right, and the pages have no others of it.
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { type Difference, expectedBefore, readTable, TABLES } from "./table.ts";

/** Head of the column that decides. */
const DECISION = "who is right, and the sentence that says so";

function toRow({ what, there, here, right, rule, source }: Difference): string {
  return `| ${what} | ${there} | ${here} | ${right}: [${rule.replaceAll(/[[\]*_]/g, "\\$&")}](${source}) |`;
}

for (const name of TABLES) {
  const table = readTable(name);

  test(`${name}: the differences are the rows of ${table.page}, each with the sentence that says who is right`, () => {
    const page = readFileSync(new URL(`../../${table.page}`, import.meta.url), "utf8");
    const [, after = ""] = page.split(`| here | ${DECISION} |\n|---|---|---|---|\n`);
    const lines = after.split("\n");
    deepStrictEqual(lines.slice(0, lines.findIndex((line) => !line.startsWith("|"))), table.differences.map(toRow));
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
