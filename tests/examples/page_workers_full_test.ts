/** Servers within a page, in Chromium: in a Service Worker, which the page calls by its URL, and in a Web Worker, over a message port. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { findProgram, root, runProgram, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** The snippets of the section, by the comment that begins each. */
async function readSnippets(): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(join(root, "docs/client.md"), "utf8");
  const [, section = ""] = /^## Tools within a page\n(.*?)^## /ms.exec(page) ?? [];
  return new Map(
    Array.from(section.matchAll(/```js\n\/\/ (\S+)\n(.*?)```/gs), ([, name = "", code = ""]) => [name, code]),
  );
}

const TOOLS = `import { createServer, defineTool } from "toolwire";
const greet = defineTool("greet").describe("Greet").handle(({ name }) => \`Hello, \${name}!\`);
const count = defineTool("count").describe("Count").handle(async function* () { yield 1; yield 2; yield 3; });
export const server = createServer({ tools: [greet, count], logger: false });
`;

const CALLS = `
const numbers = [];
for await (const number of client.count.stream()) numbers.push(number);
document.title = JSON.stringify([await client.greet({ name: "Ada" }), numbers]);
`;

testWith("tools in a Service Worker and in a Web Worker are called from their page", [
  findProgram("chromium"),
  findProgram("esbuild"),
], async (executablePath, esbuild) => {
  const snippets = await readSnippets();
  deepStrictEqual([...snippets.keys()], ["service_worker.ts", "page.ts", "web_worker.ts", "page_of_worker.ts"]);
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "tools.ts"), TOOLS);
  for (const [name, code] of snippets) {
    await writeFile(join(folder.path, name), name.startsWith("page") ? code + CALLS : code);
  }
  const inputs = [...snippets.keys()].map((name) => join(folder.path, name));
  const args = [
    "--bundle",
    "--format=esm",
    "--alias:toolwire=./mod.ts",
    `--outdir=${folder.path}`,
    "--log-level=error",
  ];
  const bundled = await runProgram([esbuild, ...inputs, ...args]);
  strictEqual(bundled.code, 0, bundled.stderr);
  const site = createServer(async ({ url = "" }, response) => {
    const isScript = url.endsWith(".js");
    const script = `${url === "/" ? "page" : "page_of_worker"}.js`;
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" })
      .end(isScript ? await readFile(join(folder.path, url)) : `<script type="module" src="/${script}"></script>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const address = site.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  try {
    for (const path of ["/", "/worker"]) {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}${path}`);
      await page.waitForFunction(() => document.title.startsWith("["));
      strictEqual(await page.title(), '["Hello, Ada!",[1,2,3]]', path);
    }
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
  }
}, 90_000);
