/** Tables between marks in the documentation, which tests write. */
import { ok, strictEqual } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";

/** A table in the documentation: what is between two marks. */
export type TableName = "what a model sees" | "tokens of errors";

/** Replaces a table in a page. */
export function replaceTable(page: string, name: TableName, table: string): string {
  const first = `<!-- ${name}: written by scripts/model_views.mjs -->`;
  const start = page.indexOf(first);
  const end = page.indexOf(`<!-- end of ${name} -->`, start);
  ok(start >= 0 && end > start, `the page has no place for the table: ${name}`);
  return `${page.slice(0, start)}${first}\n\n${table}\n\n${page.slice(end)}`;
}

/** Holds that a page has a table; writes it if the environment says so. */
export function holdTable(page: URL, name: TableName, table: string): void {
  const text = readFileSync(page, "utf8");
  const written = replaceTable(text, name, table);
  if (process.env["WRITE_TABLE"] === "true") writeFileSync(page, written);
  else strictEqual(text, written);
}
