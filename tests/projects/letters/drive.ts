import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
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
const next = await startNext();
const { url } = next;

test(
  "a page signs in, streams a tool's pieces as they come, and waits for promised work",
  { timeout: 120_000 },
  async () => {
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
    });
    try {
      const page = await browser.newPage();
      await page.goto(url);
      await page.getByLabel("Name").fill("Ada");
      await page.getByRole("button", { name: "Sign in" }).click();
      strictEqual(await page.locator("#user").innerText(), "Ada");
      await page.getByRole("button", { name: "Write" }).click();
      await page.locator("#pieces").filter({ hasText: "3" }).waitFor();
      strictEqual(await page.locator("#letter").innerText(), "Dear Grace, thank you for your letter. Yours, Ada");
      await page.getByRole("button", { name: "Print" }).click();
      await page.locator("#pages").filter({ hasText: "1" }).waitFor();
    } finally {
      await browser.close();
    }
  },
);

test("an agent with the cookie acts for the user, and without it is refused", async () => {
  for (const path of ["/api/mcp-lite/v1", "/api/mcp"]) {
    const ada = createClient<Server>(url + path, { headers: { cookie: await signIn("ada") } });
    deepStrictEqual(await ada.whoami(), { user: "ada" });
    deepStrictEqual(await ada.print({ text: "Dear Grace" }), { pages: 1 });
    await rejects(createClient<Server>(url + path).whoami(), { code: "unauthenticated" });
    const forged = createClient<Server>(url + path, { headers: { cookie: "session=forged" } });
    await rejects(forged.whoami(), { code: "unauthenticated" });
  }
});

test("SIGTERM lets a stream end, and ends the application", { timeout: 120_000 }, async () => {
  const ada = createClient<Server>(`${url}/api/mcp-lite/v1`, { headers: { cookie: await signIn("ada") } });
  const pieces: string[] = [];
  for await (const piece of ada.draft.stream({ to: "Grace" })) {
    if (pieces.push(piece) === 1) next.child.kill("SIGTERM");
  }
  strictEqual(pieces.length, 3);
  const code = next.child.exitCode ?? (await once(next.child, "exit"))[0];
  // 128 + 15, with which Next itself ends at SIGTERM, when its requests have ended.
  strictEqual(code, 143);
});

async function signIn(user: string) {
  const response = await fetch(`${url}/login`, {
    method: "POST",
    body: new URLSearchParams({ user }),
    redirect: "manual",
  });
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

async function startNext() {
  const port = await freePort();
  const program = "node_modules/next/dist/bin/next";
  const child = spawn(process.execPath, [program, "start", "--port", `${port}`, "--hostname", "127.0.0.1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  let output = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes("Ready in")) {
      child.stdout.resume();
      return { child, url: `http://127.0.0.1:${port}` };
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
