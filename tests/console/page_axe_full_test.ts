/** Rules of accessibility on every screen of the console, in light, dark and narrow. */
import { deepStrictEqual } from "node:assert/strict";
import { after } from "node:test";
import { findProgram, testWith } from "../serve/programs.ts";
import { loadAxe, violationsOf } from "./axe.ts";
import { callElsewhere, closeBrowser, type OpenPage, withPage } from "./browser_page.ts";
import { closedServer, openServer } from "./page_server.ts";

after(closeBrowser);

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
    await page.getByRole("region", { name: "What a model sees" }).getByRole("table").waitFor();
  }],
  ["models", async ({ page }) => {
    await page.getByRole("button", { name: "OpenAI" }).click();
    await page.getByRole("link", { name: "search_issues" }).click();
    await page.getByRole("region", { name: "search_issues" }).waitFor();
    await page.getByLabel("Search as a model").fill("divide numbers");
    await page.getByText(/found, the best first/).waitFor();
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

const LOOKS = [[1440, "dark"], [400, "light"], [1440, "light"]] as const;

testWith("console: every screen is accessible, light, dark and narrow", [findProgram("chromium")], async (chromium) => {
  await withPage({ server: openServer(), chromium }, async (open) => {
    const { page } = open;
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await open.open("");
    await loadAxe(page);
    const found: string[] = [];
    for (const [name, show] of SCREENS) {
      await show(open);
      // The last look is the one in which the next screen is reached.
      for (const [width, colorScheme] of LOOKS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        found.push(...await violationsOf(page, `${name}, ${colorScheme}, ${width} px`));
      }
    }
    deepStrictEqual(found, []);
  });
}, 180_000);

testWith("console: the form to sign in is accessible", [findProgram("chromium")], async (chromium) => {
  await withPage({ server: closedServer(), chromium, expected: /status of 401/ }, async ({ page, open }) => {
    await open("");
    await page.getByLabel("Bearer token").waitFor();
    await loadAxe(page);
    deepStrictEqual(await violationsOf(page, "sign in"), []);
  });
});
