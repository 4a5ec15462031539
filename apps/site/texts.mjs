/**
 * What agents read of the site: the Markdown of each page beside its HTML, llms.txt and llms-full.txt.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NAV } from "./nav.mjs";
import { stagedPath } from "./pages.mjs";
import { root, staged } from "./prepare.mjs";

/** Names of Markdown files by the path of their page. They are those of the repository, so that links between them work. */
const NAMES = new Map(NAV.flatMap(({ pages }) => pages).map(({ page }) => [stagedPath(page), page.replace("../", "")]));

/** Path of the Markdown of a page below the base of the site; `undefined` for the home page and the page that runs code. */
export function textPathOf(page) {
  return page.startsWith("reference/") ? page : NAMES.get(page);
}

/**
 * Writes the texts of a built site.
 *
 * @param folder the built site
 * @param url address of the site; without one, lists lead to the pages of the published package
 */
export function writeTexts(folder, url) {
  for (const { page } of NAV.flatMap(({ pages }) => pages)) {
    write(join(folder, page.replace("../", "")), readFileSync(join(root, "docs", page), "utf8"));
  }
  for (const file of readdirSync(join(staged, "reference"))) {
    const text = readFileSync(join(staged, "reference", file), "utf8");
    write(join(folder, "reference", file), text.replace(/^---\n[^]*?\n---\n\n/, ""));
  }
  const script = join(root, "scripts/llms.mjs");
  const words = [script, folder, ...(url === undefined ? [] : [url])];
  const { status } = spawnSync(join(root, "node_modules/.bin/bun"), words, { stdio: "inherit" });
  if (status !== 0) throw new Error(`${script} failed with status ${status}`);
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
