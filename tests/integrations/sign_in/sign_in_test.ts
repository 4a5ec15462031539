/** Sign-in over two replicas that share the keys alone: clients, consent, tokens, refreshes, revocation. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { auth0, entra, google, keycloak, oauth, oidc, okta, signIn } from "../../../src/entries/sign_in.ts";
import { createServer } from "../../../mod.ts";
import { PROVIDER } from "./provider.ts";
import {
  authorizeUrl,
  call,
  codeForm,
  createWorld,
  errorOf,
  ISSUER,
  KEYS,
  locationOf,
  MemoryStore,
  obtain,
  register,
  requestToken,
  RESOURCE,
  signInWith,
} from "./world.ts";

test("a user signs in over two replicas, and handlers see the principal with the scopes of the consent", async () => {
  const world = createWorld();
  const { arrived, tokens } = await obtain(world, { scope: "docs:read other" });
  strictEqual(`${arrived.origin}${arrived.pathname}`, "https://client.example/cb");
  strictEqual(arrived.searchParams.get("state"), "state of the client");
  strictEqual(arrived.searchParams.get("iss"), ISSUER);
  deepStrictEqual([tokens.token_type, tokens.expires_in, tokens.scope], ["Bearer", 3600, "docs:read"]);
  for (let replica = 0; replica < 2; replica++) {
    deepStrictEqual((await call(world, "whoami", tokens.access_token)).content, {
      id: "user-1",
      scopes: ["docs:read"],
      claims: { name: "Ada", email: "ada@example.com" },
    });
  }
  const refused = await call(world, "write", tokens.access_token);
  strictEqual(refused.status, 403);
  strictEqual((await call(world, "upstream", tokens.access_token)).content, "none");
});

test("a replica that starts in the middle continues the sign-in", async () => {
  const before = createWorld({}, 1);
  const clientId = await register(before);
  const browser = before.browser();
  const page = await (await browser.go(authorizeUrl(clientId))).text();
  const restart = () => (before.servers[0] = before.createReplica().server);
  restart();
  const upstream = locationOf(await browser.submit(page));
  restart();
  const arrived = locationOf(await browser.go(before.provider.authorize(upstream)));
  restart();
  const response = await requestToken(before, codeForm(clientId, arrived));
  restart();
  strictEqual((await call(before, "whoami", (await response.json()).access_token)).content.id, "user-1");
});

test("the metadata are complete, and pages of any origin may read them", async () => {
  const world = createWorld();
  const response = await world.send(new Request(`${ISSUER}/.well-known/oauth-authorization-server`));
  strictEqual(response.headers.get("access-control-allow-origin"), "*");
  deepStrictEqual(await response.json(), {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    registration_endpoint: `${ISSUER}/register`,
    scopes_supported: ["docs:read", "docs:write"],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  });
  const resource = await world.send(new Request(`${ISSUER}/.well-known/oauth-protected-resource/mcp`));
  const { authorization_servers: servers } = await resource.json();
  deepStrictEqual(servers, [ISSUER]);
  const refused = await world.send(new Request(RESOURCE, { method: "POST" }));
  strictEqual(refused.status, 401);
  match(refused.headers.get("www-authenticate")!, /resource_metadata="https:\/\/api\.example\/\.well-known/);
});

test("the Inspector's flow: each request of its page, with its origin and preflights, in its order", async () => {
  const world = createWorld();
  const origin = "http://localhost:6274";
  const send = async (path: string, init: RequestInit = {}) => {
    const { method = "GET" } = init;
    const asked = {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "content-type,mcp-protocol-version",
    };
    const preflight = await world.send(new Request(`${ISSUER}${path}`, { method: "OPTIONS", headers: asked }));
    strictEqual(preflight.status, 204, path);
    ok(preflight.headers.get("access-control-allow-methods")?.includes(method), path);
    strictEqual(preflight.headers.get("access-control-allow-origin"), "*");
    const response = await world.send(
      new Request(`${ISSUER}${path}`, { ...init, headers: { origin, ...init.headers } }),
    );
    strictEqual(response.headers.get("access-control-allow-origin"), "*");
    return await response.json();
  };
  const { resource, authorization_servers: [issuer] } = await send("/.well-known/oauth-protected-resource/mcp");
  const metadata = await send("/.well-known/oauth-authorization-server");
  strictEqual(metadata.issuer, issuer);
  const redirect_uri = `${origin}/oauth/callback/debug`;
  const { client_id: clientId } = await send("/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "MCP Inspector",
      client_uri: "https://github.com/modelcontextprotocol/inspector",
      redirect_uris: [redirect_uri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: "docs:read docs:write",
    }),
  });
  const scope = metadata.scopes_supported.join(" ");
  const arrived = await signInWith(world, world.browser(), authorizeUrl(clientId, { redirect_uri, resource, scope }));
  const form = codeForm(clientId, arrived, { redirect_uri }) as Record<string, string>;
  const tokens = await send("/token", { method: "POST", body: new URLSearchParams(form) });
  strictEqual((await call(world, "whoami", tokens.access_token)).content.id, "user-1");
  const again = await send("/token", { method: "POST", body: new URLSearchParams(form) });
  strictEqual(again.error, "invalid_grant");
});

test("an issuer with a path has its endpoints below it, also below the base path of the server", async () => {
  for (const basePath of [undefined, "/api"]) {
    const door = signIn({
      provider: oidc({ issuer: PROVIDER, clientId: "c" }),
      resource: "https://api.example/api/mcp",
      issuer: "https://api.example/api/login",
      keys: KEYS,
    });
    const server = createServer({
      tools: [],
      wires: door.wires,
      auth: door.auth,
      logger: false,
      ...(basePath !== undefined && { basePath }),
    });
    const read = async (path: string, init?: RequestInit) => {
      return (await server.fetch(new Request(`https://api.example${path}`, init))).status;
    };
    strictEqual(await read("/.well-known/oauth-authorization-server/api/login"), 200);
    strictEqual(await read("/.well-known/oauth-protected-resource/api/mcp"), 200);
    strictEqual(await read("/api/login/authorize"), 400);
    strictEqual(await read("/api/login/token", { method: "POST" }), 415);
    strictEqual(await read("/api/login/token"), 405);
    strictEqual(await read("/api/login/token", { method: "OPTIONS" }), 204);
  }
});

test("a refresh asks the provider, rotates both refresh tokens, and narrows scopes only", async () => {
  const world = createWorld();
  const { clientId, tokens } = await obtain(world);
  const refresh = (form: object) => {
    return requestToken(world, { grant_type: "refresh_token", client_id: clientId, resource: RESOURCE, ...form });
  };
  world.clock.tick(3_700_000);
  strictEqual((await call(world, "whoami", tokens.access_token)).status, 401);
  const narrowed = await (await refresh({ refresh_token: tokens.refresh_token, scope: "docs:read" })).json();
  strictEqual(narrowed.scope, "docs:read");
  notStrictEqual(narrowed.refresh_token, tokens.refresh_token);
  strictEqual((await call(world, "whoami", narrowed.access_token)).content.claims.email, "ada@example.com");
  const whole = await (await refresh({ refresh_token: narrowed.refresh_token })).json();
  strictEqual(whole.scope, "docs:read docs:write");
  const { refresh_token } = whole;
  strictEqual(await errorOf(await refresh({ refresh_token, scope: "docs:read admin" })), "invalid_scope");
  strictEqual(await errorOf(await refresh({ refresh_token, client_id: "another" })), "invalid_grant");
  strictEqual(await errorOf(await refresh({ refresh_token, resource: "https://other.example" })), "invalid_target");
  // The provider has rotated its own: the old one is good no more.
  strictEqual(await errorOf(await refresh({ refresh_token: tokens.refresh_token })), "invalid_grant");
  world.provider.subject = "user-2";
  strictEqual(await errorOf(await refresh({ refresh_token })), "invalid_grant");
});

test("a provider that does not answer is a temporary error, and none of its words reach the client", async () => {
  const world = createWorld();
  const { clientId, tokens } = await obtain(world);
  world.provider.isDown = true;
  const response = await requestToken(world, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: tokens.refresh_token,
  });
  strictEqual(response.status, 503);
  strictEqual((await response.json()).error, "temporarily_unavailable");
});

test("a refresh that failed because the provider was down can be sent again, with a store too", async () => {
  for (const options of [{}, { store: new MemoryStore() }]) {
    const world = createWorld(options);
    const { clientId, tokens } = await obtain(world);
    const form = { grant_type: "refresh_token", client_id: clientId, refresh_token: tokens.refresh_token };
    world.provider.isDown = true;
    strictEqual((await requestToken(world, form)).status, 503);
    world.provider.isDown = false;
    strictEqual((await requestToken(world, form)).status, 200);
  }
});

test("of refreshes at the same time with a store, one gives tokens, also if the provider does not rotate its own", async () => {
  const world = createWorld({ store: new MemoryStore() });
  world.provider.rotates = false;
  const { clientId, tokens } = await obtain(world);
  const form = { grant_type: "refresh_token", client_id: clientId, refresh_token: tokens.refresh_token };
  const responses = await Promise.all([1, 2, 3].map(() => requestToken(world, form)));
  deepStrictEqual(responses.map(({ status }) => status).toSorted(), [200, 400, 400]);
});

test("principal() maps users, cannot widen their consent, and refuses them", async () => {
  const world = createWorld({
    principal: ({ subject, claims, scopes }) => {
      if (claims["email"] !== "ada@example.com") return undefined;
      return {
        id: `idp:${subject}`,
        tenant: "example.com",
        scopes: [...scopes, "docs:write", "admin"],
        claims: { team: "docs" },
      };
    },
  });
  const { tokens } = await obtain(world, { scope: "docs:read" });
  deepStrictEqual((await call(world, "whoami", tokens.access_token)).content, {
    id: "idp:user-1",
    tenant: "example.com",
    scopes: ["docs:read"],
    claims: { team: "docs" },
  });
  world.provider.claims = { email: "eve@example.com" };
  const clientId = await register(world);
  const arrived = await signInWith(world, world.browser(), authorizeUrl(clientId));
  strictEqual(await errorOf(await requestToken(world, codeForm(clientId, arrived))), "access_denied");
});

test("scopes that the provider knows are those that it has granted", async () => {
  const scopes = ["openid", "docs:read", "docs:write"];
  const world = createWorld({
    provider: oidc({ issuer: PROVIDER, clientId: "toolwire-at-idp", clientSecret: "secret-at-idp", scopes }),
  });
  world.provider.response = { scope: "openid docs:read" };
  strictEqual((await obtain(world)).tokens.scope, "docs:read");
});

test("upstream: tokens gives handlers the provider's token, which no caller sees, and long ones are refused", async () => {
  const world = createWorld({ upstream: "tokens" });
  const { clientId, tokens } = await obtain(world);
  match((await call(world, "upstream", tokens.access_token)).content, /^upstream-access-\d$/);
  ok(!JSON.stringify(tokens).includes("upstream-"));
  strictEqual(tokens.expires_in, 3600);
  world.provider.response = { access_token: "x".repeat(6_000), expires_in: 60 };
  const arrived = await signInWith(world, world.browser(), authorizeUrl(clientId));
  strictEqual(await errorOf(await requestToken(world, codeForm(clientId, arrived))), "invalid_grant");
  match(JSON.stringify(world.log.lines), /are more than 6000: .*use upstream/);
});

test("an access token ends with that of the provider, at the latest", async () => {
  const world = createWorld();
  world.provider.response = { expires_in: 60 };
  strictEqual((await obtain(world)).tokens.expires_in, 60);
});

test("oauth() asks an API for the user, at each refresh too", async () => {
  let isRevoked = false;
  const world = createWorld({
    provider: oauth({
      issuer: PROVIDER,
      clientId: "toolwire-at-idp",
      clientSecret: "secret-at-idp",
      authorizationUrl: `${PROVIDER}/authorize`,
      tokenUrl: `${PROVIDER}/token`,
      identify: (accessToken) => {
        match(accessToken, /^upstream-access/);
        return { subject: isRevoked ? "another" : "42", claims: { name: "Ada" } };
      },
    }),
  });
  world.provider.response = { id_token: undefined, refresh_token: undefined, expires_in: undefined };
  const { clientId, tokens } = await obtain(world);
  deepStrictEqual((await call(world, "whoami", tokens.access_token)).content.id, "42");
  const refresh = () => {
    return requestToken(world, {
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: tokens.refresh_token,
    });
  };
  strictEqual((await refresh()).status, 200);
  isRevoked = true;
  strictEqual(await errorOf(await refresh()), "invalid_grant");
});

test("the client gets a refresh token only if the provider gives one", async () => {
  const world = createWorld();
  world.provider.response = { refresh_token: undefined };
  strictEqual((await obtain(world)).tokens.refresh_token, undefined);
});

test("a store detects reused refresh tokens on any replica, ends their sign-in, and brings revocation", async () => {
  const world = createWorld({ store: new MemoryStore() });
  const { clientId, tokens } = await obtain(world);
  const refresh = (token: string) => {
    return requestToken(world, { grant_type: "refresh_token", client_id: clientId, refresh_token: token });
  };
  const next = await (await refresh(tokens.refresh_token)).json();
  strictEqual((await call(world, "whoami", next.access_token)).status, 200);
  strictEqual(await errorOf(await refresh(tokens.refresh_token)), "invalid_grant");
  strictEqual(await errorOf(await refresh(next.refresh_token)), "invalid_grant");
  strictEqual((await call(world, "whoami", next.access_token)).status, 401);

  const other = await obtain(world);
  const revoke = (id: string) => requestToken(world, { client_id: id, token: other.tokens.refresh_token }, "/revoke");
  strictEqual((await revoke("another client")).status, 200);
  strictEqual((await call(world, "whoami", other.tokens.access_token)).status, 200);
  strictEqual((await revoke(other.clientId)).status, 200);
  strictEqual((await call(world, "whoami", other.tokens.access_token)).status, 401);
  const metadata = await world.send(new Request(`${ISSUER}/.well-known/oauth-authorization-server`));
  strictEqual((await metadata.json()).revocation_endpoint, `${ISSUER}/revoke`);
});

test("the first key seals and all open, so that keys can be replaced", async () => {
  const world = createWorld();
  const { tokens } = await obtain(world);
  const changed = createWorld({ keys: `k2:another secret of at least thirty-two bytes,${KEYS}` });
  strictEqual((await call(changed, "whoami", tokens.access_token)).status, 200);
  const dropped = createWorld({ keys: "k2:another secret of at least thirty-two bytes" });
  strictEqual((await call(dropped, "whoami", tokens.access_token)).status, 401);
});

test("presets know the addresses and parameters of their providers", async () => {
  const client = { clientId: "toolwire-at-idp", clientSecret: "secret-at-idp" };
  const tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490";
  for (
    const [provider, issuer, expected] of [
      [google(client), "https://accounts.google.com", {
        access_type: "offline",
        prompt: "consent",
        scope: "openid profile email",
      }],
      [entra({ ...client, tenant }), `https://login.microsoftonline.com/${tenant}/v2.0`, {
        scope: "openid profile email offline_access",
      }],
      [okta({ ...client, domain: "example.okta.com" }), "https://example.okta.com", {}],
      [
        okta({ ...client, domain: "example.okta.com", authorizationServer: "default" }),
        "https://example.okta.com/oauth2/default",
        {},
      ],
      [auth0({ ...client, domain: "Example.eu.auth0.com" }), "https://example.eu.auth0.com/", {}],
      [keycloak({ ...client, url: "https://login.example/", realm: "a b" }), "https://login.example/realms/a%20b", {}],
      [oidc({ ...client, issuer: PROVIDER, parameters: { hd: "example.com" } }), PROVIDER, { hd: "example.com" }],
    ] as const
  ) {
    const asked: string[] = [];
    const world = createWorld({
      provider,
      fetch: (url) => {
        asked.push(url);
        return Promise.resolve(
          Response.json({ issuer, authorization_endpoint: "https://login.example/authorize?x=1" }),
        );
      },
    }, 1);
    const browser = world.browser();
    const page = await (await browser.go(authorizeUrl(await register(world)))).text();
    match(page, new RegExp(`Continue with ${provider.name}`));
    const { searchParams } = locationOf(await browser.submit(page));
    deepStrictEqual(asked, [`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`]);
    const all = {
      x: "1",
      client_id: "toolwire-at-idp",
      redirect_uri: `${ISSUER}/callback`,
      response_type: "code",
      ...expected,
    };
    for (const [name, value] of Object.entries(all)) strictEqual(searchParams.get(name), value, `${issuer} ${name}`);
    for (const name of ["state", "nonce", "code_challenge"]) match(searchParams.get(name)!, /^[\w-]{43}$/);
    strictEqual(searchParams.get("resource"), null);
  }
});

test("options that are wrong are refused with what to do", () => {
  const provider = oidc({ issuer: PROVIDER, clientId: "c" });
  const valid = { provider, resource: RESOURCE, keys: KEYS };
  for (
    const [options, message] of [
      [{ ...valid, resource: "http://api.example/mcp" }, /resource must be an https URL/],
      [{ ...valid, issuer: "https://api.example/" }, /issuer must be an https URL without .* a slash/],
      [{ ...valid, keys: undefined }, /keys are missing/],
      [{ ...valid, keys: "k1:short" }, /32 bytes/],
      [{ ...valid, provider: google }, /provider must be a provider, such as google/],
      [{ ...valid, scopes: ["a b"] }, /scopes must be an array of scopes without spaces/],
      [{ ...valid, clients: [{ id: "a", name: "A", redirectUris: ["http://far.example/"] }] }, /clients must be/],
      [{ ...valid, upsteam: "tokens" }, /did you mean "upstream"\?/],
    ] as const
  ) {
    throws(() => signIn(options as never), message);
  }
  throws(() => oidc({ issuer: PROVIDER, clientId: "c", scopes: ["profile"] }), /must contain "openid"/);
  throws(() => entra({ tenant: "common", clientId: "c" }), /UUID of a tenant/);
  throws(() => okta({ domain: "https://example.okta.com", clientId: "c" }), /host name without https/);
});
