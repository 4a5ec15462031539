/** The entry in a real browser: a page that serves tools to a model elsewhere. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { findProgram, runProgram, testWith } from "../../serve/programs.ts";

testWith(
  "a page runs the calls of a model with tools of its own",
  ["chromium", "esbuild"].map(findProgram),
  async (executablePath, esbuild) => {
    const bundled = await runProgram([
      esbuild ?? "",
      "tests/integrations/agents/browser_page.ts",
      "--bundle",
      "--platform=browser",
      "--format=iife",
      "--log-level=error",
    ]);
    strictEqual(bundled.code, 0, bundled.stderr);
    const { chromium } = await import("playwright-core");
    const browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    });
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: bundled.stdout });
      deepStrictEqual(await page.evaluate("runInPage()"), ["Once upon a time there was a page.", "a cake of 2 layers"]);
    } finally {
      await browser.close();
    }
  },
  60_000,
);
