/** Views in a real host: `AppBridge` of ext-apps in Chromium, two origins, and the policy as an HTTP header. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Frame, Page } from "playwright-core";
import { createSales } from "../../../examples/apps/server.ts";
import { findProgram, runProgram, testWith } from "../../serve/programs.ts";
import { callTool, findView, startHost } from "./host/host.ts";
import type { HostInput, HostLog } from "./host/host_page.ts";
import { createTestServer } from "./host/test_server.ts";

const FOLDER = "tests/integrations/apps/host";

async function bundle(esbuild: string, file: string, format: "esm" | "iife"): Promise<string> {
  const command = [esbuild, `${FOLDER}/${file}`, "--bundle", "--minify", `--format=${format}`, "--log-level=error"];
  const { code, stdout, stderr } = await runProgram(command);
  strictEqual(code, 0, stderr);
  return stdout.replaceAll("</script", "<\\/script");
}

/** The frame of the view, within that of the sandbox. */
async function frameOf(page: Page): Promise<Frame> {
  const sandbox = await (await page.waitForSelector("iframe")).contentFrame();
  const inner = await (await sandbox?.waitForSelector("iframe"))?.contentFrame();
  if (!inner) throw new Error("There is no frame of the view");
  return inner;
}

async function show(page: Page, input: HostInput): Promise<Frame> {
  await page.evaluate(
    (given) => (globalThis as unknown as { show(given: HostInput): Promise<void> }).show(given),
    input,
  );
  return await frameOf(page);
}

const logOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { log: HostLog }).log);

testWith(
  "the host of ext-apps shows views, which call tools with their types, under the policy that is declared",
  ["chromium", "esbuild"].map(findProgram),
  async (executablePath = "", esbuild = "") => {
    const { chromium } = await import("playwright-core");
    const { buildPage } = await import("../../../examples/apps/build_page.ts");
    const [hostScript, viewScript, salesPage, browser] = await Promise.all([
      bundle(esbuild, "host_page.ts", "iife"),
      bundle(esbuild, "test_view.ts", "esm"),
      buildPage(),
      chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] }),
    ]);
    try {
      const page = await browser.newPage();
      await showExample(page, hostScript, salesPage);
      for (const isDeclared of [false, true]) await useAll(page, hostScript, viewScript, isDeclared);
    } finally {
      await browser.close();
    }
  },
  60_000,
);

async function showExample(page: Page, script: string, html: string): Promise<void> {
  const server = createSales(html);
  await using host = await startHost(script, server);
  await page.goto(host.url);
  const input = { region: "south" };
  const view = await findView(server, "sales");
  const result = await callTool(server, { name: "sales", arguments: input });
  const frame = await show(page, { html: view.html, sandbox: host.sandbox(view), partials: [], input, result });
  await frame.waitForSelector("text=Sales in the south >> visible=true");
  strictEqual(await frame.locator("button").count(), 6);
  await frame.click("button:has-text('Mar')");
  await frame.waitForSelector("text=Mar: 63 % of all sales");
}

async function useAll(page: Page, script: string, viewScript: string, isDeclared: boolean): Promise<void> {
  const html =
    `<!doctype html><title>View</title><body style="height: 123px; margin: 0"><script type="module">${viewScript}</script>`;
  await using host = await startHost(script, { fetch: (request) => server.fetch(request) });
  const server = createTestServer({ html, ...(isDeclared && { csp: { connectDomains: [host.api] } }) });
  await page.goto(host.url);
  const view = await findView(server, "points");
  const result = await callTool(server, { name: "points", arguments: { count: 2 } });
  deepStrictEqual(result["structuredContent"], { result: [0, 1] });
  const input = {
    html: view.html,
    sandbox: host.sandbox(view),
    partials: [{}, { count: 2 }],
    input: { count: 2 },
    result,
  };
  const frame = await show(page, input);
  await frame.waitForFunction(() =>
    (globalThis as unknown as { events: string[] }).events.at(-1)?.startsWith("result")
  );
  const events = await frame.evaluate(() => (globalThis as unknown as { events: string[] }).events);
  deepStrictEqual(events, ["context dark", "partial {}", 'partial {"count":2}', "input 2.0", "result 0+1"]);

  const seen = await frame.evaluate(
    (url) => (globalThis as unknown as { useAll(url: string): Promise<Record<string, unknown>> }).useAll(url),
    host.api,
  );
  checkSeen(seen, isDeclared);
  await page.evaluate(() => (globalThis as unknown as { change(context: object): void }).change({ theme: "light" }));
  await page.evaluate(() => (globalThis as unknown as { cancel(): void }).cancel());
  await frame.waitForFunction(() =>
    (globalThis as unknown as { events: string[] }).events.at(-1) === "cancelled stopped"
  );
  strictEqual(await frame.evaluate(() => document.documentElement.dataset["theme"]), "light");
  await page.evaluate(() => (globalThis as unknown as { teardown(): Promise<void> }).teardown());
  checkLog(await logOf(page));
}

function checkSeen({ invalid, absent, fetch, ...seen }: Record<string, unknown>, isDeclared: boolean): void {
  strictEqual(fetch, isDeclared ? "data" : "blocked");
  match(String(invalid), /^invalid_input: Invalid arguments at "count"/);
  match(String(absent), /^method_not_found: /);
  const { host, ...others } = seen;
  deepStrictEqual(others, {
    points: ["0.0", "1.0", "2.0"],
    failure: 0,
    refused: "permission_denied: The host has refused ui/open-link",
    mode: "inline",
    colour: "rgb(1, 2, 3)",
    aborted: "enough",
  });
  const { name, capabilities } = host as { name: string; capabilities: object };
  strictEqual(name, "host");
  ok("serverTools" in capabilities);
}

function checkLog({ order, asked, heights }: HostLog): void {
  deepStrictEqual(order.filter((line) => !line.includes("size-changed")).slice(0, 9), [
    "view: ui/notifications/sandbox-proxy-ready",
    "host: ui/notifications/sandbox-resource-ready",
    "view: ui/initialize",
    "host: result",
    "view: ui/notifications/initialized",
    "host: ui/notifications/tool-input-partial",
    "host: ui/notifications/tool-input-partial",
    "host: ui/notifications/tool-input",
    "host: ui/notifications/tool-result",
  ]);
  ok(order.includes("log: a line"));
  // The view calls a tool before it answers, and the host waits for it.
  deepStrictEqual(order.slice(-4), [
    "host: ui/resource-teardown",
    "view: tools/call",
    "host: result",
    "view: result",
  ]);
  strictEqual(heights[0], 123);
  deepStrictEqual(asked["ui/message"], { role: "user", content: [{ type: "text", text: "Hello" }] });
  deepStrictEqual(asked["ui/update-model-context"], { structuredContent: { selected: 1 } });
  deepStrictEqual(asked["ui/request-display-mode"], { mode: "fullscreen" });
}
