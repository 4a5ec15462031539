/** oauthFetch() among servers that lie, loop, drown, stall and lead elsewhere. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { clientCredentials } from "../../../src/entries/oauth.ts";
import { runtime } from "../../runtime/runtime.ts";
import {
  agreeing,
  type Answer,
  answerTo,
  createNetwork,
  ISSUER,
  ISSUER_METADATA,
  METADATA,
  POST,
  refuse,
  RESOURCE_METADATA,
  SERVER,
  serverFor,
} from "../../integrations/oauth/network.ts";

const EVIL = "https://evil.example";
const html = () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } });
const named = (resource: unknown, ...issuers: readonly unknown[]) => ({
  [RESOURCE_METADATA]: { resource, authorization_servers: issuers.length > 0 ? issuers : [ISSUER] },
});
const telling = (metadata: object) => ({ [ISSUER_METADATA]: { ...METADATA, ...metadata } });
const giving = (tokens: object) => ({ [`${ISSUER}/token`]: { access_token: "good", token_type: "Bearer", ...tokens } });

test("the network of these tests is honest where it is not told to lie", async () => {
  const { fetch, asked } = createNetwork();
  const { grant, pages } = agreeing();
  strictEqual(await (await fetch(grant)(SERVER, POST)).json(), "served");
  strictEqual(pages[0]?.searchParams.get("scope"), "docs:read");
  deepStrictEqual(asked, [SERVER, RESOURCE_METADATA, ISSUER_METADATA, `${ISSUER}/register`, `${ISSUER}/token`, SERVER]);
});

/** False metadata, and the errors that result; no page is ever opened, and no code is spent. */
const LIES: Readonly<Record<string, readonly [lies: Readonly<Record<string, Answer>>, message: RegExp]>> = {
  "metadata of another origin": [named(`${EVIL}/mcp`), /describe another resource$/],
  "metadata of a neighbour": [named("https://api.example/mcp2"), /describe another resource$/],
  "metadata of something below": [named(`${SERVER}/deeper`), /describe another resource$/],
  "metadata of something that begins alike": [named("https://api.example/mc"), /describe another resource$/],
  "metadata with a query": [named(`${SERVER}?tenant=other`), /describe another resource$/],
  "metadata of no URL": [named(7), /describe another resource$/],
  "no authorization server": [named(SERVER, undefined), /names no authorization server$/],
  "an authorization server without encryption": [named(SERVER, "http://login.example"), /must be https$/],
  "an authorization server on this machine": [
    named(SERVER, "http://127.0.0.1:6379"),
    /not an address on this machine$/,
  ],
  "one on this machine, encrypted": [named(SERVER, "https://localhost"), /not an address on this machine$/],
  "an authorization server that is a file": [named(SERVER, "file:///etc/passwd"), /must be https$/],
  "an authorization server that is no URL": [named(SERVER, "login"), /is not a URL$/],
  "another issuer": [telling({ issuer: EVIL }), /describe another authorization server$/],
  "an issuer with another path": [telling({ issuer: `${ISSUER}/tenant` }), /describe another authorization server$/],
  "no PKCE": [telling({ code_challenge_methods_supported: undefined }), /does not support PKCE with S256$/],
  "plain PKCE": [telling({ code_challenge_methods_supported: ["plain"] }), /does not support PKCE with S256$/],
  "pages for everything": [
    { [ISSUER_METADATA]: html, [`${ISSUER}/.well-known/openid-configuration`]: html },
    /has no metadata$/,
  ],
  "a list as metadata": [{ [ISSUER_METADATA]: [METADATA] }, /has no metadata$/],
  "metadata elsewhere": [{ [ISSUER_METADATA]: () => Response.redirect(`${EVIL}/metadata`) }, /has no metadata$/],
  "metadata elsewhere, as pages see it": [{ [ISSUER_METADATA]: () => Response.error() }, /has no metadata$/],
  "a page that is a program": [telling({ authorization_endpoint: "javascript:alert(1)" }), /must be https$/],
  "a page that is a file": [telling({ authorization_endpoint: "file:///bin/sh" }), /must be https$/],
  "no page": [telling({ authorization_endpoint: undefined }), /is not a URL$/],
  "no registration": [telling({ registration_endpoint: undefined }), /pass it as clientId$/],
  "a registration without encryption": [
    telling({ registration_endpoint: "http://login.example/register" }),
    /must be https$/,
  ],
  "a registration of nobody": [{ [`${ISSUER}/register`]: {} }, /is not valid OAuth$/],
  "a refusal that would move a terminal": [
    {
      [`${ISSUER}/register`]: () =>
        Response.json({ error: "\u001b[2Jno", error_description: "\u001b[2J" }, { status: 400 }),
    },
    /rejected the request: an error$/,
  ],
};

for (const [name, [lies, message]] of Object.entries(LIES)) {
  test(`oauthFetch() goes nowhere for ${name}`, async () => {
    const { fetch, count, asked } = createNetwork(lies);
    const { grant, pages } = agreeing();
    await rejects(fetch(grant)(SERVER, POST), { name: "ToolError", code: "unauthenticated", message });
    deepStrictEqual([pages.length, count(`${ISSUER}/token`)], [0, 0]);
    ok(asked.every((url) => url.startsWith("https://api.example/") || url.startsWith(`${ISSUER}/`)), asked.join());
  });
}

for (
  const [name, answer, message] of [
    ["another state", (page) => answerTo(page, { state: "other" }), /is not valid OAuth$/],
    ["no state", (page) => String(answerTo(page)).replace(/&state=[^&]+/, ""), /is not valid OAuth$/],
    ["another issuer", (page) => answerTo(page, { iss: EVIL }), /is not valid OAuth$/],
    ["the issuer with a slash", (page) => answerTo(page, { iss: `${ISSUER}/` }), /is not valid OAuth$/],
    ["no issuer, which was announced", (page) => answerTo(page, { iss: undefined }), /is not valid OAuth$/],
    ["two codes", (page) => `${answerTo(page)}&code=2`, /is not valid OAuth$/],
    ["no code", (page) => answerTo(page, { code: undefined }), /is not valid OAuth$/],
    ["no URL", () => "code", /is not valid OAuth$/],
    ["an error", (page) => answerTo(page, { error: "access_denied" }), /rejected the request: access_denied$/],
    ["a broken browser", () => Promise.reject(new Error("no display")), /the redirect failed; see the cause$/],
  ] as readonly [string, (page: URL) => URL | string | Promise<string>, RegExp][]
) {
  test(`oauthFetch() spends no code when the browser comes back with ${name}`, async () => {
    const { fetch, count } = createNetwork();
    const { grant } = agreeing(answer);
    await rejects(fetch(grant)(SERVER, POST), { name: "ToolError", code: "unauthenticated", message });
    strictEqual(count(`${ISSUER}/token`), 0);
  });
}

for (
  const [name, tokens, message] of [
    ["that break out of headers", { access_token: "good\r\nx-evil: 1" }, /not allowed in a header$/],
    ["that are none", { access_token: "" }, /is not valid OAuth$/],
    ["of another kind", { token_type: "mac" }, /is not valid OAuth$/],
    ["bound to a key of another", { token_type: "DPoP" }, /bound to another key$/],
    ["that last no number", { expires_in: "soon" }, /is not valid OAuth$/],
  ] as readonly [string, object, RegExp][]
) {
  test(`oauthFetch() takes no tokens ${name}`, async () => {
    const { fetch } = createNetwork(giving(tokens));
    await rejects(fetch(agreeing().grant)(SERVER, POST), { code: "unauthenticated", message });
  });
}

test("oauthFetch() sends a secret to its own issuer alone, and not on to where that redirects", async () => {
  const grant = clientCredentials({ clientId: "robot", clientSecret: "secret", issuer: ISSUER });
  const away = createNetwork({ ...named(SERVER, EVIL), [`${EVIL}/.well-known/oauth-authorization-server`]: METADATA });
  await rejects(away.fetch(grant)(SERVER, POST), { message: /does not accept tokens of https:\/\/login\.example/ });
  deepStrictEqual(away.asked, [SERVER, RESOURCE_METADATA]);
  const on = createNetwork({
    [`${ISSUER}/token`]: () => new Response(null, { status: 307, headers: { location: EVIL } }),
  });
  await rejects(on.fetch(grant)(SERVER, POST), { code: "unauthenticated" });
  deepStrictEqual([on.count(`${ISSUER}/token`), on.count(EVIL)], [1, 0]);
  const older = createNetwork({ [RESOURCE_METADATA]: html });
  await rejects(older.fetch(grant)(SERVER, POST), { message: /does not accept tokens of/ });
});

test("oauthFetch() sends refresh tokens to who issued them alone, when the server names another", async () => {
  const lies: { [url: string]: Answer } = giving({ refresh_token: "refresh" });
  const { fetch, bodies, asked } = createNetwork(lies);
  const { grant } = agreeing((page) => answerTo(page, { iss: page.origin }));
  const authorized = fetch(grant);
  strictEqual((await authorized(SERVER, POST)).status, 200);
  const metadata = JSON.parse(JSON.stringify(METADATA).replaceAll(ISSUER, EVIL));
  Object.assign(lies, named(SERVER, EVIL), {
    [SERVER]: serverFor("other"),
    [`${EVIL}/.well-known/oauth-authorization-server`]: metadata,
    [`${EVIL}/register`]: { client_id: "anew" },
    [`${EVIL}/token`]: { access_token: "other", token_type: "Bearer" },
  });
  strictEqual((await authorized(SERVER, POST)).status, 200);
  deepStrictEqual(bodies.map((body) => [body.get("grant_type"), body.get("client_id"), body.get("refresh_token")]), [
    ["authorization_code", "dynamic", null],
    ["authorization_code", "anew", null],
  ]);
  strictEqual(asked.at(-2), `${EVIL}/token`);
});

test("oauthFetch() sends tokens to no other origin", async () => {
  const headers: (string | null)[] = [];
  const { fetch } = createNetwork({
    [`${EVIL}/mcp`]: (init) => {
      headers.push(new Headers(init.headers).get("authorization"));
      return refuse(401, `Bearer resource_metadata="${RESOURCE_METADATA}"`);
    },
  });
  const authorized = fetch(agreeing().grant);
  await authorized(SERVER, POST);
  strictEqual((await authorized(`${EVIL}/mcp`, POST)).status, 401);
  deepStrictEqual(headers, [null]);
});

test("oauthFetch() gives up on a server that takes no token, and does not ask for others with each call", async () => {
  const { fetch, count } = createNetwork({ [SERVER]: () => refuse(401, 'Bearer error="invalid_token"') });
  const { grant, pages } = agreeing();
  const authorized = fetch(grant);
  for (let calls = 0; calls < 5; calls++) strictEqual((await authorized(SERVER, POST)).status, 401);
  deepStrictEqual([pages.length, count(`${ISSUER}/token`), count(SERVER)], [1, 1, 6]);
  // A client asks for it.
  await authorized.signIn();
  strictEqual(pages.length, 2);
});

test("oauthFetch() gives up on a server that takes no refreshed token", async () => {
  let valid = true;
  const { fetch, bodies } = createNetwork({
    ...giving({ refresh_token: "refresh" }),
    [SERVER]: (init) => valid ? serverFor("good")(init) : refuse(401, "Bearer"),
  });
  const { grant, pages } = agreeing();
  const authorized = fetch(grant);
  strictEqual((await authorized(SERVER, POST)).status, 200);
  valid = false;
  for (let calls = 0; calls < 5; calls++) strictEqual((await authorized(SERVER, POST)).status, 401);
  deepStrictEqual(bodies.map((body) => body.get("grant_type")), [
    "authorization_code",
    "refresh_token",
    "authorization_code",
  ]);
  strictEqual(pages.length, 2);
});

test("oauthFetch() asks once for further scopes in a call, however many the server thinks of", async () => {
  let wanted = 0;
  const { fetch } = createNetwork({
    [SERVER]: ({ headers }) =>
      new Headers(headers).has("authorization")
        ? refuse(403, `Bearer error="insufficient_scope", scope="scope${++wanted}"`)
        : refuse(401, "Bearer"),
  });
  const { grant, pages } = agreeing();
  const authorized = fetch(grant);
  strictEqual((await authorized(SERVER, POST)).status, 403);
  deepStrictEqual(pages.map((page) => page.searchParams.get("scope")), ["docs:read", "docs:read scope1"]);
});

test("oauthFetch() leaves a 403 alone that is not about scopes", async () => {
  const { fetch, asked } = createNetwork({ [SERVER]: () => refuse(403, "Bearer") });
  strictEqual((await fetch(agreeing().grant)(SERVER, POST)).status, 403);
  deepStrictEqual(asked, [SERVER]);
});

for (
  const challenge of [
    'Basic realm="x"',
    "=,=;;",
    `Bearer scope="${"x".repeat(10_000)}`,
    'Negotiate abc==, Bearer realm="a, b"',
  ]
) {
  test(`oauthFetch() gets along with the challenge ${challenge.slice(0, 40)}`, async () => {
    const { fetch } = createNetwork({ [SERVER]: serverFor("good", challenge) });
    strictEqual((await fetch(agreeing().grant)(SERVER, POST)).status, 200);
  });
}

test("oauthFetch() reads no metadata that have no end", async () => {
  let pulled = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          pulled++;
          controller.enqueue(new Uint8Array(65_536).fill(32));
        },
      }),
    );
  const { fetch } = createNetwork({ [ISSUER_METADATA]: endless });
  await rejects(fetch(agreeing().grant)(SERVER, POST), { name: "ToolError", code: "result_too_large" });
  ok(pulled < 20, `${pulled} pieces`);
});

const skip = runtime === "workerd" && "its requests cannot wait for each other: each gets tokens for itself";

test("oauthFetch() releases a caller that aborts, and continues the sign-in for later callers", { skip }, async () => {
  const gate = Promise.withResolvers<object>();
  const { fetch, count, asked } = createNetwork({ [ISSUER_METADATA]: () => gate.promise });
  const { grant, pages } = agreeing();
  const authorized = fetch(grant);
  const leaving = new AbortController();
  const left = authorized(SERVER, { ...POST, signal: leaving.signal });
  const stayed = authorized(SERVER, POST);
  leaving.abort(new Error("gone"));
  await rejects(left, { message: "gone" });
  // The callers that stayed have come as far as possible.
  await new Promise((resolve) => setTimeout(resolve));
  const before = asked.length;
  await rejects(authorized(SERVER, { ...POST, signal: leaving.signal }), { message: "gone" });
  strictEqual(asked.length, before);
  gate.resolve(METADATA);
  strictEqual((await stayed).status, 200);
  strictEqual((await authorized(SERVER, POST)).status, 200);
  deepStrictEqual([pages.length, count(ISSUER_METADATA)], [1, 1]);
});

for (
  const [name, answer] of [
    ["answers 503", () => new Response("<html>", { status: 503 })],
    ["answers 429", () => Response.json({ error: "slow_down" }, { status: 429 })],
    ["cannot be reached", () => Promise.reject(new TypeError("network"))],
  ] as const
) {
  test(`oauthFetch() says that an authorization server is not there now that ${name}`, async () => {
    for (const place of [RESOURCE_METADATA, ISSUER_METADATA, `${ISSUER}/register`, `${ISSUER}/token`]) {
      const lies: { [url: string]: Answer } = { [place]: answer };
      const { fetch } = createNetwork(lies);
      const authorized = fetch(agreeing().grant);
      await rejects(authorized(SERVER, POST), { name: "ToolError", code: "unavailable" });
      delete lies[place];
      strictEqual((await authorized(SERVER, POST)).status, 200, place);
    }
  });
}

for (
  const [name, answer] of [
    ["a captive portal", () => new Response(null, { status: 302, headers: { location: EVIL } })],
    ["a page of a firewall", () => new Response("<html>Blocked</html>", { status: 403 })],
    ["a challenge of a firewall", () => refuse(403, 'Basic realm="proxy"')],
    ["a challenge of a proxy", () => refuse(407, 'Basic realm="proxy"')],
    ["a page for everything", html],
    ["tokens of another kind", () => Response.json({ access_token: "good", token_type: "mac" })],
    ["a page without end", () => new Response("x".repeat(300_000), { status: 403 })],
    ["a refusal of the request", () => Response.json({ error: "invalid_request" }, { status: 400 })],
  ] as const
) {
  test(`oauthFetch() keeps a refresh token that is answered by ${name}, and uses it again`, async () => {
    const lies: { [url: string]: Answer } = { [`${ISSUER}/token`]: answer };
    const { fetch, bodies } = createNetwork(lies);
    const key = `oauth tokens ${SERVER}`;
    const kept = { accessToken: "old", type: "bearer", issuer: ISSUER, refreshToken: "r", client: { id: "dynamic" } };
    for (const renewAtMs of [undefined, 1]) {
      const text = JSON.stringify({ ...kept, renewAtMs });
      const store = new Map([[key, text]]);
      const { grant, pages } = agreeing();
      const authorized = fetch(grant, { store });
      lies[`${ISSUER}/token`] = answer;
      await rejects(authorized(SERVER, POST), { name: "ToolError", code: "unavailable" });
      strictEqual(store.get(key), text);
      delete lies[`${ISSUER}/token`];
      strictEqual((await authorized(SERVER, POST)).status, 200);
      deepStrictEqual([pages.length, bodies.at(-1)?.get("refresh_token")], [0, "r"]);
    }
  });
}

for (
  const [name, others] of [
    ["is down", { [`${ISSUER}/token`]: () => new Response("down", { status: 503 }) }],
    ["is behind a captive portal", {
      [ISSUER_METADATA]: html,
      [`${ISSUER}/.well-known/openid-configuration`]: html,
    }],
  ] as readonly [string, Readonly<Record<string, Answer>>][]
) {
  test(`oauthFetch() uses a token until it ends, while the authorization server ${name}`, async () => {
    const { fetch, count } = createNetwork(others);
    const kept = { accessToken: "good", type: "bearer", issuer: ISSUER, renewAtMs: Date.now() - 1 };
    const robot = clientCredentials({ clientId: "robot", clientSecret: "secret", issuer: ISSUER });
    const { grant } = agreeing();
    for (const [own, more] of [[grant, { refreshToken: "r", client: { id: "dynamic" } }], [robot, {}]] as const) {
      const fetchUntil = (endsAtMs: number) => {
        const text = JSON.stringify({ ...kept, ...more, endsAtMs });
        return fetch(own, { store: new Map([[`oauth tokens ${SERVER}`, text]]) });
      };
      const before = count(SERVER);
      strictEqual((await fetchUntil(Date.now() + 3_600_000)(SERVER, POST)).status, 200);
      strictEqual(count(SERVER), before + 1);
      await rejects(fetchUntil(Date.now() - 1)(SERVER, POST), { name: "ToolError" });
    }
  });
}

for (const error of ["invalid_grant", "invalid_client", "unauthorized_client"]) {
  test(`oauthFetch() forgets a refresh token that is refused by ${error}, and asks again`, async () => {
    const { fetch, bodies } = createNetwork({
      [`${ISSUER}/token`]: ({ body }) =>
        (body as URLSearchParams).has("refresh_token")
          ? Response.json({ error }, { status: 400, headers: { "www-authenticate": "Basic" } })
          : { access_token: "good", token_type: "Bearer" },
    });
    const kept = { accessToken: "old", type: "bearer", issuer: ISSUER, refreshToken: "r", client: { id: "dynamic" } };
    const store = new Map([[`oauth tokens ${SERVER}`, JSON.stringify(kept)]]);
    strictEqual((await fetch(agreeing().grant, { store })(SERVER, POST)).status, 200);
    deepStrictEqual(bodies.map((body) => body.get("grant_type")), ["refresh_token", "authorization_code"]);
  });
}

test("oauthFetch() signs in again if it is not known to which client a refresh token was issued", async () => {
  const { fetch, bodies } = createNetwork();
  const kept = { accessToken: "old", type: "bearer", issuer: ISSUER, refreshToken: "r" };
  const store = new Map([[`oauth tokens ${SERVER}`, JSON.stringify(kept)]]);
  strictEqual((await fetch(agreeing().grant, { store })(SERVER, POST)).status, 200);
  deepStrictEqual(bodies.map((body) => body.get("grant_type")), ["authorization_code"]);
});

test("oauthFetch() has no tokens in its errors", async () => {
  const { fetch } = createNetwork(giving({ access_token: "secret token", token_type: "mac" }));
  const thrown = await fetch(agreeing().grant)(SERVER, POST).catch((thrown: Error) => thrown);
  ok(thrown instanceof Error && thrown.cause instanceof Error);
  for (let one: unknown = thrown; one instanceof Error; one = one.cause) {
    ok(!`${one.stack} ${JSON.stringify({ ...one })}`.includes("secret token"));
  }
  strictEqual(thrown.cause.cause, undefined);
});

test("oauthFetch() quotes the code of a refusal, and nothing else that a stranger says", async () => {
  const description = "secret of the stranger";
  const refusal = () => Response.json({ error: "invalid_grant", error_description: description }, { status: 400 });
  const { fetch } = createNetwork({ [`${ISSUER}/token`]: refusal });
  await rejects(fetch(agreeing().grant)(SERVER, POST), (thrown: Error) => {
    match(thrown.message, /rejected the request: invalid_grant$/);
    ok(!JSON.stringify({ ...thrown, message: thrown.message, cause: undefined }).includes(description));
    return true;
  });
});
