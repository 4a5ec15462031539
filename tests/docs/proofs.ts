/** Tables of the pages whose rows are proved by tests. */
import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Files and titles, or parts of titles, of the tests that prove a row, by its first cell. */
export type Proofs = Readonly<Record<string, readonly (readonly [file: string, title: string])[]>>;

/** First cells of the table of a page that begins with `header`. */
function rowsOf(page: string, header: string): string[] {
  const [, rest = ""] = readFileSync(join(root, page), "utf8").split(`${header}\n|---`);
  const [table = ""] = /(?<=\n)(?:\|.*\n)+/.exec(rest) ?? [];
  return table.trim().split("\n").map((row) => row.split("|")[1]?.trim() ?? "");
}

/** Checks that the table has these rows, and that their tests are there. */
export function checkProofs(page: string, header: string, proofs: Proofs): void {
  deepStrictEqual(rowsOf(page, header), Object.keys(proofs));
  const missing = Object.values(proofs).flat().filter(([file, title]) =>
    !readFileSync(join(root, file), "utf8").includes(title)
  );
  deepStrictEqual(missing, []);
}
