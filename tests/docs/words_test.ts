/** Comments and Markdown avoid the words of `scripts/word_list.mjs`, and `docs/style.md` has the same list. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
// @ts-expect-error: a script without types
import * as script from "../../scripts/words.mjs";
// @ts-expect-error: a script without types
import * as list from "../../scripts/word_list.mjs";

interface Source {
  readonly path: string;
  readonly text: string;
}
interface Word {
  readonly path: string;
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}
const { findWords, readWordSources } = script as {
  readonly findWords: (source: Source) => readonly Word[];
  readonly readWordSources: () => readonly Source[];
};
const { WORD_LIST } = list as { readonly WORD_LIST: readonly { readonly words: string; readonly instead: string }[] };

const root = fileURLToPath(new URL("../..", import.meta.url));

test("comments and Markdown avoid the words of the list", { timeout: 180_000 }, () => {
  const sources = readWordSources();
  ok(sources.length > 100, `Only ${sources.length} files were searched`);
  const words = sources.flatMap(findWords);
  deepStrictEqual(words.map(({ path, line, found, instead }) => `${path}:${line}: ${found}; write ${instead}`), []);
});

test("docs/style.md has the table of scripts/word_list.mjs", () => {
  const page = readFileSync(join(root, "docs/style.md"), "utf8");
  const [, table = ""] = /^\| avoid \| write instead \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  deepStrictEqual(table.trim().split("\n"), WORD_LIST.map(({ words, instead }) => `| \`${words}\` | ${instead} |`));
});

/** Lines in which words are found, and the words. */
function found(path: string, ...lines: string[]): string[] {
  return findWords({ path, text: lines.join("\n") }).map(({ line, found }) => `${line} ${found}`);
}

test("findWords() searches comments, not code or strings", () => {
  deepStrictEqual(
    found(
      "src/a.ts",
      'const told = "told"; // told',
      "/** Whoever calls.",
      " * `undefined` if there is",
      " * none. Not `told`, not {@link told}.",
      " * ```ts",
      ' * tell("told"); // tells',
      " * ```",
      " */",
      "const pattern = /told/; // there is",
      "const none = pattern; // none",
      "// it is",
      "// none",
    ),
    ["1 told", "2 Whoever", "3 is none", "6 tells", "11 is none"],
  );
});

test("findWords() searches the prose of Markdown, and comments of its code", () => {
  deepStrictEqual(
    found(
      "docs/a.md",
      "# Told",
      "See `told` and [a page](told.md), which is",
      "no page.",
      "```ts",
      'const told = "// told"; // a path of its own',
      "```",
      "```sh",
      "told # said",
      "```",
      "```text",
      "told # told",
      "```",
      "> Nobody",
    ),
    ["1 Told", "2 is no", "5 of its own", "8 said", "13 Nobody"],
  );
});

test("findWords() lets pass what is plain English", () => {
  deepStrictEqual(
    found(
      "docs/a.md",
      "There is no such option. It is no longer there, none of it. It stands for a value, and retells.",
    ),
    [],
  );
});
