/** The table of what a model sees, between two marks in the documentation. */
import { ok } from "node:assert/strict";
import { ADAPTERS } from "./adapters.ts";
import { CASES } from "./cases.ts";

const START = "<!-- what a model sees: written by scripts/model_views.mjs -->";
const END = "<!-- end of what a model sees -->";

/**
 * What was seen, in Markdown: a list of the cases that are the same with all adapters, and a table of the others, a row for each adapter.
 *
 * @param seen What was seen, by adapter and case.
 */
export function tableOf(seen: ReadonlyMap<string, string>): string {
  const cellsOf = (name: string) => ADAPTERS.map((adapter) => seen.get(`${adapter.name} ${name}`) ?? "lost");
  const isSame = (name: string) => new Set(cellsOf(name)).size === 1;
  const same = CASES.filter(({ name }) => isSame(name)).map(({ name }) => `${name}: ${cellsOf(name)[0]}`);
  const others = CASES.filter(({ name }) => !isSame(name));
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    `With all of them the same: ${same.join("; ")}.`,
    "",
    row(["", ...others.map(({ name }) => name)]),
    `|${"---|".repeat(others.length + 1)}`,
    ...ADAPTERS.map((adapter, index) =>
      row([adapter.name, ...others.map(({ name }) => cellsOf(name)[index] ?? "lost")])
    ),
  ].join("\n");
}

/** Replaces the table in a page. */
export function replaceTable(page: string, table: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END, start);
  ok(start >= 0 && end > start, "the page has no place for the table");
  return `${page.slice(0, start)}${START}\n\n${table}\n\n${page.slice(end)}`;
}
