/** oauthFetch(): requested tokens, stored tokens and repeated requests. */
import { deepStrictEqual, match, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  authorizationCode,
  clientCredentials,
  type Grant,
  identityAssertion,
  jwtBearer,
  oauthFetch,
} from "../../../src/entries/oauth.ts";
import { runtime } from "../../runtime/runtime.ts";
import {
  agreeing,
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
} from "./network.ts";

const ORIGIN = "https://api.example";
const NOTHING = () => new Response(null, { status: 404 });
const redirect = { url: "http://127.0.0.1:4000/callback", visit: (page: URL) => Promise.resolve(answerTo(page)) };

test("oauthFetch() asks nothing of a server that lets everybody in", async () => {
  const { fetch, asked } = createNetwork({ [SERVER]: { open: true } });
  deepStrictEqual(await (await fetch(agreeing().grant)(SERVER, POST)).json(), { open: true });
  deepStrictEqual(asked, [SERVER]);
});

test("oauthFetch() signIn() asks for consent once if the server needs tokens, and not at all if it is open", async () => {
  const open = createNetwork({ [SERVER]: () => new Response(null, { status: 405 }), [RESOURCE_METADATA]: NOTHING });
  const { grant, pages } = agreeing();
  await open.fetch(grant).signIn();
  strictEqual(pages.length, 0);
  const silent = createNetwork({
    [SERVER]: (init) => init.method === "GET" ? new Response(null, { status: 405 }) : serverFor("good")(init),
  });
  const authorized = silent.fetch(grant);
  await authorized.signIn();
  await authorized.signIn();
  strictEqual((await authorized(SERVER, POST)).status, 200);
  deepStrictEqual([pages.length, silent.count(`${ISSUER}/token`)], [1, 1]);
});

test("oauthFetch() uses tokens of the given issuer only", async () => {
  const kept = { accessToken: "stale", issuer: "https://old.example", refreshToken: "r", renewAtMs: 1 };
  const store = new Map([[`oauth tokens ${SERVER}`, JSON.stringify(kept)]]);
  const { fetch, asked } = createNetwork();
  const grant = authorizationCode({ redirect, clientId: "mine", clientSecret: "secret", issuer: ISSUER });
  strictEqual((await fetch(grant, { store })(SERVER, POST)).status, 200);
  deepStrictEqual(asked.filter((url) => url.startsWith("https://old.example")), []);
});

test("oauthFetch() sends the body, the method and the headers again, and its own header last", async () => {
  const seen: unknown[] = [];
  const { fetch } = createNetwork({
    [SERVER]: (init) => {
      const headers = new Headers(init.headers);
      seen.push([
        init.method,
        init.body,
        headers.get("x-mine"),
        headers.get("authorization"),
        headers.get("user-agent"),
      ]);
      return serverFor("good")(init);
    },
  });
  const headers = { "x-mine": "1", authorization: "Bearer other" };
  await fetch(agreeing().grant)(SERVER, { method: "PUT", body: "text", headers });
  deepStrictEqual(seen, [["PUT", "text", "1", "Bearer other", null], ["PUT", "text", "1", "Bearer good", null]]);
});

for (
  const [name, options, challenge, supported, want] of [
    ["what the challenge says", {}, 'Bearer scope="a b"', ["c"], "a b"],
    ["else what there is", {}, "Bearer", ["c", "d"], "c d"],
    ["else nothing", {}, "Bearer", undefined, null],
    ["what it is told to, in the place of that", { scopes: ["mine"] }, 'Bearer scope="a b"', ["c"], "mine"],
  ] as readonly [string, object, string, readonly string[] | undefined, string | null][]
) {
  test(`oauthFetch() asks for ${name}`, async () => {
    const { fetch } = createNetwork({
      [SERVER]: serverFor("good", challenge),
      [RESOURCE_METADATA]: { resource: SERVER, authorization_servers: [ISSUER], scopes_supported: supported },
    });
    const { grant, pages } = agreeing();
    await fetch(grant, options)(SERVER, POST);
    strictEqual(pages[0]?.searchParams.get("scope"), want);
  });
}

for (
  const [name, options, metadata, id, registered] of [
    ["its client id", { clientId: "mine" }, {}, "mine", 0],
    [
      "the URL of its document",
      { clientMetadataUrl: "https://app.example/client.json" },
      {
        client_id_metadata_document_supported: true,
      },
      "https://app.example/client.json",
      0,
    ],
    [
      "what it has registered, where documents are not taken",
      {
        clientMetadataUrl: "https://app.example/client.json",
      },
      {},
      "dynamic",
      1,
    ],
  ] as readonly [string, object, object, string, number][]
) {
  test(`authorizationCode() is called by ${name}`, async () => {
    const { fetch, bodies, count } = createNetwork({ [ISSUER_METADATA]: { ...METADATA, ...metadata } });
    const { grant, pages } = agreeing();
    const own = Object.keys(options).length === 0 ? grant : authorizationCode({ redirect, ...options });
    await fetch(own)(SERVER, POST);
    deepStrictEqual([bodies[0]?.get("client_id"), count(`${ISSUER}/register`), pages.length], [id, registered, 0]);
  });
}

test("authorizationCode() opens a way back for each person that is asked, and closes it, whatever becomes of it", async () => {
  const happened: string[] = [];
  const answers = [answerTo, () => "no URL", () => Promise.reject(new Error("no display"))];
  for (const answer of answers) {
    const { fetch } = createNetwork();
    const way = () => {
      happened.push("opened");
      return { ...redirect, visit: async (page: URL) => await answer(page), close: () => void happened.push("closed") };
    };
    await fetch(authorizationCode({ redirect: way }))(SERVER, POST).catch(() => happened.push("refused"));
  }
  deepStrictEqual(happened, ["opened", "closed", ...Array(2).fill(["opened", "closed", "refused"]).flat()]);
});

test("authorizationCode() registers as what it is, and again where it redirects elsewhere", async () => {
  const registered: Record<string, unknown>[] = [];
  const { fetch } = createNetwork({
    [`${ISSUER}/register`]: ({ body }) => {
      registered.push(JSON.parse(String(body)));
      return { client_id: `client${registered.length}`, client_secret: "s", token_endpoint_auth_method: "none" };
    },
  });
  const store = new Map<string, string>();
  const signIn = async (url: string) => {
    store.delete(`oauth tokens ${SERVER}`);
    const clientMetadata = { client_name: "Docs bot", redirect_uris: ["https://evil.example"] };
    await fetch(authorizationCode({ redirect: { ...redirect, url }, clientMetadata }), { store })(SERVER, POST);
  };
  await signIn("http://127.0.0.1:4000/callback");
  await signIn("http://127.0.0.1:4000/callback");
  await signIn("https://app.example/callback");
  deepStrictEqual(
    registered.map(({ client_name, redirect_uris, application_type, grant_types, token_endpoint_auth_method }) => [
      client_name,
      redirect_uris,
      application_type,
      grant_types,
      token_endpoint_auth_method,
    ]),
    [
      ["Docs bot", ["http://127.0.0.1:4000/callback"], "native", ["authorization_code", "refresh_token"], "none"],
      ["Docs bot", ["https://app.example/callback"], "web", ["authorization_code", "refresh_token"], "none"],
    ],
  );
  match(store.get(`oauth client ${ISSUER}`) ?? "", /client2/);
});

test("authorizationCode() registers with a secret, and without refresh tokens, where the server has it so", async () => {
  const registered: Record<string, unknown>[] = [];
  const sent: (string | null)[] = [];
  const { fetch } = createNetwork({
    [ISSUER_METADATA]: {
      ...METADATA,
      grant_types_supported: ["authorization_code"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    },
    [`${ISSUER}/register`]: ({ body }) => {
      registered.push(JSON.parse(String(body)));
      return Response.json({ client_id: "a b", client_secret: "c:d" }, { status: 201 });
    },
    [`${ISSUER}/token`]: ({ headers }) => {
      sent.push(new Headers(headers).get("authorization"));
      return { access_token: "good", token_type: "Bearer" };
    },
  });
  await fetch(agreeing().grant)(SERVER, POST);
  deepStrictEqual(
    registered.map(({ grant_types, token_endpoint_auth_method }) => [grant_types, token_endpoint_auth_method]),
    [
      [["authorization_code"], "client_secret_basic"],
    ],
  );
  deepStrictEqual(sent, [`Basic ${btoa("a+b:c%3Ad")}`]);
});

for (
  const [name, metadata, at] of [
    ["says so at its root", { ...METADATA, issuer: ORIGIN, token_endpoint: `${ORIGIN}/oauth/token` }, "/oauth/token"],
    ["says nothing", undefined, "/token"],
  ] as const
) {
  test(`oauthFetch() knows a server of 2025-03-26 as its own authorization server, which ${name}`, async () => {
    const { fetch, bodies, asked } = createNetwork({
      [RESOURCE_METADATA]: NOTHING,
      [`${ORIGIN}/.well-known/oauth-authorization-server`]: metadata ?? NOTHING,
      [`${ORIGIN}/register`]: { client_id: "dynamic" },
      [`${ORIGIN}${at}`]: { access_token: "good", token_type: "Bearer" },
    });
    const { grant, pages } = agreeing((page) => answerTo(page, { iss: ORIGIN }));
    strictEqual((await fetch(grant)(SERVER, POST)).status, 200);
    // This parameter did not exist.
    deepStrictEqual([bodies[0]?.has("resource"), pages[0]?.searchParams.has("resource")], [false, false]);
    strictEqual(asked.at(-2), `${ORIGIN}${at}`);
  });
}

test("authorizationCode() registers again after its registration was deleted", async () => {
  let isKnown = false;
  const { fetch, count } = createNetwork({
    [`${ISSUER}/token`]: () => isKnown ? { access_token: "good", token_type: "Bearer" } : refuse(401, "Basic"),
  });
  const authorized = fetch(agreeing().grant);
  await rejects(authorized(SERVER, POST), {
    code: "unauthenticated",
    message: /rejected the request: invalid_client$/,
  });
  isKnown = true;
  strictEqual((await authorized(SERVER, POST)).status, 200);
  strictEqual(count(`${ISSUER}/register`), 2);
});

// On Workers a request cannot wait for an operation of another one, so that each call renews.
const isAlone = runtime === "workerd";

test("oauthFetch() renews a token before it ends, once for all, without a refused request", async () => {
  const { fetch, bodies, count } = createNetwork({
    [`${ISSUER}/token`]: { access_token: "good", token_type: "Bearer", refresh_token: "r", expires_in: 3600 },
  });
  const store = new Map<string, string>();
  const { grant, pages } = agreeing();
  const authorized = fetch(grant, { store });
  await authorized(SERVER, POST);
  const key = `oauth tokens ${SERVER}`;
  const kept = JSON.parse(store.get(key) ?? "{}");
  const leftMs = kept.renewAtMs - Date.now();
  strictEqual(leftMs > 3_400_000 && leftMs < 3_571_000, true, `${leftMs}`);
  strictEqual(kept.endsAtMs - kept.renewAtMs, 30_000);
  store.set(key, JSON.stringify({ ...kept, renewAtMs: Date.now() - 1 }));
  const calls = isAlone ? 1 : 5;
  await Promise.all(Array.from({ length: calls }, () => authorized(SERVER, POST)));
  deepStrictEqual(bodies.map((body) => body.get("grant_type")), ["authorization_code", "refresh_token"]);
  deepStrictEqual([bodies[1]?.get("refresh_token"), bodies[1]?.get("resource")], ["r", SERVER]);
  deepStrictEqual([count(SERVER), pages.length], [2 + calls, 1]);
});

test("oauthFetch() uses what another process has renewed in the same store", async () => {
  let valid = "first";
  let meanwhile: (() => Promise<unknown>) | undefined;
  const { fetch, bodies } = createNetwork({
    async [SERVER](init) {
      const work = meanwhile;
      meanwhile = undefined;
      await work?.();
      return serverFor(valid)(init);
    },
    [`${ISSUER}/token`]: () => ({ access_token: valid, token_type: "Bearer", refresh_token: `r-${valid}` }),
  });
  // As slow as a database.
  const texts = new Map<string, string>();
  const store = {
    get: async (key: string) => (await Promise.resolve(), texts.get(key) ?? null),
    set: async (key: string, value: string) => (await Promise.resolve(), void texts.set(key, value)),
    delete: async (key: string) => (await Promise.resolve(), void texts.delete(key)),
  };
  const { grant } = agreeing();
  const [one, other] = [fetch(grant, { store }), fetch(grant, { store })];
  await one(SERVER, POST);
  await other(SERVER, POST);
  valid = "second";
  // During the request of the other call.
  meanwhile = () => one(SERVER, POST);
  strictEqual((await other(SERVER, POST)).status, 200);
  deepStrictEqual(bodies.map((body) => body.get("grant_type")), ["authorization_code", "refresh_token"]);
});

test("oauthFetch() keeps a refresh token that is not replaced, and forgets one that is over", async () => {
  let [valid, isOver] = ["1", false];
  const refuseRefresh = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  const { fetch, bodies } = createNetwork({
    [SERVER]: (init) => serverFor(valid)(init),
    [`${ISSUER}/token`]: ({ body }) => {
      const isFirst = (body as URLSearchParams).get("grant_type") === "authorization_code";
      if (isOver && !isFirst) return refuseRefresh();
      return {
        access_token: valid,
        token_type: "Bearer",
        id_token: "no token",
        ...isFirst && { refresh_token: "kept" },
      };
    },
  });
  let agrees = true;
  const { grant } = agreeing((page) => answerTo(page, agrees ? {} : { error: "access_denied" }));
  const store = new Map<string, string>();
  const authorized = fetch(grant, { store });
  for (valid of ["1", "2", "3"]) strictEqual((await authorized(SERVER, POST)).status, 200);
  deepStrictEqual(bodies.map((body) => body.get("refresh_token")), [null, "kept", "kept"]);
  [valid, isOver, agrees] = ["4", true, false];
  await rejects(authorized(SERVER, POST), { message: /access_denied$/ });
  deepStrictEqual([...store.keys()].sort(), [`oauth client ${ISSUER}`, `oauth issuers ${SERVER}`]);
  // The client registration is deleted in any case.
  await authorized.signOut();
  strictEqual(store.size, 0);
});

test("oauthFetch() takes what a store has spoilt for nothing", async () => {
  for (const text of ["", "{", "null", "[]", '{"accessToken":7}', '{"accessToken":"good"}']) {
    const { fetch } = createNetwork();
    const store = new Map([[`oauth tokens ${SERVER}`, text], [`oauth client ${ISSUER}`, text]]);
    strictEqual((await fetch(agreeing().grant, { store })(SERVER, POST)).status, 200, text);
  }
});

test("oauthFetch() gets a machine another token when its own ends", async () => {
  let valid = 1;
  const { fetch, bodies } = createNetwork({
    [SERVER]: (init) => serverFor(`token${valid}`)(init),
    [`${ISSUER}/token`]: () => ({ access_token: `token${valid}`, token_type: "Bearer" }),
  });
  const authorized = fetch(clientCredentials({ clientId: "robot", clientSecret: "secret", issuer: ISSUER }));
  strictEqual((await authorized(SERVER, POST)).status, 200);
  valid = 2;
  strictEqual((await authorized(SERVER, POST)).status, 200);
  deepStrictEqual(bodies.map((body) => [body.get("grant_type"), body.get("scope"), body.get("resource")]), [
    ["client_credentials", "docs:read", SERVER],
    ["client_credentials", "docs:read", SERVER],
  ]);
});

test("jwtBearer() has the assertion made for the issuer and the resource", async () => {
  const asked: unknown[] = [];
  const { fetch, bodies } = createNetwork();
  const assertion = (request: object) => (asked.push(request), "signed");
  await fetch(jwtBearer({ clientId: "robot", assertion, issuer: ISSUER }))(SERVER, POST);
  deepStrictEqual(asked, [{ issuer: ISSUER, resource: SERVER, scopes: ["docs:read"] }]);
  strictEqual(bodies[0]?.get("assertion"), "signed");
});

test("identityAssertion() gets an assertion for an ID token of the company", async () => {
  const bodies: URLSearchParams[] = [];
  const assertion = identityAssertion({
    issuer: "https://company.example",
    tokenUrl: "https://company.example/token",
    clientId: "app",
    clientSecret: "secret",
    idToken: () => "who",
    fetch: (_, { body }) => {
      bodies.push(body as URLSearchParams);
      return Promise.resolve(Response.json({ access_token: "said", token_type: "N_A", issued_token_type: "jag" }));
    },
  });
  strictEqual(await assertion({ issuer: ISSUER, resource: SERVER, scopes: ["a", "b"] }), "said");
  deepStrictEqual(Object.fromEntries(bodies[0] ?? []), {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    subject_token: "who",
    audience: ISSUER,
    resource: SERVER,
    scope: "a b",
  });
  throws(
    () => identityAssertion({ issuer: "i", tokenUrl: "http://company.example", clientId: "app", idToken: "who" }),
    /https$/,
  );
});

test("oauthFetch() binds tokens to a key, and proves it with each request", async () => {
  const pair = { name: "ECDSA", namedCurve: "P-256" };
  const dpop = await crypto.subtle.generateKey(pair, false, ["sign", "verify"]) as CryptoKeyPair;
  const proofs: unknown[] = [];
  const { fetch } = createNetwork({
    [`${ISSUER}/token`]: (init) => {
      if (new Headers(init.headers).get("dpop") === null) throw new Error("There is no proof");
      return { access_token: "good", token_type: "DPoP" };
    },
    [SERVER]: ({ headers }) => {
      const reply = new Headers(headers);
      if (reply.get("authorization") !== "DPoP good") return refuse(401, "DPoP");
      const proof = JSON.parse(atob(reply.get("dpop")?.split(".")[1]?.replace(/-/g, "+").replace(/_/g, "/") ?? ""));
      proofs.push([proof.htm, proof.htu, proof.nonce]);
      if (proof.nonce !== undefined) return {};
      const headersOfRefusal = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "n" };
      return new Response(null, { status: 401, headers: headersOfRefusal });
    },
  });
  const { grant, pages } = agreeing();
  const store = new Map<string, string>();
  const authorized = fetch(grant, { dpop, store });
  strictEqual((await authorized(SERVER, POST)).status, 200);
  deepStrictEqual([proofs, pages.length], [[["POST", SERVER, undefined], ["POST", SERVER, "n"]], 1]);
  // The token cannot be used with another key.
  const other = await crypto.subtle.generateKey(pair, false, ["sign", "verify"]) as CryptoKeyPair;
  strictEqual((await fetch(grant, { dpop: other, store })(SERVER, POST)).status, 200);
  strictEqual(pages.length, 2);
  const { fetch: unbound } = createNetwork();
  await rejects(unbound(agreeing().grant, { dpop })(SERVER, POST), { message: /bound to no key$/ });
});

test("oauthFetch() and grants refuse at once what cannot be safe", () => {
  const { grant } = agreeing();
  for (const url of ["http://api.example/mcp", "ftp://api.example", "file:///mcp"]) {
    throws(() => oauthFetch(url, { grant }), { name: "TypeError", message: /^Cannot send tokens to/ });
  }
  oauthFetch("http://localhost:8000/mcp", { grant });
  throws(() => oauthFetch(SERVER, { grant: { type: "mine" } as Grant }), /pass a grant/);
  throws(() => authorizationCode({ redirect, clientId: "a", clientSecret: "b" }), /pass the issuer/);
  throws(() => authorizationCode({ redirect, clientSecret: "b", issuer: ISSUER }), /pass the clientId/);
  throws(() => authorizationCode({ redirect, clientMetadataUrl: "https://app.example" }), /with a path/);
  throws(() => clientCredentials({ clientId: "a" }), /either clientSecret or clientKey/);
  throws(() => clientCredentials({ clientId: "a", clientSecret: "b" }), /pass the issuer/);
});
