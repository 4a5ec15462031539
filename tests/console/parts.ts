/** The use of each part of the console in a browser, on a `partsServer`. */
import { Buffer } from "node:buffer";
import { match, ok, strictEqual } from "node:assert/strict";
import { callElsewhere, type OpenPage } from "./browser_page.ts";

/** The use of one part. It fails if the part does not work. */
export type Part = readonly [name: string, use: (open: OpenPage) => Promise<void>];

/** Changes the screen without a new load of the page. */
async function go({ page }: OpenPage, fragment: string): Promise<void> {
  await page.evaluate((hash) => location.hash = hash, fragment);
}

/** Starts a job, as another caller. Returns its promise token. */
async function startJob(url: string): Promise<string> {
  const params = { name: "rename", arguments: {}, _meta: { promise: true } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { "content-type": "application/json" };
  const text = await (await fetch(`${url}/mcp-lite/v1/calltools`, { method: "POST", headers, body })).text();
  return /prom_[\w-]+/.exec(text)?.[0] ?? text;
}

/** Sends the call of a tool with a view, and waits until the view shows the result. */
async function showView(open: OpenPage): Promise<void> {
  const { page } = open;
  await go(open, `#/tools/weather?args=${btoa('{"place":"Bern"}')}`);
  await page.getByRole("heading", { name: "weather" }).waitFor();
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.frameLocator("iframe.view").getByText("14°").waitFor();
}

/** All parts, in an order in which each can be reached from the one before. */
export const PARTS: readonly Part[] = [
  ["the page has a policy, and its API needs the key", async ({ page, url }) => {
    const response = await page.goto(`${url}/console`);
    match(response?.headers()["content-security-policy"] ?? "", /^default-src 'none'; script-src 'sha256-[^;]+;/);
    const headers = { "content-type": "application/json", "x-toolwire-console": "1" };
    const refused = await fetch(`${url}/console/api/hello`, { method: "POST", headers, body: "{}" });
    strictEqual(refused.status, 403, await refused.text());
  }],
  ["a filled form shows the issues of the server", async ({ page }) => {
    await page.locator("nav.list a", { hasText: "add" }).click();
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    await page.getByLabel("arguments as JSON").fill('{"a": 40, "b": "x"}');
    await page.keyboard.press("Control+Enter");
    await page.locator(".state.failure, .state.error").waitFor();
    await page.getByRole("button", { name: "Form", exact: true }).click();
    await page.locator(".member", { hasText: "b" }).getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Leave out b" }).click();
    await page.getByLabel("b", { exact: true }).fill("2");
  }],
  ["one call on every wire, with its bytes", async ({ page }) => {
    await page.getByRole("button", { name: "On all wires" }).click();
    const tabs = page.getByRole("group", { name: "Wires" }).getByRole("button");
    await page.locator(".tabs button .answer").nth(6).waitFor();
    strictEqual(await page.getByText(/≠/).count(), 0);
    await page.getByRole("button", { name: "Bytes" }).click();
    for (let at = 0; at < 7; at++) {
      await tabs.nth(at).click();
      match(await page.locator("pre.bytes").nth(1).innerText(), /^HTTP 200\n/);
    }
    await page.getByRole("button", { name: "Value" }).click();
    await page.locator("pre.value", { hasText: "42" }).waitFor();
  }],
  ["the feed has the calls of others", async (open) => {
    const { page, url } = open;
    await go(open, "#/feed");
    await page.locator(".pane .dot.live").waitFor();
    await callElsewhere(url, "add", { a: 5, b: "x" });
    await page.getByLabel("Filter calls").fill("status:error wire:mcp-lite");
    await page.locator("table.calls a", { hasText: "add" }).first().click();
    await page.getByRole("link", { name: "Open in the editor" }).click();
    await page.getByLabel("a", { exact: true }).waitFor();
    strictEqual(await page.getByLabel("a", { exact: true }).inputValue(), "5");
  }],
  ["a job is answered, another one cancelled, and a token read", async (open) => {
    const { page, url } = open;
    const token = await startJob(url);
    await go(open, "#/jobs");
    await page.getByRole("link", { name: /^rename, job/ }).click();
    const answered = await page.evaluate(() => location.hash);
    await page.getByLabel("name", { exact: true }).fill("b.txt");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.locator("pre.value", { hasText: '"renamed": "b.txt"' }).waitFor();
    await startJob(url);
    await go(open, "#/jobs");
    // The list is read every two seconds: the answered job may still be shown as asking.
    await page.locator(`table.jobs a:not([href="${answered}"])`).first().click();
    await page.getByRole("button", { name: "Cancel job…" }).click();
    await page.getByRole("button", { name: "Cancel job", exact: true }).click();
    await page.getByRole("region", { name: "Job", exact: true }).getByText("cancelled").first().waitFor();
    await go(open, "#/token");
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByText("bound to it, not readable").waitFor();
  }],
  ["a question is answered, and the log is shown", async (open) => {
    const { page } = open;
    await go(open, `#/tools/book_table?args=${btoa('{"guests":4}')}`);
    await page.getByRole("heading", { name: "book_table" }).waitFor();
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.getByLabel("time", { exact: true }).selectOption("20:00");
    await page.getByLabel("name", { exact: true }).fill("Ada");
    match(await page.getByRole("table", { name: "Log of the call" }).innerText(), /looking for a table for 4/);
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("button", { name: "Grant" }).click();
    await page.locator("pre.value", { hasText: '"booked": true' }).waitFor();
  }],
  ["a resource is followed, a template and a prompt are completed", async (open) => {
    const { page, url } = open;
    await go(open, "#/resources/weather%3A%2F%2Fnow");
    await page.getByRole("button", { name: "Read" }).click();
    await page.locator("pre.value", { hasText: "sunny" }).waitFor();
    await page.getByText("live, 0 changes").waitFor();
    await callElsewhere(url, "set_weather", { to: "hail" });
    await page.locator("pre.value", { hasText: "hail" }).waitFor();
    await page.getByRole("link", { name: /Books/ }).click();
    await page.getByLabel("id", { exact: true }).fill("1");
    await page.locator('datalist option[value="12"]').waitFor({ state: "attached" });
    await go(open, "#/prompts/review");
    await page.getByLabel("code", { exact: true }).fill("let x");
    await page.getByRole("button", { name: "Get messages" }).click();
    await page.locator(".messages li", { hasText: "Review this any code: let x" }).waitFor();
  }],
  ["a view", showView],
  ["the list of a model, and its search", async (open) => {
    const { page } = open;
    await go(open, "#/list");
    await page.getByRole("button", { name: "OpenAI" }).click();
    await page.getByRole("link", { name: "book_table" }).click();
    await page.getByRole("region", { name: "book_table" }).waitFor();
    await page.getByLabel("Search as a model").fill("book a table");
    await page.getByText(/found, the best first/).waitFor();
  }],
  ["another caller, a saved test, changes since a file", async (open) => {
    const { page } = open;
    await go(open, "#/access");
    await page.getByLabel("Id of the caller").fill("ada");
    await page.getByLabel("Scopes").fill("audit:read");
    await page.getByRole("button", { name: "Act as" }).click();
    await go(open, "#/tools/audit");
    await page.getByRole("button", { name: "Send as ada" }).click();
    await page.locator("pre.value", { hasText: "the log, for ada" }).waitFor();
    await page.getByRole("button", { name: "Stop acting as ada" }).click();
    await go(open, "#/tools/add");
    await page.getByRole("heading", { name: "add" }).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByLabel("Copy the call as").selectOption("Save as a test file"),
    ]);
    strictEqual(saved.suggestedFilename(), "add_test.ts");
    await go(open, "#/changes");
    const before = { name: "before.json", mimeType: "application/json", buffer: Buffer.from('[{"name":"gone"}]') };
    await page.getByLabel("Compare with a file").setInputFiles(before);
    await page.getByRole("row", { name: /breaking tool "gone"/ }).waitFor();
  }],
  ["calls are recorded and replayed", async (open) => {
    const { page, url } = open;
    await go(open, "#/record");
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("recording, 0 calls").waitFor();
    await callElsewhere(url, "add", { a: 1, b: 2 });
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Replay it" }).click();
    await page.getByRole("button", { name: "Send 1 call" }).click();
    await page.getByText("1 of 1 have the same result").waitFor();
  }],
  ["the palette, dark, at 400 px", async ({ page }) => {
    await page.setViewportSize({ width: 400, height: 900 });
    await page.getByRole("button", { name: "Dark or light" }).click();
    strictEqual(await page.locator("html").getAttribute("data-theme"), "dark");
    ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no wider than the window");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("book_table");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "book_table" }).waitFor();
  }],
];

/** What a person does with the page of `toolwire inspect`. */
export async function inspectServer(open: OpenPage): Promise<void> {
  const { page } = open;
  await page.locator("nav.list a", { hasText: "add" }).click();
  await page.getByLabel("a", { exact: true }).fill("19");
  await page.getByLabel("b", { exact: true }).fill("23");
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.locator("pre.value", { hasText: "42" }).waitFor();
  await showView(open);
  await go(open, "#/feed");
  await page.getByRole("row", { name: /add/ }).first().waitFor();
}
