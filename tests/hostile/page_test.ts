/** docs/guarantees.md lists what is tested, all of it, and nothing else. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createServer } from "../../mod.ts";
import { durableGuarantees, renderDurable } from "./durable.ts";
import { renderSignIn, signInGuarantees } from "./sign_in.ts";
import { renderSockets, socketGuarantees } from "./sockets.ts";
import { allGuarantees } from "./guarantees.ts";
import { COLUMNS, testName } from "./guarantee.ts";
import { casesOf } from "./page.ts";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/guarantees.md", root), "utf8");

test("the page has a row for each guarantee, with its cases over each wire, or why there are none", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| ["));
  deepStrictEqual(rows.map((row) => /^\| \[([^\]]+)\]/.exec(row)?.[1]), allGuarantees.map(({ name }) => name));
  for (const [at, guarantee] of allGuarantees.entries()) {
    const cells = (rows[at] ?? "").split("|").slice(2, -1).map((cell) => cell.trim());
    for (const [index, column] of COLUMNS.entries()) {
      const cases = casesOf(guarantee, column);
      const cell = cells[index] ?? "";
      if (cases > 0) {
        strictEqual(/^\d+/.exec(cell)?.[0], String(cases), `${guarantee.name}, ${column}: run npm run guarantees`);
      } else ok(page.includes(`\n- ${cell}: ${guarantee.none?.[column]}\n`), `${guarantee.name}, ${column}: no reason`);
    }
  }
});

test("the page says what is guaranteed, and which further tests there are", () => {
  for (const { name, statement, also = [] } of allGuarantees) {
    ok(page.includes(`## ${name}\n\n${statement}\n`), name);
    for (const file of also) ok(existsSync(new URL(file, root)) && page.includes(file), file);
  }
});

test("the page has the guarantees of durable work and of sign-in, and the tests that it names exist", () => {
  for (const section of [renderDurable(), renderSignIn(), renderSockets()]) {
    ok(
      page.includes(`\n\n${section}\n\n`),
      "run npm run guarantees, or copy renderDurable() and renderSignIn() into the page",
    );
  }
  for (const { fault, tests } of [...durableGuarantees, ...signInGuarantees, ...socketGuarantees]) {
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

test("each test of a guarantee has a name of its own", () => {
  const names = allGuarantees.flatMap((guarantee) => guarantee.tests.map((one) => testName(guarantee, one)));
  deepStrictEqual([...new Set(names)], names);
});
