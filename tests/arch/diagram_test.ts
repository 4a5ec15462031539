import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { toMermaid } from "./diagram.ts";
import { LAYERS } from "./layers.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = join(ROOT, "docs/architecture.md");
const BLOCK = /```mermaid\nflowchart TD\n[\s\S]*?\n```/;

test("docs/architecture.md has the diagram of tests/arch/layers.ts; UPDATE_DIAGRAM=1 writes it", () => {
  const page = readFileSync(PAGE, "utf8");
  const wanted = page.replace(BLOCK, () => `\`\`\`mermaid\n${toMermaid(LAYERS)}\n\`\`\``);
  if (process.env["UPDATE_DIAGRAM"] === "1") return writeFileSync(PAGE, wanted);
  strictEqual(page, wanted);
});

test("toMermaid() leaves out entries, types and edges that follow from others", () => {
  const layer = (name: string, ...imports: string[]) => ({ name, folders: [`src/${name}/`], imports });
  strictEqual(
    toMermaid([layer("entry", "c"), layer("a"), layer("b", "a"), layer("c", "a", "b", "type:d"), layer("d", "a")]),
    [
      "flowchart TD",
      '  a["a<br/><small>a</small>"]',
      '  b["b<br/><small>b</small>"] --> a',
      '  c["c<br/><small>c</small>"] --> b',
      '  d["d<br/><small>d</small>"] --> a',
    ].join("\n"),
  );
});

test("docs/architecture.md names files and folders that exist", () => {
  const page = readFileSync(PAGE, "utf8");
  const paths = [...page.matchAll(/`((?:src|tests|docs|scripts)\/[\w./-]+)`/g)].map(([, path]) => path ?? "");
  ok(paths.length > 20);
  deepStrictEqual(paths.filter((path) => !existsSync(join(ROOT, path))), []);
});
