/** The panes of the console beside tools and calls, each used in a real browser. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { after } from "node:test";
import { findProgram, testWith } from "../../serve/programs.ts";
import { closeBrowser, type OpenPage, withPage } from "./browser_page.ts";
import { paneServer } from "./pane_server.ts";

after(closeBrowser);

/** A test of one page on a server whose tools ask. */
function testPane(name: string, use: (open: OpenPage) => Promise<void>, expected?: RegExp): void {
  testWith(`console: ${name}`, [findProgram("chromium")], async (chromium) => {
    await withPage({ server: paneServer(), chromium, ...(expected && { expected }) }, use);
  });
}

testPane("keys are written as on the keyboard of the platform", async ({ page, open }) => {
  for (const [platform, shown, other] of [["Linux x86_64", "Ctrl ⏎", "⌘"], ["MacIntel", "⌘⏎", "Ctrl"]] as const) {
    await page.addInitScript({
      content: `Object.defineProperty(navigator, "platform", { value: "${platform}", configurable: true })`,
    });
    await open(`?${platform}#/tools/sign_off`);
    await page.getByRole("heading", { name: "sign_off" }).waitFor();
    const text = await page.locator("#app").innerText();
    ok(text.includes(shown) && !text.includes(other), `${platform}: ${text}`);
  }
});

/** Wires that the page can call, but for MCP 2025-11-25: its questions need a session. */
const ASKING = ["mcp-2026", "mcp-lite", "rest", "connect"];

testPane("questions of a call are answered on each wire, in forms that begin with defaults", async ({ page, open }) => {
  await open("#/tools/book_table");
  await page.getByLabel("guests", { exact: true }).fill("4");
  for (const wire of ASKING) {
    await page.getByLabel("Wire", { exact: true }).selectOption(wire);
    await page.getByRole("button", { name: /^Send/ }).click();
    const first = page.getByRole("group", { name: "The tool asks", exact: true });
    await first.waitFor();
    ok((await first.innerText()).includes("<img src=x onerror="), "text of tools is text");
    strictEqual(await first.getByLabel("terrace", { exact: true }).inputValue(), "true", "a form begins with defaults");
    await first.getByLabel("time", { exact: true }).selectOption("20:00");
    await first.getByLabel("name", { exact: true }).fill("A");
    await first.getByRole("button", { name: "Answer" }).click();
    await first.getByRole("alert").waitFor();
    strictEqual(await first.getByLabel("name", { exact: true }).inputValue(), "A", "a refused form keeps its values");
    await first.getByLabel("name", { exact: true }).fill("Ada");
    await first.getByRole("button", { name: "Answer" }).click();
    const more = page.getByRole("group", { name: "The tool asks for more" });
    await more.waitFor();
    match(await more.innerText(), /5 credits[^]*"amount": 5/);
    await more.getByRole("button", { name: "Grant" }).click();
    await page.locator("pre.value", { hasText: '"booked": true' }).waitFor();
    match(await page.locator("pre.value").innerText(), /"guests": 4,[^]*"time": "20:00",[^]*"name": "Ada"/);
    await page.getByRole("button", { name: /^Send/ }).click();
    await first.getByRole("button", { name: "Decline" }).click();
    await page.locator("pre.value", { hasText: '"because": "decline"' }).waitFor();
  }
}, /status of 422/);

testPane("several questions are answered together, and only web pages are links", async ({ page, open }) => {
  await open("#/tools/sign_off");
  await page.getByRole("button", { name: /^Send/ }).click();
  const visits = page.getByRole("group", { name: "The tool asks for a visit of a page" });
  await visits.nth(1).waitFor();
  const links = await page.locator(".question a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  deepStrictEqual(links, ["https://sign.example/form?id=7"]);
  match(await visits.nth(1).innerText(), /javascript:document[^]*not the address of a web page/);
  await visits.nth(0).getByRole("button", { name: "I have visited it" }).click();
  await visits.nth(1).getByRole("button", { name: "Decline" }).click();
  const model = page.getByRole("group", { name: "The tool asks a model" });
  match(await model.innerText(), /Sum it up/);
  await model.getByLabel("text", { exact: true }).fill("All is well");
  await model.getByRole("button", { name: "Answer as the model" }).click();
  const folders = page.getByRole("group", { name: "The tool asks for folders" });
  await folders.getByLabel("uri", { exact: true }).fill("file:///work");
  await folders.getByRole("button", { name: "Answer" }).click();
  await page.locator("pre.value", { hasText: "All is well" }).waitFor();
  const value = JSON.parse(await page.locator("pre.value").innerText());
  deepStrictEqual([value.page.action, value.script.action, value.folders.content.roots], ["accept", "decline", [
    { uri: "file:///work" },
  ]]);
});

testPane("messages of the log appear with the call", async ({ page, open }) => {
  await open("#/tools/book_table");
  await page.getByLabel("guests", { exact: true }).fill("4");
  await page.getByRole("button", { name: /^Send/ }).click();
  const log = page.getByRole("table", { name: "Log of the call" });
  await log.waitFor();
  match(await log.innerText(), /info\s+.*looking for a table for 4/);
});
