/** docs/guarantees.md lists what is tested, all of it, and nothing else. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createServer } from "../../mod.ts";
import { appGuarantees, renderApps } from "./apps.ts";
import { durableGuarantees, renderDurable } from "./durable.ts";
import { renderSignIn, signInGuarantees } from "./sign_in.ts";
import { renderSecondFailures, secondFailureGuarantees } from "./second_failures.ts";
import { renderSockets, socketGuarantees } from "./sockets.ts";
import { allGuarantees } from "./guarantees.ts";
import { testName } from "./guarantee.ts";
import { casesOf, renderCells } from "./page.ts";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/guarantees.md", root), "utf8");

test("the page has a row for each guarantee, with its statement, its cases and the wires without", () => {
  const rows = page.split("\n").filter((line) => /^\| [\w-]+ \| .* \| \d+( \(.*\))? \| /.test(line));
  const expected = allGuarantees.map((guarantee) => {
    const cases = String(casesOf(guarantee));
    const fewer = rows.find((row) =>
      row.startsWith(`| ${guarantee.name} |`)
    )?.match(/ \d+( \([^)]*\)) \| [^|]*\|$/)?.[1] ?? "";
    return renderCells(guarantee, cases + fewer);
  });
  deepStrictEqual(rows, expected, "run npm run guarantees");
});

test("the further tests of a guarantee exist", () => {
  const files = allGuarantees.flatMap(({ also = [] }) => also);
  ok(files.length > 20);
  deepStrictEqual(files.filter((file) => !existsSync(new URL(file, root))), []);
});

test("the page has the guarantees of durable work, sign-in, sockets, views and second failures, and the tests that it names exist", () => {
  for (const section of [renderDurable(), renderSignIn(), renderSockets(), renderApps(), renderSecondFailures()]) {
    ok(
      page.includes(`\n\n${section}\n`),
      "run npm run guarantees, or copy renderDurable() and the others into the page",
    );
  }
  const faults = [durableGuarantees, signInGuarantees, socketGuarantees, appGuarantees, secondFailureGuarantees].flat();
  for (const { fault, tests } of faults) {
    for (const [file, names] of Object.entries(tests)) {
      const text = readFileSync(new URL(file, root), "utf8");
      for (const name of names) ok(text.includes(name), `${fault}: ${file} has no test "${name}"`);
    }
  }
});

test("docs/limits.md has each limit with its default", () => {
  const limits = readFileSync(new URL("docs/limits.md", root), "utf8");
  for (const [name, limit] of Object.entries(createServer({ tools: [] }).limits)) {
    ok(limits.includes(`| \`limits.${name}\` | ${limit.toLocaleString("en-US")} |`), name);
  }
});

test("no two tests of guarantees have the same name", () => {
  const names = allGuarantees.flatMap((guarantee) => guarantee.tests.map((one) => testName(guarantee, one)));
  deepStrictEqual([...new Set(names)], names);
});
