/** `examples/hello/browser` in a real browser: a page of another origin that uses the single-file build. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { findProgram, runProgram, startProgram, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const needs = ["chromium", "bun", "esbuild"].map(findProgram);

testWith(
  "examples/hello/browser calls and streams across origins, and no other page can",
  needs,
  async (chromium, bun, esbuild) => {
    await using folder = await temporaryFolder();
    const build = join(folder.path, "toolwire.js");
    // As the package's own build does it; `dist/` may be stale.
    const bundled = await runProgram([
      esbuild ?? "",
      "mod.ts",
      "--bundle",
      "--format=esm",
      "--target=es2023",
      "--minify",
      `--outfile=${build}`,
      "--log-level=error",
    ]);
    strictEqual(bundled.code, 0, bundled.stderr);
    await using program = await startProgram([bun ?? "", "examples/hello/browser/serve.ts", "0", "0", build], {
      url: /http:\/\/\S+/,
    });
    match(program.url, /^http:\/\/127\.0\.0\.1:(\d+)\/\?server=http:\/\/127\.0\.0\.1:(?!\1)\d+$/);

    const browser = await launch(chromium ?? "");
    try {
      await checkAllowedPage(browser, program.url);
      await checkForeignPage(browser, program.url);
    } finally {
      await browser.close();
    }
  },
  90_000,
);

async function launch(executablePath: string): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

async function checkAllowedPage(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  const preflights: number[] = [];
  page.on("response", (response) => response.request().method() === "OPTIONS" && preflights.push(response.status()));
  await page.goto(url);
  await page.getByText("Greet someone").waitFor();
  await page.getByText("Count down to 1, a number at a time").waitFor();

  await page.fill("input[name=name]", "Grace");
  await page.click("#greet button");
  await page.getByText("Hello, Grace!").waitFor();

  await page.fill("input[name=from]", "5");
  // A state that lasts a moment may be missed by looking; the page itself notes them all.
  await page.evaluate(() => {
    const output = document.querySelector("#count_down output");
    const states: string[] = [];
    Object.assign(globalThis, { states });
    new MutationObserver(() => states.push(output?.textContent ?? "")).observe(output as Node, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  await page.click("#count_down button");
  await page.getByText("5 4 3 2 1 Lift-off!").waitFor();
  const states = await page.evaluate(() => (globalThis as unknown as { states: string[] }).states);
  ok(states.includes("5 4 "), `the pieces came one by one: ${JSON.stringify(states)}`);
  deepStrictEqual(errors, []);
  ok(preflights.every((status) => status === 204), `preflights: ${preflights}`);
  await page.close();
}

/** The same page under another name is another origin, and not on the list. */
async function checkForeignPage(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(url.replace("127.0.0.1", "localhost"));
  await page.locator("#greet output.error").waitFor();
  await page.click("#greet button");
  await page.locator("#greet").getByText(/Cannot reach the server/).waitFor();
  ok(errors.some((text) => /CORS/.test(text)), errors.join("\n"));
  await checkForeignFetch(page, new URL(url).searchParams.get("server") ?? "");
  await page.close();
}

/** A request that needs no preflight arrives, and is refused all the same; the page cannot even read why. */
async function checkForeignFetch(page: Page, server: string): Promise<void> {
  const url = `${server}/mcp-lite/v1/tools`;
  const simple = { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" };
  const read = await page.evaluate(
    ([to, init]) => fetch(to, init).then(() => true, () => false),
    [url, simple] as const,
  );
  strictEqual(read, false, "the page cannot read the answer");
  const refused = await fetch(url, { ...simple, headers: { ...simple.headers, origin: new URL(page.url()).origin } });
  strictEqual(refused.status, 403);
  strictEqual(refused.headers.get("access-control-allow-origin"), null);
}
