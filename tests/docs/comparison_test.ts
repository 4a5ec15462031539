/** docs/comparison.md: each cell has its source, ours is in this repository, and figures are those of docs/performance.md. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Names in the tables of docs/performance.md, in the order of the columns. */
const CONTENDERS = ["toolwire", "@modelcontextprotocol/server", "fastmcp", "mcp-lite", "tRPC", "oRPC"];

/** The rows with a cell for each library, without the heads. */
const rows = read("docs/comparison.md").split("\n").filter((line) => line.startsWith("| "))
  .map((line) => line.slice(2, -2).split(" | ")).filter(({ length, 1: ours }) => length === 7 && ours !== "Toolwire");

test("each cell of the comparison links to its source, ours within the repository", () => {
  ok(rows.length > 20, `${rows.length} rows`);
  const wrong = rows.flatMap(([title = "", ours = "", ...others]) => [
    ...(/^\[[^\]]+\]\((?!https:)[^)]+\)$/.test(ours) ? [] : [`${title}: ${ours}`]),
    ...others.filter((cell) => !/^\[[^\]]+\]\((https:\/\/|performance\.md)[^)]+\)$/.test(cell)).map((cell) =>
      `${title}: ${cell}`
    ),
  ]);
  deepStrictEqual(wrong, []);
});

test("each reason not to use Toolwire names a library with its source", () => {
  const [, section = ""] = read("docs/comparison.md").split("\n## When not to use Toolwire\n");
  const reasons = section.split(/^- /m).slice(1);
  ok(reasons.length >= 9, `${reasons.length} reasons`);
  deepStrictEqual(reasons.filter((reason) => !/\]\((?:https:|performance\.md)/.test(reason)), []);
});

test("figures of the comparison are those of the measurements", () => {
  const performance = read("docs/performance.md");
  const anchors = new Map(["bun-145", "http-bun-145"].map((anchor) => {
    const title = anchor === "bun-145" ? "### bun 1.4.5\n" : "### HTTP, bun 1.4.5\n";
    const from = performance.indexOf(title) + title.length;
    return [anchor, performance.slice(from, performance.indexOf("\n#", from))] as const;
  }));
  const figures = rows.flatMap(([, ...cells]) =>
    cells.flatMap((cell, column) => {
      const [, figure, anchor = ""] = /^\[([\d.]+)\]\(performance\.md#(.*)\)$/.exec(cell) ?? [];
      return figure === undefined ? [] : [{ figure, anchor, contender: CONTENDERS[column] }];
    })
  );
  ok(figures.length >= 11, `${figures.length} figures`);
  const wrong = figures.filter(({ figure, anchor, contender }) =>
    !anchors.get(anchor)?.includes(`| ${contender} | ${figure} |`)
  );
  deepStrictEqual(wrong, []);
});
