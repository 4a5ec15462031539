/** The wire `resolver()`: values for waits by POST, their statuses, and what it refuses. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { after, test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, memoryEngine, type Server } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { resolver, type ResolverOptions } from "../../../src/server/pages/resolver.ts";
import { testClient } from "../../../src/entries/testing.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { eventually } from "../../eventually.ts";

const KEYS = "k1:a secret that all servers of these tests know";
const URL_TEXT = "https://tools.example.com/hooks/resolve";

const engines: Engine[] = [];

// A job that waits keeps the process alive until its time is over.
after(() => engines.forEach((engine) => engine.close()));

/** Servers with one engine, whose tool waits for an approval, and makes its URL known. */
function opened(options: Partial<ResolverOptions> = {}, count = 1, wrap = (engine: Engine): Engine => engine) {
  const engine = memoryEngine();
  engines.push(engine);
  const shared = wrap({ ...engine, processId: undefined, close: () => {} });
  const urls: string[] = [];
  const runs = { begun: 0, ended: 0 };
  const order = defineTool("order").describe("Order what is approved").promise().output(v.unknown())
    .handle(async (_, ctx) => {
      runs.begun++;
      urls[0] = (await ctx.resolver("approval")).url ?? "";
      const said = await ctx.waitFor("approval", v.object({ ok: v.boolean() }));
      runs.ended++;
      return said;
    });
  const servers = Array.from(
    { length: count },
    () =>
      createServer({
        tools: [order],
        keys: KEYS,
        engine: shared,
        logger: false,
        wires: [resolver({ url: URL_TEXT, ...options })],
      }),
  );
  return { servers, server: servers[0]!, urls, runs };
}

/** Starts a call, and waits until it waits. */
async function waiting({ server, urls }: { server: Server; urls: string[] }) {
  const work = await testClient(server).$.start("order", {});
  await eventually(async () => {
    const status = await work.status();
    return status.kind === "promise" && status.progress !== undefined;
  }, "the call waits");
  return { url: urls[0]!, token: urls[0]!.slice(URL_TEXT.length + 1), work };
}

async function post(server: Server, url: string, body: unknown = { ok: true }, headers: HeadersInit = {}) {
  const response = await server.fetch(
    new Request(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test("POST to the URL of a resolver resolves: 202 at first, 200 for a repeat and for another value", async () => {
  const stage = opened();
  const { url, work } = await waiting(stage);
  ok(url.startsWith(`${URL_TEXT}/res_`));
  const { status, headers, body } = await post(stage.server, url);
  deepStrictEqual([status, body], [202, { resolved: true }]);
  strictEqual(headers.get("cache-control"), "no-store");
  deepStrictEqual(await work.result(), { action: "accept", content: { ok: true } });
  const again = await post(stage.server, url);
  deepStrictEqual([again.status, again.body], [200, { resolved: true, repeated: true }]);
  const other = await post(stage.server, url, { ok: false });
  deepStrictEqual([other.status, other.body], [200, { resolved: false, reason: "resolved" }]);
});

test("strict: another value after the first is 409", async () => {
  const stage = opened({ strict: true });
  const { url } = await waiting(stage);
  await post(stage.server, url);
  strictEqual((await post(stage.server, url, { ok: false })).status, 409);
  strictEqual((await post(stage.server, url)).status, 200, "a repeat is fine");
});

test("the token may come as a header, or in the body, which may decline", async () => {
  for (const way of ["header", "body", "decline"]) {
    const stage = opened();
    const { token, work } = await waiting(stage);
    const sent = way === "header"
      ? await post(stage.server, URL_TEXT, { ok: true }, { authorization: `Bearer ${token}` })
      : await post(stage.server, URL_TEXT, way === "body" ? { token, value: { ok: true } } : { token, decline: "no" });
    strictEqual(sent.status, 202, way);
    const expected = way === "decline"
      ? { action: "decline", reason: "no" }
      : { action: "accept", content: { ok: true } };
    deepStrictEqual(await work.result(), expected);
  }
});

test("a value that does not fit is 422 with the issues, and the wait stays open; so does server.resolve()", async () => {
  const stage = opened();
  const { url, token, work } = await waiting(stage);
  const { status, body } = await post(stage.server, url, { ok: "yes" });
  strictEqual(status, 422);
  deepStrictEqual([body.error.code, body.error.issues[0].path], ["invalid_input", ["ok"]]);
  await rejects(stage.server.resolve(token, {}), { code: "invalid_input" });
  strictEqual(stage.runs.begun, 1);
  strictEqual((await post(stage.server, url)).status, 202);
  deepStrictEqual(await work.result(), { action: "accept", content: { ok: true } });
});

test("GET and HEAD never resolve; other methods neither", async () => {
  const stage = opened();
  const { url } = await waiting(stage);
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]) {
    const response = await stage.server.fetch(new Request(url, { method }));
    const isPage = method === "GET" || method === "HEAD";
    deepStrictEqual([response.status, response.headers.get("allow")], isPage ? [200, null] : [405, "POST"], method);
  }
  strictEqual((await stage.server.fetch(new Request(URL_TEXT))).status, 405);
  strictEqual((await post(stage.server, url)).status, 202);
});

test("what is not a token of this server is 404, with one body for all reasons; an ended call is 410", async () => {
  const stage = opened();
  const { url, token, work } = await waiting(stage);
  const foreign = opened();
  const bodies = new Set<string>();
  for (const text of ["x", "res_", work.token, token.slice(0, -2), `${token}A`, token.toUpperCase(), "%00", "a/b"]) {
    const { status, body } = await post(stage.server, `${URL_TEXT}/${text}`);
    strictEqual(status, 404, text);
    bodies.add(JSON.stringify(body));
  }
  strictEqual(bodies.size, 1);
  deepStrictEqual((await post(foreign.server, url)).status, 410, "the keys are right, but the job is elsewhere");
  strictEqual(await work.cancel(), true);
  deepStrictEqual((await post(stage.server, url)).body, { resolved: false, reason: "cancelled" });
  strictEqual((await post(stage.server, url)).status, 410);
});

test("invalid bodies are refused: 400, 413, 415", async () => {
  const stage = opened();
  const { url } = await waiting(stage);
  strictEqual((await post(stage.server, url, "{")).status, 400);
  strictEqual((await post(stage.server, URL_TEXT, { value: 1 })).status, 400);
  strictEqual((await post(stage.server, url, { ok: true }, { "content-type": "text/plain" })).status, 415);
  strictEqual((await post(stage.server, url, JSON.stringify("x".repeat(262_143)))).status, 413);
});

test("verify() sees the bytes and the headers, and refuses with 401; an exception refuses, too", async () => {
  const seen: string[] = [];
  const stage = opened({
    verify(body, headers) {
      seen.push(new TextDecoder().decode(body));
      if (headers.get("x-signature") === "broken") throw new Error("secret");
      return headers.get("x-signature") === "good";
    },
  });
  const { url } = await waiting(stage);
  for (const signature of ["bad", "broken"]) {
    const { status, body } = await post(stage.server, url, '{ "ok":true}', { "x-signature": signature });
    strictEqual(status, 401);
    ok(!JSON.stringify(body).includes("secret"));
  }
  strictEqual((await post(stage.server, url, '{ "ok":true}', { "x-signature": "good" })).status, 202);
  deepStrictEqual(new Set(seen), new Set(['{ "ok":true}']));
});

test("a store that is away is 503, with Retry-After", async () => {
  let isAway = false;
  const stage = opened({}, 1, (engine) => ({
    ...engine,
    get(id) {
      if (isAway) throw new Error("the store is away");
      return engine.get(id);
    },
  }));
  const { url } = await waiting(stage);
  isAway = true;
  const { status, headers, body } = await post(stage.server, url);
  deepStrictEqual([status, headers.get("retry-after"), body.error.code], [503, "1", "unavailable"]);
  isAway = false;
  strictEqual((await post(stage.server, url)).status, 202);
});

test("50 duplicates at once over three replicas: one 202, 49 x 200, and one run continues", async () => {
  const stage = opened({}, 3);
  const { url, work } = await waiting(stage);
  const sent = await Promise.all(Array.from({ length: 50 }, (_, n) => post(stage.servers[n % 3]!, url)));
  const statuses = sent.map(({ status }) => status).sort();
  deepStrictEqual(statuses, [...Array(49).fill(200), 202]);
  deepStrictEqual(await work.result(), { action: "accept", content: { ok: true } });
  deepStrictEqual(stage.runs, { begun: 2, ended: 1 });
  for (const server of stage.servers) await server.close(0);
});

test("it needs no authentication where the server does", async () => {
  const stage = opened();
  const server = createServer({
    tools: [],
    keys: KEYS,
    auth: bearer(() => undefined),
    wires: [resolver({ url: URL_TEXT })],
    logger: false,
  });
  await waiting(stage);
  strictEqual((await post(server, `${URL_TEXT}/x`)).status, 404);
});

test("resolver() refuses what is no URL, and options that it does not have", () => {
  for (const url of [undefined, "", "/resolve", "tools.example.com", "https://x/?a", "ftp://x"]) {
    throws(() => resolver({ url: url as string }), /url/);
  }
  throws(() => resolver({ url: URL_TEXT, strcit: true } as ResolverOptions), /strict/);
  throws(
    () => resolver({ url: URL_TEXT, verify: () => false, page: true }),
    /^TypeError: Cannot take values for waits: page: true and verify exclude each other; a form has no signature/,
  );
  match(resolver({ url: "https://x" }).name, /resolver/);
});

test("a value that is nested too deep is refused, and the wait is open as before", async () => {
  const bench = opened();
  const { url, work } = await waiting(bench);
  const depth = 100_000;
  const refused = await post(bench.server, url, "[".repeat(depth) + "]".repeat(depth));
  strictEqual(refused.status, 400);
  match(JSON.stringify(refused.body), /nested deeper than 512 levels/);
  strictEqual((await post(bench.server, url)).status, 202);
  deepStrictEqual(await work.result(), { action: "accept", content: { ok: true } });
});
