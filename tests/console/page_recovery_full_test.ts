/** The page after calls that were cancelled, requests that failed, a wrong key, and a change of its caller. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { after } from "node:test";
import { createClient, createServer, defineTool, mcp, mcpLite } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { consolePage } from "../../src/entries/console.ts";
import { findProgram, testWith } from "../serve/programs.ts";
import { closeBrowser, withPage } from "./browser_page.ts";
import { PAGE_KEY } from "./page_server.ts";

after(closeBrowser);

const CHROMIUM = [findProgram("chromium")];

const hang = defineTool("hang").describe("Send a piece, then nothing").handle(async function* (_, ctx) {
  yield "begun ";
  await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
});
const asks = defineTool("asks").describe("Ask").promise().handle(async (_, ctx) => {
  return (await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) })).action;
});
const secret = defineTool("secret").describe("For ada").visibleTo((principal) => principal?.id === "ada").handle(() =>
  1
);

function open(key: string = PAGE_KEY) {
  const wires = [mcp(), mcpLite(), consolePage({ key, actAs: true })];
  return createServer({ name: "recovery", tools: [hang, asks, secret], wires, logger: false });
}

testWith("console: a cancelled call has ended, and an error of a job is shown until the next success", CHROMIUM, async (
  chromium,
) => {
  const server = open();
  await createClient<typeof server>(server).asks.start();
  await withPage({ server, chromium, expected: /status of 503/ }, async ({ page, open }) => {
    await open("#/tools/hang");
    await page.getByLabel("Wire", { exact: true }).selectOption("mcp-lite");
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.locator(".state", { hasText: "running" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".state.error", { hasText: "error" }).waitFor();
    await page.getByRole("alert").getByText("Cancelled.").waitFor();
    await page.evaluate(() => location.hash = "#/jobs");
    await page.getByRole("link", { name: /^asks, job/ }).click();
    await page.getByText("Sure?").waitFor();
    const text = "The engine does not answer";
    const error = { code: "unavailable", message: text };
    await page.route("**/api/jobs/inspect", (route) => route.fulfill({ status: 503, json: { error } }));
    await page.getByText(text).waitFor();
    await page.getByText("Sure?").waitFor();
    await page.unroute("**/api/jobs/inspect");
    await page.getByText(text).waitFor({ state: "detached" });
    await page.route("**/api/jobs/cancel", (route) => route.fulfill({ status: 503, json: { error } }));
    const cancel = async () => {
      await page.getByRole("button", { name: "Cancel job…" }).click();
      await page.getByRole("button", { name: "Cancel job", exact: true }).click();
    };
    await cancel();
    await page.getByText(text).waitFor();
    await page.unroute("**/api/jobs/cancel");
    await cancel();
    await page.getByText(text).waitFor({ state: "detached" });
  });
});

testWith("console: a wrong key is no question of a token, and each caller has a list", CHROMIUM, async (chromium) => {
  await withPage({ server: open("another key"), chromium, expected: /status of 403/ }, async ({ page, open }) => {
    await open("");
    match(await page.getByRole("alert").innerText(), /The key of the console is missing or wrong/);
    strictEqual(await page.getByLabel("Bearer token").count(), 0);
  });
  await withPage({ server: open(), chromium }, async ({ page, open }) => {
    await open("#/access");
    const lists = (count: number) =>
      page.waitForFunction(
        (wanted) => Object.keys(localStorage).filter((one) => one.startsWith("toolwire-list")).length === wanted,
        count,
      );
    await lists(1);
    await page.getByLabel("Id of the caller").fill("ada");
    await page.getByRole("button", { name: "Act as" }).click();
    await page.getByRole("row", { name: /secret ✓ may call/ }).waitFor();
    await lists(2);
    const keys = await page.evaluate(() => {
      const found = Object.keys(localStorage).filter((one) => one.startsWith("toolwire-list")).sort();
      // As after a restart of the server.
      for (const key of found) {
        const [present] = JSON.parse(localStorage.getItem(key) ?? "[]");
        localStorage.setItem(key, JSON.stringify([{ ...present, instance: "before" }]));
      }
      return found.map((key) => key.slice(key.lastIndexOf("[")));
    });
    deepStrictEqual(keys, ['[""]', '["ada"]']);
    await open("?restarted#/changes");
    await page.getByText("No changes").waitFor();
    strictEqual(await page.getByText("secret").count(), 0);
  });
});
