/** WebMCP in Chromium with the flag of the proposal; the page is the agent. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { findProgram, runProgram, testWith } from "../../serve/programs.ts";

const BUILD = [
  "tests/integrations/webmcp/browser_page.ts",
  "--bundle",
  "--platform=browser",
  "--format=iife",
  "--log-level=error",
];

const NAMES = ["broken", "film", "forever", "greet", "math.add", "order.place", "story"];

/** What `browser_page.ts` returns, among others. */
interface Found {
  readonly schema: { readonly properties: object };
  readonly errors: readonly string[];
}

async function openPage(executablePath: string, script: string): Promise<unknown> {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--enable-features=WebMCP"],
  });
  try {
    const page = await browser.newPage();
    // A secure context, as WebMCP needs one. Nothing listens there.
    await page.route(
      "http://localhost/",
      (route) => route.fulfill({ contentType: "text/html", body: "<title>page</title>" }),
    );
    await page.goto("http://localhost/");
    await page.addScriptTag({ content: script });
    return await page.evaluate("runInPage()");
  } finally {
    await browser.close();
  }
}

testWith(
  "the agent of a page lists and calls the tools of a server",
  ["chromium", "esbuild"].map(findProgram),
  async (chromium = "", esbuild = "") => {
    const bundled = await runProgram([esbuild, ...BUILD]);
    strictEqual(bundled.code, 0, bundled.stderr);
    const page = await openPage(chromium, bundled.stdout) as Found;
    const { schema, errors, ...found } = page;
    deepStrictEqual(Object.keys(schema.properties), ["a", "b"]);
    deepStrictEqual(found, {
      listed: NAMES,
      names: Object.fromEntries(NAMES.map((name) => [name, name])),
      hints: [["math.add", true, false], ["order.place", false, true]],
      answers: ["3", "Once upon a time", "film.mp4", "Hello Ada"],
      // The browser's; the handler was aborted, too.
      abortedName: "AbortError",
      again: 'The browser refuses the tool "math.add": InvalidStateError: Duplicate tool name',
      afterRefusal: NAMES.length,
      afterEnd: [],
      selected: ["story"],
    });
    const [invalid, failure, broken] = errors.map((text) => JSON.parse(text).error);
    strictEqual(invalid.code, "invalid_input");
    match(invalid.message, /^- a: Invalid type/m);
    deepStrictEqual([failure.code, failure.data], ["sold_out", { left: 0 }]);
    match(failure.message, /There are none left/);
    strictEqual(broken.code, "internal");
    doesNotMatch(broken.message, /secret/);
  },
  60_000,
);
