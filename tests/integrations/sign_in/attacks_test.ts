/** Attacks on authorization servers in the middle: each has succeeded against another implementation, or is one of OAuth's security considerations. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import {
  authorizeUrl,
  Browser,
  call,
  CHALLENGE,
  codeForm,
  createWorld,
  errorOf,
  ISSUER,
  locationOf,
  MemoryStore,
  obtain,
  type Parameters,
  post,
  REDIRECT,
  register,
  requestToken,
  RESOURCE,
  signInWith,
  VERIFIER,
} from "./world.ts";
import { challengeOf } from "./provider.ts";

/** Checks that a request ends with a page, and not with a redirect. */
async function isPage(response: Response, status: number = 400): Promise<string> {
  strictEqual(response.status, status);
  strictEqual(response.headers.get("location"), null);
  return await response.text();
}

test("every sign-in asks the user, also for a client that the user has agreed to", async () => {
  const world = createWorld();
  const browser = world.browser();
  const clientId = await register(world);
  for (let times = 0; times < 2; times++) {
    const arrived = await signInWith(world, browser, authorizeUrl(clientId));
    strictEqual((await requestToken(world, codeForm(clientId, arrived))).status, 200);
  }
  await isPage(await browser.go(authorizeUrl(clientId, { prompt: "none" })), 200);
});

test("a user who refuses, and an answer that is neither, give access_denied and no code", async () => {
  const world = createWorld();
  const clientId = await register(world);
  for (const answer of ["deny", "", "x"]) {
    const browser = world.browser();
    const page = await (await browser.go(authorizeUrl(clientId))).text();
    const { searchParams } = locationOf(await browser.submit(page, answer));
    deepStrictEqual([searchParams.get("error"), searchParams.get("code")], ["access_denied", null]);
    deepStrictEqual([searchParams.get("state"), searchParams.get("iss")], ["state of the client", ISSUER]);
  }
});

test("consent cannot be skipped: a form without its cookie, of another browser, or of another site is refused", async () => {
  const world = createWorld();
  const clientId = await register(world);
  const attacker = world.browser();
  const page = await (await attacker.go(authorizeUrl(clientId))).text();
  await isPage(await world.browser().submit(page), 403);
  const victim = world.browser();
  await victim.go(authorizeUrl(clientId));
  await isPage(await victim.submit(page), 403);
  await isPage(await attacker.submit(page, "allow", { "sec-fetch-site": "cross-site" }), 403);
  await isPage(await attacker.submit(page, "allow", { origin: "https://evil.example" }), 403);
  await isPage(await attacker.submit(page.replace(/value="ey/, 'value="xx')), 403);
  world.clock.tick(700_000);
  await isPage(await attacker.submit(page), 403);
  deepStrictEqual(world.provider.forms, []);
});

test("a sign-in that an attacker has agreed to cannot be finished in the browser of a victim", async () => {
  const world = createWorld();
  const clientId = await register(world);
  const attacker = world.browser();
  const upstream = locationOf(await attacker.submit(await (await attacker.go(authorizeUrl(clientId))).text()));
  const back = world.provider.authorize(upstream);
  const victim = world.browser();
  await isPage(await victim.go(back), 403);
  await signInWith(world, victim, authorizeUrl(clientId));
  await isPage(await victim.go(back), 403);
  strictEqual(locationOf(await attacker.go(back)).searchParams.has("code"), true);
  // Once: the cookie is deleted.
  await isPage(await attacker.go(back), 403);
});

test("a foreign state is refused: unknown, missing, repeated, or with the cookie of another sign-in", async () => {
  const world = createWorld();
  const clientId = await register(world);
  const browser = world.browser();
  const start = async () => locationOf(await browser.submit(await (await browser.go(authorizeUrl(clientId))).text()));
  const [one, other] = [await start(), await start()];
  const [state, otherState] = [one, other].map(({ searchParams }) => searchParams.get("state")!);
  for (const forged of ["x".repeat(43), "", "../", `${otherState}\r\n`]) {
    await isPage(await browser.go(world.provider.authorize(one, { state: forged })), 403);
  }
  const twice = world.provider.authorize(one);
  twice.searchParams.append("state", otherState!);
  await isPage(await browser.go(twice));
  const [name, otherName] = [state, otherState].map((text) =>
    [...browser.cookies.keys()].find((key) => key.endsWith(text!))!
  );
  browser.cookies.set(name!, browser.cookies.get(otherName!)!);
  await isPage(await browser.go(world.provider.authorize(one)), 403);
});

test("a response of another issuer, or without the issuer that the provider sends, gives no code", async () => {
  for (const iss of ["https://other.example", `https://idp.example/`, ""]) {
    const world = createWorld();
    const clientId = await register(world);
    const browser = world.browser();
    const upstream = locationOf(await browser.submit(await (await browser.go(authorizeUrl(clientId))).text()));
    const back = world.provider.authorize(upstream, { iss });
    if (iss === "") back.searchParams.delete("iss");
    const { searchParams } = locationOf(await browser.go(back));
    deepStrictEqual([searchParams.get("error"), searchParams.get("code")], ["server_error", null], iss);
  }
  for (const issuer of ["https://other.example", "https://idp.example/"]) {
    const misnamed = createWorld();
    misnamed.provider.metadata = { issuer };
    const browser = misnamed.browser();
    const page = await (await browser.go(authorizeUrl(await register(misnamed)))).text();
    await isPage(await browser.submit(page), 500);
  }
});

test("a provider's metadata cannot send the browser to a page that is not https", async () => {
  for (
    const url of ["javascript:alert(1)", "http://idp.example/authorize", "http://127.0.0.1/", "file:///etc/passwd"]
  ) {
    const world = createWorld();
    world.provider.metadata = { authorization_endpoint: url };
    const browser = world.browser();
    const page = await (await browser.go(authorizeUrl(await register(world)))).text();
    await isPage(await browser.submit(page), 500);
  }
});

test("an error of the provider reaches the client as one of ours, without its words", async () => {
  for (const [given, expected] of [["access_denied", "access_denied"], ["<script>", "server_error"]] as const) {
    const world = createWorld();
    const clientId = await register(world);
    const browser = world.browser();
    const upstream = locationOf(await browser.submit(await (await browser.go(authorizeUrl(clientId))).text()));
    const back = world.provider.authorize(upstream, { error: given, error_description: "words of the provider" });
    back.searchParams.delete("code");
    const { searchParams } = locationOf(await browser.go(back));
    strictEqual(searchParams.get("error"), expected);
    doesNotMatch(searchParams.toString(), /words|%3C/);
  }
});

test("a code is good once, over all replicas and at the same time", async () => {
  for (const options of [{}, { store: new MemoryStore() }]) {
    const world = createWorld(options);
    const clientId = await register(world);
    const arrived = await signInWith(world, world.browser(), authorizeUrl(clientId));
    const attempts = [1, 2, 3, 4].map(() => requestToken(world, codeForm(clientId, arrived)));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    deepStrictEqual(statuses.toSorted(), [200, 400, 400, 400]);
    strictEqual(await errorOf(await requestToken(world, codeForm(clientId, arrived))), "invalid_grant");
  }
});

test("a code is good for a minute, and one more for clocks that differ", async () => {
  const world = createWorld();
  const clientId = await register(world);
  const arrived = await signInWith(world, world.browser(), authorizeUrl(clientId));
  world.clock.tick(121_000);
  strictEqual(await errorOf(await requestToken(world, codeForm(clientId, arrived))), "invalid_grant");
  deepStrictEqual(world.provider.forms, []);
});

test("a code is bound to client, redirect, verifier and resource; wrong requests do not use it up", async () => {
  const world = createWorld();
  const clientId = await register(world);
  const another = await register(world, { client_name: "Another" });
  const arrived = await signInWith(world, world.browser(), authorizeUrl(clientId));
  const wrong: readonly (readonly [Parameters, string])[] = [
    [{ client_id: another }, "invalid_grant"],
    [{ client_id: undefined }, "invalid_request"],
    [{ redirect_uri: "https://client.example/other" }, "invalid_grant"],
    [{ redirect_uri: undefined }, "invalid_grant"],
    [{ code_verifier: `${VERIFIER}x` }, "invalid_grant"],
    [{ code_verifier: undefined }, "invalid_grant"],
    [{ code_verifier: CHALLENGE }, "invalid_grant"],
    [{ resource: "https://other.example/mcp" }, "invalid_target"],
    [{ resource: `${RESOURCE}/` }, "invalid_target"],
    [{ code: `${arrived.searchParams.get("code")}x` }, "invalid_grant"],
    [{ code: "upstream-code-0" }, "invalid_grant"],
    [{ grant_type: "password" }, "unsupported_grant_type"],
  ];
  for (const [others, code] of wrong) {
    strictEqual(
      await errorOf(await requestToken(world, codeForm(clientId, arrived, others))),
      code,
      JSON.stringify(others),
    );
  }
  deepStrictEqual(world.provider.forms, []);
  const repeated = new URLSearchParams(codeForm(clientId, arrived) as Record<string, string>);
  repeated.append("resource", "https://other.example");
  strictEqual(
    await errorOf(await world.send(new Request(`${ISSUER}/token`, { method: "POST", body: repeated }))),
    "invalid_request",
  );
  strictEqual((await requestToken(world, codeForm(clientId, arrived))).status, 200);
});

test("PKCE cannot be left out or weakened", async () => {
  const world = createWorld();
  const clientId = await register(world);
  for (
    const others of [
      { code_challenge: undefined },
      { code_challenge_method: undefined },
      { code_challenge: VERIFIER, code_challenge_method: "plain" },
      { code_challenge: challengeOf("").slice(1) },
      { code_challenge: "" },
    ]
  ) {
    const { searchParams } = locationOf(await world.browser().go(authorizeUrl(clientId, others)));
    deepStrictEqual([searchParams.get("error"), searchParams.get("iss")], ["invalid_request", ISSUER]);
  }
});

test("tokens are for the resource that was approved: another one is refused, and so is a token for it", async () => {
  const world = createWorld();
  const clientId = await register(world);
  for (const resource of ["https://other.example/mcp", ISSUER, `${RESOURCE}/../admin`, `${RESOURCE}#x`]) {
    const { searchParams } = locationOf(await world.browser().go(authorizeUrl(clientId, { resource })));
    strictEqual(searchParams.get("error"), "invalid_target", resource);
  }
  // Another resource of the same issuer, with the same keys.
  const other = createWorld({ resource: `${ISSUER}/other`, issuer: ISSUER });
  const { tokens } = await obtain(other, { resource: undefined }).catch(() => ({ tokens: undefined }));
  strictEqual(tokens, undefined);
  const id = await register(other);
  const arrived = await signInWith(other, other.browser(), authorizeUrl(id, { resource: undefined }));
  const response = await requestToken(other, codeForm(id, arrived, { resource: undefined }));
  const { access_token: accessToken } = await response.json();
  const { status } = await call(world, "whoami", accessToken);
  strictEqual(status, 401);
  match(JSON.stringify(world.log.lines), /for https:\/\/api\.example\/other, not https:\/\/api\.example\/mcp/);
});

test("a token of one kind is not one of another, and tokens of the provider are none of ours", async () => {
  const world = createWorld();
  const { clientId, tokens, arrived } = await obtain(world);
  const code = arrived.searchParams.get("code")!;
  for (
    const token of [tokens.refresh_token, code, clientId, "upstream-access-2", `${tokens.access_token}x`, "a.b.c.d.e"]
  ) {
    strictEqual((await call(world, "whoami", token)).status, 401);
  }
  for (const token of [tokens.access_token, code, clientId]) {
    const form = { grant_type: "refresh_token", client_id: clientId, refresh_token: token };
    strictEqual(await errorOf(await requestToken(world, form)), "invalid_grant");
    if (token === code) continue;
    strictEqual(
      await errorOf(await requestToken(world, codeForm(clientId, arrived, { code: token }))),
      "invalid_grant",
    );
  }
  const otherIssuer = createWorld({ issuer: "https://login.example" });
  strictEqual((await call(otherIssuer, "whoami", tokens.access_token)).status, 401);
});

test("an unknown client and a redirect that is not registered get a page, and are never redirected", async () => {
  const world = createWorld();
  const clientId = await register(world, {
    redirect_uris: [REDIRECT, "http://127.0.0.1/cb", "http://localhost:80/cb?a=1"],
  });
  const redirects = [
    "https://evil.example/cb",
    "https://client.example/cb/../evil",
    "https://client.example/cb/",
    "https://client.example/cb?x",
    "https://client.example:8443/cb",
    "https://client.example@evil.example/cb",
    "https://client.example\\@evil.example/cb",
    "HTTPS://client.example/cb",
    "http://127.0.0.1:1/other",
    "http://127.0.0.1:1/cb?a=1",
    "http://[::1]:1/cb",
    "http://127.0.0.1:1@evil.example/cb",
    "http://127.0.0.2/cb",
    "https://127.0.0.1:1/cb",
    "http://localhost:1/cb",
    "javascript:alert(1)",
    undefined,
    "",
  ];
  for (const redirect_uri of redirects) {
    await isPage(await world.browser().go(authorizeUrl(clientId, { redirect_uri })));
  }
  for (const client_id of ["", "unknown", "toolwire-at-idp", `${clientId.slice(0, -2)}xx`, undefined]) {
    await isPage(await world.browser().go(authorizeUrl(clientId, { client_id })));
  }
  for (const redirect_uri of ["http://127.0.0.1:51234/cb", "http://127.0.0.1/cb", "http://localhost:9/cb?a=1"]) {
    await isPage(await world.browser().go(authorizeUrl(clientId, { redirect_uri })), 200);
  }
  const repeated = authorizeUrl(clientId);
  repeated.searchParams.append("redirect_uri", "https://evil.example/cb");
  await isPage(await world.browser().go(repeated));
});

test("registration refuses redirects that run code, leave the machine in clear, or mislead", async () => {
  const world = createWorld();
  const refused = [
    "javascript:alert(1)",
    "JavaScript://%0aalert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,x",
    "DATA:/text",
    "vbscript:/x",
    "blob:https://client.example/x",
    "file:///etc/passwd",
    "intent://x/#Intent;end",
    "http://client.example/cb",
    "http://127.0.0.1.evil.example/cb",
    "http://localhost@evil.example/",
    "https://user:password@client.example/cb",
    "https://client.example/cb#fragment",
    "https://client.example/a/../cb",
    "https://client.example/a/%2e%2E/cb",
    "https://client.example/./cb",
    "https://client.example/cb\r\nset-cookie: a=b",
    "https://client.example/<script>",
    "mailto:a@b.example",
    "/cb",
    "",
    7,
    `https://client.example/${"x".repeat(1_000)}`,
  ];
  for (const uri of refused) {
    const response = await post(world, "/register", { redirect_uris: [REDIRECT, uri] });
    strictEqual(await errorOf(response), "invalid_redirect_uri", String(uri));
  }
  for (const uris of [undefined, [], REDIRECT, Array(11).fill(REDIRECT)]) {
    strictEqual(await errorOf(await post(world, "/register", { redirect_uris: uris })), "invalid_redirect_uri");
  }
  const web = { application_type: "web", redirect_uris: ["http://localhost/cb"] };
  strictEqual(await errorOf(await post(world, "/register", web)), "invalid_redirect_uri");
  for (
    const uri of ["com.example.app:/cb", "cursor://anysphere.cursor/cb", "http://[::1]:7/cb", "https://client.example"]
  ) {
    strictEqual((await post(world, "/register", { redirect_uris: [uri] })).status, 201, uri);
  }
});

test("a registration has no secret, nothing of the provider, and no effect on other clients", async () => {
  const world = createWorld();
  const metadata = {
    client_name: "Client",
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "client_secret_post",
  };
  const response = await post(world, "/register", metadata);
  const { client_id: id, client_id_issued_at: issuedAt, ...registered } = await response.json();
  deepStrictEqual(registered, {
    client_name: "Client",
    redirect_uris: [REDIRECT],
    application_type: "web",
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  });
  doesNotMatch(`${id} ${issuedAt}`, /toolwire-at-idp|secret/);
  strictEqual(response.headers.get("cache-control"), "no-store");
  strictEqual((await post(world, "/register", { redirect_uris: [REDIRECT], client_id: "mine" })).status, 201);
});

test("the consent page escapes everything, runs nothing, and cannot be framed", async () => {
  const world = createWorld();
  const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u0000&amp;`;
  const clientId = await register(world, { client_name: hostile, redirect_uris: [`${REDIRECT}?'=1`] });
  const response = await world.browser().go(
    authorizeUrl(clientId, { redirect_uri: `${REDIRECT}?'=1`, scope: "docs:read" }),
  );
  const page = await response.text();
  const tags = new Set([...page.matchAll(/<([a-z]+)/gi)].map(([, tag]) => tag));
  ok(!tags.has("script") && !tags.has("img"), page);
  ok(!page.includes("\u202e") && !page.includes("\0"));
  match(page, /Access is given to <strong>https:&#47;&#47;client.example<\/strong>|https:\/\/client\.example/);
  match(page, /has not verified it/);
  match(page, /docs:read/);
  doesNotMatch(page, /docs:write/);
  const policy = response.headers.get("content-security-policy")!;
  match(policy, /default-src 'none'/);
  match(policy, /frame-ancestors 'none'/);
  doesNotMatch(policy, /form-action|unsafe/);
  strictEqual(response.headers.get("x-frame-options"), "DENY");
  strictEqual(response.headers.get("cache-control"), "no-store");
  const error = await world.browser().go(authorizeUrl("<script>alert(1)</script>"));
  doesNotMatch(await error.text(), /<script/);
});

test("the consent page warns of programs on the user's machine", async () => {
  const world = createWorld();
  const clientId = await register(world, { redirect_uris: ["http://localhost:7/cb"] });
  const page = await (await world.browser().go(authorizeUrl(clientId, { redirect_uri: "http://localhost:8/cb" })))
    .text();
  match(page, /localhost:8/);
  match(page, /a program on your computer/);
});

test("cookies are of this host alone, unreadable for scripts, and one for each page and sign-in", async () => {
  const world = createWorld();
  const clientId = await register(world);
  const browser = world.browser();
  const pages = [await browser.go(authorizeUrl(clientId)), await browser.go(authorizeUrl(clientId))];
  const submitted = await browser.submit(await pages[0]!.text());
  await isPage(await browser.submit("no form"), 403);
  const cookies = [...pages, submitted].map(({ headers }) => headers.get("set-cookie")!);
  for (const cookie of cookies) {
    match(cookie, /^__Host-toolwire-[\w-]+=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    ok(cookie.length < 4_096);
  }
  strictEqual(new Set(cookies.map((cookie) => cookie.split("=")[0])).size, 3);
  const arrived = await browser.go(world.provider.authorize(locationOf(submitted)));
  match(
    arrived.headers.get("set-cookie")!,
    /^__Host-toolwire-[\w-]+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  // The first page is still good: it has its own cookie.
  strictEqual((await browser.submit(await pages[1]!.text())).status, 303);
});

test("a request that does not fit into a cookie is refused before the browser would drop it", async () => {
  const world = createWorld();
  const long = `${REDIRECT}?${"x".repeat(900)}`;
  const clientId = await register(world, { redirect_uris: [long] });
  const ofState = (length: number) => authorizeUrl(clientId, { redirect_uri: long, state: "\u00e9".repeat(length) });
  await isPage(await world.browser().go(ofState(1_001)));
  const browser = world.browser();
  const page = await (await browser.go(ofState(1_000))).text();
  const refused = locationOf(await browser.submit(page));
  strictEqual(refused.searchParams.get("error"), "invalid_request");
});

test("an id token of another client, user, issuer, nonce or key is refused, and the log has no token", async () => {
  const wrong = [
    { aud: "another-client" },
    { iss: "https://other.example" },
    { nonce: "another" },
    { nonce: undefined },
    { exp: 1 },
    { sub: "" },
  ];
  for (const idToken of [...wrong, undefined]) {
    const world = createWorld();
    world.provider.idToken = idToken ?? {};
    world.provider.isForged = idToken === undefined;
    const clientId = await register(world);
    const arrived = await signInWith(world, world.browser(), authorizeUrl(clientId));
    strictEqual(
      await errorOf(await requestToken(world, codeForm(clientId, arrived))),
      "invalid_grant",
      JSON.stringify(idToken),
    );
    const log = JSON.stringify(world.log.lines);
    match(log, /Sign-in refused/);
    doesNotMatch(log, /upstream-|eyJ|secret-at-idp/);
  }
  const without = createWorld();
  without.provider.response = { id_token: undefined };
  const clientId = await register(without);
  const arrived = await signInWith(without, without.browser(), authorizeUrl(clientId));
  strictEqual(await errorOf(await requestToken(without, codeForm(clientId, arrived))), "invalid_grant");
});

test("a code of an attacker's sign-in at the provider is refused in the browser of a victim", async () => {
  const world = createWorld();
  const clientId = await register(world);
  const start = async () => {
    const browser = world.browser();
    const page = await (await browser.go(authorizeUrl(clientId))).text();
    return { browser, upstream: locationOf(await browser.submit(page)) };
  };
  const [attacker, victim] = [await start(), await start()];
  const stolen = world.provider.authorize(attacker.upstream).searchParams.get("code")!;
  const arrived = locationOf(await victim.browser.go(world.provider.authorize(victim.upstream, { code: stolen })));
  strictEqual(await errorOf(await requestToken(world, codeForm(clientId, arrived))), "invalid_grant");
});

test("nothing of the provider is in any URL, page or response", async () => {
  const seen: string[] = [];
  const world = createWorld({ upstream: "tokens" });
  const { send } = world;
  const record = async (request: Request) => {
    const response = await send(request);
    seen.push(JSON.stringify([...response.headers]), await response.clone().text());
    return response;
  };
  const recording = { ...world, send: record, browser: () => new Browser(record) };
  await obtain(recording);
  doesNotMatch(seen.join("\n"), /upstream-(code|access|refresh)|secret-at-idp/);
  ok(seen.length > 8);
  deepStrictEqual(world.log.lines.filter(({ level }) => level === "error"), []);
});

test("listed clients close registration and metadata documents", async () => {
  const clients = [{ id: "desk", name: "Desk", redirectUris: ["http://127.0.0.1/cb"] }];
  const world = createWorld({ clients, fetchDocument: () => Promise.reject(new Error("fetched")) });
  strictEqual((await post(world, "/register", { redirect_uris: [REDIRECT] })).status, 404);
  await isPage(await world.browser().go(authorizeUrl("https://client.example/client.json")));
  await isPage(await world.browser().go(authorizeUrl(await register(createWorld()))));
  await isPage(await world.browser().go(authorizeUrl("desk")));
  const redirect_uri = "http://127.0.0.1:5000/cb";
  const arrived = await signInWith(world, world.browser(), authorizeUrl("desk", { redirect_uri }));
  strictEqual((await requestToken(world, codeForm("desk", arrived, { redirect_uri }))).status, 200);
  const metadata = await (await world.send(new Request(`${ISSUER}/.well-known/oauth-authorization-server`))).json();
  deepStrictEqual([metadata.registration_endpoint, metadata.client_id_metadata_document_supported], [undefined, false]);
});
