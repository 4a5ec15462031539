/** The jobs of another process, in the console of this one: seen, answered, cancelled, and run again after its end. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { findProgram, type Found, type Program, root, startProgram, testWith } from "../serve/programs.ts";
import { findServer, startRedis } from "../jobs/engines/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { loadAxe, violationsOf } from "./axe.ts";
import { closeBrowser, withPage } from "./browser_page.ts";
import { jobsServer } from "./jobs_program.ts";

after(closeBrowser);

const CHROMIUM = findProgram("chromium");
const PATIENCE_MS = 60_000;
/** The picture of docs/console.md, which is taken only if this variable is set. */
const PICTURE = process.env["TOOLWIRE_PICTURES"] === undefined
  ? undefined
  : { path: join(root, "docs/images/console/jobs.jpg"), type: "jpeg" as const, quality: 58 };

function start(store: string, at: string, ...task: readonly string[]): Promise<Program> {
  const program = "tests/console/jobs_program.ts";
  return startProgram([process.execPath, program, store, at, ...task], { url: false });
}

function rowOf(page: Page, tool: string) {
  return page.getByRole("row", { name: new RegExp(tool) }).first();
}

/** What a person does with the jobs of another process. */
async function useJobs(page: Page, store: string, at: string, worker: Program): Promise<void> {
  await rowOf(page, "copy_files").getByText("running").waitFor();
  await rowOf(page, "flaky").getByText("attempts_exhausted").waitFor();
  await rowOf(page, "nap").getByText(/waiting in 29 min/).waitFor();
  await rowOf(page, "rename").getByText("asking").waitFor();

  await page.getByRole("link", { name: /^rename, job/ }).click();
  await page.getByLabel("name", { exact: true }).fill("b.txt");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.locator("pre.value", { hasText: '"renamed": "b.txt"' }).waitFor();
  match(await page.getByRole("region", { name: "Job", exact: true }).innerText(), /<img src=x onerror=/);

  await page.getByRole("link", { name: /^copy_files, job/ }).click();
  await page.getByText("attempt 1 of 3", { exact: true }).waitFor();
  const job = page.getByRole("region", { name: "Job", exact: true });
  await job.getByText("leased by").waitFor();
  const text = await job.innerText();
  match(text, /step\s+list\s+{"files":12,"apiKey":"[^"]*redacted/i);
  doesNotMatch(text, /hunter2|sk-live/);
  const owner = await job.locator("p code[title]").getAttribute("title");

  process.kill(worker.pid, "SIGKILL");
  strictEqual(await worker.exited, null);
  await using other = await start(store, at);
  await page.getByText("attempt 2 of 3", { exact: true }).waitFor({ timeout: PATIENCE_MS });
  await page.locator(".timeline li", { hasText: "running, attempt 2 of 3" }).waitFor();
  const owners = await page.locator(".timeline code").evaluateAll((all) => all.map((one) => one.getAttribute("title")));
  strictEqual(new Set(owners).size, 2, "the timeline names both processes");
  ok(owners.includes(owner));
  await other.printed(/copies, attempt 2/, PATIENCE_MS);
  await page.getByRole("button", { name: "Cancel job…" }).click();
  const asked = page.getByRole("dialog", { name: "Cancel this job?" });
  await page.keyboard.press("Enter");
  await asked.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Cancel job…" }).click();
  await asked.getByRole("button", { name: "Cancel job" }).click();
  await job.getByText("cancelled").first().waitFor();
  await other.printed(/stopped/, PATIENCE_MS);

  await page.getByRole("link", { name: /^flaky, job/ }).click();
  await page.getByRole("button", { name: "Retry" }).click();
  await page.locator(".timeline li", { hasText: "done: attempts_exhausted" }).nth(1).waitFor();
  match(await job.innerText(), /failed\s+attempt 1\s+the disk is full/, "operators see why, callers do not");
  const address = page.url();
  await page.getByRole("button", { name: "Run again" }).click();
  await page.waitForFunction((before) => location.href !== before, address);
  await page.getByLabel("State").selectOption("cancelled");
  await page.getByRole("link", { name: /^rename, job/ }).waitFor({ state: "detached" });
  strictEqual(await page.getByRole("link", { name: /, job/ }).count(), 1);
}

/** Opens the console of a process without a worker, on the jobs of another one. */
async function withJobs(store: string, at: string, chromium: string): Promise<void> {
  await using worker = await start(store, at, "start");
  await worker.printed(/works/, PATIENCE_MS);
  await withPage({ server: jobsServer(store, at, true), chromium }, async ({ page, open }) => {
    await open("#/jobs");
    await useJobs(page, store, at, worker);
    match(await page.title(), /^Toolwire/, "hostile text is text");
  });
}

testWith(
  "console: jobs of another process are answered, cancelled and run again (SQLite)",
  [CHROMIUM],
  async (chromium) => {
    await using folder = await temporaryFolder();
    await withJobs("sqlite", join(folder.path, "jobs.db"), chromium);
  },
  3 * PATIENCE_MS,
);

const REDIS: Found = findServer("redis");

testWith(
  "console: jobs of another process are answered, cancelled and run again (BullMQ)",
  [CHROMIUM, REDIS],
  async (chromium) => {
    const redis = await startRedis();
    try {
      await withJobs("redis", redis.url, chromium);
    } finally {
      await redis.stop();
    }
  },
  3 * PATIENCE_MS,
);

testWith("console: the jobs are accessible, dark, light and narrow", [CHROMIUM], async (chromium) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  await using worker = await start("sqlite", path, "start");
  await worker.printed(/works/, PATIENCE_MS);
  await withPage({ server: jobsServer("sqlite", path, true), chromium }, async ({ page, open }) => {
    await open("#/jobs");
    await loadAxe(page);
    await rowOf(page, "rename").getByText("asking").waitFor();
    const found: string[] = [];
    for (const [width, colorScheme] of [[1280, "dark"], [400, "light"]] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.evaluate(() => location.hash = "#/jobs");
      await page.getByRole("link", { name: /^rename, job/ }).waitFor();
      found.push(...await violationsOf(page, `jobs, ${width} px`));
      for (const tool of ["rename", "copy_files"]) {
        await page.getByRole("link", { name: new RegExp(`^${tool}, job`) }).click();
        await page.getByRole("heading", { name: tool, exact: true }).waitFor();
        found.push(...await violationsOf(page, `${tool}, ${width} px`));
        if (PICTURE !== undefined && width > 720) await page.screenshot(PICTURE);
        if (tool === "copy_files") {
          await page.getByRole("button", { name: "Cancel job…" }).click();
          await page.getByRole("dialog").waitFor();
          found.push(...await violationsOf(page, `cancel, ${width} px`));
          await page.getByRole("button", { name: "Keep the job" }).click();
        }
        const close = page.getByRole("button", { name: "Close" });
        await (width > 720 ? close : page.getByRole("link", { name: "← Jobs" })).click();
      }
    }
    deepStrictEqual(found, []);
    await page.evaluate(() => location.hash = "#/tools");
    await page.locator("nav.list .tool-name").first().waitFor();
    const names = await page.locator("nav.list .tool-name").allInnerTexts();
    match(names.slice(-3).join("; "), /^nap.*; redeem\s+system.*; cancel\s+system/);
  });
}, 3 * PATIENCE_MS);
