/** The entries of the package: one file each in `src/entries`, from which the manifests and the map are made. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "@babel/parser";
// @ts-expect-error: a script without types
import * as map from "../../scripts/entry_map.mjs";
// @ts-expect-error: a script without types
import * as script from "../../scripts/exports.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { renderManifests } = script as {
  readonly renderManifests: () => Readonly<Record<string, string>>;
};
const { GROUPS, listEntries, renderReadme } = map as {
  readonly listEntries: () => readonly (readonly [entry: string, file: string])[];
  readonly GROUPS: Readonly<Record<string, readonly string[]>>;
  readonly renderReadme: () => string;
};
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const HINT = "Run `node scripts/exports.mjs` and commit what it writes";

for (const [file, text] of Object.entries(renderManifests())) {
  test(`${file} has the entries of src/entries`, () => strictEqual(read(file), text, HINT));
}

test("src/entries/README.md is the map of the entries", () => {
  strictEqual(read("src/entries/README.md"), renderReadme(), HINT);
});

test("each entry is in one group of the map: scripts/entry_map.mjs", () => {
  strictEqual(Object.keys(GROUPS).length, 5);
  deepStrictEqual(Object.values(GROUPS).flat().sort(), listEntries().map(([entry]) => entry).sort());
});

for (const [entry, file] of listEntries()) {
  describe(`entry ${entry}`, () => {
    const text = read(file);

    test("begins with what it is for, when it is needed, and an example", () => {
      const [, comment = ""] = /^\/\*\*([^]*?)\*\//.exec(text) ?? [];
      const [about = "", example = ""] = comment.replace(/^ \* ?/gm, "").split("@example");
      ok(about.trim().split(/\.(?=\s|$)/).length > 2, "two sentences at least");
      match(about, /\bneed(?:s|ed)?\b/, "when it is needed");
      match(example, /```ts[^]*```/, "the smallest example");
      match(comment, /@module/);
    });

    if (file.startsWith("src/entries/") || file === "mod.ts") {
      test("has re-exports only", () => {
        const { body } = parse(text, { sourceType: "module", plugins: ["typescript"] }).program;
        const others = body.filter((node) =>
          !/^Export(?:Named|All)Declaration$/.test(node.type) || !("source" in node && node.source)
        );
        deepStrictEqual(others.map(({ type }) => type), []);
      });
    }
  });
}
