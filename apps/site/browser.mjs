/**
 * Chromium for the checks of the site.
 *
 * @module
 */
import { existsSync } from "node:fs";
import process from "node:process";
import { chromium } from "playwright-core";

/** Pages of each kind: home, tabs, diagrams, a guide, long text, figures, the reference, and the page that runs code. */
export const PAGES = [
  "/",
  "/getting-started",
  "/concepts",
  "/tutorials/support-desk",
  "/errors",
  "/guides/long-job",
  "/tools",
  "/promises",
  "/performance",
  "/reference/toolwire",
  "/play",
];

/** Starts Chromium. @throws {Error} If it is not installed. */
export async function openBrowser() {
  const path = [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
  ].find((file) => file && existsSync(file));
  if (path === undefined) {
    throw new Error(
      "Cannot check the site: install chromium, or set CHROMIUM to its path",
    );
  }
  return await chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
