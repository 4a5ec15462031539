/** The page of a resolver for people: its form, its headers, hostile text, and what a posted form does. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, memoryEngine } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { declineWait, resolver, type ResolverOptions, resolveWait } from "../../../src/entries/waits.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { eventually } from "../../eventually.ts";

const URL_TEXT = "https://tools.example.com/resolve";
const engines: Engine[] = [];
after(() => engines.forEach((engine) => engine.close()));

/** A call that waits for a value of this schema, with its link. */
async function waitingFor(schema: v.GenericSchema, options: Partial<ResolverOptions> = {}, key = "approval") {
  const engine = memoryEngine();
  engines.push(engine);
  const urls: string[] = [];
  const order = defineTool("order").describe("Order").promise().output(v.unknown()).handle(async (_, ctx) => {
    urls.push((await ctx.resolver(key)).url ?? "");
    return await ctx.waitFor(key, schema);
  });
  const wires = [resolver({ url: URL_TEXT, ...options })];
  const server = createServer({
    tools: [order],
    engine,
    wires,
    logger: false,
    keys: "k1:a secret that all servers of these tests know",
  });
  const work = await testClient(server).order.start();
  await eventually(async () => {
    const status = await work.status();
    return status.kind === "promise" && status.progress !== undefined;
  }, "the call waits");
  const [url = ""] = urls;
  const send = async (init: RequestInit = {}, at = url) => {
    const response = await server.fetch(new Request(at, init));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const submit = (fields: Readonly<Record<string, string>>) =>
    send({ method: "POST", body: new URLSearchParams(fields) });
  const fetch = (href: string, init: RequestInit) => server.fetch(new Request(href, init));
  return { work, url, send, submit, fetch };
}

const approval = v.pipe(
  v.object({
    ok: v.boolean(),
    count: v.optional(v.pipe(v.number(), v.maxValue(9))),
    note: v.optional(v.string()),
    size: v.optional(v.picklist(["s", "m"])),
  }),
  v.title("Approve the order?"),
  v.description("Tea, 4 boxes"),
);

test("GET shows a form of the schema, with its title and description; opening it often changes nothing", async () => {
  const { send, submit, work } = await waitingFor(approval);
  const pages = [await send(), await send(), await send({ method: "HEAD" })];
  for (const { status } of pages) strictEqual(status, 200);
  const [{ text }] = pages as [typeof pages[0]];
  match(text, /<h1>Approve the order\?<\/h1><pre>Tea, 4 boxes<\/pre><form method="post">/);
  match(text, /<select name="ok" required>.*>Yes<.*>No</);
  match(text, /<input type="number" step="any" name="count">/);
  match(text, /<option value="&#34;s&#34;">s<\/option>/);
  doesNotMatch(text, /<script|javascript:|\son\w+=/);
  const sent = await submit({ ok: "true", count: "2", note: "", size: '"m"' });
  strictEqual(sent.status, 202);
  match(sent.text, /Your answer was received/);
  deepStrictEqual(await work.result(), { action: "accept", content: { ok: true, count: 2, size: "m" } });
  const again = await submit({ ok: "true" });
  match(again.text, /already received/);
  match((await send()).text, /already received|has ended/);
});

test("what does not fit shows the form again, with what is wrong, and the wait stays open", async () => {
  const { submit, work } = await waitingFor(approval);
  for (
    const [fields, problem] of [[{ ok: "perhaps" }, /ok must be/], [{}, /ok must be/], [
      { ok: "true", count: "99" },
      /count/,
    ]] as const
  ) {
    const { status, text } = await submit(fields as unknown as Readonly<Record<string, string>>);
    strictEqual(status, 422);
    match(text, problem);
    match(text, /<form method="post">/);
  }
  strictEqual((await submit({ "~": "1" })).status, 202);
  deepStrictEqual(await work.result(), { action: "decline" });
});

test("a value that is not an object has one field", async () => {
  for (
    const [schema, text, value] of [[v.string(), "<b>", "<b>"], [v.number(), "2.5", 2.5], [v.unknown(), '{"a":[1]}', {
      a: [1],
    }]] as const
  ) {
    const { submit, work } = await waitingFor(schema);
    strictEqual((await submit({ "=": text })).status, 202);
    deepStrictEqual(await work.result(), { action: "accept", content: value });
  }
});

test("hostile text of schemas and keys is escaped", async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror='x'>&\``;
  const schema = v.pipe(
    v.object({
      [hostile]: v.pipe(v.string(), v.title(hostile), v.description(hostile)),
      choice: v.picklist([hostile]),
    }),
    v.title(hostile),
    v.description(hostile),
  );
  const { send, submit, work } = await waitingFor(schema);
  const { text } = await send();
  const tags = [...text.matchAll(/<\/?([a-z]+)/g)].map(([, tag]) => tag);
  ok(!tags.includes("script") && !tags.includes("img"), text);
  strictEqual(text.split(">alert(1)").length, 1);
  const misfit = await submit({});
  ok(!/<script|<img/.test(misfit.text));
  strictEqual((await submit({ [hostile]: "x", choice: JSON.stringify(hostile) })).status, 202);
  deepStrictEqual(await work.result(), { action: "accept", content: { [hostile]: "x", choice: hostile } });
  const named = await waitingFor(v.string(), {}, hostile);
  ok(!/<script|<img/.test((await named.send()).text));
});

test("its headers forbid scripts, frames, caches and referrers; the style is the one that is allowed", async () => {
  const { send, url } = await waitingFor(approval);
  for (
    const { headers, text } of [
      await send(),
      await send({}, `${url}x`),
      await send({ method: "POST", body: new URLSearchParams() }),
    ]
  ) {
    const policy = headers.get("content-security-policy") ?? "";
    match(policy, /default-src 'none'/);
    match(policy, /form-action 'self'; base-uri 'none'; frame-ancestors 'none'/);
    const [, style = ""] = /<style>(.*)<\/style>/.exec(text) ?? [];
    ok(policy.includes(`style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`), policy);
    deepStrictEqual(
      ["cache-control", "referrer-policy", "x-frame-options", "x-content-type-options"].map((name) =>
        headers.get(name)
      ),
      ["no-store", "no-referrer", "DENY", "nosniff"],
    );
  }
});

test("links of others are 404, over ones are 410; with verify, or page: false, there is no page", async () => {
  const { send, submit, work, url } = await waitingFor(approval);
  const unknown = await send({}, `${URL_TEXT}/res_x`);
  strictEqual(unknown.status, 404);
  match(unknown.text, /no such link/);
  strictEqual((await send({ method: "POST", body: new URLSearchParams({ ok: "true" }) }, `${url}x`)).status, 404);
  await work.cancel();
  for (const { status, text } of [await send(), await submit({ ok: "true" })]) {
    strictEqual(status, 410);
    match(text, /cancelled/);
  }
  for (const options of [{ page: false }, { verify: () => true }]) {
    const bare = await waitingFor(approval, options);
    strictEqual((await bare.send()).status, 405);
    strictEqual((await bare.submit({ ok: "true" })).status, 415);
  }
});

test("resolveWait() and declineWait() send to the URL, and throw what the server refuses", async () => {
  const { url, fetch, work } = await waitingFor(approval);
  await rejects(resolveWait(url, { ok: 1 }, { fetch }), { code: "invalid_input" });
  await rejects(resolveWait(`${url}x`, 1, { fetch }), { code: "invalid_promise" });
  await rejects(resolveWait(`${URL_TEXT}y`, 1, { fetch }), { code: "unavailable" });
  deepStrictEqual(await resolveWait(url, { ok: true }, { fetch }), { resolved: true });
  deepStrictEqual(await resolveWait(url, { ok: true }, { fetch }), { resolved: true, repeated: true });
  deepStrictEqual(await declineWait(url, "no", { fetch }), { resolved: false, reason: "resolved" });
  deepStrictEqual(await work.result(), { action: "accept", content: { ok: true } });
  const other = await waitingFor(approval);
  deepStrictEqual(await declineWait(other.url, "not now", { fetch: other.fetch }), { resolved: true });
  deepStrictEqual(await other.work.result(), { action: "decline", reason: "not now" });
  await rejects(resolveWait(url, 1, { timeOutMs: 1 } as never), /timeOutMs/);
});
