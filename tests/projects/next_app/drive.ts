import { strictEqual } from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer as createSocket } from "node:net";
import process from "node:process";
import { after, test } from "node:test";
import { chromium } from "playwright-core";
import { createClient } from "toolwire";
import type { Server } from "./tools.ts";

const started: ChildProcess[] = [];
after(() => started.forEach((child) => child.kill("SIGKILL")));
const url = await startNext();

test("a page streams a tool's pieces as they come", { timeout: 120_000 }, async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    strictEqual(await page.locator("#user").innerText(), "a stranger");
    await page.getByRole("button", { name: "Write" }).click();
    await page.locator("#pieces").filter({ hasText: "3" }).waitFor();
    strictEqual(await page.locator("#letter").innerText(), "Dear Grace, thank you for your letter. Yours, Ada");
  } finally {
    await browser.close();
  }
});

test("a cookie reaches the handler", async () => {
  const client = createClient<Server>(`${url}/api/mcp-lite/v1`, { headers: { cookie: "theme=dark; user=ada" } });
  strictEqual((await client.whoami({})).user, "ada");
});

async function startNext() {
  const port = await freePort();
  const next = "node_modules/next/dist/bin/next";
  const child = spawn(process.execPath, [next, "start", "--port", `${port}`, "--hostname", "127.0.0.1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  let output = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes("Ready in")) {
      child.stdout.resume();
      return `http://127.0.0.1:${port}`;
    }
  }
  throw new Error(`next start ended: ${output}`);
}

async function freePort() {
  const socket = createSocket().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  socket.close();
  return port;
}
