/** Tables of options in the pages are those of the declarations: `node scripts/option_tables.mjs --write`. */
import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
// @ts-expect-error: a script without types
import * as script from "../../scripts/option_tables.mjs";

const { buildPages, renderTable } = script as {
  readonly buildPages: () => ReadonlyMap<string, string>;
  readonly renderTable: (source: string, names: readonly string[], file: string) => string;
};
const root = fileURLToPath(new URL("../..", import.meta.url));

test("the tables of options are those of the declarations", { skip: !existsSync(join(root, "docs")) }, () => {
  const pages = [...buildPages()];
  ok(pages.length > 0, "There is no table at all");
  const stale = pages.filter(([path, text]) => readFileSync(join(root, path), "utf8") !== text);
  deepStrictEqual(stale.map(([path]) => path), [], "Run: node scripts/option_tables.mjs --write");
});

test("a table has type, unit, default and description of each member", () => {
  const source = `
const WAIT_MS = 1_000;
export interface Options {
  /** Name. */
  readonly name: string;
  /**
   * Delay, as {@link later}
   * has it. Default: 1,000.
   */
  readonly waitMs?: number | undefined;
  readonly key?: ((a: string) => "b" | undefined) | undefined;
}
export function later({ waitMs = WAIT_MS }: Options) {}
`;
  deepStrictEqual(renderTable(source, ["Options"], "a.ts").split("\n").slice(2), [
    "| `name` | `string` | **required** | Name. |",
    "| `waitMs` | `number`, ms | 1,000 | Delay, as `later` has it. |",
    '| `key` | `(a: string) => "b" \\| undefined` | none |  |',
  ]);
  throws(() => renderTable(source.replace("1_000", "2_000"), ["Options"], "a.ts"), {
    message: "a.ts: the default of waitMs is 2_000, and its comment has 1,000",
  });
  throws(() => renderTable(source, ["Other"], "a.ts"), /a\.ts exports no interface Other/);
  strictEqual(renderTable(source, [], "a.ts").split("\n").length, 2);
});
