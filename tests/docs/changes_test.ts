/** The files of `.changeset/`, and the changelog that a release writes from them. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
// @ts-expect-error: a configuration without types
import changelog from "../../.changeset/changelog.mjs";
// @ts-expect-error: a script without types
import * as script from "../../scripts/release_section.mjs";

const { mergeUnreleased } = script as {
  readonly mergeUnreleased: (text: string, version: string, date: string) => string;
};
const FOLDER = fileURLToPath(new URL("../../.changeset/", import.meta.url));

const INTRODUCTION = "All notable changes to this project are documented here.";

/** Why a file of a change is refused; `undefined` if it is not. */
function problemOf(text: string): string | undefined {
  const [, head, body = ""] = /^---\n([^]*?)---\n([^]*)$/.exec(text) ?? [];
  if (head === undefined) return "it has no front matter between two lines ---";
  const kinds = parse(head) as Record<string, string> | null;
  // An empty one states that a change concerns no user.
  if (kinds === null) return undefined;
  const names = Object.keys(kinds);
  if (names.length !== 1 || names[0] !== "toolwire") return 'it is of the package "toolwire" alone';
  if (!["major", "minor", "patch"].includes(kinds["toolwire"] ?? "")) return "its kind is major, minor or patch";
  if (body.trim() === "") return "it says nothing";
  return /^#/m.test(body) ? "it has a heading: the changelog has them" : undefined;
}

test("each file of .changeset/ has a kind and a text", () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".md") && file !== "README.md");
  const problems = files.map((file) => `${file}: ${problemOf(readFileSync(join(FOLDER, file), "utf8"))}`)
    .filter((line) => !line.endsWith(": undefined"));
  deepStrictEqual(problems, []);
});

test("a file without kind, text or with another package is found", () => {
  strictEqual(problemOf('---\n"toolwire": minor\n---\n\nAdd `a`.\n'), undefined);
  strictEqual(problemOf("---\n---\n"), undefined);
  for (
    const text of [
      "Add a.",
      '---\n"other": minor\n---\n\nAdd.\n',
      '---\n"toolwire": small\n---\n\nAdd.\n',
      '---\n"toolwire": minor\n---\n\n',
      '---\n"toolwire": minor\n---\n\n## Added\n',
    ]
  ) {
    ok(problemOf(text) !== undefined, text);
  }
});

test("the example of .changeset/README.md is accepted", () => {
  const [, example = ""] = /```md\n([^]*?)```/.exec(readFileSync(join(FOLDER, "README.md"), "utf8")) ?? [];
  match(example, /^---\n/);
  strictEqual(problemOf(example), undefined);
});

test("a change is a line of a list, and its further lines belong to it", async () => {
  const { getReleaseLine } = changelog as { readonly getReleaseLine: (change: { summary: string }) => Promise<string> };
  strictEqual(await getReleaseLine({ summary: "One\ntwo.\n\nThree.\n" }), "- One\n  two.\n\n  Three.");
});

test("a release has the changes of files, then what was below Unreleased, and an introduction stays at the top", () => {
  const written = `# Changelog

## 0.2.0

### Minor Changes

- From a file.

${INTRODUCTION}

## [Unreleased]

### Added

- By hand.

## [0.1.0] - 2026-11-30

- The first.
`;
  strictEqual(
    mergeUnreleased(written, "0.2.0", "2026-12-01"),
    `# Changelog

${INTRODUCTION}

## [Unreleased]

## [0.2.0] - 2026-12-01

### Minor Changes

- From a file.

### Added

- By hand.

## [0.1.0] - 2026-11-30

- The first.
`,
  );
  throws(() => mergeUnreleased(written, "0.3.0", "2026-12-01"), /no section "## 0.3.0"/);
});
