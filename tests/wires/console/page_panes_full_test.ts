/** The panes of the console beside tools and calls, each used in a real browser. */
import { ok } from "node:assert/strict";
import { after } from "node:test";
import { findProgram, testWith } from "../../serve/programs.ts";
import { closeBrowser, type OpenPage, withPage } from "./browser_page.ts";
import { openServer } from "./page_server.ts";

after(closeBrowser);

/** A test of one page on an open server. */
function testPane(name: string, use: (open: OpenPage) => Promise<void>, expected?: RegExp): void {
  testWith(`console: ${name}`, [findProgram("chromium")], async (chromium) => {
    await withPage({ server: openServer(), chromium, ...(expected && { expected }) }, use);
  });
}

testPane("keys are written as on the keyboard of the platform", async ({ page, open }) => {
  for (const [platform, shown, other] of [["Linux x86_64", "Ctrl ⏎", "⌘"], ["MacIntel", "⌘⏎", "Ctrl"]] as const) {
    await page.addInitScript({
      content: `Object.defineProperty(navigator, "platform", { value: "${platform}", configurable: true })`,
    });
    await open(`?${platform}#/tools/add`);
    await page.getByRole("heading", { name: "add" }).waitFor();
    const text = await page.locator("#app").innerText();
    ok(text.includes(shown) && !text.includes(other), `${platform}: ${text}`);
  }
});
