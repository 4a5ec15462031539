/** What each entry of the package exports is written down: a change of the public API is a change of that list. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as script from "../../scripts/exports.mjs";
// @ts-expect-error: a script without types
import * as house from "../../scripts/house.mjs";

const { exportsOf, LIST, listExports } = script as {
  readonly exportsOf: (text: string) => readonly string[];
  readonly LIST: URL;
  readonly listExports: () => string;
};

test("each entry exports what tests/arch/exports.txt lists", () => {
  strictEqual(
    listExports(),
    readFileSync(LIST, "utf8"),
    "The public API has changed. If that is intended, run `node scripts/exports.mjs` and commit tests/arch/exports.txt",
  );
});

test("the front door exports at most 80 types", () => {
  const front = listExports().split("\n\n")[0] ?? "";
  const types = front.match(/^ {2}type /gm) ?? [];
  ok(
    types.length > 0 && types.length <= 80,
    `${types.length} types: move some to ./wire, ./engines, ./keys or ./types`,
  );
});

test("no module imports the entry ./schema: esbuild drops its `export *` when another entry has the same module", () => {
  const { readSources } = house as {
    readonly readSources: () => readonly { readonly path: string; readonly text: string }[];
  };
  const importers = readSources().filter(({ text }) =>
    /^(?:im|ex)port (?!type)[^;]*?"[^"]*schema\/valibot\.ts"/m.test(text)
  );
  deepStrictEqual(importers.map(({ path }) => path), [], "Import from the module that defines it, or from valibot");
});

test("exportsOf() finds values, types and whole modules", () => {
  const text = [
    'export { a, type B } from "./a.ts";',
    'export type { C, D as E } from "./c.ts";',
    "export function f(): void {}",
    "export const g = 1, h = 2;",
    "export interface I {}",
    'export * from "valibot";',
  ].join("\n");
  deepStrictEqual(exportsOf(text), ["* from valibot", "a", "f", "g", "h", "type B", "type C", "type E", "type I"]);
});
