/** Connect, gRPC-Web and WebSocket in a real browser, from a page of another origin. */
import { deepStrictEqual, match } from "node:assert/strict";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "../../../src/entries/serve.ts";
import { findProgram, runProgram, testWith } from "../../serve/programs.ts";
import { createFixture } from "../fixture.ts";
import type { Findings } from "./browser_page.ts";

const needs = ["chromium", "esbuild"].map(findProgram);

testWith(
  "pages call and stream over Connect, gRPC-Web and WebSocket as over HTTP",
  needs,
  async (chromium, esbuild) => {
    const page = await servePage(await bundlePage(esbuild ?? ""));
    const { server, journal } = createFixture();
    const listening = await serve(server.withOriginPolicy({ origins: [page.url], cors: true }), {
      port: 0,
      graceMs: 0,
    });
    try {
      const { gRPC, ...wires } = await inPage(chromium ?? "", page.url, listening.url);
      for (const [wire, findings] of Object.entries(wires)) deepStrictEqual(findings, EXPECTED, wire);
      match(
        String(gRPC),
        /^TypeError: grpcTransport\(\) needs node:http2, which this runtime lacks: use connectTransport\(\)/,
      );
      deepStrictEqual(journal.seen, Object.keys(wires).map(() => "endless ended, aborted: true"));
    } finally {
      await listening.close();
      page.server.close();
    }
  },
  90_000,
);

const EXPECTED: Findings = {
  sum: { sum: 3 },
  pieces: [{ at: 1 }, { at: 2 }, { at: 3 }],
  first: 0,
  failure: { kind: "failure", code: "locked", message: "It is locked", data: { by: "batch" } },
  refusal: "conflict",
  unknownTool: "tool_not_found",
};

/** Bundles the page's program for browsers. The bundle must not contain modules of Node. */
async function bundlePage(esbuild: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram([
    esbuild,
    "tests/wires/grpc/browser_page.ts",
    "--bundle",
    "--platform=browser",
    "--format=esm",
    "--log-level=error",
  ]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

async function servePage(script: string): Promise<{ readonly server: HttpServer; readonly url: string }> {
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function inPage(executablePath: string, pageUrl: string, url: string): Promise<Record<string, unknown>> {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  try {
    const page = await browser.newPage();
    await page.goto(pageUrl);
    await page.waitForFunction("typeof tryAll === 'function'");
    return await page.evaluate(`(async () => JSON.parse(JSON.stringify(await tryAll(${JSON.stringify(url)}))))()`);
  } finally {
    await browser.close();
  }
}
