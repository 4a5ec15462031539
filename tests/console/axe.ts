/** Rules of accessibility, by axe. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root } from "../serve/programs.ts";

/** Loads axe into a page. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8"));
}

const TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Numbers, wires and headings of tables that are broken over lines, and times in ISO 8601 outside of titles and data. */
function textProblems(): readonly string[] {
  const problems: string[] = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector("main") ?? document, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent ?? "";
    range.selectNodeContents(node);
    const lines = new Set([...range.getClientRects()].map(({ top }) => top)).size;
    if (lines > 1 && node.parentElement?.closest("th, td.right, .fit")) problems.push(`broken over lines: ${text}`);
    if (/\d{4}-\d\d-\d\dT\d\d:/.test(text) && !node.parentElement?.closest("pre")) {
      problems.push(`not readable: ${text}`);
    }
  }
  return problems;
}

/** Violations that hinder people, as `screen: rule: element`, text that is hard to read, and whether the page is wider than its window. */
export async function violationsOf(page: Page, screen: string): Promise<readonly string[]> {
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ["violations"] })`;
  const { violations } = await page.evaluate(run) as { readonly violations: readonly Violation[] };
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  const wide = isWide ? [`${screen}: wider than the window`] : [];
  return [
    ...wide,
    ...(await page.evaluate(textProblems)).map((problem) => `${screen}: ${problem}`),
    ...violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map((node) => `${screen}: ${id}: ${node.html} ${node.failureSummary}`)
      ),
  ];
}
