/**
 * Checks of what the pages do: the search, types of names in snippets, and the page that runs code, with errors, a request to elsewhere
 * and the console.
 *
 * @module
 */

/** The search finds a page without a network. */
export async function checkSearch(page, url) {
  await page.goto(url, { waitUntil: "networkidle" });
  await page.context().setOffline(false);
  await page.keyboard.press("Control+k");
  const problems = [];
  for (const [words, title, isEarly] of SEARCHED) {
    await page.locator("#localsearch-input").fill(words);
    // What a person asks is answered by one of the first four results.
    const results = `#localsearch-list li${isEarly ? ":nth-child(-n+4)" : ""} a`;
    const wanted = page.locator(results, { hasText: title }).first();
    await wanted.waitFor({ timeout: 10_000 }).catch(() => problems.push(`the search for "${words}" finds no ${title}`));
  }
  return problems;
}

/** Words of a reader, and what the results have: questions, an error, names and options of the package, messages of errors. */
const SEARCHED = [
  ["api key", /An API key in a header/, true],
  ["default argument", /Optional arguments, defaults and choices/, true],
  ["return an error", /Return an error/, true],
  ["cancel job", /Jobs, for operators/, true],
  ["stream pieces", /Stream pieces as they come/, true],
  ["database connection", /A database connection/, true],
  ["logger", /Observability|logging/, true],
  ["host shows no tools", /If the host shows no tools/, true],
  ["call another tool", /Calls of other tools/, true],
  ["sampling", /What you get on each wire/, true],
  ["idempotency keys", /idempotency/i],
  ["deadline_exceeded", /deadline_exceeded/],
  ["toolsFromOpenApi", /toolsFromOpenApi/],
  ["defineCallerState", /defineCallerState/],
  ["answerChars", /Limits|Options of a server|ServerOptions/],
  ["idleTimeoutMs", /Serving|ServeOptions|idleTimeoutMs|Connections/i],
  ["Cannot create server: a prompt is not finished", /Messages.*Resources and prompts/s],
  ["The token is malformed", /Messages.*Auth/s],
  ["Cannot create key ring: keys are missing", /Messages.*Keys and tokens/s],
];

/** A name of the first example shows its type to the pointer and to the keyboard. */
export async function checkTypes(page, url) {
  await page.goto(url, { waitUntil: "networkidle" });
  const tip = page.locator("#type-tip");
  const name = page.locator(".home-code .typed", { hasText: "hits" }).first();
  const seen = [];
  for (const reach of [() => name.hover(), () => name.focus()]) {
    await page.keyboard.press("Escape");
    await page.mouse.move(0, 0);
    await reach();
    await tip.waitFor({ timeout: 10_000 }).catch(() => {});
    seen.push(await tip.isVisible() ? await tip.innerText() : "nothing");
  }
  return seen.filter((type) => !/^const hits: \{\s+title: string;/.test(type)).map((type) => `"hits" shows ${type}`);
}

const IMPORTS = 'import { createServer, defineTool } from "toolwire";\n';
/** Code, and what the page prints for it. */
const CASES = [
  ['console.log({ a: [1, "b"] } as unknown);', /^\{ a: \[ 1, "b" \] \}$/],
  [`${IMPORTS}const broken: string = ;`, /^Line 2: /],
  [
    'const a: number = 1;\n\nthrow new TypeError("planned");',
    /^Line 3: TypeError: planned$/,
  ],
  [
    'import { readFileSync } from "node:fs";\nreadFileSync("x");',
    /Cannot import node:fs: this page has toolwire,/,
  ],
  [
    'await fetch("https://example.com/");',
    /Cannot request https:\/\/example\.com: code on this page has no network/,
  ],
  [
    'new Image().src = "https://example.com/x.png"; localStorage.setItem("a", "b"); console.log(document.cookie);',
    /./,
  ],
];

/** All examples run to their end, errors name their line, and the console shows a call. */
export async function checkPlayground(page, url) {
  const problems = [];
  const state = page.locator(".play-state");
  const settle = () =>
    page.locator(
      '.play-state[data-state="done"], .play-state[data-state="failed"]',
    ).waitFor();
  await page.goto(`${url}/play`);
  const examples = await page.locator("option").allInnerTexts();
  for (const example of examples) {
    await page.locator("select").selectOption({ label: example });
    await settle();
    if (await state.innerText() !== "done") {
      problems.push(
        `${example}: ${await page.locator(".play-output").innerText()}`,
      );
    }
  }
  if (examples.length < 6) {
    problems.push(`there are ${examples.length} examples`);
  }
  for (const [code, expected] of CASES) {
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Run" }).click();
    await settle();
    const printed = await page.locator(".play-output").innerText();
    if (!expected.test(printed)) {
      problems.push(`${JSON.stringify(code)} prints ${printed}`);
    }
  }
  return [...problems, ...await checkConsole(page)];
}

async function checkConsole(page) {
  await page.locator("select").selectOption({ index: 1 });
  await page.getByRole("tab", { name: "Console of the server" }).click();
  const tool = page.frameLocator("iframe").getByText("render_film").first();
  await tool.waitFor();
  return await tool.isVisible() ? [] : ["the console does not show the tools of the server"];
}
