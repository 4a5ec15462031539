/** `toolwire inspect`: the console of the official server, over its pipes and over HTTP, in a real browser. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { findProgram, root, startProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { closeBrowser, type OpenPage, withPage } from "../../console/browser_page.ts";
import { createOfficialV2 } from "../../wires/mcp/client/official_v2.ts";
import { runInProcess } from "./in_process.ts";
import { commandOf } from "./run.ts";

after(closeBrowser);

const CHROMIUM = findProgram("chromium");
const LINK = /http:\/\/127\.0\.0\.1:\d+\/console#once=\w+/;

/** Calls `add` from the form, and reads the answer. */
async function callAdd({ page }: OpenPage): Promise<void> {
  await page.locator("nav.list a", { hasText: "add" }).click();
  await page.getByLabel("a", { exact: true }).fill("19");
  await page.getByLabel("b", { exact: true }).fill("23");
  await page.getByRole("button", { name: "Send", exact: false }).click();
  await page.locator("pre.value", { hasText: `"sum": 42` }).waitFor();
}

/** Opens the link, which works once, uses the page, and finds that the tab keeps access. */
async function inspect(link: string, chromium: string): Promise<void> {
  const { origin, hash } = new URL(link);
  await withPage({ server: origin, chromium, expected: /status of 4(01|10)/ }, async (open) => {
    await open.open(hash);
    await callAdd(open);
    strictEqual(await open.page.evaluate(() => location.hash.includes("once")), false);
    await open.page.reload();
    await callAdd(open);
    const other = await (await open.page.context().browser()?.newContext())?.newPage();
    await other?.goto(link);
    await other?.getByText("This link was opened already").waitFor();
    await other?.context().close();
  });
}

testWith("inspect: a program, with the link in the browser, ends cleanly", [CHROMIUM, findProgram("bun")], async (
  chromium,
  bun,
) => {
  await using folder = await temporaryFolder();
  const opened = join(folder.path, "opened");
  const pid = join(folder.path, "pid");
  writeFileSync(join(folder.path, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > ${opened}\n`);
  chmodSync(join(folder.path, "xdg-open"), 0o755);
  const official = join(root, "tests/wires/mcp/client/stdio_v2_program.ts");
  const target = ["--", "sh", "-c", `echo $$ > ${pid}; exec ${bun} ${official}`];
  const env = { PATH: `${folder.path}:${process.env["PATH"]}` };
  await using program = await startProgram(commandOf("inspect", "--open", ...target), { url: LINK, env });
  await program.printed(/official 2\.4\.0: 9 tools at sh/);
  await inspect(program.url, chromium);
  match(program.output(), /add mcp answer [\d.]+ ms/);
  strictEqual(readFileSync(opened, "utf8"), program.url);
  const child = Number(readFileSync(pid, "utf8"));
  ok(process.kill(child, 0));
  program.signal("SIGINT");
  strictEqual(await program.exited, 0, program.output());
  let isRunning = true;
  // Its parent has closed its input.
  for (let count = 0; isRunning && count < 200; count++) {
    isRunning = readFileSync(pid, "utf8") !== "" && isAlive(child);
    if (isRunning) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  ok(!isRunning, "the program of the target has ended");
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The official server on a port. */
async function serveOfficial(): Promise<AsyncDisposable & { readonly url: string }> {
  const handler = createMcpHandler(() => createOfficialV2());
  const http = createServer(async (request, response) => {
    const { method = "GET", headers, url } = request;
    const body = method === "POST" ? { body: await text(request) } : {};
    const init = { method, headers: headers as Record<string, string>, ...body };
    const answer = await handler.fetch(new Request(`http://127.0.0.1${url}`, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return { url, [Symbol.asyncDispose]: () => new Promise((resolve) => void http.close(() => resolve())) };
}

testWith("inspect: the official server over HTTP", [CHROMIUM], async (chromium) => {
  await using official = await serveOfficial();
  const interruption = new AbortController();
  const started = Promise.withResolvers<string>();
  const ended = runInProcess(["inspect", official.url], {
    interrupt: interruption.signal,
    onOutput: (printed) => void (LINK.test(printed) && started.resolve(printed.trim())),
  });
  void ended.then(({ errors }) => started.reject(new Error(errors)));
  try {
    await inspect(await started.promise, chromium);
  } finally {
    interruption.abort();
  }
  const { code, out, errors } = await ended;
  deepStrictEqual([code, LINK.test(out)], [0, true], errors);
  match(errors, /official 2\.4\.0: 9 tools at http:\/\/127\.0\.0\.1/);
});
