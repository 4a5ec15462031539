/** The console in a real browser, on real servers. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after } from "node:test";
import { findProgram, root, testWith } from "../serve/programs.ts";
import { callElsewhere, closeBrowser, type OpenPage, withPage } from "./browser_page.ts";
import { closedServer, HOSTILE, openServer, received } from "./page_server.ts";

after(closeBrowser);

const CHROMIUM = [findProgram("chromium")];

/** A test of one page on an open server. */
function testPage(name: string, use: (open: OpenPage) => Promise<void>, expected?: RegExp): void {
  testWith(name, CHROMIUM, async (chromium) => {
    await withPage({ server: openServer(), chromium, ...(expected && { expected }) }, use);
  });
}

/** Titles of the wires, in their order. */
const WIRES = ["MCP 2026-07-28", "MCP 2025-11-25", "MCP-lite", "REST", "Connect", "gRPC-Web", "Webtools"];

/** Value of the JSON view. */
async function argsOf({ page }: OpenPage): Promise<unknown> {
  const isForm = await page.getByRole("button", { name: "JSON", exact: true }).isVisible();
  if (isForm) await page.getByRole("button", { name: "JSON", exact: true }).click();
  const text = await page.getByLabel("arguments as JSON").inputValue();
  if (isForm) await page.getByRole("button", { name: "Form", exact: true }).click();
  return JSON.parse(text);
}

testPage("console: a filled form is sent over every wire, and the values agree", async (open) => {
  const { page, sent } = open;
  await open.open("");
  await page.locator("nav.list .tool-name").nth(6).waitFor();
  deepStrictEqual(
    await page.locator("nav.list .tool-name").allInnerTexts().then((names) => names.map((name) => name.split(/\s/)[0])),
    ["search_issues", "add", "divide", "broken", "count", "echo", "hostile"],
  );
  await page.locator("nav.list a", { hasText: "search_issues" }).click();
  await page.getByLabel("query", { exact: true }).fill("login fails");
  await page.getByRole("button", { name: "On all wires" }).click();
  await page.locator(".tabs button .answer").nth(6).waitFor();
  const wires = await page.locator(".pane .tabs[aria-label=Wires] button").allInnerTexts();
  deepStrictEqual(wires.map((text) => text.replace(/^✓|[\d.]+ ms/g, "").trim()), WIRES);
  strictEqual(await page.getByText(/≠/).count(), 0);
  for (const name of wires) {
    await page.getByRole("group", { name: "Wires" }).getByRole("button", {
      name: name.replace(/^✓|[\d.]+ ms/g, "").trim(),
    }).click();
    match(await page.locator("pre.value").innerText(), /"title": "About login fails"/);
  }
  // MCP 2025-11-25 begins with a handshake.
  const calls = sent.filter((body) => !/"method":"(initialize|notifications\/initialized)"/.test(body));
  deepStrictEqual([sent.length, calls.length], [9, 7]);
  ok(calls.every((body) => /query.*login fails/s.test(body) && !/limit|state|labels/.test(body)), sent.join("\n"));
});

testPage(
  "console: wires keep their order, and the wire that answers differently is named",
  async ({ page, open, url }) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`${url}/mcp`, (route) => void released.then(() => route.continue()));
    await page.route(`${url}/rest/tools/add`, (route) => route.fulfill({ json: 4 }));
    await open("#/tools/add?args=eyJhIjoxLCJiIjoyfQ==");
    await page.getByRole("button", { name: "On all wires" }).click();
    const tabs = page.getByRole("group", { name: "Wires" });
    await tabs.locator(".answer").nth(4).waitFor();
    const titles = async () =>
      (await tabs.getByRole("button").allInnerTexts()).map((text) => text.replace(/^[✓…]|≠|[\d.]+ ms/g, "").trim());
    deepStrictEqual(await titles(), WIRES);
    strictEqual(await tabs.locator(".running").count(), 2);
    release();
    await tabs.locator(".answer").nth(6).waitFor();
    deepStrictEqual(await titles(), WIRES);
    await page.getByText("REST answers differently from the other 6 wires.").waitFor();
    match(await tabs.getByRole("button", { name: "REST" }).innerText(), /≠/);
  },
);

testPage("console: form and JSON are one value, and only what a person edits changes", async (open) => {
  const { page, sent } = open;
  await open.open("#/tools/echo");
  await page.getByRole("heading", { name: "echo" }).waitFor();
  deepStrictEqual(await argsOf(open), {}, "opening a tool changes nothing");
  strictEqual(sent.length, 0, "opening a tool sends nothing");
  await page.locator(".member", { hasText: "size" }).getByRole("button", { name: /left out/ }).click();
  await page.getByLabel("size", { exact: true }).fill("12");
  deepStrictEqual(await argsOf(open), { size: 12 });
  await page.getByLabel("size", { exact: true }).fill("-");
  deepStrictEqual(await argsOf(open), { size: 12 }, "the last good value stays");
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  await page.getByLabel("arguments as JSON").fill(`{"size": 3, "tag": null, "other": [1, {"b": 2}]}`);
  await page.getByLabel("arguments as JSON").fill(`{"size": `);
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Form", exact: true }).click();
  await page.getByLabel("size", { exact: true }).fill("4");
  deepStrictEqual(await argsOf(open), { size: 4, tag: null, other: [1, { b: 2 }] });
  await page.getByRole("button", { name: "Leave out size" }).click();
  received.length = 0;
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.locator("pre.value").waitFor();
  deepStrictEqual(received, [{ name: "nameless", tag: null, other: [1, { b: 2 }] }]);
  ok(sent.length > 0 && !/nameless/.test(sent.join()), "a default is not sent");
  await page.evaluate(() => location.hash = "#/tools/add");
  await page.getByLabel("a", { exact: true }).fill("5");
  await page.getByRole("button", { name: "Leave out a" }).click();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("[aria-label=a]")?.value === "");
  deepStrictEqual(await argsOf(open), {}, "a field that is left out shows no old text");
});

testPage("console: issues of the server stand at their fields", async (open) => {
  const { page } = open;
  await open.open("#/tools/search_issues");
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  await page.getByLabel("arguments as JSON").fill(`{"query": "x", "limit": 1000}`);
  await page.keyboard.press("Control+Enter");
  await page.locator(".state.failure, .state.error").waitFor();
  await page.getByRole("button", { name: "Form", exact: true }).click();
  await page.locator(".member", { hasText: "limit" }).getByRole("alert").waitFor();
}, /status of 400/);

testPage("console: a link fills in and never sends, also for a tool that is open already", async (open) => {
  const { page, sent } = open;
  const link = (args: unknown) => `#/tools/add?args=${encodeURIComponent(btoa(JSON.stringify(args)))}`;
  await open.open(link({ a: 1, b: 2 }));
  await page.getByLabel("a", { exact: true }).waitFor();
  deepStrictEqual(await argsOf(open), { a: 1, b: 2 });
  await page.evaluate((hash) => location.hash = hash, link({ a: 7 }));
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("[aria-label=a]")?.value === "7");
  deepStrictEqual(await argsOf(open), { a: 7 });
  strictEqual(sent.length, 0);
});

testPage("console: calls of other callers appear, refused ones too", async (open) => {
  const { page, url } = open;
  await open.open("#/feed");
  await page.locator(".pane .dot.live").waitFor();
  await callElsewhere(url, "divide", { a: 6, b: 0 });
  await page.getByRole("row", { name: /divide/ }).first().waitFor();
  await callElsewhere(url, "add", { a: 1, b: 2 });
  await callElsewhere(url, "add", { a: "x" });
  await callElsewhere(url, "no_such_tool", {});
  await callElsewhere(url, "broken", {});
  await page.locator("table.calls tbody tr").nth(4).waitFor();
  const rowsOf = async (filter: string) => {
    await page.getByLabel("Filter calls").fill(filter);
    return await page.locator("table.calls tbody tr td:nth-child(2)").allInnerTexts();
  };
  deepStrictEqual(await rowsOf("status:ok"), ["add"]);
  deepStrictEqual(await rowsOf("tool:divide"), ["divide"]);
  deepStrictEqual(await rowsOf("code:zero -tool:add"), ["divide"]);
  deepStrictEqual(await rowsOf("by:anonymous tool:divide"), ["divide"]);
  ok((await rowsOf("no_such_tool")).length === 1, "a refused call is shown");
  await rowsOf("tool:divide");
  await page.locator("table.calls a", { hasText: "divide" }).click();
  await page.getByRole("heading", { name: "divide" }).waitFor();
  match(await page.locator(".pane").nth(1).innerText(), /failure[^]*zero[^]*Cannot divide by zero[^]*"dividend": 6/);
  await page.getByRole("link", { name: "Open in the editor" }).click();
  await page.getByLabel("b", { exact: true }).waitFor();
  deepStrictEqual(await argsOf(open), { a: 6, b: 0 });
});

testPage("console: everything works by keys alone", async (open) => {
  const { page } = open;
  await open.open("");
  await page.locator("nav.list a").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Search" }).waitFor();
  await page.keyboard.type("divide");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "divide" }).waitFor();
  strictEqual(await page.getByRole("dialog").count(), 0);
  await page.keyboard.press("/");
  await page.keyboard.type("gf");
  strictEqual(await page.getByLabel("Search tools").inputValue(), "gf", "letters are text within a field");
  await page.keyboard.press("Tab");
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await page.getByRole("region", { name: "Calls", exact: true }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

testPage("console: text of strangers is text", async (open) => {
  const { page } = open;
  await open.open("#/tools/hostile");
  await page.getByRole("heading", { name: "hostile" }).waitFor();
  await page.getByRole("button", { name: /left out/ }).first().click();
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.locator("pre.value").waitFor();
  const text = await page.locator("body").innerText();
  ok(text.includes("<img src=x onerror="), "the tags are shown");
  ok(
    !/[\u202a-\u202e\u2066-\u2069]|(?![\t\n\r])\p{Cc}/u.test(text),
    "characters that change others are shown by number",
  );
  ok(text.includes("\\u202egnp.exe\\u0007"), text);
  strictEqual(await page.locator("img, iframe, object, script[src]").count(), 0);
  match(await page.title(), /^Toolwire/);
  ok(HOSTILE.length > 0);
  await open.open("#/feed");
  await callElsewhere(open.url, HOSTILE, {});
  await page.getByRole("row", { name: /onerror/ }).waitFor();
  ok(!/\u202e/.test(await page.locator("body").innerText()));
});

testWith("console: a phone reaches every screen, and shows a call in place of the list", CHROMIUM, async (chromium) => {
  await withPage({ server: openServer(), chromium, width: 400 }, async ({ page, open, url }) => {
    await open("#/feed");
    const rail = page.getByRole("navigation", { name: "Screens" });
    const fits = await rail.evaluate((one) => one.scrollWidth <= one.clientWidth);
    ok(fits, "no screen is beyond the edge");
    await rail.getByRole("button", { name: "More" }).click();
    const shown = await rail.getByRole("link").filter({ visible: true }).allInnerTexts();
    strictEqual(new Set(shown).size, 11);
    await page.getByRole("dialog").getByRole("link", { name: "Server" }).click();
    await page.getByRole("region", { name: "Server" }).waitFor();
    strictEqual(await page.getByRole("dialog").count(), 0);
    await rail.getByRole("link", { name: "Calls" }).click();
    await callElsewhere(url, "add", { a: 1, b: 2 });
    await page.locator("table.calls").getByRole("link", { name: "add" }).click();
    await page.getByRole("heading", { name: "add" }).waitFor();
    ok(!await page.locator("table.calls").isVisible(), "the call is in place of the list");
    await page.getByRole("link", { name: "← Calls" }).click();
    await page.locator("table.calls").getByRole("link", { name: "add" }).waitFor();
  });
});

testWith("console: nothing moves when the data of a screen arrives", CHROMIUM, async (chromium) => {
  await withPage({ server: openServer(), chromium, width: 400 }, async ({ page, open }) => {
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { dataset } = document.documentElement;
          dataset["moved"] = String(
            Number(dataset["moved"] ?? 0) + (entry as PerformanceEntry & { value: number }).value,
          );
        }
      }).observe({ type: "layout-shift", buffered: true });
      // The page is drawn without data first.
      const send = fetch;
      const sendLater = async (...request: Parameters<typeof fetch>) => {
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return await send(...request);
      };
      Object.assign(globalThis, { fetch: sendLater });
    });
    for (const [screen, end] of [["list", "An estimate"], ["access", "may call"], ["server", "webtools"]] as const) {
      await open(`?${screen}#/${screen}`);
      await page.locator("main").getByText(end).first().waitFor();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const moved = await page.evaluate(() => Number(document.documentElement.dataset["moved"] ?? 0));
      ok(moved < 0.02, `${screen}: ${moved}`);
    }
  });
});

testWith("console: a server with auth asks for a token with its scope", CHROMIUM, async (chromium) => {
  await withPage({ server: closedServer(), chromium, expected: /status of 40[13]/ }, async ({ page, open }) => {
    await open("");
    const token = page.getByLabel("Bearer token");
    await token.fill("reader-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText(/The console needs the scope "console"/).waitFor();
    await token.fill("operator-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("nav.list a", { hasText: "add" }).waitFor();
    await open("#/tools/add");
    await page.getByLabel("a", { exact: true }).fill("1");
    await page.getByLabel("b", { exact: true }).fill("2");
    await page.keyboard.press("Control+Enter");
    await page.locator("pre.value", { hasText: "3" }).waitFor();
    await page.getByRole("button", { name: "Bytes" }).click();
    ok(!/operator-token/.test(await page.locator("body").innerText()), "the token is not shown");
    ok(!page.url().includes("operator-token"));
  });
});

testPage("console: a stream shows its pieces as one answer on every wire", async ({ page, open }) => {
  await open("#/tools/count");
  await page.getByLabel("to", { exact: true }).fill("3");
  await page.getByRole("button", { name: "On all wires" }).click();
  await page.locator(".tabs button .answer").nth(6).waitFor();
  const tabs = page.getByRole("group", { name: "Wires" }).getByRole("button");
  for (let at = 0; at < 7; at++) {
    await tabs.nth(at).click();
    match(await page.locator("pre.value").innerText(), /1 2 3/, await tabs.nth(at).innerText());
  }
});

/** Folder of the pictures of docs/console.md. They are taken only if this variable is set. */
const PICTURES = process.env["TOOLWIRE_PICTURES"] === undefined ? undefined : join(root, "docs/images/console");

async function takePictures({ page, open, url }: OpenPage, folder: string): Promise<void> {
  // README.md shows the first one, which is in the package.
  const fileOf = (name: string) => join(folder, name === "tools" ? "../console.jpg" : `${name}.jpg`);
  const take = (name: string) => page.screenshot({ path: fileOf(name), type: "jpeg", quality: 58 });
  await page.emulateMedia({ colorScheme: "light" });
  await open("#/tools/search_issues");
  await page.getByLabel("query", { exact: true }).fill("login fails");
  await page.getByRole("button", { name: "On all wires" }).click();
  await page.locator(".tabs button .answer").nth(6).waitFor();
  await take("tools");
  await page.getByRole("button", { name: "Bytes" }).click();
  await take("bytes");
  await page.evaluate(() => location.hash = "#/feed");
  for (let n = 0; n < 12; n++) await callElsewhere(url, "add", { a: n, b: 1 });
  await callElsewhere(url, "count", { to: 3 });
  await callElsewhere(url, "no_such_tool", {});
  await callElsewhere(url, "broken", {});
  await callElsewhere(url, "divide", { a: 1, b: 0 });
  await page.getByRole("row", { name: /divide/ }).first().waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await take("calls");
  await page.locator("table.calls a", { hasText: "divide" }).click();
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByRole("heading", { name: "divide" }).waitFor();
  await take("call");
  await page.evaluate(() => location.hash = "#/list");
  await page.getByRole("region", { name: "What a model sees" }).getByRole("table").waitFor();
  await page.getByRole("button", { name: "OpenAI" }).click();
  await page.getByRole("link", { name: "search_issues" }).click();
  await page.getByRole("region", { name: "search_issues" }).waitFor();
  await page.getByLabel("Search as a model").fill("issues of a repository by label");
  await page.getByText(/found, the best first/).waitFor();
  await take("models");
}

if (PICTURES !== undefined) {
  testWith("console: pictures of the documentation", CHROMIUM, async (chromium) => {
    mkdirSync(PICTURES, { recursive: true });
    await withPage({ server: openServer(true), chromium, width: 1280 }, (open) => takePictures(open, PICTURES));
  });
}
