/** Excerpts of examples and pairs on the pages: a fence that names a file has lines of this file, and the gallery stays small. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Lines without indentation, because an excerpt has less of it than its file. */
const trim = (text: string) => `\n${text.trim().split("\n").map((line) => line.trim()).join("\n")}\n`;

function excerptsOf(page: string) {
  const fences = page.matchAll(/^```ts fragment ((?:examples|tests\/docs\/peers)\/\S+)\n([^]*?)^```$/gm);
  return Array.from(fences, ([, file = "", code = ""]) => ({ file, code }));
}

test("an excerpt that names a file of examples or pairs has consecutive lines of it", () => {
  const pages = [
    "README.md",
    ...readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
  ];
  const excerpts = pages.flatMap((page) => excerptsOf(read(page)).map((excerpt) => ({ page, ...excerpt })));
  ok(excerpts.length >= 8, `There are ${excerpts.length} excerpts`);
  const stale = excerpts.filter(({ file, code }) => !trim(read(file)).includes(trim(code)));
  deepStrictEqual(stale.map(({ page, file }) => `${page}: ${file}`), []);
  const long = excerpts.filter(({ code }) => code.split("\n").length > 26);
  deepStrictEqual(long.map(({ page, file }) => `${page}: ${file}`), []);
});

test("a server of the gallery has at most 150 lines", () => {
  const servers = excerptsOf(read("docs/examples.md")).map(({ file }) => file);
  deepStrictEqual(servers.filter((file) => read(file).trimEnd().split("\n").length > 150), []);
});
