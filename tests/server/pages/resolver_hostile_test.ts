/** What may arrive at the page of a resolver, from any browser or program that has the link: never a 5xx, and the wait stays open. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { after, test } from "node:test";
import { createServer, defineTool, memoryEngine } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import * as v from "../../../src/entries/schema.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { resolver } from "../../../src/entries/waits.ts";
import { eventually } from "../../eventually.ts";

const engines: Engine[] = [];
after(() => engines.forEach((engine) => engine.close()));

const schema = v.object({
  ok: v.boolean(),
  size: v.optional(v.picklist(["s", "m"])),
  lines: v.optional(v.array(v.object({ id: v.number() }))),
  more: v.optional(v.record(v.string(), v.unknown())),
});

async function waiting() {
  const engine = memoryEngine();
  engines.push(engine);
  const urls: string[] = [];
  const order = defineTool("order").describe("Order").promise().output(v.unknown()).handle(async (_, ctx) => {
    urls.push((await ctx.resolver("approval")).url ?? "");
    return await ctx.waitFor("approval", schema);
  });
  const server = createServer({
    tools: [order],
    engine,
    wires: [resolver({ url: "https://tools.example.com/resolve" })],
    logger: false,
    keys: "k1:a secret that all servers of these tests know",
  });
  const work = await testClient(server).order.start();
  await eventually(async () => {
    const status = await work.status();
    return status.kind === "promise" && status.progress !== undefined;
  }, "the call waits");
  const [url = ""] = urls;
  return { server, work, url };
}

const JSON_TYPE = { "content-type": "application/json" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);

interface Sent extends RequestInit {
  /** What is added to the link. */
  readonly more?: string;
}

const HOSTILE: Readonly<Record<string, Sent>> = {
  "nested lists": { method: "POST", headers: JSON_TYPE, body: deep("[", "]") },
  "nested objects": { method: "POST", headers: JSON_TYPE, body: deep('{"a":', "}").replace(":}", ":1}") },
  "an own __proto__": { method: "POST", headers: JSON_TYPE, body: '{"__proto__":{"ok":true}}' },
  "a number too large": { method: "POST", headers: JSON_TYPE, body: '{"ok":1e999}' },
  "two values": { method: "POST", headers: JSON_TYPE, body: '{"ok":1}{"ok":true}' },
  "a lone surrogate": { method: "POST", headers: JSON_TYPE, body: '{"ok":"\\ud800"}' },
  "invalid UTF-8": { method: "POST", headers: JSON_TYPE, body: Uint8Array.from([0x22, 0xff, 0x22]) },
  "a byte order mark alone": { method: "POST", headers: JSON_TYPE, body: Uint8Array.from([0xef, 0xbb, 0xbf]) },
  "no body": { method: "POST", headers: JSON_TYPE },
  "another type": { method: "POST", headers: { "content-type": "text/plain" }, body: '{"ok":true}' },
  "a type with a line break": {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=x" },
    body: "--x--",
  },
  "another encoding": { method: "POST", headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body: '{"ok":true}' },
  "a form without fields": { method: "POST", headers: FORM, body: "" },
  "a form of nested lists": { method: "POST", headers: FORM, body: `ok=true&lines=${deep("[", "]")}` },
  "a form of nested text in a choice": { method: "POST", headers: FORM, body: `ok=true&size=${deep("[", "]")}` },
  "a form with __proto__": { method: "POST", headers: FORM, body: "__proto__=1&__proto__[ok]=true&constructor=x" },
  "a form with a field twice": { method: "POST", headers: FORM, body: "ok=maybe&ok=true&ok=no" },
  "a form with 100,000 fields": {
    method: "POST",
    headers: FORM,
    body: Array.from({ length: 100_000 }, (_, n) => `f${n}=1`).join("&"),
  },
  "a form with broken escapes": { method: "POST", headers: FORM, body: "ok=%&size=%zz&more=%ff%fe&=&&&" },
  "a form with markup": {
    method: "POST",
    headers: FORM,
    body: `ok=${encodeURIComponent('"><script>alert(1)</script>')}`,
  },
  "a form beyond the limit": { method: "POST", headers: FORM, body: `ok=${"x".repeat(2_000_000)}` },
  "a form with a charset": {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-16" },
    body: "ok=maybe",
  },
  "a longer token": { method: "POST", headers: JSON_TYPE, body: '{"ok":true}', more: "A" },
  "a token and a path": { method: "POST", headers: JSON_TYPE, body: '{"ok":true}', more: "/../x" },
  "a token and a slash": { method: "POST", headers: JSON_TYPE, body: "5", more: "//" },
  "a token and a query": { method: "POST", headers: JSON_TYPE, body: "5", more: "?token=other" },
  "GET of a longer token": { more: `/${"x".repeat(50_000)}` },
  "GET of a broken escape": { more: "%" },
  "HEAD of another token": { method: "HEAD", more: "x" },
  "PUT": { method: "PUT", headers: JSON_TYPE, body: '{"ok":true}' },
  "DELETE": { method: "DELETE" },
  "OPTIONS of another page": {
    method: "OPTIONS",
    headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
  },
};

test("whatever arrives at the link is refused below 500, without markup of it, and the wait is open as before", async () => {
  const { server, work, url } = await waiting();
  for (const [name, { more = "", ...init }] of Object.entries(HOSTILE)) {
    const response = await server.fetch(new Request(url + more, init));
    const text = await response.text();
    ok(response.status >= 400 || init.method === undefined || init.method === "OPTIONS", `${name}: ${response.status}`);
    ok(response.status < 500, `${name}: ${response.status} ${text.slice(0, 200)}`);
    ok(!text.includes("<script>alert"), name);
    ok(text.length < 100_000, `${name}: ${text.length} characters`);
    strictEqual((await work.status()).kind, "promise", name);
  }
  deepStrictEqual(({} as { ok?: unknown }).ok, undefined, "no prototype was changed");
  const sent = await server.fetch(new Request(url, { method: "POST", headers: FORM, body: "ok=true" }));
  strictEqual(sent.status, 202);
  await sent.text();
  deepStrictEqual(await work.result(), { action: "accept", content: { ok: true } });
  await server.close(0);
});

test("of answers at the same moment the first counts, whatever their form is", async () => {
  const { server, work, url } = await waiting();
  const answers: RequestInit[] = Array.from(
    { length: 20 },
    (_, n) =>
      n % 2 === 0
        ? { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ ok: n % 4 === 0, size: "s" }) }
        : { method: "POST", headers: FORM, body: `ok=${n % 4 === 1}&size=%22m%22` },
  );
  const statuses = await Promise.all(answers.map(async (init) => {
    const response = await server.fetch(new Request(url, init));
    await response.text();
    return response.status;
  }));
  strictEqual(statuses.filter((status) => status === 202).length, 1, statuses.join());
  ok(statuses.every((status) => status < 500), statuses.join());
  const { action } = await work.result() as { readonly action: string };
  strictEqual(action, "accept");
  await server.close(0);
});
