/** The console against hostile text, results of 10 MB, and pages of other origins, in a real browser. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createServer as createHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { createServer, defineTool, mcp, mcpLite } from "../../mod.ts";
import { jsonSchema } from "../../src/entries/json_schema.ts";
import * as v from "../../src/entries/schema.ts";
import { consolePage } from "../../src/entries/console.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { serve } from "../../src/entries/serve.ts";
import { findProgram, testWith } from "../serve/programs.ts";
import { closeBrowser, withPage } from "./browser_page.ts";
import { HOSTILE, openServer, PAGE_KEY, received } from "./page_server.ts";

after(closeBrowser);

const CHROMIUM = [findProgram("chromium")];

/** Every place of a tool that a server fills: each with HTML, an override of direction and a control character. */
function hostileServer() {
  const text = (place: string) => `${HOSTILE} in ${place}`;
  const member = {
    title: text("title of member"),
    description: text("description of member"),
    enum: [text("enum"), text("other")],
    default: text("default"),
  };
  const shown = defineTool("shown").title(text("title")).describe(text("description"))
    .input(jsonSchema({
      type: "object",
      properties: { [text("name")]: member, fixed: { const: text("const") }, link: { type: "string", format: "uri" } },
    })).errors({ locked: v.record(v.string(), v.string()) }).handle((_, ctx) => {
      throw ctx.fail("locked", text("message"), { [text("key")]: text("data") });
    });
  const large = defineTool("large").describe("A result of 10 MB")
    .handle(() => Array.from({ length: 100_000 }, () => `${HOSTILE}`.slice(0, 100)));
  const wires = [mcp(), mcpLite(), grpc(), consolePage({ key: PAGE_KEY })];
  const limits = { answerChars: 33_554_432 };
  return createServer({
    name: text("server"),
    version: text("version"),
    tools: [shown, large],
    wires,
    limits,
    logger: false,
  });
}

/** Fails if a text acts, or changes how others are read. */
async function assertInert(page: Page, place: string): Promise<void> {
  const text = await page.locator("body").innerText();
  ok(!/[\u202a-\u202e\u2066-\u2069]|(?![\t\n\r])\p{Cc}/u.test(text), `${place}: characters that change others`);
  strictEqual(await page.locator("img, iframe, object, script[src]").count(), 0, place);
  match(await page.title(), /^Toolwire/, place);
}

testWith("console: hostile text is text in every place, and a result of 10 MB is cut", CHROMIUM, async (chromium) => {
  await withPage({ server: hostileServer(), chromium, expected: /status of 4/ }, async ({ page, open }) => {
    await open("#/tools/shown");
    await page.getByRole("heading", { name: "shown" }).waitFor();
    await page.getByRole("button", { name: /left out/ }).first().click();
    await page.getByRole("button", { name: "On all wires" }).click();
    await page.locator(".tabs button .failure, .tabs button .error").nth(4).waitFor();
    await assertInert(page, "form and failure");
    await page.getByRole("button", { name: "Bytes" }).click();
    await assertInert(page, "bytes");
    for (const screen of ["feed", "list", "server"]) {
      await page.evaluate((hash) => location.hash = hash, `#/${screen}`);
      await page.locator(".pane").first().waitFor();
      await assertInert(page, screen);
    }
    await page.evaluate(() => location.hash = "#/tools/large");
    await page.getByRole("heading", { name: "large" }).waitFor();
    const length = () => page.evaluate(() => document.querySelector("#app")?.textContent?.length ?? 0);
    for (const wire of ["mcp-lite", "grpc-web"]) {
      await page.getByLabel("Wire", { exact: true }).selectOption(wire);
      await page.getByRole("button", { name: /^Send/ }).click();
      await page.locator(".state.answer").waitFor();
      await page.getByRole("button", { name: "Bytes" }).click();
      await page.getByText(/\d{7,} more (characters|bytes)/).waitFor();
      ok(await length() < 400_000, `${wire}: the bytes that are shown are cut`);
      await page.getByRole("button", { name: "Value" }).click();
      await page.getByRole("button", { name: /Show all \d{8} characters/ }).waitFor();
      ok(await length() < 100_000, `${wire}: the value that is shown is cut`);
    }
    await assertInert(page, "large result");
  });
});

/** What a page tries against a server of another origin. Each entry is a name and what the page could read. */
async function attack({ target, key }: { readonly target: string; readonly key: string }) {
  const read: Record<string, string> = {};
  const tries = async (name: string, act: () => Promise<string>) => {
    read[name] = await act().catch((thrown) => `refused: ${(thrown as Error).name}`);
  };
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"stolen":true}}}';
  const api = { "content-type": "application/json", "x-toolwire-console": "1", "x-toolwire-console-key": key };
  const post = async (path: string, init: RequestInit) => {
    const response = await fetch(target + path, { method: "POST", ...init });
    // A stream has no end.
    const { value } = await response.body?.getReader().read() ?? {};
    return value === undefined ? "opaque" : new TextDecoder().decode(value);
  };
  for (const name of ["hello", "tools", "poll", "feed"]) {
    await tries(`api ${name}`, () => post(`/console/api/${name}`, { headers: api, body: "{}" }));
  }
  await tries("api without preflight", () => post("/console/api/tools", { mode: "no-cors", body: "{}" }));
  await tries("call", () => post("/mcp-lite/v1/calltools", { headers: api, body: call }));
  for (const [name, path] of [["lite", "/mcp-lite/v1/calltools"], ["mcp", "/mcp"], ["rest", "/rest/tools/echo"]]) {
    await tries(`call without preflight, ${name}`, () => post(path ?? "", { mode: "no-cors", body: call }));
  }
  await tries("page as text", async () => (await fetch(`${target}/console`)).text());
  await tries("frame", async () => {
    const frame = document.createElement("iframe");
    frame.src = `${target}/console`;
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener("load", resolve));
    return frame.contentDocument?.body.innerText ?? "no document";
  });
  await tries("form", async () => {
    const frame = Object.assign(document.createElement("iframe"), { name: "sink" });
    const form = Object.assign(document.createElement("form"), {
      method: "POST",
      enctype: "text/plain",
      target: "sink",
    });
    form.action = `${target}/mcp-lite/v1/calltools`;
    form.append(Object.assign(document.createElement("input"), { name: call.slice(0, -1), value: "}" }));
    document.body.append(frame, form);
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
    form.submit();
    await loaded;
    return frame.contentDocument?.body.innerText ?? "no document";
  });
  return read;
}

/** An empty page on a port. */
async function serveBlank(): Promise<AsyncDisposable & { readonly port: number }> {
  const http = createHttp((_, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<body></body>")
  );
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const close = () => {
    http.closeAllConnections();
    return new Promise<void>((resolve) => void http.close(() => resolve()));
  };
  return { port: (http.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

/** What a page could read is nothing of the server: no tools, no answer, no document. */
const NOTHING = /^(refused: \w+|opaque|no document|)$/;

testWith("console: a page of another origin can neither read nor call", CHROMIUM, async (chromium) => {
  await using blank = await serveBlank();
  const everyOrigin = createServer({
    name: "open to all",
    tools: [defineTool("echo").describe("Return the arguments").handle((args) => args)],
    wires: [mcp(), mcpLite(), consolePage({ key: PAGE_KEY })],
    origins: "*",
    cors: true,
    logger: false,
  });
  const listening = await serve(everyOrigin, { port: 0 });
  received.length = 0;
  await withPage({ server: openServer(), chromium, isAttack: true }, async ({ page, url, sent }) => {
    const { port } = new URL(url);
    for (const host of ["127.0.0.1", "localhost", "attacker.test"]) {
      await page.goto(`http://${host}:${blank.port}/`);
      const read = await page.evaluate(attack, { target: url, key: PAGE_KEY });
      for (const [name, text] of Object.entries(read)) {
        ok(NOTHING.test(text), `${host}, ${name}: ${text.slice(0, 300)}`);
      }
    }
    ok(sent.length > 0, "the attacks were sent");
    deepStrictEqual(received, [], "no handler ran");
    // A name server of the attacker gives the address of the server for a name of the attacker.
    const rebound = await page.goto(`http://attacker.test:${port}/console`);
    strictEqual(rebound?.status(), 403);
    // A policy that lets all origins call does not open the console.
    await page.goto(`http://localhost:${blank.port}/`);
    const read = await page.evaluate(attack, { target: listening.url, key: PAGE_KEY });
    match(read["call"] ?? "", /"stolen":true/, "the attack works where a server allows it");
    for (const name of ["hello", "tools", "poll", "feed"]) {
      match(read[`api ${name}`] ?? "", /^refused|"error":\{"code":"permission_denied"/, name);
    }
  });
  await listening.close();
});
