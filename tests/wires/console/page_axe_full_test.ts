/** Rules of accessibility on every screen of the console, in light, dark and narrow. */
import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { findProgram, root, testWith } from "../../serve/programs.ts";
import { callElsewhere, closeBrowser, type OpenPage, withPage } from "./browser_page.ts";
import { closedServer, openServer } from "./page_server.ts";

after(closeBrowser);

const TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Violations that hinder people, as `rule: element`. */
async function violationsOf(page: Page, screen: string): Promise<readonly string[]> {
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ["violations"] })`;
  const { violations } = await page.evaluate(run) as { readonly violations: readonly Violation[] };
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((node) => `${screen}: ${id}: ${node.html} ${node.failureSummary}`)
    );
}

type Screen = readonly [name: string, show: (open: OpenPage) => Promise<void>];

/** All screens, in an order in which each can be reached from the one before. */
const SCREENS: readonly Screen[] = [
  ["no tool", ({ page }) => page.locator("nav.list a").first().waitFor()],
  ["form", async ({ page }) => {
    await page.evaluate(() => location.hash = "#/tools/search_issues");
    await page.getByLabel("query", { exact: true }).fill("x");
    // Each press replaces a button by a control.
    const absent = page.locator(".member.absent .begin");
    for (let left = await absent.count(); left > 0; left--) await absent.first().click();
  }],
  ["kinds", async ({ page }) => void await page.getByLabel("kind of sort").selectOption({ index: 1 })],
  ["answers", async ({ page }) => {
    await page.evaluate(() => location.hash = "#/tools/add?args=eyJhIjoxLCJiIjoyfQ==");
    await page.getByRole("heading", { name: "add" }).waitFor();
    await page.getByRole("button", { name: "On all wires" }).click();
    await page.locator(".tabs button .answer").nth(6).waitFor();
  }],
  ["JSON and bytes", async ({ page }) => {
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    await page.getByRole("button", { name: "Bytes" }).click();
  }],
  ["calls", async ({ page, url }) => {
    await page.evaluate(() => location.hash = "#/feed");
    await callElsewhere(url, "divide", { a: 1, b: 0 });
    await callElsewhere(url, "count", { to: 3 });
    await page.getByRole("row", { name: /count/ }).first().waitFor();
  }],
  ["one call", async ({ page }) => {
    await page.locator("table.calls a", { hasText: "divide" }).first().click();
    await page.getByRole("heading", { name: "divide" }).waitFor();
  }],
  ["list", async ({ page }) => {
    await page.evaluate(() => location.hash = "#/list");
    await page.getByRole("region", { name: "What the list costs a model" }).waitFor();
  }],
  ["token", async ({ page }) => {
    await page.evaluate(() => location.hash = "#/token");
    await page.getByLabel("Token", { exact: true }).fill("prom_x");
    await page.getByText("This is not a token").waitFor();
  }],
  ["server", async ({ page }) => {
    await page.evaluate(() => location.hash = "#/server");
    await page.getByRole("region", { name: "Server" }).waitFor();
  }],
  ["palette", async ({ page }) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
  }],
  ["keys", async ({ page }) => {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Keys" }).click();
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
  }],
];

const SOURCE = "node_modules/axe-core/axe.min.js";

for (const [width, scheme] of [[1440, "light"], [1440, "dark"], [400, "light"]] as const) {
  testWith(
    `console: every screen is accessible, ${scheme}, ${width} px`,
    [findProgram("chromium")],
    async (chromium) => {
      const source = readFileSync(join(root, SOURCE), "utf8");
      await withPage({ server: openServer(), chromium, width }, async (open) => {
        const { page } = open;
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await open.open("");
        await page.evaluate(source);
        const found: string[] = [];
        for (const [name, show] of SCREENS) {
          await show(open);
          found.push(...await violationsOf(page, name));
          const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
          if (isWide) found.push(`${name}: wider than the window`);
        }
        deepStrictEqual(found, []);
      });
    },
  );
}

testWith("console: the form to sign in is accessible", [findProgram("chromium")], async (chromium) => {
  const source = readFileSync(join(root, SOURCE), "utf8");
  await withPage({ server: closedServer(), chromium, expected: /status of 401/ }, async ({ page, open }) => {
    await open("");
    await page.getByLabel("Bearer token").waitFor();
    await page.evaluate(source);
    deepStrictEqual(await violationsOf(page, "sign in"), []);
  });
});
