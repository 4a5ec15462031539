/** One page of the console in Chromium, with all that must not happen in it. */
import { deepStrictEqual } from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { Server } from "../../mod.ts";
import { serve } from "../../src/entries/serve.ts";
import { PAGE_KEY } from "./page_server.ts";

/** A page, its server, and its problems so far. */
export interface OpenPage {
  readonly page: Page;
  /** URL of the server, without a slash at its end. */
  readonly url: string;
  /** Bodies of the requests that the page sent to wires. */
  readonly sent: readonly string[];
  /** Opens a fragment of the console. */
  open(fragment: string): Promise<void>;
}

/** Options of {@link withPage}. */
export interface PageOptions {
  readonly server: Server | string;
  readonly chromium: string;
  /** Text of console errors that the test causes. */
  readonly expected?: RegExp;
  readonly width?: number;
  /** Whether the page opens other origins, and fails to. */
  readonly isAttack?: boolean;
}

let browser: Promise<Browser> | undefined;

/** Names below `.test` are this machine, as a hostile name server could have it. */
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP *.test 127.0.0.1"];

/** The browser that the pages of a file share. The next file of the same process starts another. */
async function launch(executablePath: string): Promise<Browser> {
  if (browser !== undefined && (await browser).isConnected()) return await browser;
  const { chromium } = await import("playwright-core");
  browser = chromium.launch({ executablePath, args: ARGS });
  return await browser;
}

/** Closes the shared browser, after the tests of a file. */
export async function closeBrowser(): Promise<void> {
  const opened = await browser;
  browser = undefined;
  await opened?.close();
}

/** Runs `use` with a page, and fails after it on console errors, policy reports and requests to other origins. */
export async function withPage(options: PageOptions, use: (open: OpenPage) => Promise<void>): Promise<void> {
  const { server, chromium: executablePath } = options;
  const listening = typeof server === "string" ? undefined : await serve(server, { port: 0 });
  const url = (listening?.url ?? String(server)).replace(/\/$/, "");
  const context = await (await launch(executablePath)).newContext({
    viewport: { width: options.width ?? 1440, height: 900 },
  });
  try {
    // As after the link with the key was opened. A blank page has no storage.
    await context.addInitScript({ content: `try { sessionStorage.setItem("toolwire-key", "${PAGE_KEY}"); } catch {}` });
    const page = await context.newPage();
    const { problems, sent } = watch(page, url, options.expected);
    const open = async (fragment: string) => void await page.goto(`${url}/console${fragment}`);
    await use({ page, url, sent, open });
    if (options.isAttack !== true) deepStrictEqual(problems, []);
  } finally {
    await context.close();
    await listening?.close();
  }
}

function watch(page: Page, url: string, expected: RegExp | undefined) {
  page.setDefaultTimeout(30_000);
  const problems: string[] = [];
  const sent: string[] = [];
  const note = (text: string) => expected?.test(text) || problems.push(text);
  page.on("console", (message) => message.type() === "error" && note(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith(`${url}/`) && !to.startsWith("data:")) problems.push(`A request to ${to}`);
    if (request.method() === "POST" && !to.includes("/console/api/")) sent.push(request.postData() ?? "");
  });
  return { problems, sent };
}

/** Calls a tool over MCP-lite, as another caller. */
export async function callElsewhere(url: string, name: string, args: unknown): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const headers = { "content-type": "application/json" };
  await (await fetch(`${url}/mcp-lite/v1/calltools`, { method: "POST", headers, body })).text();
}
