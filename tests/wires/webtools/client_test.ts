/** The transport: looks before it posts, and reads what servers say that know nothing of us. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, type ToolOutcome } from "../../../mod.ts";
import { fetchWebtool, webtoolsTransport } from "../../../src/entries/webtools.ts";
import { createWeather } from "./weather.ts";

const URL_OF = "http://h/webtools/weather";

function counting() {
  const { server } = createWeather();
  const asked: string[] = [];
  const fetch = (url: string, init: RequestInit) => {
    asked.push(`${init.method} ${new URL(url).pathname}${new URL(url).search}`);
    return server.fetch(new Request(url, { ...init, redirect: "follow" }));
  };
  return { server, asked, fetch };
}

test("what does not fit is not sent; the metadata is fetched once", async () => {
  const { asked, fetch } = counting();
  const client = createClient(webtoolsTransport(URL_OF, { fetch }));
  await rejects(client.$.call("get_current", { location: 1 }), {
    code: "invalid_input",
    message: 'Invalid arguments at "location": Expected string but received 1',
    details: {
      issues: [{
        path: ["location"],
        expected: "string",
        received: "1",
        message: "Expected string but received 1",
      }],
    },
  });
  await rejects(client.$.call("get_current"), { message: 'Invalid arguments at "location": "location" is required' });
  // Each refusal is looked at again: the server's metadata may have changed.
  deepStrictEqual(asked, ["GET /webtools/weather", "GET /webtools/weather", "GET /webtools/weather"]);
  asked.length = 0;
  await client.$.call("get_current", { location: "Paris" });
  await client.$.call("get_current", { location: "Paris" });
  deepStrictEqual(asked, ["POST /webtools/weather", "POST /webtools/weather"]);
});

test("validate: false sends everything, and fetches nothing", async () => {
  const { asked, fetch } = counting();
  const client = createClient(webtoolsTransport(URL_OF, { fetch, validate: false }));
  await rejects(client.$.call("get_current", { location: 1 }), { code: "invalid_input" });
  deepStrictEqual(asked, ["POST /webtools/weather"]);
});

test("calls at once share one look at the metadata", async () => {
  const { asked, fetch } = counting();
  const client = createClient(webtoolsTransport(URL_OF, { fetch }));
  await Promise.all(Array.from({ length: 20 }, () => client.$.call("get_current", { location: "Paris" })));
  strictEqual(asked.filter((one) => one.startsWith("GET")).length, 1);
});

test("a caller that leaves does not take the metadata from those who wait for it", async () => {
  const { server } = createWeather();
  const first = Promise.withResolvers<void>();
  let gets = 0;
  const fetch = async (url: string, init: RequestInit) => {
    if (init.method === "GET" && ++gets === 1) {
      const aborted = new Promise((_, reject) =>
        init.signal?.addEventListener("abort", () => reject(new Error("left")))
      );
      first.resolve();
      await aborted;
    }
    return await server.fetch(new Request(url, { ...init, redirect: "follow" }));
  };
  const client = createClient(webtoolsTransport(URL_OF, { fetch }));
  const controller = new AbortController();
  const left = client.$.call("get_current", { location: "Paris" }, { signal: controller.signal });
  const stays = client.$.call("get_current", { location: "Paris" });
  void first.promise.then(() => controller.abort(new Error("no longer")));
  await rejects(left, /no longer/);
  deepStrictEqual(await stays, { temperature: 20, umbrella: true });
});

test("metadata that refuses a call is looked at again: a server may have learned something", async () => {
  let isNew = false;
  const fetch = (url: string, init: RequestInit) => {
    if (init.method === "POST") return Promise.resolve(Response.json({ status: "ok", data: "taken" }));
    const requestSchema = isNew ? { type: "object" } : { type: "object", required: ["a"] };
    ok(url);
    const actions = [{ name: "t", description: "T", requestSchema, responseSchema: {} }];
    return Promise.resolve(Response.json({ name: "w", description: "W", version: "1.0.0", actions }));
  };
  const client = createClient(webtoolsTransport(URL_OF, { fetch }));
  await rejects(client.$.call("t"), { code: "invalid_input" });
  isNew = true;
  strictEqual(await client.$.call("t"), "taken");
});

test("a version is part of the URL of the metadata and of the body of a call; a query stays", async () => {
  const { asked, fetch } = counting();
  const client = createClient(webtoolsTransport(`${URL_OF}/?key=1`, { fetch, version: "1.0.0" }));
  deepStrictEqual(await client.$.call("get_current", { location: "Paris" }), { temperature: 20 });
  deepStrictEqual(asked, ["GET /webtools/weather/1.0.0?key=1", "POST /webtools/weather/?key=1"]);
});

test("sessionId and headers go along", async () => {
  const { server, sessions } = createWeather();
  const seen: (string | null)[] = [];
  const fetch = (url: string, init: RequestInit) => {
    seen.push(new Headers(init.headers).get("authorization"));
    return server.fetch(new Request(url, { ...init, redirect: "follow" }));
  };
  const options = { fetch, sessionId: "s1", headers: { authorization: "Bearer x" } };
  await createClient(webtoolsTransport(URL_OF, options)).$.call("get_current", { location: "Paris" });
  deepStrictEqual([sessions, seen], [["s1"], ["Bearer x", "Bearer x"]]);
});

test("invalid metadata is refused; schemas that cannot be used check nothing", async () => {
  const serve = (metadata: unknown) => (_: string, init: RequestInit) =>
    Promise.resolve(Response.json(init.method === "GET" ? metadata : { status: "ok", data: 1 }));
  for (
    const wrong of [[], {}, { version: "1" }, { version: "1", actions: {} }, { version: "1", actions: [{}] }, null]
  ) {
    const client = createClient(webtoolsTransport(URL_OF, { fetch: serve(wrong) }));
    await rejects(client.$.call("t"), { code: "parse_error" });
    await rejects(fetchWebtool(URL_OF, { fetch: serve(wrong) }), { code: "parse_error" });
  }
  const odd = [{ $ref: "#/nowhere" }, { $ref: "#" }, { pattern: "(", type: "object" }, 3, null];
  for (const requestSchema of odd) {
    const fetch = serve({ version: "1", actions: [{ name: "t", requestSchema }], configSchema: requestSchema });
    strictEqual(await createClient(webtoolsTransport(URL_OF, { fetch })).$.call("t"), 1);
  }
});

/** What servers of others answer, and what it means. */
const REPLIES: readonly (readonly [status: number, body: unknown, want: string])[] = [
  [200, { status: "ok", data: { a: 1 } }, 'answer {"a":1}'],
  [201, { status: "ok", data: null }, "answer null"],
  [200, { status: "ok" }, "answer undefined"],
  [200, { status: "ok", data: 1, _meta: { response_type: "novelty" } }, "unknown"],
  [400, { status: "error", error: { code: "SCHEMA_ERROR", message: "m" } }, "error invalid_input m"],
  [422, { status: "error", error: { code: "SCHEMA_ERROR", message: "m" } }, "error invalid_input m"],
  [200, { status: "error", error: { code: "CONFIG_ERROR", message: "m" } }, "error invalid_config m"],
  [
    404,
    { status: "error", error: { code: "WEBTOOL_NOT_FOUND", message: "m" } },
    'error tool_not_found Tool "t" was not found: m',
  ],
  [429, { status: "error", error: { code: "RATE_LIMIT", message: "m" } }, "error rate_limited m"],
  [500, { status: "error", error: { code: "INTERNAL_ERROR", message: "m" } }, "error internal m"],
  [503, { status: "error", error: { code: "INTERNAL_ERROR", message: "m" } }, "error unavailable m"],
  [504, { status: "error", error: { code: "INTERNAL_ERROR", message: "m" } }, "error deadline_exceeded m"],
  [401, { status: "error", error: { code: "UNAUTHENTICATED", message: "m" } }, "error unauthenticated m"],
  [400, { status: "error", error: { code: "SOLD_OUT", message: "m", data: 3 } }, "failure SOLD_OUT m"],
  [200, { status: "error", error: { code: "SOLD_OUT" } }, "failure SOLD_OUT No reason given"],
  [500, { status: "error", error: { code: "ODD", message: "m" } }, "error internal m"],
  [400, { status: "error", error: {} }, "error invalid_request No reason given"],
  [404, "<html>", "error method_not_found The server answered 404, not with Webtools"],
  [502, "<html>", "error unavailable The server answered 502, not with Webtools"],
  [200, "<html>", "error invalid_request The server answered 200, not with Webtools"],
  [200, [1], "error invalid_request The server answered 200, not with Webtools"],
  [302, "", "error invalid_request Redirects are not followed: use the final URL"],
];

for (const [status, body, want] of REPLIES) {
  test(`a reply of others is read: ${status} ${JSON.stringify(body)}`, async () => {
    const fetch = () =>
      Promise.resolve(new Response(typeof body === "string" ? body : JSON.stringify(body), { status }));
    const client = createClient(webtoolsTransport(URL_OF, { fetch, validate: false }), { retry: { attempts: 0 } });
    const reply = await client.$.outcome("t").then(wordsOf, (error) => `error ${error.code} ${error.message}`);
    strictEqual(reply, want);
  });
}

function wordsOf(outcome: ToolOutcome<unknown, Record<never, never>>): string {
  if (outcome.kind === "answer") return `answer ${JSON.stringify(outcome.value)}`;
  return outcome.kind === "failure" ? `failure ${outcome.code} ${outcome.message}` : outcome.kind;
}

test("Retry-After is heard", async () => {
  let calls = 0;
  const limited = { status: "error", error: { code: "RATE_LIMIT", message: "m" } };
  const fetch = () => {
    const isFirst = calls++ === 0;
    return Promise.resolve(
      isFirst
        ? Response.json(limited, { status: 429, headers: { "retry-after": "0" } })
        : Response.json({ status: "ok", data: 1 }),
    );
  };
  const client = createClient(webtoolsTransport(URL_OF, { fetch, validate: false }));
  strictEqual(await client.$.call("t", {}, { idempotencyKey: "k" }), 1);
});

test("an answer larger than allowed is refused", async () => {
  const fetch = () => Promise.resolve(Response.json({ status: "ok", data: "x".repeat(1_000) }));
  const client = createClient(webtoolsTransport(URL_OF, { fetch, validate: false, maxResponseBytes: 500 }));
  await rejects(client.$.call("t"), { code: "result_too_large" });
});
