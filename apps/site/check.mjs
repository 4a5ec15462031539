/**
 * Checks the built site: `node apps/site/check.mjs`. Files first (links, titles, descriptions), then eight pages in Chromium in both themes:
 * accessibility and contrast by axe, layout shift, console errors, requests to other origins, and the page that runs code.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { openBrowser, PAGES } from "./browser.mjs";
import { findFileProblems } from "./check_files.mjs";
import { findLayoutProblems } from "./check_layout.mjs";
import { checkPlayground, checkSearch, checkTypes } from "./check_programs.mjs";
import { serveSite } from "./static_server.mjs";

const AXE = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
const TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];
const REFUSED = 'violates the following Content Security Policy directive: "img-src data:"';
const MAX_LAYOUT_SHIFT = 0.01;
const PHONE = { width: 390, height: 844 };

const problems = findFileProblems();
const { url, close } = await serveSite();
const browser = await openBrowser();
try {
  for (const path of PAGES) {
    for (const colorScheme of ["light", "dark"]) {
      await checkPage(path, {
        colorScheme,
        viewport: { width: 1280, height: 900 },
      });
    }
  }
  for (const path of ["/", "/concepts", "/play"]) await checkPage(path, { viewport: PHONE });
  await withPage("phone", { viewport: PHONE }, checkLayouts);
  await withPage("search", {}, (page) => checkSearch(page, url));
  await withPage("types", {}, (page) => checkTypes(page, url));
  await withPage("/play", {}, (page) => checkPlayground(page, url));
} finally {
  await browser.close();
  close();
}
for (const problem of problems) console.error(problem);
console.log(
  `${PAGES.length} pages in both themes, ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

async function checkPage(path, options) {
  await withPage(
    `${path} ${options.colorScheme ?? options.viewport.width}`,
    options,
    async (page) => {
      await page.addInitScript(observeShifts);
      await page.goto(url + path);
      await page.locator("html[data-ready]").waitFor({ state: "attached" });
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(`axe.run(document, ${JSON.stringify(rulesOf(options))})`);
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      const shift = await page.evaluate(() => globalThis.layoutShift);
      return [
        ...serious.flatMap(({ id, nodes }) =>
          nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
        ),
        ...(shift > MAX_LAYOUT_SHIFT ? [`layout shift ${shift}`] : []),
        ...await page.evaluate(findLayoutProblems),
      ];
    },
  );
}

/** The layout of each page on a phone. */
async function checkLayouts(page) {
  const found = [];
  for (const path of PAGES) {
    await page.goto(url + path);
    await page.locator("html[data-ready]").waitFor({ state: "attached" });
    found.push(...(await page.evaluate(findLayoutProblems)).map((problem) => `${path} ${problem}`));
  }
  return found;
}

/** The dark theme differs in its colours alone. */
function rulesOf({ colorScheme }) {
  return { runOnly: colorScheme === "dark" ? ["color-contrast"] : TAGS, iframes: false };
}

/** Runs `check` in a page, and adds its problems, the page's errors and its requests to other origins. */
async function withPage(name, options, check) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const note = (problem) => problems.push(`${name}: ${problem}`);
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !text.includes(REFUSED)) note(`console error: ${text}`);
  });
  page.on("pageerror", (error) => note(`exception: ${error.message}`));
  const noteForeign = (request) => {
    const to = request.url();
    if (!/^(data|blob):/.test(to) && !to.startsWith(`${url}/`)) note(`request to ${to}`);
  };
  page.on("requestfinished", noteForeign);
  // Code on /play tries to reach another origin: the policy of its frame refuses it, and nothing is sent.
  page.on("requestfailed", (request) => request.failure()?.errorText === "csp" || noteForeign(request));
  for (const problem of await check(page)) note(problem);
  await context.close();
}

function observeShifts() {
  globalThis.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) globalThis.layoutShift += hadRecentInput ? 0 : value;
  }).observe({ type: "layout-shift", buffered: true });
}
