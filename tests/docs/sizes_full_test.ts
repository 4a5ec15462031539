/** Sizes that pages state: docs/performance.md has them once, within what CI allows, and other pages repeat its figures. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const [, section = ""] = read("docs/performance.md").split("\n## Size and start\n");

/** The size of a row of the table, in kB. */
function sizeOf(row: string): string {
  const line = section.split("\n").find((line) => line.startsWith(`| ${row}`));
  ok(line !== undefined, `docs/performance.md has no size of "${row}"`);
  return line.split(" | ")[1] ?? "";
}

/** Rows of the table, and their names in scripts/check_budgets.mjs. */
const BUDGETS = {
  "front door": "front door, min + gzip",
  "client;": "client alone, min + gzip",
  "client of": "client of the core alone, min + gzip",
  "`toolwire/core`": "core, mcpLite() and one tool",
  "… with": "core, mcp(), mcpLite() and one tool",
};

test("sizes in docs/performance.md are at most what CI allows, and at most two kilobytes below", () => {
  const budgets = read("scripts/check_budgets.mjs");
  const wrong = Object.entries(BUDGETS).flatMap(([row, name]) => {
    const [, limit = "0"] = budgets.split(`hold("${name}"`)[1]?.match(/, ([\d.]+), "kB"\)/) ?? [];
    const left = Number(limit) - Number(sizeOf(row));
    return left >= 0 && left <= 2 ? [] : [`${name}: ${sizeOf(row)} of ${limit}`];
  });
  deepStrictEqual(wrong, []);
});

test("other pages have the sizes of docs/performance.md", () => {
  const features = read("docs/features.md");
  ok(features.includes(`minified and gzipped | ${sizeOf("front door")} kB`));
  ok(
    features.includes(`one tool ${sizeOf("`toolwire/core`")} kB (\`./core\`), its client ${sizeOf("client of")} kB`),
  );
  const client = read("docs/client.md").replaceAll("\n", " ");
  ok(client.includes(`the client has ${sizeOf("client;")} kB, and with \`toolwire/core\` ${sizeOf("client of")}`));
});

test("mcp-lite has the size that docs/performance.md states, so that the comparison is right about it", async () => {
  const { outputFiles } = await build({
    stdin: { contents: 'export { McpServer, StreamableHttpTransport } from "mcp-lite";', resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
  });
  const bytes = gzipSync(outputFiles[0]!.contents, { level: 9 }).byteLength;
  strictEqual((bytes / 1_000).toFixed(1), sizeOf("mcp-lite"));
});
