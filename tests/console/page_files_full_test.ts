/** Files of answers in the console: pictures are shown, and each file is saved with its bytes and its name. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after } from "node:test";
import { createServer, defineTool, mcp, mcpLite } from "../../mod.ts";
import { consolePage } from "../../src/entries/console.ts";
import { content } from "../../src/entries/mcp.ts";
import { rest } from "../../src/entries/rest.ts";
import { findProgram, testWith } from "../serve/programs.ts";
import { loadAxe, violationsOf } from "./axe.ts";
import { closeBrowser, withPage } from "./browser_page.ts";
import { HOSTILE, PAGE_KEY } from "./page_server.ts";

after(closeBrowser);

// A picture of one pixel.
const PIXEL = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"),
  (character) => character.charCodeAt(0),
);

const tools = [
  defineTool("chart").describe("A chart").handle(() => content.file(PIXEL, { name: "chart.png" })),
  defineTool("report").describe("A report").handle(() => ({
    title: "Sales",
    chart: PIXEL,
    rows: content.file("id,name\n1,Ada\n", { type: "text/csv", name: "rows.csv" }),
  })),
  defineTool("hostile").describe("A file of others")
    .handle(() => content.file(new TextEncoder().encode(HOSTILE), { type: "text/html", name: HOSTILE })),
];

function fileServer() {
  return createServer({ tools, wires: [mcp(), mcpLite(), rest(), consolePage({ key: PAGE_KEY })], logger: false });
}

testWith(
  "console: pictures are shown, and files are saved, on each wire",
  [findProgram("chromium")],
  async (chromium) => {
    await withPage({ server: fileServer(), chromium }, async ({ page, open }) => {
      await open("#/tools/chart");
      for (const wire of ["mcp-2026", "mcp-2025", "mcp-lite", "rest"]) {
        await page.getByLabel("Wire", { exact: true }).selectOption(wire);
        await page.getByRole("button", { name: /^Send/ }).click();
        const picture = page.getByRole("img", { name: "A picture, chart.png" });
        await picture.waitFor();
        strictEqual(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth), 1, wire);
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Save chart.png" }).click(),
        ]);
        strictEqual(download.suggestedFilename(), "chart.png");
        deepStrictEqual(new Uint8Array(await readFile(await download.path())), PIXEL, wire);
      }
      await open("#/tools/report");
      await page.getByLabel("Wire", { exact: true }).selectOption("rest");
      await page.getByRole("button", { name: /^Send/ }).click();
      const files = page.getByRole("list", { name: "Files" });
      await files.waitFor();
      match(await files.innerText(), /Save report_1\.png[^]*Save rows\.csv\s+14 bytes of text\/csv/);
      const value = await page.locator("pre.value").innerText();
      match(value, /"title": "Sales"[^]*"data": "69 bytes"/);
      ok(!value.includes("iVBOR"));
      await loadAxe(page);
      deepStrictEqual(await violationsOf(page, "files"), []);
    });
  },
);

testWith("console: names and contents of files are text", [findProgram("chromium")], async (chromium) => {
  await withPage({ server: fileServer(), chromium }, async ({ page, open }) => {
    await open("#/tools/hostile");
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.getByRole("list", { name: "Files" }).waitFor();
    match(await page.getByRole("list", { name: "Files" }).innerText(), /Save <img src=x/);
    ok(await page.title() !== "owned");
  });
});
