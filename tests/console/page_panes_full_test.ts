/** The panes of the console beside tools and calls, each used in a real browser. */
import { Buffer } from "node:buffer";
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { mcpSessions, memorySessionStore } from "../../src/entries/mcp.ts";
import { findProgram, root, testWith } from "../serve/programs.ts";
import { loadAxe, violationsOf } from "./axe.ts";
import { callElsewhere, closeBrowser, type OpenPage, withPage } from "./browser_page.ts";
import { HOSTILE, PAGE_KEY } from "./page_server.ts";
import { paneServer, setWeather } from "./pane_server.ts";

after(closeBrowser);

const CHROMIUM = [findProgram("chromium")];

/** A test of one page on a server whose tools ask. */
function testPane(name: string, use: (open: OpenPage) => Promise<void>, expected?: RegExp): void {
  testWith(`console: ${name}`, CHROMIUM, async (chromium) => {
    await withPage({ server: paneServer(), chromium, ...(expected && { expected }) }, use);
  });
}

testPane("keys are written as on the keyboard of the platform", async ({ page, open }) => {
  for (const [platform, shown, other] of [["MacIntel", "⌘⏎", "Ctrl"], ["Linux x86_64", "Ctrl ⏎", "⌘"]] as const) {
    await page.addInitScript({
      content: `Object.defineProperty(navigator, "platform", { value: "${platform}", configurable: true })`,
    });
    await open(`?${platform}#/tools/sign_off`);
    await page.getByRole("heading", { name: "sign_off" }).waitFor();
    const text = await page.locator("#app").innerText();
    ok(text.includes(shown) && !text.includes(other), `${platform}: ${text}`);
  }
});

const ASKING = ["mcp-2026", "mcp-2025", "mcp-lite", "rest", "connect"];

testPane(
  "questions of a call are answered on each wire, in forms that begin with defaults, and the log is shown",
  async ({ page, open }) => {
    await open("#/tools/book_table");
    await page.getByLabel("guests", { exact: true }).fill("4");
    for (const wire of ASKING) {
      await page.getByLabel("Wire", { exact: true }).selectOption(wire);
      await page.getByRole("button", { name: /^Send/ }).click();
      const first = page.getByRole("group", { name: "The tool asks", exact: true });
      await first.waitFor();
      if (wire === "mcp-2026") {
        const log = page.getByRole("table", { name: "Log of the call" });
        match(await log.innerText(), /info\s+looking for a table for 4 {"guests":4}/);
      }
      ok((await first.innerText()).includes("<img src=x onerror="), "text of tools is text");
      strictEqual(
        await first.getByLabel("terrace", { exact: true }).inputValue(),
        "true",
        "a form begins with defaults",
      );
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
    }
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.getByRole("group", { name: "The tool asks", exact: true }).getByRole("button", { name: "Decline" })
      .click();
    await page.locator("pre.value", { hasText: '"because": "decline"' }).waitFor();
  },
  /status of 422/,
);

testWith("console: questions over MCP 2025-11-25 are answered in a session", CHROMIUM, async (chromium) => {
  const store = memorySessionStore();
  const ids = new Set<string>();
  const put = store.put.bind(store);
  store.put = (session, before) => {
    ids.add(session.id);
    return put(session, before);
  };
  const server = paneServer(false, mcpSessions({ store }));
  await withPage({ server, chromium, expected: /status of 404/ }, async ({ page, open, sent }) => {
    await open("#/tools/sign_off");
    await page.getByLabel("Wire", { exact: true }).selectOption("mcp-2025");
    for (const text of ["first", "second"]) {
      await page.getByRole("button", { name: /^Send/ }).click();
      const visits = page.getByRole("group", { name: "The tool asks for a visit of a page" });
      await visits.nth(0).getByRole("button", { name: "I have visited it" }).click();
      await visits.nth(1).getByRole("button", { name: "Decline" }).click();
      const model = page.getByRole("group", { name: "The tool asks a model" });
      await model.getByLabel("text", { exact: true }).fill(text);
      await model.getByRole("button", { name: "Answer as the model" }).click();
      const folders = page.getByRole("group", { name: "The tool asks for folders" });
      await folders.getByRole("button", { name: "Decline" }).click();
      await page.locator("pre.value", { hasText: text }).waitFor();
      const value = JSON.parse(await page.locator("pre.value").innerText());
      deepStrictEqual([value.page.action, value.script.action, value.folders.action], ["accept", "decline", "decline"]);
      strictEqual(sent.filter((body) => body.includes('"initialize"')).length, 1, "the session is kept");
    }
    for (const id of ids) await store.delete(id);
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.getByRole("group", { name: "The tool asks a model" }).waitFor();
    strictEqual(sent.filter((body) => body.includes('"initialize"')).length, 2, "an ended session is replaced");
    const cancelled = page.waitForRequest((request) => /notifications.cancelled/.test(request.postData() ?? ""));
    await page.keyboard.press("Escape");
    await page.getByRole("alert").getByText("Cancelled.").waitFor();
    await cancelled;
  });
});

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

testPane("a resource of a link waits for the lists, and is followed", async ({ page, open }) => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/mcp", async (route) => {
    if (!/server.discover/.test(route.request().postData() ?? "")) return await route.continue();
    ask();
    await released;
    await route.continue();
  });
  await open("#/resources/weather%3A%2F%2Fnow");
  await asked;
  strictEqual(await page.getByRole("button", { name: "Read" }).count(), 0, "it could not be read yet");
  release();
  await page.getByRole("button", { name: "Read" }).click();
  await page.locator("pre.value", { hasText: "sunny" }).waitFor();
  await page.getByText("live, 0 changes").waitFor();
});

testPane(
  "resources and templates are read, and again when the server says that one has changed",
  async ({ page, open, sent }) => {
    await open("#/resources");
    await page.getByRole("link", { name: /Weather/ }).click();
    await page.getByRole("heading", { name: "Weather" }).waitFor();
    ok(!sent.some((body) => body.includes("resources/read")), "a link reads nothing");
    await page.keyboard.press("Control+Enter");
    await page.locator("pre.value", { hasText: "sunny" }).waitFor();
    await page.getByText("live, 0 changes").waitFor();
    setWeather("rain");
    await page.locator("pre.value", { hasText: "rain" }).waitFor();
    await page.getByText("live, 1 change").waitFor();
    // A read that is answered after a later one is old.
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/mcp", async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    }, { times: 1 });
    await page.getByRole("button", { name: "Read" }).click();
    setWeather("hail");
    await page.locator("pre.value", { hasText: "hail" }).waitFor();
    const late = page.waitForEvent("requestfinished", (request) => /resources.read/.test(request.postData() ?? ""));
    release();
    await late;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    strictEqual(await page.locator("pre.value").innerText(), "hail");
    setWeather("sunny");
    await open("#/resources/image%3A%2F%2Fdot");
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByRole("img", { name: "A picture, image/png" }).waitFor();
    strictEqual(await page.locator("img").evaluate((one) => (one as HTMLImageElement).naturalWidth), 1);
    await page.locator("img.tiny").waitFor();
    const renderingOf = () => page.locator("img").evaluate((one) => getComputedStyle(one).imageRendering);
    strictEqual(await renderingOf(), "pixelated");
    await open("#/resources/image%3A%2F%2Fplot");
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByRole("img", { name: "A picture, image/svg+xml" }).waitFor();
    strictEqual(await renderingOf(), "auto");
    await open("#/resources/hostile%3A%2F%2Fpage");
    await page.getByRole("button", { name: "Read" }).click();
    await page.locator("pre.value", { hasText: "<script>" }).waitFor();
    strictEqual(await page.locator("img").count(), 0);
    match(await page.title(), /^Toolwire/);
    await page.getByRole("link", { name: /Books/ }).click();
    const id = page.getByLabel("id", { exact: true });
    await id.fill("1");
    await page.waitForFunction(() => document.querySelectorAll("datalist option").length === 2);
    const proposed = await page.locator("datalist option").evaluateAll((all) =>
      all.map((one) => one.getAttribute("value"))
    );
    deepStrictEqual(proposed, ["1", "12"]);
    await id.fill("12");
    await page.locator("code", { hasText: "books://12" }).waitFor();
    await page.getByRole("button", { name: "Read" }).click();
    await page.locator("pre.value", { hasText: "Middlemarch" }).waitFor();
    await id.fill("99");
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByRole("alert").waitFor();
  },
);

testPane("a prompt shows the messages that its arguments make", async ({ page, open }) => {
  await open("#/prompts/review");
  await page.getByLabel("code", { exact: true }).fill("let x = 1");
  await page.locator(".member", { hasText: "language" }).getByRole("button", { name: /left out/ }).click();
  await page.getByLabel("language", { exact: true }).fill("ru");
  await page.waitForFunction(() => document.querySelector("datalist option[value=rust]") !== null);
  await page.getByRole("button", { name: "Get messages" }).click();
  await page.locator(".messages li").nth(1).waitFor();
  match(
    await page.locator(".messages").innerText(),
    /user\s+Review this ru code: let x = 1\s+assistant\s+Gladly. <img/,
  );
});

testPane("the palette finds recent calls and resources by keys, and a saved call is a test", async (open) => {
  const { page } = open;
  await open.open("#/resources");
  await page.locator("nav.list a").first().waitFor();
  await callElsewhere(open.url, "book_table", { guests: 2 });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("call, book");
  await page.getByRole("option", { name: /book_table #/ }).waitFor();
  await page.getByRole("combobox").fill("o");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowDown");
  strictEqual(await page.getByRole("option", { selected: true }).count(), 1);
  ok(await page.getByRole("option").nth(1).getAttribute("aria-selected") === "true");
  await page.getByRole("combobox").fill("weather");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Weather" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("nothing has this name");
  await page.getByText("Nothing matches").waitFor();
  await page.keyboard.press("Escape");
  await open.open("#/tools/book_table");
  await page.getByLabel("guests", { exact: true }).fill("2");
  const downloading = page.waitForEvent("download");
  await page.getByLabel("Copy the call as").selectOption("Save as a test file");
  const download = await downloading;
  strictEqual(download.suggestedFilename(), "book_table_test.ts");
});

testPane(
  "the list is compared with a file, calls are recorded and replayed, and called as another caller",
  async (open) => {
    const { page, url, sent } = open;
    await open.open("#/changes");
    await page.getByText("saw no earlier process").waitFor();
    const file = (name: string, text: string) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
    await page.getByLabel("Compare with a file").setInputFiles(file("x.json", "[7]"));
    await page.getByText("x.json has no list of tools").waitFor();
    await page.getByLabel("Compare with a file").setInputFiles(file(HOSTILE.slice(0, 20), '[{"name":"gone"}]'));
    await page.getByRole("row", { name: /breaking tool "gone" it was removed or renamed/ }).waitFor();
    await open.open("?later#/changes");
    await page.evaluate(() => {
      const [key = ""] = Object.keys(localStorage).filter((one) => one.startsWith("toolwire-list"));
      const [present] = JSON.parse(localStorage.getItem(key) ?? "[]");
      localStorage.setItem(key, JSON.stringify([{ ...present, instance: "before", tools: present.tools.slice(1) }]));
    });
    await open.open("?restarted#/changes");
    await page.getByRole("row", { name: /compatible tools one was added/ }).waitFor();
    await open.open("#/record");
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("recording, 0 calls").waitFor();
    await callElsewhere(url, "book_table", { guests: 2 });
    await page.getByText("recording, 1 call,").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Replay it" }).click();
    await page.getByText("1 of them may change something").waitFor();
    await page.getByRole("button", { name: "Send 1 call" }).click();
    await page.getByText("1 of 1 have the same result").waitFor();
    await open.open("#/access");
    await page.getByRole("row", { name: /audit ✕ lacks audit:read/ }).waitFor();
    await page.getByLabel("Id of the caller").fill("ada");
    await page.getByLabel("Scopes").fill("audit:read other");
    await page.getByRole("button", { name: "Act as" }).click();
    await page.getByRole("row", { name: /audit ✓ may call/ }).waitFor();
    await page.evaluate(() => location.hash = "#/tools/audit");
    await page.getByRole("heading", { name: "audit" }).waitFor();
    await page.getByRole("button", { name: "Send as ada" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.locator("pre.value", { hasText: "the log, for ada" }).waitFor();
    await page.getByRole("button", { name: "Bytes" }).click();
    const text = await page.locator("#app").innerText();
    ok(!text.includes(PAGE_KEY), "the key is not shown");
    await page.evaluate(() => location.hash = "#/resources/notes%3A%2F%2Fmine");
    await page.getByRole("heading", { name: "My notes" }).waitFor();
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByRole("alert").waitFor();
    await page.evaluate(() => location.hash = "#/prompts/review");
    await page.getByLabel("code", { exact: true }).fill("1");
    await page.getByRole("button", { name: "Get messages" }).click();
    match(await page.locator(".messages li").nth(1).innerText(), /Gladly, ada\./);
    strictEqual(sent.length, 0, "no wire was used");
    await page.evaluate(() => location.hash = "#/access");
    await page.getByLabel("Scopes").fill("notes:read");
    await page.getByRole("button", { name: "Act as" }).click();
    await page.evaluate(() => location.hash = "#/resources/notes%3A%2F%2Fmine");
    await page.getByRole("button", { name: "Read" }).click();
    await page.locator("pre.value", { hasText: "the notes of ada" }).waitFor();
    strictEqual(sent.length, 0, "no wire was used");
    await page.getByText("Acting as ada, with the scopes notes:read").waitFor();
    await page.getByRole("button", { name: "Stop acting as ada" }).click();
    await page.getByText("Acting as ada").waitFor({ state: "detached" });
    await page.locator("pre.value").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByRole("alert").waitFor();
  },
  /status of 401/,
);

/** The panes, each with something in it. */
const PANES: readonly (readonly [name: string, fragment: string, show: (page: Page) => Promise<void>])[] = [
  ["questions", `#/tools/sign_off`, async (page) => {
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.locator(".question").nth(3).waitFor();
  }],
  ["form and log", `#/tools/book_table?args=${btoa('{"guests":4}')}`, async (page) => {
    await page.getByLabel("guests", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.locator(".log").waitFor();
  }],
  ["changes", "#/changes", async (page) => {
    const buffer = Buffer.from('{"tools":[{"name":"gone"},{"name":"sign_off","description":"x"}]}');
    await page.getByLabel("Compare with a file").setInputFiles({ name: "before.json", mimeType: "text/plain", buffer });
    await page.getByRole("row", { name: /gone/ }).waitFor();
  }],
  ["record", "#/record", async (page) => {
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("recording, 0 calls").waitFor();
    await page.getByRole("button", { name: "Replay it" }).click();
    await page.getByRole("button", { name: "Send 0 calls" }).waitFor();
  }],
  ["resources", "#/resources", (page) => page.locator("nav.list a").nth(3).waitFor()],
  ["resource", "#/resources/weather%3A%2F%2Fnow", async (page) => {
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByText("live, 0 changes").waitFor();
  }],
  ["prompt", "#/prompts/review", async (page) => {
    await page.getByLabel("code", { exact: true }).fill("let x = 1");
    await page.getByRole("button", { name: "Get messages" }).click();
    await page.locator(".messages li").nth(1).waitFor();
  }],
  ["access", "#/access", async (page) => {
    await page.getByLabel("Id of the caller").fill("ada");
    await page.getByRole("button", { name: "Act as" }).click();
    await page.getByRole("button", { name: "Stop acting as ada" }).waitFor();
  }],
];

testWith("console: panes are accessible, dark and wide, light and narrow", CHROMIUM, async (chromium) => {
  await withPage({ server: paneServer(), chromium, width: 1280 }, async ({ page, open }) => {
    await open("");
    await loadAxe(page);
    const found: string[] = [];
    for (const [name, fragment, show] of PANES) {
      await page.evaluate((hash) => location.hash = hash, fragment);
      await show(page);
      for (const [width, colorScheme] of [[400, "light"], [1280, "dark"]] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        found.push(...await violationsOf(page, `${name}, ${width} px`));
      }
    }
    deepStrictEqual(found, []);
  });
});

/** Folder of the pictures of docs/console.md. They are taken only if this variable is set. */
const PICTURES = process.env["TOOLWIRE_PICTURES"] === undefined ? undefined : join(root, "docs/images/console");
const PICTURED = ["form and log", "changes", "record", "access", "resource", "prompt"];

if (PICTURES !== undefined) {
  testWith("console: pictures of the panes", CHROMIUM, async (chromium) => {
    await withPage({ server: paneServer(true), chromium, width: 1280 }, async ({ page, open }) => {
      for (const [name, fragment, show] of PANES.filter(([name]) => PICTURED.includes(name))) {
        await page.emulateMedia({ colorScheme: PICTURED.indexOf(name) % 2 === 0 ? "light" : "dark" });
        await open(`?${encodeURIComponent(name)}${fragment}`);
        await show(page);
        await page.screenshot({ path: join(PICTURES, `${name.replaceAll(" ", "_")}.jpg`), type: "jpeg", quality: 58 });
      }
    });
  });
}
