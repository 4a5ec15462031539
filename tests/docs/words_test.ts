/** Comments and Markdown avoid the words of `scripts/word_list.mjs`, and `docs/style.md` has the same list. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
// @ts-expect-error: a script without types
import * as house from "../../scripts/house.mjs";
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
const { findWords, readWordSources } = house as {
  readonly findWords: (source: Source) => readonly Word[];
  readonly readWordSources: () => readonly Source[];
};
const { WORD_LIST } = list as { readonly WORD_LIST: readonly { readonly words: string; readonly instead: string }[] };

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * How many words are still allowed, by prefix of a path: a ratchet that only goes down. Without the file, or a prefix, none is allowed.
 */
const ALLOWED = "tests/docs/words_allowed.json";

function readAllowed(): Readonly<Record<string, number>> {
  return existsSync(join(root, ALLOWED)) ? JSON.parse(readFileSync(join(root, ALLOWED), "utf8")) : {};
}

/** Counts that differ from what is allowed, as sentences; words outside of all prefixes one by one. */
function compare(words: readonly Word[], allowed: Readonly<Record<string, number>>): string[] {
  const counts = Object.entries(allowed).flatMap(([prefix, limit]) => {
    const count = words.filter(({ path }) => path.startsWith(prefix)).length;
    return count > limit
      ? [`${prefix}: ${count} words, ${limit} allowed; run node scripts/house.mjs --words ${prefix}`]
      : [];
  });
  const others = words.filter(({ path }) => !Object.keys(allowed).some((prefix) => path.startsWith(prefix)));
  return [...counts, ...others.map(({ path, line, found, instead }) => `${path}:${line}: ${found}; write ${instead}`)];
}

test("comments and Markdown avoid the words of the list", { timeout: 60_000 }, () => {
  const sources = readWordSources();
  ok(sources.length > 100, `Only ${sources.length} files were searched`);
  deepStrictEqual(compare(sources.flatMap(findWords), readAllowed()), []);
});

test("docs/style.md has the table of scripts/word_list.mjs", () => {
  const page = readFileSync(join(root, "docs/style.md"), "utf8");
  const [, table = ""] = /^\| avoid \| write instead \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  deepStrictEqual(table.trim().split("\n"), WORD_LIST.map(({ words, instead }) => `| \`${words}\` | ${instead} |`));
});

test("compare(): more words than allowed fail, and without a prefix none is allowed", () => {
  const words = ["src/a.ts", "src/b.ts", "docs/a.md"].map((path) => ({ path, line: 7, found: "x", instead: "y" }));
  deepStrictEqual(compare(words, { "src/": 2, "docs/": 1 }), []);
  deepStrictEqual(compare(words, { "src/": 1, "docs/": 3 }), [
    "src/: 2 words, 1 allowed; run node scripts/house.mjs --words src/",
  ]);
  deepStrictEqual(compare(words, { "src/": 2 }), ["docs/a.md:7: x; write y"]);
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
