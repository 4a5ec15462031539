/** Names of test files, and docs/tests.md, which says where the tests of a behaviour are. */
import { deepStrictEqual } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SKIP = { skip: !existsSync(join(ROOT, "tests")) && `there is no file system here (${process.platform})` };

const TESTS: readonly string[] = SKIP.skip === false
  ? readdirSync(join(ROOT, "tests"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("_test.ts") && !file.includes("node_modules")).map((file) => `tests/${file}`).sort()
  : [];

/** Imports of modules that start processes. */
const STARTS = /(?:from|import\()\s*"node:(?:child_process|cluster)"|\bBun\.spawn/;
const RELATIVE = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

/** The file by which a test file starts processes: itself, or an import of it outside of src/; `undefined` if it starts none. */
function findStarter(file: string, seen: Set<string> = new Set()): string | undefined {
  if (seen.has(file) || !existsSync(join(ROOT, file))) return undefined;
  seen.add(file);
  const text = readFileSync(join(ROOT, file), "utf8");
  if (STARTS.test(text)) return file;
  for (const [, specifier = ""] of text.matchAll(RELATIVE)) {
    const imported = normalize(join(dirname(file), specifier));
    if (/^(?:tests|examples|scripts)\//.test(imported)) {
      const starter = findStarter(imported, seen);
      if (starter !== undefined) return starter;
    }
  }
  return undefined;
}

test("test files that start processes are named *_full_test.ts: `npm test` leaves them out", SKIP, () => {
  const wrong = TESTS.filter((file) => !file.endsWith("_full_test.ts"))
    .flatMap((file) => findStarter(file) === undefined ? [] : [`${file} starts processes by ${findStarter(file)}`]);
  deepStrictEqual(wrong, []);
});

test("docs/tests.md has a line for each folder of tests, and no other", SKIP, () => {
  const page = readFileSync(join(ROOT, "docs/tests.md"), "utf8");
  const rows = [...page.matchAll(/^- \[`([^`]+)`\]\(\.\.\/([^)]+)\): .+$/gm)];
  for (const [, name, link] of rows) deepStrictEqual(`tests/${name}`, link);
  const folders = new Set(TESTS.map((file) => dirname(file).slice("tests/".length)));
  deepStrictEqual(rows.map(([, name]) => name).sort(), [...folders].sort());
});
