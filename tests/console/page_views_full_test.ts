/** Views of tools (MCP Apps) in the console, in a real browser: what they get, and what they cannot reach. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createServer as createHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { join } from "node:path";
import process from "node:process";
import { findProgram, root, testWith } from "../serve/programs.ts";
import { loadAxe, violationsOf } from "./axe.ts";
import { closeBrowser, type OpenPage, withPage } from "./browser_page.ts";
import { PAGE_KEY } from "./page_server.ts";
import { viewCalls, viewServer } from "./view_server.ts";

after(closeBrowser);

const CHROMIUM = [findProgram("chromium")];

/** Opens a tool, and sends its call. */
async function send({ page, open }: OpenPage, tool: string, args: unknown = {}): Promise<void> {
  await open(`?${tool}#/tools/${tool}?args=${encodeURIComponent(btoa(JSON.stringify(args)))}`);
  await page.getByRole("heading", { name: tool }).waitFor();
  await page.getByRole("button", { name: /^Send/ }).click();
}

testWith(
  "console: a view gets the call, calls tools as its caller, asks before a page opens, and ends",
  CHROMIUM,
  async (
    chromium,
  ) => {
    viewCalls.length = 0;
    await withPage({ server: viewServer(), chromium }, async (open) => {
      const { page } = open;
      await page.context().route("https://weather.test/**", (route) => route.fulfill({ body: "a report" }));
      await send(open, "weather", { place: "Bern" });
      const view = page.frameLocator("iframe.view");
      await view.getByText("14°").waitFor();
      await page.waitForFunction(() => document.querySelector<HTMLElement>("iframe.view")?.style.height !== "");
      await view.getByRole("button", { name: "Next days" }).click();
      await view.getByText("15°").waitFor();
      const heard = view.locator("#state", { hasText: "ui/" });
      strictEqual(await heard.innerText(), "ui/notifications/tool-input ui/notifications/tool-result");
      await page.getByRole("button", { name: "Dark or light" }).click();
      await view.locator("html[data-theme=dark]").waitFor();
      for (const [answer, shown] of [["Do not open", "not opened"], ["Open the page", "opened"]] as const) {
        await view.getByRole("button", { name: "Report" }).click();
        const asked = page.getByRole("dialog", { name: "The view asks to open a page" });
        await asked.getByText("https://weather.test/report?day=1").waitFor();
        const popup = answer === "Open the page" ? page.context().waitForEvent("page") : undefined;
        await asked.getByRole("button", { name: answer }).click();
        await view.locator("#state", { hasText: new RegExp(`^${shown}$`) }).waitFor();
        if (popup !== undefined) strictEqual((await popup).url(), "https://weather.test/report?day=1");
      }
      await page.getByText(/messages with the view/).click();
      await page.locator(".events li", { hasText: /← tools\/call \{"name":"more_days"/ }).waitFor();
      const marks = await page.locator("nav.list a", { hasText: "more_days" }).locator(".mark").allInnerTexts();
      deepStrictEqual(marks, ["app"], "a tool that models do not see is shown as such");
      // The view saves its state when its screen is left.
      await page.evaluate(() => location.hash = "#/feed");
      await page.getByRole("row", { name: /save_place/ }).first().waitFor();
      await page.locator("iframe").waitFor({ state: "detached" });
    });
    deepStrictEqual(viewCalls, ["weather Bern undefined", "more_days Bern undefined", "save_place Bern undefined"]);
  },
);

testWith(
  "console: a view is accessible, and shows the call of each wire, and that of another caller",
  CHROMIUM,
  async (chromium) => {
    viewCalls.length = 0;
    await withPage({ server: viewServer(), chromium }, async (open) => {
      const { page } = open;
      await send(open, "weather", { place: "Bern" });
      const view = page.frameLocator("iframe.view");
      await view.getByText("14°").waitFor();
      await page.getByText(/messages with the view/).click();
      await loadAxe(page);
      for (const [width, colorScheme] of [[400, "light"], [1440, "dark"]] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        deepStrictEqual(await violationsOf(page, `view, ${width} px`), []);
      }
      for (const wire of ["mcp-2025", "mcp-lite"]) {
        await page.getByLabel("Wire", { exact: true }).selectOption(wire);
        await page.getByLabel("place", { exact: true }).fill(wire);
        await page.getByRole("button", { name: /^Send/ }).click();
        await view.getByRole("heading", { name: wire, exact: true }).waitFor();
        await view.getByText("14°").waitFor();
      }
      await page.evaluate(() => location.hash = "#/access");
      await page.getByLabel("Id of the caller").fill("ada");
      await page.getByRole("button", { name: "Act as" }).click();
      await page.evaluate(() => location.hash = "#/tools/weather");
      await page.getByRole("button", { name: "Send as ada" }).click();
      await view.getByRole("button", { name: "Next days" }).click();
      await view.getByText("15°").waitFor();
      await page.getByRole("button", { name: "Value" }).click();
      await page.locator("pre.value", { hasText: '"days"' }).waitFor();
      await page.locator("iframe").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "View" }).click();
      await view.getByText("14°").waitFor();
      viewCalls.push("stop");
      await page.getByRole("button", { name: "Stop acting as ada" }).click();
      await page.locator("iframe").waitFor({ state: "detached" });
    });
    const ofAda = viewCalls.slice(viewCalls.indexOf("weather mcp-lite ada"));
    // A view of one caller does not call as the next one.
    deepStrictEqual(ofAda, ["weather mcp-lite ada", "more_days mcp-lite ada", "save_place mcp-lite ada", "stop"]);
  },
);

testWith("console: a view reaches neither the page, nor its key, nor the server, nor another origin", CHROMIUM, async (
  chromium,
) => {
  viewCalls.length = 0;
  const taken: string[] = [];
  const attacker = createHttp(({ url = "" }, response) => {
    taken.push(url);
    response.end("taken");
  });
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  const thief = `http://thief.test:${(attacker.address() as AddressInfo).port}/`;
  await withPage({ server: viewServer(thief), chromium, isAttack: true }, async (open) => {
    const { page, url } = open;
    const attack = async (tool: string) => {
      await send(open, tool);
      const text = await page.frameLocator("iframe.view").locator("#found", { hasText: "{" }).innerText();
      ok(!text.includes(PAGE_KEY), "the key is not among what a view gets");
      return (JSON.parse(text) as { readonly found: Record<string, string> }).found;
    };
    const found = await attack("attack");
    const reached = Object.entries(found).filter(([, what]) => what.startsWith("REACHED"));
    deepStrictEqual(reached, [], "what the view reached");
    match(found["tool for models"] ?? "", /visibility does not have "app"/);
    match(found["script as a link"] ?? "", /Only addresses of web pages/);
    strictEqual(await page.title(), "Toolwire console");
    ok(page.url().startsWith(`${url}/console`));
    await send(open, "leave");
    await page.getByRole("alert").getByText("The view has left its page").waitFor();
    strictEqual(await page.locator("iframe").count(), 0);
    deepStrictEqual(taken, []);
    const declared = Object.entries(await attack("declared")).filter(([, what]) => what.startsWith("REACHED"));
    deepStrictEqual(declared.map(([name]) => name), ["other origin"], "a declared origin is reached");
    deepStrictEqual(taken, ["/"]);
  });
  deepStrictEqual(viewCalls, []);
  attacker.close();
  attacker.closeAllConnections();
});

/** The picture of docs/console.md, which is taken only if this variable is set. */
if (process.env["TOOLWIRE_PICTURES"] !== undefined) {
  testWith("console: a picture of a view", CHROMIUM, async (chromium) => {
    await withPage({ server: viewServer(), chromium, width: 1280 }, async (open) => {
      const { page } = open;
      await page.emulateMedia({ colorScheme: "dark" });
      await send(open, "weather", { place: "Bern" });
      await page.frameLocator("iframe.view").getByText("14°").waitFor();
      await page.getByText(/messages with the view/).click();
      await page.screenshot({ path: join(root, "docs/images/console/view.jpg"), type: "jpeg", quality: 58 });
    });
  });
}
